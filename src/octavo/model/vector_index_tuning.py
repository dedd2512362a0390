"""How the index of a profile's vectors is built and queried, where a database server has one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.fast_dataclass import dataclass

INDEX_OPTIONS = ("hnsw", "query")
"""Options of any embedding profile. No vector depends on them."""

MOST_EF_SEARCH = 1_000
"""The largest `hnsw.ef_search` that pgvector accepts."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """A named profile sets `m` and `ef_construction` in its option `hnsw`, the others in `query`."""

    m: int = 16
    ef_construction: int = 64
    ef_search_min: int = 100
    ef_search_factor: float = 2.0
    ef_search_max: int = 400

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Tuning:
        """With defaults for what the options leave out: an index with more links is built with more care."""
        settings = {name: value for part in INDEX_OPTIONS for name, value in (options.get(part) or {}).items()}
        care = max(cls().ef_construction, 2 * int(settings.get("m", 0)))
        return cls(**{"ef_construction": care} | {name: settings[name] for name in cls.__slots__ if name in settings})

    def problem(self) -> str:
        """Why no index can be built or queried so; empty where one can."""
        if self.ef_construction < 2 * self.m:
            return f"hnsw.ef_construction is {self.ef_construction}, and must be at least twice hnsw.m ({self.m})"
        if self.ef_search_min > self.ef_search_max:
            return f"query.ef_search_min ({self.ef_search_min}) is above query.ef_search_max ({self.ef_search_max})"
        return ""

    def ef_search(self, wanted: int) -> int:
        least = max(self.ef_search_min, round(wanted * self.ef_search_factor))
        return max(1, min(least, self.ef_search_max, MOST_EF_SEARCH))
