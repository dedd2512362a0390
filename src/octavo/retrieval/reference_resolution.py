"""Resolves a reference (path with lines, section, page or chunk id) to the passage it names, exactly as stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from octavo.errors import InvalidArgument, NotFound
from octavo.fast_dataclass import dataclass, replace
from octavo.lazy_regex import regex
from octavo.model.converted_file import span_of
from octavo.model.document import HEADING_SEPARATOR, Kind, Section
from octavo.model.ids import ChunkId, CollectionId, DocumentId, document_id
from octavo.model.normalised_text_and_spans import LineIndex, Lines, Span
from octavo.model.stored_rows import StoredDocument
from octavo.retrieval.absolute_path_and_address_lookup import is_absolute, library_reference
from octavo.retrieval.document_by_name import named, nearest_names, titled
from octavo.sql_repositories.project_of_open_library import ProjectLibrary

# As the library writes lines, and as compilers (cart.py:35:7) and forges (cart.py#L35-L40, below) do.
_LINES = regex(r"^(?P<uri>.+?):L?(?P<first>\d+)(?:-L?(?P<last>\d+)|:\d+)?$", re.DOTALL)
_HIT = regex(r"(?:\d+\. )?(?P<place>\S.*?:\d+(?:-\d+)?)(?:  .*)?", re.DOTALL)  # as it stands in a list of hits
_LINE_ANCHOR = regex(r"^L(?P<first>\d+)(?:-L?(?P<last>\d+))?$")
_PAGE = regex(r"^(?:page|slide)=(\d{1,6})$")
_HASH = regex(r"^[0-9a-fA-F]{6,64}$")
_SECTIONS_SHOWN, _SECTIONS_TOLD = 20, 100  # to people, to programs
_LONGEST_ANCHOR = 100  # likeness takes time by the square of the length


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one document with its exact place."""

    document: StoredDocument
    heading_path: tuple[str, ...]
    span: Span
    lines: Lines
    text: str


def read_passage(
    library: ProjectLibrary,
    reference: str,
    collection: str | None = None,
    *,
    version: int | None = None,
    page: int | None = None,
    before: int = 0,
    after: int = 0,
) -> Passage:
    """The whole passage that the reference names, its rows and its text of one state of the library, with so many
    lines around it."""
    if not reference.strip():
        raise InvalidArgument(
            "the reference is blank",
            hint="give a uri, uri:from-to, uri#section, or a chunk id",
            details={"field": "reference", "value": reference},
        )
    with library.store.reading():
        reference, collection = library_reference(library, reference, collection)
        if version is not None:
            passage = _version(library, reference, collection, version)
        else:
            passage = _current(library, reference, collection)
            if page is not None:
                passage = _page(library, passage.document, page)
        if not before and not after:
            return passage
        text = _text(library, passage.document)
        span = LineIndex(text).span(passage.lines.first - before, passage.lines.last + after)
        return _slice(passage.document, passage.heading_path, text, span)


def _current(library: ProjectLibrary, reference: str, collection: str | None) -> Passage:
    if reference.startswith("chk_"):
        return _chunk(library, ChunkId(reference))
    if reference.startswith("doc_"):
        document = library.store.documents.get(library.project.id, DocumentId(reference))
        if document is not None:
            return _whole(library, document)
    exact = _find(library, reference, collection) or _commit(library, reference)
    if exact:
        return _whole(library, exact)
    lines = _LINES.match(reference)
    if lines and (document := _find(library, lines["uri"], collection)):
        return _lines(library, document, lines)
    for cut in range(len(reference)):
        if reference[cut] == "#" and (document := _find(library, reference[:cut], collection)):
            return _part(library, document, reference[cut + 1 :])
    if document := titled(library, reference, _within(library, collection)):
        return _whole(library, document)
    row = _HIT.fullmatch(reference)
    if row and row["place"] != reference:
        return _current(library, row["place"], collection)
    raise not_called(library, reference, "`octavo search` finds passages; `octavo status` shows the collections")


def not_called(library: ProjectLibrary, reference: str, otherwise: str) -> NotFound:
    """Nobody is called so: why the file is no document, those with the most similar names, or another way."""
    if left_out := _left_out(library, reference):
        return left_out
    near = nearest_names(library, reference)
    if is_absolute(reference):
        folders = ", ".join(collection.place for collection in library.collections() if collection.on_disk)
        otherwise = f"it lies in no folder of the library: {folders}" if folders else otherwise
    uri, _, section = reference.partition("#")
    return NotFound(
        f"nothing in the library is called {reference}",
        hint=f"did you mean {near[0]}?" if near else otherwise,
        details={"uri": uri, "heading_path": _heading_path(section) if section else None, "near": near},
    )


def _left_out(library: ProjectLibrary, reference: str) -> NotFound | None:
    """The error for a file that indexing skipped or failed at."""
    lines = _LINES.match(reference)
    uri = lines["uri"] if lines else reference.partition("#")[0]
    for collection in library.collections():
        own = uri.removeprefix(f"{collection.name}/")
        entry = library.store.ledger.at(library.project.id, collection.id, [own]).get(own)
        if entry is not None and entry.reason:
            return NotFound(
                f"{collection.name}/{own} was not indexed: {entry.reason}",
                hint="`octavo status --problems` lists such files",
                details={"uri": own, "heading_path": None, "near": ()},
            )
    return None


def _version(library: ProjectLibrary, wanted: str, collection: str | None, number: int) -> Passage:
    """A document or its lines as a version had them, whether or not it is still there."""
    document, lines = located(library, wanted, collection), None
    if document is None and (lines := _LINES.match(wanted)):
        wanted = lines["uri"]
        document = located(library, wanted, collection)
    document = document or _gone(library, wanted, collection)
    versions = library.store.documents.versions(library.project.id, document.id) if document else ()
    version = next((stored for stored in versions if stored.version == number), None)
    if document is None or version is None:
        known = f"it has {versions[0].version} to {versions[-1].version}" if versions else "`octavo history` lists them"
        raise NotFound(f"{wanted} has no version {number}", hint=known)
    past = replace(
        document,
        text_hash=version.text_hash,
        modified_at=version.modified_at,
        version=number,
        title=version.title,
        metadata={} if version.text_hash != document.text_hash else document.metadata,
    )
    text = library.store.documents.texts(library.project.id, [version.text_hash]).get(version.text_hash)
    if text is None:
        raise NotFound(f"version {number} of {wanted} is no longer kept", hint="`octavo history` lists the versions")
    index = LineIndex(text)
    first, last = (int(lines["first"]), int(lines["last"] or lines["first"])) if lines else (1, index.count)
    if first < 1 or last < first or first > index.count:
        raise InvalidArgument(f"version {number} has {index.count} lines", hint=f"ask for lines 1 to {index.count}")
    return _slice(past, (), text, index.span(first, last) if lines else Span(0, len(text)))


def version_numbers(library: ProjectLibrary, reference: str, collection: str | None) -> list[int]:
    """The stored versions of a document, which may be gone."""
    document = located(library, reference, collection) or _gone(library, reference, collection)
    found = library.store.documents.versions(library.project.id, document.id) if document else ()
    return [version.version for version in found]


def _gone(library: ProjectLibrary, uri: str, collection: str | None) -> StoredDocument | None:
    """A document that is no longer there, by the uri it had: its id follows from that."""
    for home in library.collections():
        if collection in (None, home.name):
            name = document_id(library.project.id, home.id, uri)
            if versions := library.store.documents.versions(library.project.id, name):
                last = versions[-1]
                return StoredDocument(
                    id=name,
                    collection_id=home.id,
                    collection=home.name,
                    uri=uri,
                    kind=home.settings.kind or Kind.NOTE,
                    title=last.title,
                    language=None,
                    description="",
                    tags=(),
                    aliases=(),
                    text_hash=last.text_hash,
                    modified_at=last.modified_at,
                    version=last.version,
                )
    return None


def _within(library: ProjectLibrary, collection: str | None) -> CollectionId | None:
    return library.collection(collection).id if collection else None


def _find(library: ProjectLibrary, uri: str, collection: str | None) -> StoredDocument | None:
    """By `uri`, by `collection/uri`, or by what it is called: its file's name, the end of its path, an alias."""
    within = _within(library, collection)
    found = library.store.documents.find(library.project.id, uri, within)
    if not found and collection is None and "/" in uri:
        name, rest = uri.split("/", 1)
        others = library.store.documents.find(library.project.id, rest)
        found = tuple(document for document in others if document.collection == name)
    if len(found) > 1:
        names = [document.collection for document in found]
        raise InvalidArgument(
            f"{uri} is in several collections: {', '.join(names)}",
            hint="choose one with --collection",
            details={"field": "collection", "value": None, "valid_options": names},
        )
    if found:
        return found[0]
    called = named(library, uri, within)
    if called is None and collection is None and "/" in uri:
        name, rest = uri.split("/", 1)
        home = next((known.id for known in library.collections() if known.name == name), None)
        called = named(library, rest, home) if home else None
    return called


def located(library: ProjectLibrary, reference: str, collection: str | None) -> StoredDocument | None:
    """The document that a uri, a name, a title, a document id or the start of a commit's hash means."""
    if reference.startswith("doc_"):
        return library.store.documents.get(library.project.id, DocumentId(reference))
    reference, collection = library_reference(library, reference, collection)
    found = _find(library, reference, collection) or _commit(library, reference)
    return found or titled(library, reference, _within(library, collection))


def _commit(library: ProjectLibrary, reference: str) -> StoredDocument | None:
    """By the start of its hash, as git takes it."""
    if not _HASH.match(reference):
        return None
    found = library.store.history.find(library.project.id, reference.lower())
    if len({commit.hash for commit in found}) > 1:
        some = ", ".join(commit.hash[:12] for commit in found[:5])
        raise InvalidArgument(f"{reference} is the start of several commits: {some}", hint="give more of the hash")
    return library.store.documents.get(library.project.id, found[0].document_id) if found else None


def _text(library: ProjectLibrary, document: StoredDocument) -> str:
    return library.store.documents.texts(library.project.id, [document.text_hash])[document.text_hash]


def _whole(library: ProjectLibrary, document: StoredDocument) -> Passage:
    text = _text(library, document)
    return _slice(document, (), text, Span(0, len(text)))


def _lines(library: ProjectLibrary, document: StoredDocument, lines: re.Match[str]) -> Passage:
    first, last = int(lines["first"]), int(lines["last"] or lines["first"])
    if first < 1 or last < first:
        raise InvalidArgument(
            f"lines {first}-{last} are not a range",
            hint="lines count from 1: uri:10-20",
            details={"field": "reference", "value": lines[0]},
        )
    text = _text(library, document)
    index = LineIndex(text)
    if first > index.count:
        raise NotFound(
            f"{document.uri} has {index.count} lines, not {first}",
            hint=f"ask for lines up to {index.count}: {document.uri}:1-{index.count}",
            details={"uri": document.uri},
        )
    span = index.span(first, last)
    return _slice(document, _path_at(library, document, span.start), text, span)


def _part(library: ProjectLibrary, document: StoredDocument, wanted: str) -> Passage:
    """A section, a page as links to PDFs name it, or lines as forges do; a section that is called so goes first."""
    page, lines = _PAGE.match(wanted), _LINE_ANCHOR.match(wanted)
    if (page or lines) and _named(library.store.documents.sections(library.project.id, document.id), wanted) is None:
        return _lines(library, document, lines) if lines else _page(library, document, int(wanted.partition("=")[2]))
    return _section(library, document, wanted)


def _page(library: ProjectLibrary, document: StoredDocument, number: int) -> Passage:
    text = _text(library, document)
    span, count, unit = span_of(document.metadata, number, len(text))
    if span is None:
        if not count:
            raise InvalidArgument(
                f"{document.uri} has no pages", hint=f"ask for lines: {document.uri}:1-40, or a section: uri#anchor"
            )
        raise NotFound(
            f"{document.uri} has {count} {unit}s, not {number}",
            hint=f"ask for {unit} 1 to {count}",
            details={"uri": document.uri},
        )
    return _slice(document, _path_at(library, document, span.start), text, span)


def _section(library: ProjectLibrary, document: StoredDocument, wanted: str) -> Passage:
    sections = library.store.documents.sections(library.project.id, document.id)
    section = _named(sections, wanted)
    if section is None:
        anchors = [section.anchor for section in sections if section.anchor]
        near = get_close_matches(wanted[:_LONGEST_ANCHOR].casefold(), anchors, 1)
        some = ", ".join([*near, *(anchor for anchor in anchors if anchor not in near)][:_SECTIONS_SHOWN])
        more = f" and {len(anchors) - _SECTIONS_SHOWN} more" if len(anchors) > _SECTIONS_SHOWN else ""
        raise NotFound(
            f"{document.uri} has no section {wanted}",
            hint=f"its sections: {some}{more}" if anchors else None,
            details={
                "uri": document.uri,
                "heading_path": _heading_path(wanted),
                "near": near,
                "sections": [list(section.path) for section in sections if section.level][:_SECTIONS_TOLD],
            },
        )
    return _slice(document, section.path, _text(library, document), section.span)


def _named(sections: tuple[Section, ...], wanted: str) -> Section | None:
    """An anchor, a whole heading path, or a title; the first that fits, most exact first."""
    path = tuple(_heading_path(wanted))
    folded = wanted.strip().casefold()
    tests: tuple[Callable[[Section], bool], ...] = (
        lambda section: section.anchor == wanted,
        lambda section: section.path == path,
        lambda section: section.path[-len(path) :] == path,
        lambda section: section.title.casefold() == folded,
    )
    for test in tests:
        for section in sections:
            if section.level and test(section):
                return section
    return None


def _heading_path(written: str) -> list[str]:
    return [part.strip() for part in written.split(HEADING_SEPARATOR.strip())]


def _chunk(library: ProjectLibrary, chunk: ChunkId) -> Passage:
    key = library.store.documents.chunk_key(library.project.id, chunk)
    candidate = library.store.documents.candidates(library.project.id, [key]).get(key) if key is not None else None
    document = library.store.documents.get(library.project.id, candidate.document_id) if candidate else None
    if candidate is None or document is None:
        raise NotFound(f"there is no chunk {chunk}", hint="its document may have changed: search again")
    return _slice(document, candidate.heading_path, _text(library, document), candidate.span)


def _path_at(library: ProjectLibrary, document: StoredDocument, offset: int) -> tuple[str, ...]:
    """The deepest section that holds the character."""
    path: tuple[str, ...] = ()
    for section in library.store.documents.sections(library.project.id, document.id):
        if section.span.start <= offset < section.span.end:
            path = section.path
    return path


def _slice(document: StoredDocument, path: tuple[str, ...], text: str, span: Span) -> Passage:
    return Passage(document, path, span, LineIndex(text).lines(span.start, span.end), span.of(text))
