"""Compaction: removes the positions of deleted rows from the posting lists.

Page by page, each in a transaction of its own: writers wait for one page, readers for nothing. At the end the rows are
deleted too, and a process whose cached state is older reads all rows again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.sql_repositories.database_port import value
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.posting_lists import POSITION_BITS

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
