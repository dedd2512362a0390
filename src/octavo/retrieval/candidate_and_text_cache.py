"""Caches candidates, sections, lengths, phrase hits and texts that earlier searches of a library read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from octavo.fast_dataclass import dataclass, replace
from octavo.model.document import Section
from octavo.model.ids import ChunkKey, DocumentId
from octavo.model.normalised_text_and_spans import Span
from octavo.model.search_result import Candidate

MOST_CHARACTERS = 8_000_000  # characters, in each of the two halves
LONGEST_TEXT = 100_000  # characters: a book would push out a hundred notes
_CANDIDATES = 16_384  # that are remembered: some 20 MB
_PHRASES = 4_096  # whose chunks are remembered


@dataclass(slots=True)
class RememberedState:
    """What is known of one state of a library but for its vectors, and only of that."""

    candidates: dict[ChunkKey, Candidate] = field(default_factory=dict)
    lengths: dict[DocumentId, int] = field(default_factory=dict)
    """How many chunks documents have."""
    sections: dict[tuple[DocumentId, Span], tuple[Section, ...]] = field(default_factory=dict)
    """Those that touch a place."""
    containing: dict[tuple[tuple[str, ...], int | None], Sequence[ChunkKey]] = field(default_factory=dict)
    """The chunks that hold tokens next to each other, or the first so many of them."""
    at_most: dict[int, bool] = field(default_factory=dict)
    """Whether there are so many chunks or fewer."""
    has_commits: bool | None = None
    has_code: bool | None = None
    whole: dict[Hashable, tuple[Any, Any]] = field(default_factory=dict)
    """What the whole library makes of queries at a generation: by which profile, and a scale with the relevance of each
    candidate, for whoever narrows the same search next. Candidates themselves are not kept: a search that makes its own
    where the last ones lay takes a thirtieth less time."""

    @property
    def full(self) -> bool:
        return max(len(self.candidates), len(self.sections)) > _CANDIDATES or len(self.containing) > _PHRASES

    def emptied(self) -> RememberedState:
        """Another without what there is most of; searches that are under way go on with this one."""
        return replace(self, candidates={}, lengths={}, sections={}, containing={})


class RememberedTexts:
    """By their hashes. A hash names one text for ever, so no change of the library makes this stale.

    When one half is full, the other is forgotten: what was not asked for since then.
    """

    def __init__(self) -> None:
        self._recent: dict[str, str] = {}
        self._before: dict[str, str] = {}
        self._size = 0
        self.found = self.missed = 0
        """How many texts were remembered when they were asked for, and how many not."""

    def known(self, hashes: Iterable[str]) -> dict[str, str]:
        """Those of the texts that are remembered."""
        texts = {}
        for digest in hashes:
            text = self._recent.get(digest)
            if text is None and (text := self._before.get(digest)) is not None:
                self._put(digest, text)
            if text is None:
                self.missed += 1
            else:
                self.found += 1
                texts[digest] = text
        return texts

    def remember(self, texts: Mapping[str, str]) -> None:
        for digest, text in texts.items():
            if len(text) <= LONGEST_TEXT:
                self._put(digest, text)

    def _put(self, digest: str, text: str) -> None:
        """Threads that come at the same time may count a text twice: then a half is full a little early."""
        self._size += len(text)
        if self._size > MOST_CHARACTERS:
            self._before, self._recent, self._size = self._recent, {}, len(text)
        self._recent[digest] = text


class SearchMemory:
    """What earlier searches have read: texts for ever, the rest as long as only vectors change."""

    def __init__(self, generation: Callable[[], int] | None = None) -> None:
        self.texts = RememberedTexts()
        self._generation = generation
        self._known = (-1, RememberedState())

    def state(self) -> RememberedState:
        """Of the library as it is: called within the transaction that reads it. Without a generation nothing is."""
        if self._generation is None:
            return RememberedState()
        generation, (of, known) = self._generation(), self._known
        if of != generation or known.full:
            known = known.emptied() if of == generation else RememberedState()
            self._known = generation, known
        return known
