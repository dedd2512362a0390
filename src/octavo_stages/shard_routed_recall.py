"""Dense recall within the snapshot shards whose section outline is nearest to the query."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass
from octavo.model.search_result import Ranking
from octavo.ports import RoutedIndex
from octavo.retrieval.stage import Search, UsesQueryVector
from octavo.retrieval.stages.lexical_and_dense_recall import none_near, vectors_for


@dataclass(frozen=True, slots=True)
class ShardRoutedRecall(UsesQueryVector):
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
