"""What a client's model is told before its first call: what this library holds, and how to use and cite it."""

from __future__ import annotations

from recto.engine.engine import Engine
from recto.errors import RectoError
from recto.operations.budget import size
from recto.operations.quoting import DATA, one_line

LIMIT = 1_500  # bytes
CITING = "Cite every statement as collection/uri:line."

_USE = (
    "search finds passages by word and by meaning; ask whole questions or exact names. get reads on: uri:10-20, "
    f"uri#anchor, or the id of a chunk. {CITING} {DATA} Call reindex when files may have changed since."
)
_EMPTY = "Nothing is indexed yet: ask the person to run `recto init`, `recto add FOLDER --name NAME` and `recto index`."


def instructions(engine: Engine) -> str:
    """At most 1.5 KB: as many collections as fit, largest first."""
    return f"{holdings(engine, LIMIT - size(_USE) - 2)}\n\n{_USE}"


def without_library(error: RectoError) -> str:
    """What to say when the library cannot be opened now: it may be there at the next call."""
    trouble = one_line(f"{error.message}; {error.hint}")[:600]
    return f"The library cannot be searched yet: {trouble}.\n\n{_USE}"


def _documents(number: int) -> str:
    return f"{number} document" if number == 1 else f"{number} documents"


def holdings(engine: Engine, limit: int = LIMIT) -> str:
    counts = engine.store.counts(engine.project.id)
    if not counts.documents:
        return _EMPTY
    head = (
        f"Recto searches the person's own library, project {one_line(engine.project.name)[:60]}: "
        f"{_documents(counts.documents)}, {counts.chunks} {'passage' if counts.chunks == 1 else 'passages'}."
    )
    held = []
    for collection in engine.collections():
        entries = engine.store.ledger.entries(engine.project.id, collection.id).values()
        number = sum(entry.document_id is not None for entry in entries)
        held.append(
            (-number, one_line(f"- {collection.name}: {_documents(number)} in {collection.place or 'no folder'}"))
        )
    lines = [head]
    left = limit - size(head) - 40
    for place, (_, line) in enumerate(sorted(held)):
        left -= size(line) + 1
        if left < 0:
            lines.append(f"- and {len(held) - place} more; see status")
            break
        lines.append(line)
    return "\n".join(lines)
