package org.example.music

import kotlinx.coroutines.flow.Flow
import org.example.audio.*

/** What plays now, and what comes after. */
@Singleton
data class Player(private val device: Device) : Closeable {
    private val queue = ArrayDeque<Track>()

    val isIdle: Boolean
        get() = queue.isEmpty()

    constructor(name: String) : this(Device.named(name)) {
        device.open()
    }

    // The device may be busy: then the track waits.
    suspend fun play(track: Track): Boolean {
        if (!device.ready) {
            queue.addLast(track)
            return false
        }
        device.write(track.samples)
        return true
    }

    override fun close() = device.close()

    companion object {
        const val LIMIT = 100
        fun silent(): Player = Player(Device.none())
    }
}

sealed interface Event

enum class Mode { ONCE, REPEAT }

object Registry {
    fun find(name: String): Player? = null
}

fun Track.seconds(): Int {
    return samples.size / rate
}

typealias Playlist = List<Track>
