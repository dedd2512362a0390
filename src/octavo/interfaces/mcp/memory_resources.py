"""Memories as resources: `memory://projects/{project}/items/{item}`, a version of it, a section of it."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, unquote

from mcp import types

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.operations.memory.memory_reading_and_writing import ReadMemory, listed_memories, read_memory
from octavo.operations.memory.results import when

SCHEME = "memory://"
_ROOT = f"{SCHEME}projects/"
_SHAPE = "memory://projects/PROJECT/items/ITEM, with /versions/N or /sections/ANCHOR behind it"
_MARKDOWN = "text/markdown"

TEMPLATES = (
    types.ResourceTemplate(
        name="memory",
        uri_template="memory://projects/{project}/items/{item}",
        description="A memory as it stands, by an id that recall gives.",
        mime_type=_MARKDOWN,
    ),
    types.ResourceTemplate(
        name="memory version",
        uri_template="memory://projects/{project}/items/{item}/versions/{version}",
        description="A memory as it was at a version.",
        mime_type=_MARKDOWN,
    ),
    types.ResourceTemplate(
        name="memory section",
        uri_template="memory://projects/{project}/items/{item}/sections/{anchor}",
        description="A section of a memory, exactly as it stands.",
        mime_type=_MARKDOWN,
    ),
)


def memories(engine: Engine) -> Iterator[types.Resource]:
    """Canonical documents, pinned memories, then the latest: others are found, not listed."""
    for item in listed_memories(engine):
        yield types.Resource(
            name=item.canonical_key or item.title,
            uri=f"{_ROOT}{quote(engine.project.name, safe='')}/items/{item.id}",
            description=f"{item.doc_class or item.kind.value}, version {item.version}, {when(item.updated_at)[:10]}",
            mime_type=_MARKDOWN,
        )


def read(engine: Engine, uri: str) -> types.TextResourceContents:
    memory = _found(engine, uri)
    place = {
        "item": memory.item.id,
        "version": memory.version,
        "kind": memory.item.kind.value,
        "canonical_key": memory.item.canonical_key,
        "start": memory.start,
        "end": memory.end,
    }
    return types.TextResourceContents(uri=uri, mime_type=_MARKDOWN, text=memory.text, _meta={"octavo/place": place})


def _found(engine: Engine, uri: str) -> ReadMemory:
    parts = uri.removeprefix(_ROOT).split("/") if uri.startswith(_ROOT) else []
    if (
        len(parts) not in (3, 5)
        or parts[1] != "items"
        or (len(parts) == 5 and parts[3] not in ("versions", "sections"))
    ):
        raise InvalidArgument(f"{uri[:200]} is not a memory:// uri", hint=_SHAPE)
    project, item = unquote(parts[0]), unquote(parts[2])
    engine = engine if project == engine.project.id else engine.within(project)
    if len(parts) == 3:
        return read_memory(engine, item)
    last = unquote(parts[4])
    if parts[3] == "sections":
        return read_memory(engine, item, anchor=last)
    if not last.isdecimal() or len(last) > 9:
        raise InvalidArgument(f"{last[:50]!r} is not the number of a version")
    return read_memory(engine, item, version=int(last))
