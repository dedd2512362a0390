"""Renders the answers of the reading operations as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.model.document import shown_path
from octavo.model.position_in_original import Position
from octavo.operations.library.results import PropertyKey
from octavo.operations.reading.results import (
    DiffAnswer,
    DocumentRow,
    GetAnswer,
    GetManyAnswer,
    InspectAnswer,
    InspectedPassage,
    ListDocumentsAnswer,
    OutlineAnswer,
    OutlineSection,
)
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, count, more

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
