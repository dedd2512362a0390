"""ParadeDB's pg_search, where a server has it: whether it can be asked, and by which names.

Operators and functions of the extension have changed their names from version to version, so the catalogue is asked
which there are: the extension, a bm25 index over our texts, `@@@` or `|||`, `paradedb.score` or `pdb.score`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from recto.stores.shared.database import Database

_OPERATORS = ("@@@", "|||")
_SCORES = ("pdb.score", "paradedb.score")  # the second is the older name, and goes away


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the server's catalogue says: rows of (kind, name)."""

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
    """How this server's pg_search is asked; or, with a `reason`, why it is not."""

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


def capability(found: Catalogue) -> Capability:
    """The first thing that is missing is the reason."""
    if found.version is None:
        return Capability(reason="the server does not have pg_search")
    version = found.version
    operator = next((one for one in _OPERATORS if one in found.operators), None)
    if operator is None:
        return Capability(version, reason=f"pg_search {version} has neither {' nor '.join(_OPERATORS)}")
    score = next((one for one in _SCORES if one in found.functions), None)
    if score is None:
        return Capability(version, reason=f"pg_search {version} has neither {' nor '.join(_SCORES)}")
    if not found.indexes:
        return Capability(version, operator, score, reason=f"pg_search {version} is there, but no bm25 index")
    return Capability(version, operator, score, found.indexes[0])


def detected(database: Database) -> Capability:
    return capability(Catalogue.of((row[0], row[1]) for row in database.rows("pg_search_catalogue")))
