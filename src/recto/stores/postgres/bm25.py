"""Words → chunks by pg_search: what is asked, said in its words, and the texts and the index it needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from recto.model.ids import ChunkKey
from recto.model.index import LEXICAL_FIELDS, LexicalField, LexicalRow
from recto.model.query import Terms
from recto.model.result import Scored
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.dialect import queries
from recto.stores.postgres.hnsw import alone
from recto.stores.postgres.pg_search import Capability, detected
from recto.stores.postgres.postings import BOOSTS, tokens_of

KEPT = "lexical_texts"
"""In `library`: whether the texts that pg_search indexes are written, and whether all of them are there."""

_FILLING, _FILLED = 1, 2
_MOST_BEGUN = 200  # words that begin as asked for: beyond, postings are the better answer
_ROWS_AT_ONCE = 1_000
_NO_PROFILE = 0  # profiles, and the locks of their indexes, count from 1


class CannotSay(Exception):
    """What is asked has no words in the operator there is. Expected: the postings answer instead."""


def query_string(terms: Terms, fields: Sequence[LexicalField], begun: Callable[[str], Iterable[str]]) -> str:
    """The query in Tantivy's language. Every token is quoted, so that none can be read as an operator.

    As in SQLite: any word counts, every phrase must be there, nothing excluded may be; what is excluded may stand in
    no field at all.
    """
    chosen = [one for one in LEXICAL_FIELDS if not fields or one in fields]
    demanded = [quoted for phrase in terms.phrases if (quoted := _quoted(phrase))]
    anything = [quoted for word in terms.words if (quoted := _quoted((word,)))]
    anything += [quoted for phrase in terms.preferred if len(phrase) > 1 and (quoted := _quoted(phrase))]
    for prefix in terms.prefixes:
        found = sorted(islice(begun(prefix), _MOST_BEGUN + 1))
        if len(found) > _MOST_BEGUN:
            raise CannotSay(f"more than {_MOST_BEGUN} words begin with {prefix}")
        anything += [f'"{word}"' for word in found]
    anything += demanded
    if not anything:
        return ""
    said = [f"+({_in_fields(anything, chosen)})"]
    said += [f"+({_in_fields([one], chosen)})" for one in demanded]
    unwanted = [quoted for phrase in terms.excluded if (quoted := _quoted(phrase))]
    said += [f"-({_in_fields([one], LEXICAL_FIELDS)})" for one in unwanted]
    return " ".join(said)


def _in_fields(alternatives: Sequence[str], fields: Sequence[LexicalField]) -> str:
    boosts = dict(zip(LEXICAL_FIELDS, BOOSTS, strict=True))
    return " OR ".join(f"{field}:({' OR '.join(alternatives)})^{boosts[field]}" for field in fields)


def _quoted(words: Sequence[str]) -> str:
    tokens = tokens_of(" ".join(words))
    return f'"{" ".join(tokens)}"' if tokens else ""


class Bm25Index:
    """Asks a pg_search that was found to be usable."""

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
    ) -> tuple[Scored, ...]:
        asked = {"project": owner, "admitted": None if admitted is None else list(admitted), "limit": limit}
        by = how.score.split(".", 1)[0]
        self._database.set_local("bm25_by_itself", {})
        if how.operator == "@@@":
            query = query_string(terms, fields, lambda prefix: self._begun(owner, prefix))
            if not query:
                return ()
            rows = self._database.rows(f"bm25_parsed_{by}", asked | {"query": f"{query} +project:{owner}^0"})
        else:
            if fields or terms.phrases or terms.excluded or terms.prefixes or terms.preferred:
                raise CannotSay("||| knows single words only")
            words = " ".join(token for word in terms.words for token in tokens_of(word))
            if not words:
                return ()
            rows = self._database.rows(f"bm25_matched_{by}", asked | {"words": words})
        return tuple(Scored(ChunkKey(key), float(score)) for key, score in rows)

    def _begun(self, project: int, prefix: str) -> Iterable[str]:
        tokens = tokens_of(prefix)
        if len(tokens) != 1:
            raise CannotSay(f"{prefix} is not the beginning of one word")
        rows = self._database.rows("lexical_terms_starting", {"project": project, "prefix": tokens[0]})
        return (row[0] for row in rows)


def keeps_texts(database: PostgresDatabase) -> bool:
    return bool(database.counter(KEPT))


def put_texts(database: PostgresDatabase, owner: int, rows: Iterable[tuple[int, LexicalRow]]) -> None:
    """In the transaction that writes the postings of the same rows."""
    held = dict(rows)
    database.run("lexical_texts_remove", {"chunks": json.dumps([int(key) for key in held])})
    database.run_many(
        "lexical_texts_put", ({"key": key, "project": owner, **row._asdict()} for key, row in held.items())
    )


def settle_bm25(database: PostgresDatabase) -> bool:
    """Writes down every text that is missing and makes the index; True if anything had to be done.

    From the first step on every writer writes the texts of what it writes, so nothing is missed meanwhile; the texts of
    what was there before are put together again from the postings.
    """
    found = detected(database)
    if found.usable or not found.installed:
        return False
    with alone(database, _NO_PROFILE) as connection:
        if detected(database).usable:
            return False  # somebody else was faster
        if database.counter(KEPT) != _FILLED:
            with database.transaction():
                database.set_counter(KEPT, _FILLING)
            _fill(database)
            with database.transaction():
                database.set_counter(KEPT, _FILLED)
        connection.execute(queries()["bm25_drop"])
        connection.execute(queries()["bm25_make"])
    return True


def _fill(database: PostgresDatabase) -> None:
    from recto.stores.postgres.transfer import PostingsWords

    with database.reading():
        projects = [row[0] for row in database.rows("lexical_projects")]
    words = PostingsWords(database)
    for project in projects:
        rows = words.of_project(project)
        while several := dict(islice(rows, _ROWS_AT_ONCE)):
            with database.transaction():
                chunks = json.dumps(sorted(several))
                missing = [row[0] for row in database.rows("lexical_texts_missing", {"chunks": chunks})]
                database.run_many(
                    "lexical_texts_put",
                    ({"key": key, "project": project, **several[key]._asdict()} for key in missing),
                )
