"""Groups texts of similar length into batches for the model, so that little of a batch is padding."""

from __future__ import annotations

from collections.abc import Sequence

Batch = tuple[int, ...]
"""Places in the list that was asked for; they say where each result belongs."""


def plan(lengths: Sequence[int], max_tokens: int, max_texts: int) -> tuple[Batch, ...]:
    """Every place once, longest first, each batch within `max_tokens` once padded to its longest.

    A text that is longer on its own is a batch of its own. Longest first: the largest batch shows at once whether
    there is memory for it, and the short ones at the end keep all workers busy until they finish together.
    """
    batches: list[Batch] = []
    batch: list[int] = []
    widest = 0
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        if batch and (len(batch) == max_texts or (len(batch) + 1) * widest > max_tokens):
            batches.append(tuple(batch))
            batch = []
        if not batch:
            widest = lengths[place]
        batch.append(place)
    if batch:
        batches.append(tuple(batch))
    return tuple(batches)
