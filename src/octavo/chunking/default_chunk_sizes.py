"""Default chunk sizes for an embedder's context window."""

from __future__ import annotations

from octavo.model.index_recipe import ChunkSizes

SPECIAL_TOKENS = 2  # one before and one after the text, in every known model
_LARGEST = 1200  # a larger chunk mixes topics, even if the embedder could read it
_FILLED = 0.85  # of what the window leaves: chunks that fill it are found less well, by every encoder that was tried


def context_reserve(window: int) -> int:
    """Tokens of the window reserved for the title and heading path in front of a chunk."""
    return min(32, window // 8)


def default_sizes(window: int) -> ChunkSizes:
    """Sizes under which every chunk except a long atomic block fits the window with its context.

    The hard maximum is most of what the window leaves, at most 1200; the others keep the proportions of
    600/1000/1200/200/100, which is what a window of 1446 tokens or more gets.
    """
    hard = max(1, min(_LARGEST, int(_FILLED * (window - SPECIAL_TOKENS - context_reserve(window)))))
    return ChunkSizes(
        target_min=hard * 6 // 12,
        target_max=max(1, hard * 10 // 12),
        hard_max=hard,
        min_preferred=hard * 2 // 12,
        overlap=hard // 12,
    )
