"""A library in a PostgreSQL database as plain rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from recto.model.index import LEXICAL_FIELDS, LexicalRow
from recto.model.location import DatabaseUrl
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.lexical import PostingsIndex
from recto.stores.postgres.postings import POSITION_BITS
from recto.stores.postgres.statistics import take_statistics
from recto.stores.shared.database import value
from recto.stores.shared.projects import Keys
from recto.stores.shared.transfer import TABLES, Table, TableTransfer

_BLOCKS_AT_ONCE = 5_000
_FIELD_BITS = 3
_EMPTY = dict.fromkeys(LEXICAL_FIELDS, "")


def postgres_transfer(url: DatabaseUrl, *, read_only: bool) -> TableTransfer:
    """A source is only ever read; a target is made when it is not there."""
    database = PostgresDatabase(url, create=not read_only)
    made = TableTransfer(str(url), database, PostingsWords(database))

    def settle() -> None:
        for table in TABLES:
            if table.key == ("key",):
                highest = made.last(Table(table.name))
                database.run("sequences_settle", {"table": table.name, "highest": highest[0] if highest else 0})

    made.settle = settle
    made.finished = lambda: take_statistics(database, [table.name for table in TABLES])
    return made


class PostingsWords:
    """Fits `stores.shared.transfer.Words`."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._index = PostingsIndex(database, Keys(database))

    def take_out(self) -> Iterator[tuple[int, LexicalRow]]:
        """Chunks ascend within a project, and projects own stretches of keys only by chance: hence the merge."""
        from heapq import merge

        projects = [row[0] for row in self._database.rows("lexical_projects")]
        yield from merge(*(self.of_project(project) for project in projects), key=itemgetter(0))

    def put_in(self, rows: Sequence[tuple[int, int, LexicalRow]]) -> None:
        ordered = sorted(rows, key=itemgetter(0))
        for project, several in groupby(ordered, itemgetter(0)):
            self._index.put_rows(project, [(chunk, row) for _, chunk, row in several])

    def last_chunk(self) -> int:
        return int(value(self._database, "lexical_last"))

    def of_project(self, project: int) -> Iterator[tuple[int, LexicalRow]]:
        """The postings turned round: twelve bytes of memory for every word of the project."""
        import numpy as np

        live = self._database.rows("lexical_live_rows", {"project": project})
        keys = np.array([row[0] for row in live], dtype=np.int64)
        ascending = np.argsort(keys)
        terms: list[str] = []
        orders, words = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)]
        for term, field, held in self._postings(project):
            places = np.frombuffer(held, dtype="<i8")
            at = np.searchsorted(keys, places >> POSITION_BITS, sorter=ascending)
            rank = ascending[np.minimum(at, len(keys) - 1)] if len(keys) else at
            kept = keys[rank] == places >> POSITION_BITS if len(keys) else np.zeros(len(places), dtype=bool)
            position = places[kept] & ((1 << POSITION_BITS) - 1)
            # In the order the rows are wanted in: by chunk, then by field, then by position.
            orders.append((((rank[kept] << _FIELD_BITS) | field) << POSITION_BITS) | position)
            if not terms or terms[-1] != term:
                terms.append(term)
            words.append(np.full(len(position), len(terms) - 1, dtype=np.int32))
        order, word = np.concatenate(orders), np.concatenate(words)
        sorting = np.argsort(order, kind="stable")
        order, word = order[sorting] >> POSITION_BITS, word[sorting]
        starts = np.searchsorted(order, np.arange((len(live) << _FIELD_BITS) + 1))
        for place, (_, chunk) in enumerate(live):
            fields = dict(_EMPTY)
            for field, name in enumerate(LEXICAL_FIELDS):
                start, end = starts[(place << _FIELD_BITS) + field], starts[(place << _FIELD_BITS) + field + 1]
                if end > start:
                    fields[name] = " ".join([terms[one] for one in word[start:end].tolist()])
            yield chunk, LexicalRow(**fields)

    def _postings(self, project: int) -> Iterator[tuple[str, int, bytes]]:
        after = {"term": "", "field": -1, "block": -1}
        where = {"project": project, "limit": _BLOCKS_AT_ONCE}
        while rows := self._database.binary_rows("lexical_postings_after", where | after):
            for term, field, _, places in rows:
                yield term, field, places
            after = dict(zip(("term", "field", "block"), rows[-1][:3], strict=True))
