"""An old text with splices put into it; the new text is built only when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from octavo.fast_dataclass import dataclass
from octavo.note_editing.note_files import encoded


class Splice(NamedTuple):
    """`put` takes the place of `start` to `end`."""

    start: int
    end: int
    put: str

    @property
    def growth(self) -> int:
        return len(self.put) - (self.end - self.start)


class ChangedRange(NamedTuple):
    """Where two files differ: `start` to `end` of the old one became `new_start` to `new_end` of the new one."""

    start: int
    end: int
    new_start: int
    new_end: int


@dataclass(frozen=True)
class Spliced:
    """A text with splices made in it: in their order, none in another's place."""

    old: str
    splices: tuple[Splice, ...]

    def __len__(self) -> int:
        return len(self.old) + sum(splice.growth for splice in self.splices)

    @property
    def start(self) -> int:
        """Up to where both texts are the same."""
        return self.splices[0].start if self.splices else len(self.old)

    @property
    def differences(self) -> list[ChangedRange]:
        """Where the bytes of the two texts differ."""
        ranges: list[ChangedRange] = []
        done, old, new = 0, 0, 0  # characters of the old text, then bytes of each
        for start, end, put in self.splices:
            kept, removed, added = (len(encoded(part)) for part in (self.old[done:start], self.old[start:end], put))
            old, new, done = old + kept, new + kept, end
            ranges.append(ChangedRange(old, old + removed, new, new + added))
            old, new = old + removed, new + added
        return ranges

    @cached_property
    def text(self) -> str:
        return "".join(part[begin:end] for part, begin, end in self._pieces())

    def place(self, old: int) -> int:
        """Where a place of the old text is in the new one: behind a splice that ends there."""
        return old + sum(splice.growth for splice in self.splices if splice.end <= old)

    def part(self, begin: int, end: int) -> str:
        parts: list[str] = []
        at = 0
        for text, first, last in self._pieces():
            behind = at + last - first
            if at < end and begin < behind:
                parts.append(text[first + max(begin - at, 0) : first + min(end, behind) - at])
            at = behind
        return "".join(parts)

    def _pieces(self) -> Iterator[tuple[str, int, int]]:
        """What the text is made of: parts of the old one, and what was put between them."""
        done = 0
        for splice in self.splices:
            yield self.old, done, splice.start
            yield splice.put, 0, len(splice.put)
            done = splice.end
        yield self.old, done, len(self.old)
