"""Channels: each asks the library one way and ranks what it finds."""

from __future__ import annotations

from dataclasses import dataclass

from recto.model.result import Ranking, Scored
from recto.ports import ChoosingIndex, TieredIndex
from recto.retrieval.stage import Search, SkipStage
from recto.retrieval.stages.commits import beside_commits


@dataclass(frozen=True, slots=True)
class LexicalRecall:
    """BM25 over the boosted fields."""

    depth: int = 100
    name: str = "lexical"

    def recall(self, search: Search) -> Ranking:
        query, library = search.query, search.library
        if query.terms.empty:
            raise SkipStage("the query has no words to look for")

        def ask(asked: Search) -> tuple[Scored, ...]:
            filters = asked.query.filters
            return library.store.lexical.search(library.project, query.terms, filters, self.depth)

        found = ask(search)
        if isinstance(library.store.lexical, ChoosingIndex) and (said := library.store.lexical.answered()):
            search.notes["words_by"] = said
        return Ranking(self.name, beside_commits(search, found, self.depth, ask))


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

        def ask(asked: Search) -> tuple[Scored, ...]:
            return index.search(asked.vector, self.depth, asked.admitted)

        found = ask(search)
        if not found:
            unfiltered = search.admitted is None
            raise SkipStage("no chunk has a vector yet" if unfiltered else "no chunk with a vector passes the filters")
        if isinstance(index, TieredIndex) and (fast := index.fast_among([one.key for one in found])):
            search.fast = fast / len(found)
            search.notes["fast_vectors"] = f"{fast} of {len(found)}"
        return Ranking(self.name, beside_commits(search, found, self.depth, ask))
