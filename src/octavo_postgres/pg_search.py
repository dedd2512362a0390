"""Lexical search through ParadeDB's pg_search: whether it is usable, its index, and queries in its language.

Operators and functions of the extension were renamed between versions, so the catalogue is queried: the extension, a
bm25 index over our texts, `@@@` or `|||`, `paradedb.score` or `pdb.score`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from octavo.fast_dataclass import Value
from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalField, LexicalRow
from octavo.model.query import Terms
from octavo.model.search_result import ScoredChunk, best_first
from octavo.sql_repositories.database_port import Database
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.hnsw import exclusive_connection
from octavo_postgres.posting_lists import BOOSTS, forward_rows, tokens_of
from octavo_postgres.sql_dialect import queries

_OPERATORS = ("@@@", "|||")
_SCORES = ("pdb.score", "paradedb.score")  # the second is the older, deprecated name


class Catalogue(Value):
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


class Capability(Value):
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


TEXTS_STATE = "lexical_texts"
"""Counter in `library`: whether the texts that pg_search indexes are stored, and whether they are complete."""

_FILLING, _FILLED = 1, 2
_MOST_COMPLETIONS = 200  # words with the prefix; beyond that posting lists are the better choice
_ROW_BATCH = 1_000
_NO_PROFILE = 0  # profiles, and the locks of their indexes, are numbered from 1


class UnsupportedQuery(Exception):
    """A query that the available operator cannot express. Expected: the posting lists answer instead."""


def query_string(terms: Terms, fields: Sequence[LexicalField], completions: Callable[[str], Iterable[str]]) -> str:
    """The query in Tantivy's language. Every token is quoted, so that none can be read as an operator.

    As in SQLite: any word counts, every phrase is required, nothing excluded may occur; excluded words may occur in no
    field at all.
    """
    chosen = [field for field in LEXICAL_FIELDS if not fields or field in fields]
    required = [quoted for phrase in terms.phrases if (quoted := _quoted(phrase))]
    optional = [quoted for word in terms.words if (quoted := _quoted((word,)))]
    optional += [quoted for phrase in terms.preferred if len(phrase) > 1 and (quoted := _quoted(phrase))]
    for prefix in terms.prefixes:
        completed = sorted(islice(completions(prefix), _MOST_COMPLETIONS + 1))
        if len(completed) > _MOST_COMPLETIONS:
            raise UnsupportedQuery(f"more than {_MOST_COMPLETIONS} words begin with {prefix}")
        optional += [f'"{word}"' for word in completed]
    optional += required
    if not optional:
        return ""
    clauses = [f"+({_in_fields(optional, chosen)})"]
    clauses += [f"+({_in_fields([phrase], chosen)})" for phrase in required]
    excluded = [quoted for phrase in terms.excluded if (quoted := _quoted(phrase))]
    clauses += [f"-({_in_fields([phrase], LEXICAL_FIELDS)})" for phrase in excluded]
    return " ".join(clauses)


def _in_fields(alternatives: Sequence[str], fields: Sequence[LexicalField]) -> str:
    boosts = dict(zip(LEXICAL_FIELDS, BOOSTS, strict=True))
    return " OR ".join(f"{field}:({' OR '.join(alternatives)})^{boosts[field]}" for field in fields)


def _quoted(words: Sequence[str]) -> str:
    tokens = tokens_of(" ".join(words))
    return f'"{" ".join(tokens)}"' if tokens else ""


class Bm25Index:
    """Queries a pg_search that was found to be usable."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    def search(
        self,
        how: Capability,
        owner: int,
        terms: Terms,
        admitted: Sequence[int] | None,
        limit: int,
        fields: Sequence[LexicalField],
    ) -> tuple[ScoredChunk, ...]:
        parameters = {"project": owner, "admitted": None if admitted is None else list(admitted), "limit": limit}
        by = how.score.split(".", 1)[0]
        self._database.set_local("bm25_by_itself", {})
        if how.operator == "@@@":
            query = query_string(terms, fields, lambda prefix: self._completions(owner, prefix))
            if not query:
                return ()
            rows = self._database.rows(f"bm25_parsed_{by}", parameters | {"query": f"{query} +project:{owner}^0"})
        else:
            if fields or terms.phrases or terms.excluded or terms.prefixes or terms.preferred:
                raise UnsupportedQuery("||| knows single words only")
            words = " ".join(token for word in terms.words for token in tokens_of(word))
            if not words:
                return ()
            rows = self._database.rows(f"bm25_matched_{by}", parameters | {"words": words})
        return best_first((ChunkKey(key), float(score)) for key, score in rows)

    def _completions(self, project: int, prefix: str) -> Iterable[str]:
        tokens = tokens_of(prefix)
        if len(tokens) != 1:
            raise UnsupportedQuery(f"{prefix} is not the beginning of one word")
        rows = self._database.rows("lexical_terms_starting", {"project": project, "prefix": tokens[0]})
        return (row[0] for row in rows)


def stores_texts(database: PostgresDatabase) -> bool:
    return bool(database.counter(TEXTS_STATE))


def put_texts(database: PostgresDatabase, owner: int, rows: Iterable[tuple[int, LexicalRow]]) -> None:
    """Runs in the transaction that writes the posting lists of the same rows."""
    by_key = dict(rows)
    database.run("lexical_texts_remove", {"chunks": json.dumps([int(key) for key in by_key])})
    database.run_many(
        "lexical_texts_put", ({"key": key, "project": owner, **row._asdict()} for key, row in by_key.items())
    )


def ensure_bm25_index(database: PostgresDatabase) -> bool:
    """Stores every missing text and builds the index; True if anything had to be done.

    From the first step on every writer stores the texts of what it writes, so nothing is missed meanwhile; earlier
    texts are reconstructed from the posting lists.
    """
    capability = detected(database)
    if capability.usable or not capability.installed:
        return False
    with exclusive_connection(database, _NO_PROFILE) as connection:
        if detected(database).usable:
            return False  # another process was faster
        if database.counter(TEXTS_STATE) != _FILLED:
            with database.transaction():
                database.set_counter(TEXTS_STATE, _FILLING)
            _fill(database)
            with database.transaction():
                database.set_counter(TEXTS_STATE, _FILLED)
        connection.execute(queries()["bm25_drop"])
        connection.execute(queries()["bm25_make"])
    return True


def _fill(database: PostgresDatabase) -> None:
    with database.reading():
        projects = [row[0] for row in database.rows("lexical_projects")]
    for project in projects:
        rows = forward_rows(database, project)
        while batch := dict(islice(rows, _ROW_BATCH)):
            with database.transaction():
                chunks = json.dumps(sorted(batch))
                missing = [row[0] for row in database.rows("lexical_texts_missing", {"chunks": chunks})]
                database.run_many(
                    "lexical_texts_put", ({"key": key, "project": project, **batch[key]._asdict()} for key in missing)
                )
