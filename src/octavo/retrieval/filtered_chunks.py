"""The chunks that a search may find: what filters, phrases, exclusions and conditions let through.

Words and filters are asked of the stores, and everything else is arithmetic on keys: it is the same on every engine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from octavo.algorithms.ranking.sorted_array_set_operations import Keys, both, distinct, either, without
from octavo.fast_dataclass import dataclass, replace
from octavo.model.ids import ProjectId
from octavo.model.query import Condition, Filters, Terms
from octavo.retrieval.chunks_by_word_prefix import Beginnings
from octavo.sql_repositories.store import Store


@dataclass(frozen=True, slots=True)
class Admission:
    """Ascending keys of chunks, by what may be asked of them."""

    store: Store
    project: ProjectId
    written: Callable[[str], str]
    """Text → its words as they are written: see `Beginnings`."""

    @property
    def beginnings(self) -> Beginnings:
        return Beginnings(self.store, self.project, self.written)

    def of_query(self, terms: Terms, filters: Filters) -> Keys:
        keys = self.passing(filters)
        if terms.condition is not None:
            everything = self.passing(Filters())
            keys = both(keys, chunks_meeting(terms.condition, lambda: everything, self.meeting))
        for phrase in terms.phrases:
            keys = both(keys, self._holding(phrase))
        return without(keys, self.excluded(terms))

    def passing(self, filters: Filters) -> Keys:
        admitted, project = self.store.documents.admitted, self.project
        keys = distinct(np.asarray(admitted(project, replace(filters, without=())), dtype=np.int64))
        for refused in filters.without:
            keys = without(keys, np.asarray(admitted(project, refused), dtype=np.int64))
        return keys

    def excluded(self, terms: Terms) -> Keys:
        return np.concatenate([np.empty(0, dtype=np.int64), *map(self._holding, terms.excluded)])

    def meeting(self, leaf: Condition) -> Keys:
        if leaf.filters is not None:
            return self.passing(leaf.filters)
        return self.beginnings.chunks(leaf.tokens[0]) if leaf.prefix else self._holding(leaf.tokens)

    def _holding(self, tokens: tuple[str, ...]) -> Keys:
        return np.asarray(self.store.lexical.containing(self.project, tokens), dtype=np.int64)


def chunks_meeting(condition: Condition, everything: Callable[[], Keys], leaf: Callable[[Condition], Keys]) -> Keys:
    """`leaf` answers for words and filters; `everything` is what a negation takes them from."""
    if condition.kind in ("holds", "passes"):
        return leaf(condition)
    if condition.kind == "not":
        keys = everything()
        for part in condition.parts:
            keys = without(keys, chunks_meeting(part, everything, leaf))
        return keys
    first, *others = (chunks_meeting(part, everything, leaf) for part in condition.parts)
    for keys in others:
        first = both(first, keys) if condition.kind == "all" else either(first, keys)
    return first
