"""Lexical recall channels: adjacent words, and titles."""

from __future__ import annotations

from itertools import pairwise

from octavo.fast_dataclass import dataclass, replace
from octavo.model.prepared_document import LexicalField
from octavo.model.search_result import Ranking
from octavo.retrieval.stage import Search, SkipStage


@dataclass(frozen=True, slots=True)
class PhraseRecall:
    """Chunks that hold neighbouring words of the query next to each other, by BM25 over the pairs."""

    depth: int = 100
    name: str = "phrase"

    def recall(self, search: Search) -> Ranking:
        query = search.query
        pairs = (*pairwise(query.terms.words), *query.terms.preferred)
        if not pairs:
            raise SkipStage("the query has no two words next to each other")
        terms = replace(query.terms, words=(), prefixes=(), preferred=pairs, forms=())
        return Ranking(self.name, search.holding(terms, self.depth))


@dataclass(frozen=True, slots=True)
class TitleRecall:
    """Chunks whose title or other name holds the query's words, whatever their body says."""

    fields: tuple[LexicalField, ...] = ("title", "aliases")
    depth: int = 100
    name: str = "title"

    def recall(self, search: Search) -> Ranking:
        query = search.query
        if query.terms.empty:
            raise SkipStage("the query has no words to look for")
        return Ranking(self.name, search.holding(query.terms, self.depth, self.fields))
