"""Lexical recall in which each word that no chunk holds is replaced by the nearest spelling that one holds."""

from __future__ import annotations

from octavo.algorithms.queries.spelling_suggestions import nearest_spelling
from octavo.fast_dataclass import dataclass, replace
from octavo.model.search_result import Ranking
from octavo.retrieval.stage import Search, SkipStage


@dataclass(frozen=True, slots=True)
class TypoRecall:
    """The query with every word that no chunk holds replaced by the nearest that one does.

    Trigrams suggest `looked_at` words, edits decide: one in a word of up to `short` letters, two in a longer one. Words
    below `shortest` letters have too many neighbours to guess.
    """

    shortest: int = 4
    short: int = 5
    looked_at: int = 500
    depth: int = 100
    name: str = "typos"

    def recall(self, search: Search) -> Ranking:
        query = search.query
        meant = {word: near for word in query.terms.words if (near := self._meant(search, word)) is not None}
        if not meant:
            raise SkipStage("no word of the query looks misspelt")
        search.notes["read_as"] = meant
        terms = replace(query.terms, words=tuple(dict.fromkeys(meant.get(word, word) for word in query.terms.words)))
        return Ranking(self.name, search.holding(terms, self.depth))

    def _meant(self, search: Search, word: str) -> str | None:
        if len(word) < self.shortest or not word.isalpha():
            return None
        near = search.library.store.lexical.similar(search.library.project, word, self.looked_at)
        if word in near:
            return None
        return nearest_spelling(word, near, 1 if len(word) <= self.short else 2)
