"""Posting lists with positions, as arrays: row and position in one number, so that a phrase is an intersection.

A position is `row << 20 | offset`. Rows ascend as they are written and offsets count the tokens of one field, so the
positions of a word ascend, its rows are a shift away, and a word follows another where its positions minus one occur.

Page by page, each in a transaction of its own: writers wait for one page, readers for nothing. At the end the rows are
deleted too, and a process whose cached state is older reads all rows again.
"""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.ranking.bm25 import damping
from octavo.fast_dataclass import Value, replace
from octavo.lazy_regex import regex
from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalRow
from octavo.sql_repositories.database_port import value
from octavo_postgres.database import PostgresDatabase

BOOSTS = (3.0, 2.5, 2.5, 2.0, 2.0, 1.5, 1.0)
"""The weight of a word in each field, as in FTS5."""

POSITION_BITS = 20
_LAST_POSITION = (1 << POSITION_BITS) - 1
_SPARSE = 8  # keys per row: a table of so many takes no more memory than the rows themselves
_LONGEST_TERM = 256  # characters: an entry of a btree has to fit a third of a page
# Separators as in FTS5's tokenizer: ASCII that is neither letter, digit nor underscore.
_TOKEN = regex("[0-9a-z_\x80-\U0010ffff]+")


def tokens_of(text: str) -> list[str]:
    tokens: list[str] = _TOKEN.findall(text.lower())
    return [_term(token) if len(token) > _LONGEST_TERM else token for token in tokens]


def _term(token: str) -> str:
    """A word too long for the index is stored as its beginning and its hash."""
    return token[:_LONGEST_TERM] + hashlib.sha256(token.encode()).hexdigest()


def build_postings(rows: Iterable[tuple[int, LexicalRow]]) -> tuple[dict[tuple[int, str], bytes], dict[int, int]]:
    """The positions of every word by field and word, and the length of every row in tokens."""
    positions: defaultdict[tuple[int, str], array[int]] = defaultdict(lambda: array("q"))
    lengths: dict[int, int] = {}
    for key, row in rows:
        first, length = key << POSITION_BITS, 0
        for field, name in enumerate(LEXICAL_FIELDS):
            if text := getattr(row, name):
                tokens = tokens_of(text)
                length += len(tokens)
                for position, token in enumerate(tokens):
                    positions[field, token].append(first + min(position, _LAST_POSITION))
        lengths[key] = length
    if sys.byteorder == "big":
        for encoded in positions.values():
            encoded.byteswap()
    return {key: encoded.tobytes() for key, encoded in positions.items()}, lengths


def merged(blocks: Sequence[bytes]) -> NDArray[np.int64]:
    """One array from the blocks of a word, ascending, in whatever order the blocks were merged."""
    positions = np.frombuffer(b"".join(blocks), dtype="<i8")
    return positions if _ascending(positions) else np.sort(positions)


def _ascending(found: NDArray[np.int64]) -> bool:
    return bool((found[1:] > found[:-1]).all())


def phrase_positions(words: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Where the words follow each other, by the position of the first."""

    def follow(found: NDArray[np.int64], word: tuple[int, NDArray[np.int64]]) -> NDArray[np.int64]:
        return _intersection(found, word[1] - word[0])

    return reduce(follow, list(enumerate(words))[1:], words[0])


def _intersection(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of ascending arrays. Looks up the shorter in the longer: a rare word with a common one is cheap."""
    few, many = sorted((left, right), key=len)
    if not len(few):
        return few
    at = np.minimum(np.searchsorted(many, few), len(many) - 1)
    common: NDArray[np.int64] = few[many[at] == few]
    return common


class LexicalRows(Value):
    """The rows of one project's index at one generation, ascending. Deleted rows stay, marked as not alive."""

    generation: int
    keys: NDArray[np.int64]
    chunks: NDArray[np.int64]
    lengths: NDArray[np.float64]
    alive: NDArray[np.bool_]
    count: int
    """The number of live rows."""
    damping: NDArray[np.float64]
    """How much the length of each row damps its term frequencies, by the mean length of live rows."""
    numbers: NDArray[np.int32] | None
    """Key minus the first key → row number, or -1; None if the keys are too sparse for a table."""

    @classmethod
    def none(cls) -> LexicalRows:
        keys = np.zeros(0, dtype=np.int64)
        return cls.of(-1, keys, keys, keys.astype(np.float64), keys.astype(bool))

    @classmethod
    def of(
        cls,
        generation: int,
        keys: NDArray[np.int64],
        chunks: NDArray[np.int64],
        lengths: NDArray[np.float64],
        alive: NDArray[np.bool_],
    ) -> LexicalRows:
        """Computes once what every search needs."""
        count = int(alive.sum())
        mean = float(lengths[alive].sum()) / count if count else 1.0
        numbers = None
        if len(keys) and (reach := int(keys[-1] - keys[0]) + 1) <= _SPARSE * len(keys):
            numbers = np.full(reach, -1, dtype=np.int32)
            numbers[keys[alive] - keys[0]] = np.flatnonzero(alive)
        return cls(generation, keys, chunks, lengths, alive, count, damping(lengths, mean or 1.0), numbers)

    @property
    def newest(self) -> int:
        return int(self.keys[-1]) if len(self.keys) else 0

    def updated(self, generation: int, rows: Sequence[tuple[int, int, int, int]]) -> LexicalRows:
        """With rows added and deleted since: (key, chunk, length, generation of deletion or 0)."""
        if not rows:
            return replace(self, generation=generation)
        changes = np.array(rows, dtype=np.int64)
        deleted, added = changes[changes[:, 3] > 0, 0], changes[changes[:, 3] == 0]
        alive = self.alive
        if len(deleted) and len(self.keys):
            at = np.minimum(np.searchsorted(self.keys, deleted), len(self.keys) - 1)
            alive = alive.copy()
            alive[at[self.keys[at] == deleted]] = False
        return LexicalRows.of(
            generation,
            np.concatenate([self.keys, added[:, 0]]),
            np.concatenate([self.chunks, added[:, 1]]),
            np.concatenate([self.lengths, added[:, 2].astype(np.float64)]),
            np.concatenate([alive, np.ones(len(added), dtype=bool)]),
        )

    def at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row numbers, from 0, of the given positions, one per position; positions of deleted rows are dropped."""
        if not len(self.keys) or not len(positions):
            return np.zeros(0, dtype=np.int64)
        keys = positions >> POSITION_BITS
        if self.numbers is not None:
            # Positions ascend, and may belong to rows deleted before the first or added after the last of these.
            keys = keys[np.searchsorted(keys, self.keys[0]) : np.searchsorted(keys, self.newest, side="right")]
            live: NDArray[np.int64] = keys - self.keys[0]
            if self.count < len(self.numbers):  # otherwise every key has its row, and the row's number is the distance
                numbers = self.numbers[live].astype(np.int64)
                live = numbers[numbers >= 0]
        else:
            numbers = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            live = numbers[(self.keys[numbers] == keys) & self.alive[numbers]]
        return live


Positions = Mapping[str, Mapping[int, "NDArray[np.int64]"]]
"""By word, then by field number."""


_BLOCK_BATCH = 5_000
_FIELD_BITS = 3
_EMPTY = dict.fromkeys(LEXICAL_FIELDS, "")


def forward_rows(database: PostgresDatabase, project: int) -> Iterator[tuple[int, LexicalRow]]:
    """The postings turned round: twelve bytes of memory for every word of the project."""
    rows = database.rows("lexical_live_rows", {"project": project})
    keys = np.array([row[0] for row in rows], dtype=np.int64)
    ascending = np.argsort(keys)
    terms: list[str] = []
    orders, words = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)]
    for term, field, data in _postings(database, project):
        positions = np.frombuffer(data, dtype="<i8")
        at = np.searchsorted(keys, positions >> POSITION_BITS, sorter=ascending)
        rank = ascending[np.minimum(at, len(keys) - 1)] if len(keys) else at
        live_rows = keys[rank] == positions >> POSITION_BITS if len(keys) else np.zeros(len(positions), dtype=bool)
        position = positions[live_rows] & ((1 << POSITION_BITS) - 1)
        # In the order the rows are wanted in: by chunk, then by field, then by position.
        orders.append((((rank[live_rows] << _FIELD_BITS) | field) << POSITION_BITS) | position)
        if not terms or terms[-1] != term:
            terms.append(term)
        words.append(np.full(len(position), len(terms) - 1, dtype=np.int32))
    order, word = np.concatenate(orders), np.concatenate(words)
    sorting = np.argsort(order, kind="stable")
    order, word = order[sorting] >> POSITION_BITS, word[sorting]
    starts = np.searchsorted(order, np.arange((len(rows) << _FIELD_BITS) + 1))
    for place, (_, chunk) in enumerate(rows):
        fields = dict(_EMPTY)
        for field, name in enumerate(LEXICAL_FIELDS):
            start, end = starts[(place << _FIELD_BITS) + field], starts[(place << _FIELD_BITS) + field + 1]
            if end > start:
                fields[name] = " ".join([terms[number] for number in word[start:end].tolist()])
        yield chunk, LexicalRow(**fields)


def _postings(database: PostgresDatabase, project: int) -> Iterator[tuple[str, int, bytes]]:
    after = {"term": "", "field": -1, "block": -1}
    where = {"project": project, "limit": _BLOCK_BATCH}
    while rows := database.binary_rows("lexical_postings_after", where | after):
        for term, field, _, positions in rows:
            yield term, field, positions
        after = dict(zip(("term", "field", "block"), rows[-1][:3], strict=True))


COMPACTED = "lexical_forgotten"
"""Counter in `library`: rows deleted up to this generation are no longer listed as deletions."""

_SHARE, _LEAST = 0.2, 1_000  # share of a project's rows, and rows: below, compaction is not worth the writes
_PAGE = 2_000


def compact(database: PostgresDatabase, *, share: float = _SHARE, least: int = _LEAST) -> int:
    """The number of rows removed."""
    removed = 0
    for project, gone, total in database.rows("lexical_gone"):
        if gone >= least and gone >= share * total:
            removed += _project(database, project)
    return removed


def _project(database: PostgresDatabase, project: int) -> int:
    generation = int(value(database, "generation"))
    rows = database.rows("lexical_gone_rows", {"project": project, "generation": generation})
    gone = np.array([row[0] for row in rows], dtype=np.int64)
    after: dict[str, Any] | None = {"term": "", "field": -1, "block": -1}
    while after is not None:
        with database.transaction():
            after = _page(database, project, gone, after)
    where = {"project": project, "generation": generation}
    with database.transaction():
        for name in ("lexical_postings_empty", "lexical_terms_empty", "lexical_blocks_empty", "lexical_rows_forget"):
            database.run(name, where)
        # Deletions in other projects are still listed, but one counter is enough: reading all rows is never wrong.
        database.set_counter(COMPACTED, max(generation, database.counter(COMPACTED) or 0))
    return len(gone)


def _page(
    database: PostgresDatabase, project: int, gone: NDArray[np.int64], after: dict[str, Any]
) -> dict[str, Any] | None:
    """Rewrites one page of posting lists; returns the key of the last, or None if there were none."""
    rows = database.binary_rows("lexical_postings_after", {"project": project, "limit": _PAGE} | after)
    if not rows:
        return None
    changed = []
    for term, field, block, data in rows:
        positions = np.frombuffer(data, dtype="<i8")
        live = positions[~np.isin(positions >> POSITION_BITS, gone)]
        if len(live) < len(positions):
            changed.append((term, field, block, live.tobytes()))
    if changed:
        terms, fields, blocks, rewritten = (list(column) for column in zip(*changed, strict=True))
        replaced = {"terms": terms, "fields": fields, "blocks": blocks, "several": rewritten}
        database.run("lexical_postings_replace", {"project": project, **replaced})
    return dict(zip(("term", "field", "block"), rows[-1][:3], strict=True))
