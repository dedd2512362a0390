"""Further recalls: vectors of the nearest clusters or shards; adjacent words, and titles."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

import numpy as np

from octavo.engine.maintenance.library_wide_job_states import CLUSTERS
from octavo.fast_dataclass import Value, replace
from octavo.model.prepared_document import LexicalField
from octavo.model.search_result import Ranking
from octavo.model.text_clusters import NO_CLUSTER
from octavo.ports import RoutedIndex
from octavo.retrieval.stage import Search, SkipStage, UsesQueryVector
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, none_near, vectors_for


class ClusterRecall(UsesQueryVector, Value):
    """As `dense`, over the chunks of the `top` clusters that `octavo cluster build` has made.

    What was written since has joined the cluster with the nearest middle. Without clusters, or with those of another
    model, every chunk is looked at.
    """

    top: int = 5
    depth: int = 100
    name: str = "dense"
    needs: ClassVar[str] = CLUSTERS

    def recall(self, search: Search) -> Ranking:
        library = search.library
        clusters = library.store.clusters
        clustering = clusters.current(library.project, library.meaning.embedder.profile)
        if clustering is None:
            made = clusters.state(library.project) is not None
            why = "those there are were made of another model's vectors" if made else "none were made"
            search.notes["clusters"] = f"{why}, so every chunk is searched; run `octavo cluster build`"
            return DenseRecall(self.depth, self.name).recall(search)
        index = vectors_for(search)
        near = [*clustering.nearest(search.vector, self.top), NO_CLUSTER]
        members = np.asarray(clusters.members(library.project, near), dtype=np.int64)
        if search.admitted is not None:
            members = np.intersect1d(members, search.admitted)
        search.notes["clusters"] = f"{len(members)} chunks in the nearest {self.top}"
        chunks = index.search(search.vector, self.depth, members)
        if not chunks:
            raise SkipStage("nothing in the nearest clusters passes the filters")
        return Ranking(self.name, chunks)


class ShardRoutedRecall(UsesQueryVector, Value):
    """As `dense`, in at most `shards` shards of the snapshot: those of the `sections` nearest to the query.

    What was written since the snapshot is always looked at. Without an outline everything is searched, and the trace
    says so.
    """

    sections: int = 32
    shards: int = 16
    depth: int = 100
    name: str = "dense"

    def recall(self, search: Search) -> Ranking:
        index = vectors_for(search)
        if isinstance(index, RoutedIndex):
            chunks, looked_into = index.search_near_sections(
                search.vector, self.depth, self.sections, self.shards, search.admitted
            )
        else:
            chunks = index.search(search.vector, self.depth, search.admitted)
            looked_into = "this library has no snapshots: everything was searched"
        search.notes["outline"] = looked_into
        if not chunks:
            raise none_near(search)
        return Ranking(self.name, chunks)


class PhraseRecall(Value):
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


class TitleRecall(Value):
    """Chunks whose title or other name holds the query's words, whatever their body says."""

    fields: tuple[LexicalField, ...] = ("title", "aliases")
    depth: int = 100
    name: str = "title"

    def recall(self, search: Search) -> Ranking:
        query = search.query
        if query.terms.empty:
            raise SkipStage("the query has no words to look for")
        return Ranking(self.name, search.holding(query.terms, self.depth, self.fields))
