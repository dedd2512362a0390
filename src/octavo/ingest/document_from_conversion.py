"""A converted file → the document it is: sections from its headings, pages in its metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from octavo.converting.charset_declarations import declared_text
from octavo.fast_dataclass import replace
from octavo.model.converted_file import Converted, ConvertedHeading, Unit, stored_marks
from octavo.model.document import Document, Kind, Section, Source
from octavo.model.ids import DocumentId, section_id, text_hash
from octavo.model.normalised_text_and_spans import Span
from octavo.parsing.markdown.document_assembly import section_ends
from octavo.parsing.markdown.heading_anchors import Anchors
from octavo.sources.secret_redaction import described, redacted_values
from octavo.sources.text_decoding import UnreadableFile, decode

_BREAKING = frozenset({Unit.PAGE, Unit.SLIDE, Unit.SHEET, Unit.TURN})
_SHOWN_KEYWORDS = 50


def utf8(data: bytes) -> tuple[bytes, tuple[str, ...]] | UnreadableFile:
    """A text file's bytes as UTF-8: in the encoding it declares, else in the one it seems to be written in."""
    text = declared_text(data)
    if text is not None:
        return text.encode("utf-8", "replace"), ()
    decoded = decode(data)
    if isinstance(decoded, UnreadableFile):
        return decoded
    return decoded.text.encode("utf-8", "replace"), decoded.warnings


def redacted_conversion(converted: Converted) -> tuple[Converted, tuple[str, ...]]:
    """A file's title, headings, names of pages and metadata without keys and tokens; its text is redacted already."""
    headings, marks = [heading.title for heading in converted.headings], [mark.label for mark in converted.marks]
    values: list[Any] = [converted.title, headings, marks, dict(converted.metadata)]
    (title, titles, labels, metadata), secrets = redacted_values(values)
    if not secrets:
        return converted, ()
    hidden = replace(
        converted,
        title=str(title),
        headings=tuple(was._replace(title=now) for was, now in zip(converted.headings, titles, strict=True)),
        marks=tuple(was._replace(label=now) for was, now in zip(converted.marks, labels, strict=True)),
        metadata=dict(metadata),
    )
    return hidden, described("", secrets)


def converted_document(source: Source, converted: Converted) -> Document:
    metadata = dict(converted.metadata)
    keywords = [word.strip() for word in str(metadata.get("keywords", "")).replace(";", ",").split(",")]
    metadata |= {"converter": converted.converter, **stored_marks(converted.unit, converted.marks)}
    return Document(
        id=source.id,
        uri=source.uri,
        kind=converted.kind if converted.kind is not Kind.DOC else _told_kind(source),
        title=converted.title or PurePosixPath(source.uri).stem,
        text=converted.text,
        content_hash=text_hash(converted.text),
        modified_at=_ended(metadata) or source.modified_at,
        description=str(metadata.get("description") or metadata.get("subject") or ""),
        keywords=tuple(filter(None, keywords))[:_SHOWN_KEYWORDS],
        sections=_sections(source.id, converted.headings, len(converted.text)),
        blocks=converted.blocks,
        tags=tuple(dict.fromkeys(source.tags)),
        metadata=metadata,
        warnings=converted.warnings,
        breaks=tuple(mark.start for mark in converted.marks) if converted.unit in _BREAKING else (),
    )


def _told_kind(source: Source) -> Kind:
    """What the collection says of its documents; what lies among conversations and is none stays what it is."""
    return Kind.DOC if source.kind in (None, Kind.CONVERSATION) else source.kind


def _ended(metadata: Mapping[str, Any]) -> float | None:
    """When the last word of a conversation was said: an export is as old as its file, what is in it is not."""
    ended = metadata.get("ended")
    return datetime.fromisoformat(ended).timestamp() if isinstance(ended, str) else None


def _sections(document: DocumentId, headings: Sequence[ConvertedHeading], size: int) -> tuple[Section, ...]:
    """The root section, then one for each heading, which ends where the next of its rank or higher begins."""
    anchors = Anchors()
    occurrences: Counter[tuple[str, ...]] = Counter()
    first = headings[0].start if headings else size
    sections = [Section(section_id(document, (), 0), (), 0, "", Span(0, first if headings else size))]
    above: list[ConvertedHeading] = []
    for heading, end in zip(headings, section_ends(headings, size), strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        path = tuple(parent.title for parent in above)
        id_ = section_id(document, path, occurrences[path])
        occurrences[path] += 1
        sections.append(Section(id_, path, heading.level, anchors.take(heading.title), Span(heading.start, end)))
    return tuple(sections)
