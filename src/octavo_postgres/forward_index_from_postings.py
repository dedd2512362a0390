"""The forward index, reconstructed from the posting lists: chunk → analysed fields."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalRow
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.posting_lists import POSITION_BITS

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
