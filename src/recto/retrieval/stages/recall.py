"""Channels: each asks the library one way and ranks what it finds."""

from __future__ import annotations

from dataclasses import dataclass

from recto.model.result import Ranking
from recto.retrieval.stage import Search, SkipStage


@dataclass(frozen=True, slots=True)
class LexicalRecall:
    """BM25 over the boosted fields."""

    depth: int = 100
    name: str = "lexical"

    def recall(self, search: Search) -> Ranking:
        query, library = search.query, search.library
        if query.terms.empty:
            raise SkipStage("the query has no words to look for")
        found = library.store.lexical.search(library.project, query.terms, query.filters, self.depth)
        return Ranking(self.name, found)


@dataclass(frozen=True, slots=True)
class DenseRecall:
    """Nearest chunks by meaning."""

    depth: int = 100
    name: str = "dense"

    def recall(self, search: Search) -> Ranking:
        query = search.query
        if not (query.hypothesis or query.terms.text).strip():
            raise SkipStage("the query has no text to embed")
        index = search.library.vectors()
        index.prepare()  # before the query's vector is asked for: on a cold start the model is still loading
        found = index.search(search.vector, self.depth, search.admitted)
        if not found:
            unfiltered = search.admitted is None
            raise SkipStage("no chunk has a vector yet" if unfiltered else "no chunk with a vector passes the filters")
        return Ranking(self.name, found)
