"""Which shard a document belongs to: by its uri alone, so that it never moves while the number of shards stays.

FNV-1a, 32 bits, over UTF-16 code units (http://www.isthe.com/chongo/tech/comp/fnv/). `fnv1a32("a") == 0xe40c292c`.
"""

from __future__ import annotations

from functools import cache

MOST_SHARDS = 128
_CHUNKS_PER_SHARD = 8_192
_OFFSET, _PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF


def fnv1a32(text: str) -> int:
    """The whole code unit is folded in at once: for ASCII that is the usual byte by byte."""
    digest = _OFFSET
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        digest = ((digest ^ (low | high << 8)) * _PRIME) & _MASK
    return digest


@cache
def shard_of(uri: str, shards: int) -> int:
    return fnv1a32(uri) % shards


def shard_count(chunks: int) -> int:
    """A power of two up to 128, so that a shard of a smaller library is still worth opening."""
    count = 1
    while count < MOST_SHARDS and count * _CHUNKS_PER_SHARD < chunks:
        count *= 2
    return count
