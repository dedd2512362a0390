"""Takes the places of rows that are gone out of the postings, so that they are neither read nor kept for ever.

Page by page, each in a transaction of its own: writers wait for one page, readers for nothing. At the end the rows are
forgotten too, and whoever remembers a state from before that reads the rows anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.postings import POSITION_BITS
from recto.stores.shared.database import value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORGOTTEN = "lexical_forgotten"
"""In `library`: rows that went up to this generation are told nobody any more."""

_SHARE, _LEAST = 0.2, 1_000  # of a project's rows, and rows: below, it is not worth the writing
_PAGE = 2_000


def compact(database: PostgresDatabase, *, share: float = _SHARE, least: int = _LEAST) -> int:
    """How many rows were taken out."""
    taken = 0
    for project, gone, total in database.rows("lexical_gone"):
        if gone >= least and gone >= share * total:
            taken += _project(database, project)
    return taken


def _project(database: PostgresDatabase, project: int) -> int:
    import numpy as np

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
        # Rows of other projects are still told, but one number is enough: reading on from nothing is never wrong.
        database.set_counter(FORGOTTEN, max(generation, database.counter(FORGOTTEN) or 0))
    return len(gone)


def _page(
    database: PostgresDatabase, project: int, gone: NDArray[np.int64], after: dict[str, Any]
) -> dict[str, Any] | None:
    """Rewrites some postings; the last of them, or None where there were none."""
    import numpy as np

    rows = database.binary_rows("lexical_postings_after", {"project": project, "limit": _PAGE} | after)
    if not rows:
        return None
    changed = []
    for term, field, block, held in rows:
        places = np.frombuffer(held, dtype="<i8")
        kept = places[~np.isin(places >> POSITION_BITS, gone)]
        if len(kept) < len(places):
            changed.append((term, field, block, kept.tobytes()))
    if changed:
        terms, fields, blocks, several = (list(column) for column in zip(*changed, strict=True))
        replaced = {"terms": terms, "fields": fields, "blocks": blocks, "several": several}
        database.run("lexical_postings_replace", {"project": project, **replaced})
    return dict(zip(("term", "field", "block"), rows[-1][:3], strict=True))
