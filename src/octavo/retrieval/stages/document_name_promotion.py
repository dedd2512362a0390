"""Ranks a document whose name is the query above documents that only mention the name."""

from __future__ import annotations

from collections.abc import Iterable

from octavo.algorithms.text.document_name_normalisation import folded, last, without_ending
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey
from octavo.model.link_graph import NameKind
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted

NAMED = "named_first"
_LONGEST = 120  # characters: a longer query is a question, not a name
_LONGEST_ALIAS = 8  # words: aliases are looked up in the library, which a question has not to wait for
_WITH_ENDING = (Kind.CODE, Kind.CONFIG)  # `command` is a word of the code; `command.go` is a file
_ABOVE = 0.02  # of the first candidate's height
_UNFOLDED = 4  # characters by which a name may be longer or shorter than what it is folded to
_LONGEST_ENDING = 10
_DASHES = regex(r"[-_\s]+")


@dataclass(frozen=True, slots=True)
class NamedFirst:
    """The best chunk of every document whose file name, title or alias is the whole query goes to the top.

    Its words alone may not do that: a page that links to the note five times has its name more often.
    """

    name: str = NAMED

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        typed = folded(without_ending(search.query.terms.text.strip()))
        name = _spaced(typed)
        if not candidates or not name or len(name) > _LONGEST:
            raise SkipStage("the query is no name" if candidates else "there are no candidates")
        documents = set(_named({each.document_id: each for each in candidates}.values(), name))
        if name.count(" ") < _LONGEST_ALIAS:
            documents |= self._aliased(search, candidates, typed)
        if not documents:
            raise SkipStage("no document has this name")
        height = (candidates[0].score - ground(candidates)) or 1.0
        lifted: list[Candidate] = []
        details: dict[ChunkKey, str] = {}
        for candidate in candidates:
            if candidate.document_id in documents:
                documents.discard(candidate.document_id)
                details[candidate.key] = "its document has this name"
                candidate = candidate.scored(candidates[0].score + _ABOVE * (height + candidate.score))
            lifted.append(candidate)
        return noted(in_order(lifted), self.name, details)

    def _aliased(self, search: Search, candidates: Iterable[Candidate], typed: str) -> set[str]:
        library, name = search.library, _spaced(typed)
        matches = library.store.graph.named(library.project, {last(typed), last(name)})
        uris = {match.uri for match in matches if match.kind is NameKind.ALIAS and _spaced(folded(match.path)) == name}
        return {candidate.document_id for candidate in candidates if candidate.uri in uris} if uris else set()


def _named(candidates: Iterable[Candidate], typed: str) -> Iterable[str]:
    """The documents of this name; a candidate of each is enough to know."""
    size = len(typed)
    for candidate in candidates:
        title, name = candidate.title, last(candidate.uri)
        # Folding every name takes longer than all else here, and changes hardly a length.
        if abs(len(title) - size) <= _UNFOLDED and _spaced(folded(title)) == typed:
            yield candidate.document_id
        elif size - _UNFOLDED <= len(name) <= size + _UNFOLDED + _LONGEST_ENDING:
            if candidate.kind not in _WITH_ENDING:
                name = without_ending(name)
            if _spaced(folded(name)) == typed:
                yield candidate.document_id


def _spaced(name: str) -> str:
    """`outgoing-links` in an address is `Outgoing links` on the page."""
    return _DASHES.sub(" ", name).strip() or name
