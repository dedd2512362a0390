"""Answers of reading: documents, diffs, lists, outlines, tags, what the index holds; and their lines."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from octavo.fast_dataclass import Value
from octavo.model.converted_file import Position
from octavo.model.document import shown_path
from octavo.operations.library.results import PropertyKey
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, count, more


class GetAnswer(Value):
    """The exact text and its place; `next_cursor` is there when the rest did not fit."""

    collection: str
    uri: str
    kind: str
    title: str
    document_id: str
    version: int
    modified_at: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    backlinks: tuple[str, ...] = ()
    """Documents that point at this one, the first few, as collection/uri; with the first page only."""
    next_cursor: str | None = None
    page: int | None = None
    pages: tuple[int, ...] | None = None
    slide: int | None = None
    sheet: str | None = None
    time: str | None = None
    url: str | None = None
    doi: str | None = None
    ocr: bool | None = None
    stale: str | None = None
    """`changed` or `gone` where the file is no longer what was indexed, which is what the text is."""

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        html: str = import_module("octavo.operations.jupyter_display").document(self)
        return html


class DiffAnswer(Value):
    """A unified diff of two versions, empty where they say the same; `truncated` where it was cut to fit."""

    collection: str
    uri: str
    document_id: str
    from_version: int
    to_version: int
    from_modified_at: str
    to_modified_at: str
    added: int
    removed: int
    diff: str
    truncated: bool = False


class DocumentPassage(Value):
    """One of several passages. `truncated` where it was cut to fit: `get` reads on from `end_line`."""

    collection: str
    uri: str
    kind: str
    title: str
    document_id: str
    heading_path: tuple[str, ...]
    start_line: int
    end_line: int
    text: str
    truncated: bool


class GetManyAnswer(Value):
    """`missing` are references that name nothing; `left_out` those that the budget had no room for."""

    passages: tuple[DocumentPassage, ...]
    tokens: int
    missing: tuple[str, ...] | None = None
    left_out: tuple[str, ...] | None = None


class DocumentRow(Value):
    collection: str
    uri: str
    kind: str
    title: str
    document_id: str
    modified_at: str
    language: str | None = None


class ListDocumentsAnswer(Value):
    """Documents by collection and uri, or the keys of their properties."""

    total: int
    documents: tuple[DocumentRow, ...] | None = None
    keys: tuple[PropertyKey, ...] | None = None
    next_cursor: str | None = None


class OutlineSection(Value):
    title: str
    level: int
    anchor: str
    start_line: int
    end_line: int


class OutlineAnswer(Value):
    """Sections in document order; a section holds the deeper ones that follow it."""

    collection: str
    uri: str
    title: str
    document_id: str
    lines: int
    sections: tuple[OutlineSection, ...]
    next_cursor: str | None = None


class TaggedDocument(Value):
    document_id: str
    tags: tuple[str, ...]


class DocumentTagsAnswer(Value):
    """Documents without tags are left out."""

    documents: tuple[TaggedDocument, ...]


class InspectedPassage(Value):
    """A chunk: its place, its length, and its `vector`: full, fast or none.

    With a query, `rank` is its place among all candidates and `channels` its rank by each of them, such as
    `lexical 3`; `because` says what keeps it below the first hit.
    """

    chunk_id: str
    heading_path: tuple[str, ...]
    start_line: int
    end_line: int
    tokens: int
    content_type: str
    vector: str
    rank: int | None = None
    score: float | None = None
    channels: tuple[str, ...] | None = None
    because: str | None = None


class InspectedVersion(Value):
    version: int
    modified_at: str
    indexed_at: str


class InspectAnswer(Value):
    """`outcome` is what the ledger says of the file: indexed, skipped or failed, for a `reason`, with `warnings`.

    `redactions` say what was blacked out. What was not indexed has no passages. `first_hit` is the best candidate, in
    whichever document it is.
    """

    collection: str
    uri: str
    outcome: str
    title: str = ""
    kind: str | None = None
    document_id: str | None = None
    language: str | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()
    redactions: tuple[str, ...] = ()
    passages: tuple[InspectedPassage, ...] = ()
    links_out: tuple[str, ...] = ()
    links_in: tuple[str, ...] = ()
    versions: tuple[InspectedVersion, ...] = ()
    query: str | None = None
    first_hit: str | None = None
    candidates: int | None = None


_STALE = {
    "changed": "the file has changed since: this is what was indexed",
    "gone": "the file is no longer there: this is what was indexed",
}


def get_lines(answer: GetAnswer) -> Iterator[Block]:
    place = f"{answer.collection}/{answer.uri}:{answer.start_line}-{answer.end_line}"
    at = Position(answer.page, answer.pages, answer.slide, answer.sheet, answer.time, answer.url, answer.doi)
    place += "".join(f"  {label}" for label in (at.shown, at.address) if label)
    path = f"  {shown_path(answer.heading_path)}" if answer.heading_path else ""
    about = f"version {answer.version}, modified {answer.modified_at[:10]}"
    yield (Part(answer.title, DETAIL),)
    yield (Part(place, "place"), Part(path, "heading"), Part(f" ({about})", DETAIL))
    if answer.stale:
        yield (Part(_STALE[answer.stale], "warn"),)
    if answer.tags:
        yield (Part(f"tagged {', '.join(answer.tags)}", DETAIL),)
    if answer.aliases:
        yield (Part(f"also called {', '.join(answer.aliases)}", DETAIL),)
    if answer.backlinks:
        yield (Part(f"linked from {', '.join(answer.backlinks)}", "dim"),)
    yield Quote(answer.text, answer.start_line, whole=True)
    yield from more(answer.next_cursor)


def diff_lines(answer: DiffAnswer) -> Iterator[Block]:
    versions = f"version {answer.from_version} to {answer.to_version}"
    yield (
        Part(f"{answer.collection}/{answer.uri}", "place"),
        Part(f"  {versions}: {answer.added} added, {answer.removed} removed", "dim"),
    )
    if answer.diff:
        yield Quote(answer.diff, numbered=False, whole=True, truncated=answer.truncated)
    else:
        yield (Part("They say the same."),)


def get_many_lines(answer: GetManyAnswer) -> Iterator[Block]:
    for nth, passage in enumerate(answer.passages):
        if nth:
            yield ()
        place = f"{passage.collection}/{passage.uri}:{passage.start_line}-{passage.end_line}"
        path = f"  {shown_path(passage.heading_path)}" if passage.heading_path else ""
        cut = "  (cut to fit)" if passage.truncated else ""
        yield (Part(place, "place"), Part(path, "heading"), Part(cut, "dim"))
        yield Quote(passage.text, passage.start_line, whole=True)
    for reference in answer.missing or ():
        yield (Part(f"nothing is called {reference}", "warn"),)
    if answer.left_out:
        yield (Part(f"no room for {', '.join(answer.left_out)}", "dim"),)


def list_documents_lines(answer: ListDocumentsAnswer) -> Iterator[Block]:
    for document in answer.documents or ():
        yield document_line(document)
    yield from map(key_line, answer.keys or ())
    if not answer.total:
        yield (Part("No document matches.", "dim"),)
    yield from more(answer.next_cursor)


def document_line(document: DocumentRow) -> Line:
    place = f"{document.collection}/{document.uri}"
    about = f" ({document.kind}, modified {document.modified_at[:10]}, {document.document_id})"
    return Part(place, "place", place), Part(f"  {document.title}", "title"), Part(about, DETAIL)


def key_line(key: PropertyKey) -> Line:
    return (
        Part(key.key, "title"),
        Part(f"  {count(key.documents, 'document')}"),
        Part(f"  {', '.join(key.values)}", "dim"),
    )


def outline_lines(answer: OutlineAnswer) -> Iterator[Block]:
    place = f"{answer.collection}/{answer.uri}"
    yield (
        Part(answer.title, "title"),
        Part(f"  {place}", "place", place),
        Part(f"  {count(answer.lines, 'line')}", "dim"),
        Part(f" ({answer.document_id})", DETAIL),
    )
    yield from map(section_line, answer.sections)
    if not answer.sections:
        yield (Part("It has no headings."),)
    yield from more(answer.next_cursor)


def section_line(section: OutlineSection) -> Line:
    anchor = f"  #{section.anchor}, lines {section.start_line}-{section.end_line}"
    return Part(f"{'  ' * (section.level - 1)}- "), Part(section.title, "heading"), Part(anchor, "dim")


def inspect_lines(answer: InspectAnswer) -> Iterator[Block]:
    place = f"{answer.collection}/{answer.uri}"
    about = ", ".join(filter(None, (answer.kind, answer.language, count(len(answer.passages), "passage"))))
    style = "" if answer.outcome == "indexed" else "bad"
    yield Part(place, "place", place), Part(f"  {answer.title}", "title"), Part(f"  {about}", "dim")
    yield (Part(f"{answer.outcome}{f': {answer.reason}' if answer.reason else ''}", style),)
    yield from ((Part(f"warning: {warning}", "warn"),) for warning in answer.warnings)
    yield from ((Part(f"redacted: {redaction}", "warn"),) for redaction in answer.redactions)
    if answer.query:
        first = f", the first {answer.first_hit}" if answer.first_hit else ""
        yield (Part(f"for {answer.query!r}: {count(answer.candidates or 0, 'candidate')}{first}"),)
    for passage in answer.passages:
        yield from _inspected(passage, asked=bool(answer.query))
    for name, links in (("links to", answer.links_out), ("linked from", answer.links_in)):
        if links:
            yield (Part(f"{name} {', '.join(links)}", "dim"),)
    for version in answer.versions:
        modified, indexed = (at[:16].replace("T", " ") for at in (version.modified_at, version.indexed_at))
        yield (Part(f"version {version.version}, modified {modified}, indexed {indexed}", "dim"),)


def _inspected(passage: InspectedPassage, *, asked: bool) -> Iterator[Line]:
    lines = f"{passage.start_line}-{passage.end_line}"
    kind = "" if passage.content_type == "prose" else f", {passage.content_type}"
    about = f"  {passage.tokens} tokens, {passage.vector} vector{kind}"
    yield Part(f"  {lines}"), Part(f"  {shown_path(passage.heading_path)}", "heading"), Part(about, "dim")
    if asked:
        rank = "not ranked" if passage.rank is None else f"rank {passage.rank}, score {passage.score:.2f}"
        by = f" by {', '.join(passage.channels)}" if passage.channels else ""
        yield (Part(f"    {rank}{by}{f': {passage.because}' if passage.because else ''}"),)
