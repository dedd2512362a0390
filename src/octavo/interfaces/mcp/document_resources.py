"""Documents and sections as resources: `octavo://{project}/{collection}/{uri}` and `…#{anchor}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from urllib.parse import quote, unquote

from mcp import types

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, NotFound
from octavo.operations.reading.passage_reading import whole
from octavo.retrieval.reference_resolution import read_passage

_SCHEME = "octavo://"
_LISTED = 1_000  # documents named when a collection is read
_COMPLETED = 100  # the protocol's own limit

TEMPLATES = (
    types.ResourceTemplate(
        name="document",
        uri_template="octavo://{project}/{collection}/{+uri}",
        description="A document, by the collection and uri that search gives.",
    ),
    types.ResourceTemplate(
        name="section",
        uri_template="octavo://{project}/{collection}/{+uri}{#anchor}",
        description="A section of a document, by an anchor that outline gives.",
    ),
)


def collections(engine: Engine) -> Iterator[types.Resource]:
    """One for each collection; reading it lists the documents. Documents themselves are found, not listed."""
    project = engine.project
    for collection in engine.collections():
        yield types.Resource(
            name=collection.name,
            uri=f"{_SCHEME}{quote(project.name, safe='')}/{quote(collection.name, safe='')}/",
            description=f"The documents of the collection {collection.name}.",
            mime_type="text/plain",
        )


def read(engine: Engine, uri: str) -> types.TextResourceContents:
    collection, path, anchor = _parsed(engine, uri)
    if not path:
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=_listing(engine, collection))
    reference = f"{path}#{anchor}" if anchor else path
    passage = asdict(whole(read_passage(engine, reference, collection)))
    kind = "text/markdown" if path.lower().endswith((".md", ".markdown")) else "text/plain"
    place = {key: passage[key] for key in ("title", "heading_path", "start_line", "end_line", "modified_at", "version")}
    return types.TextResourceContents(uri=uri, mime_type=kind, text=passage["text"], _meta={"octavo/place": place})


def _parsed(engine: Engine, uri: str) -> tuple[str, str, str]:
    """Collection, uri and anchor. Another project's documents are as absent as those that are nowhere."""
    if not uri.startswith(_SCHEME):
        raise InvalidArgument(f"{uri[:200]} is not an octavo:// uri", hint="octavo://PROJECT/COLLECTION/URI#ANCHOR")
    path, _, anchor = uri.removeprefix(_SCHEME).partition("#")
    project, _, rest = path.partition("/")
    collection, _, document = rest.partition("/")
    if unquote(project) != engine.project.name:
        raise NotFound(f"there is no project {unquote(project)!r} here", hint=f"this is {engine.project.name!r}")
    return engine.collection(unquote(collection)).name, unquote(document), unquote(anchor)


def _listing(engine: Engine, collection: str) -> str:
    uris = _uris(engine, collection)
    shown = uris[:_LISTED]
    more = [f"… and {len(uris) - len(shown)} more; search finds them"] if len(uris) > len(shown) else []
    return "\n".join([*shown, *more]) + "\n"


def _uris(engine: Engine, collection: str) -> list[str]:
    entries = engine.store.ledger.entries(engine.project.id, engine.collection(collection).id)
    return sorted(uri for uri, entry in entries.items() if entry.document_id is not None)


def completions(engine: Engine, argument: str, value: str, filled: Mapping[str, str]) -> types.Completion:
    """What a template's variable could go on to: what starts with the value, then what contains it."""
    values: Iterable[str] = ()
    match argument:
        case "project":
            values = [engine.project.name]
        case "collection":
            values = [collection.name for collection in engine.collections()]
        case "uri" if "collection" in filled:
            values = _uris(engine, filled["collection"])
        case "uri":
            values = [uri for collection in engine.collections() for uri in _uris(engine, collection.name)]
        case "anchor" if "collection" in filled and "uri" in filled:
            passage = read_passage(engine, filled["uri"], filled["collection"])
            sections = engine.store.documents.sections(engine.project.id, passage.document.id)
            values = [section.anchor for section in sections if section.anchor]
    prefix = value.casefold()
    fitting = [completion for completion in values if prefix in completion.casefold()]
    fitting.sort(key=lambda completion: not completion.casefold().startswith(prefix))
    return types.Completion(values=fitting[:_COMPLETED], total=len(fitting), has_more=len(fitting) > _COMPLETED)
