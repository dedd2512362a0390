"""Detection of ParadeDB's pg_search: whether it is usable, and under which names.

Operators and functions of the extension were renamed between versions, so the catalogue is queried: the extension, a
bm25 index over our texts, `@@@` or `|||`, `paradedb.score` or `pdb.score`.
"""

from __future__ import annotations

from collections.abc import Iterable

from octavo.fast_dataclass import dataclass
from octavo.sql_repositories.database_port import Database

_OPERATORS = ("@@@", "|||")
_SCORES = ("pdb.score", "paradedb.score")  # the second is the older, deprecated name


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The relevant part of the server's catalogue, from rows of (kind, name)."""

    version: str | None
    indexes: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> Catalogue:
        known: dict[str, list[str]] = {"extension": [], "index": [], "operator": [], "function": []}
        for kind, name in rows:
            known[kind].append(name)
        version = known["extension"][0] if known["extension"] else None
        return cls(version, *(tuple(sorted(known[kind])) for kind in ("index", "operator", "function")))


@dataclass(frozen=True, slots=True)
class Capability:
    """How this server's pg_search is queried; or, with a `reason`, why it is not."""

    version: str = ""
    operator: str = ""
    score: str = ""
    index: str = ""
    reason: str = ""

    @property
    def usable(self) -> bool:
        return not self.reason

    @property
    def installed(self) -> bool:
        return bool(self.version)


def capability(catalogue: Catalogue) -> Capability:
    """The first missing prerequisite is the reason."""
    if catalogue.version is None:
        return Capability(reason="the server does not have pg_search")
    version = catalogue.version
    operator = next((operator_name for operator_name in _OPERATORS if operator_name in catalogue.operators), None)
    if operator is None:
        return Capability(version, reason=f"pg_search {version} has neither {' nor '.join(_OPERATORS)}")
    score = next((function for function in _SCORES if function in catalogue.functions), None)
    if score is None:
        return Capability(version, reason=f"pg_search {version} has neither {' nor '.join(_SCORES)}")
    if not catalogue.indexes:
        return Capability(version, operator, score, reason=f"pg_search {version} is there, but no bm25 index")
    return Capability(version, operator, score, catalogue.indexes[0])


def detected(database: Database) -> Capability:
    return capability(Catalogue.of((row[0], row[1]) for row in database.rows("pg_search_catalogue")))
