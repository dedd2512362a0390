"""Lowers notes' chunks that only point elsewhere: an embed, front matter, a list of links."""

from __future__ import annotations

from octavo.algorithms.markdown.front_matter_block import FRONT_MATTER
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted, texts_of

_POINTER = regex(r"!?\[\[[^\[\]\n]*\]\]|!?\[[^\[\]\n]*\]\([^()\n]*\)|<?https?://[^\s<>]+>?")
_HEADING = regex(r"[ \t]{0,3}#{1,6}[ \t]")
_TAG = regex(r"(?<!\S)#[\w/-]+")
_WORD = regex(r"[^\W\d_]{2,}")
_MOST_WORDS = 3
_ENOUGH = 100  # characters of a line in which most have said more than a few words
_NOTES = frozenset({Kind.NOTE, Kind.DOC})


def only_points(text: str) -> bool:
    """Whether nothing is said but where to look: what is left without links, headings and tags has hardly a word.

    >>> only_points("## See also\\n\\n- [[Dome]]\\n- [Mount](mount.md)\\n")
    True
    >>> only_points("The dome is closed above 85 per cent, as [[Weather]] says.")
    False
    """
    bare = FRONT_MATTER.sub("", text)
    if bare != text and not bare.strip():
        return True
    pointers = left = 0
    for line in bare.splitlines():
        without, count = _POINTER.subn(" ", line) if "[" in line or "://" in line else (line, 0)
        pointers += count
        if "#" in without:
            without = "" if _HEADING.match(without) else _TAG.sub(" ", without)
        for part in (without[:_ENOUGH], without[_ENOUGH:]):
            left += len(_WORD.findall(part))
            if left > _MOST_WORDS:
                return False  # most passages, at the beginning of their first line
    return pointers > 0 and left <= min(pointers, _MOST_WORDS)


@dataclass(frozen=True, slots=True)
class LinksBelow:
    """What only points elsewhere comes after what says something. The best `among` candidates are looked at.

    `share` is how far they sink, in the height of the first candidate.
    """

    share: float = 0.3
    among: int = 10
    name: str = "links_below"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        first = [candidate for candidate in candidates[: self.among] if candidate.kind in _NOTES]
        if len(candidates) < 2 or not first:
            raise SkipStage("there is nothing to compare")
        texts = zip(first, texts_of(search, first), strict=True)
        details: dict[ChunkKey, str] = {
            chunk.key: "only points elsewhere" for chunk, text in texts if only_points(text)
        }
        if not details:
            raise SkipStage("every passage says something")
        sunk = self.share * ((candidates[0].score - ground(candidates)) or 1.0)
        lowered = [chunk.scored(chunk.score - sunk) if chunk.key in details else chunk for chunk in candidates]
        return noted(in_order(lowered), self.name, details)
