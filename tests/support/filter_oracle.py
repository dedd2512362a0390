"""What filters let through, said plainly of one chunk at a time: the answer the stores are held to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from octavo.algorithms.text.unicode_folding import fold
from octavo.model.document import Document, Section, shown_path
from octavo.model.ids import ProjectId
from octavo.model.prepared_document import IndexedChunk
from octavo.model.query import ANY_LANGUAGE, Filters


@dataclass(frozen=True, slots=True)
class OracleChunk:
    """A chunk with everything that a filter may ask of it."""

    project: ProjectId
    collection: str
    document: Document
    indexed: IndexedChunk


def admits(filters: Filters, chunk: OracleChunk) -> bool:
    """Whether everything the filters say holds of the chunk."""
    document = chunk.document
    tags = [tag.lower() for tag in document.tags]
    headings = [_plain(shown_path(section.path)) for section in _touched(chunk)]
    return (
        (not filters.collections or chunk.collection in filters.collections)
        and document.uri.startswith(filters.path_prefix or "")
        and (not filters.uris or document.uri in filters.uris)
        and document.uri not in filters.not_uris
        and (not filters.kinds or document.kind in filters.kinds)
        and (not filters.languages or _in_language(chunk, filters.languages))
        and (filters.modified_after is None or document.modified_at >= filters.modified_after)
        and (filters.modified_before is None or document.modified_at < filters.modified_before)
        and _plain(filters.title_contains) in _plain(document.title)
        and (not filters.heading_contains or any(_plain(filters.heading_contains) in heading for heading in headings))
        and all(_tagged(tags, wanted) for wanted in filters.tags_all)
        and (not filters.tags_any or any(_tagged(tags, wanted) for wanted in filters.tags_any))
    )


def _touched(chunk: OracleChunk) -> list[Section]:
    """The sections that share a character with the chunk."""
    span = chunk.indexed.chunk.span
    return [
        section
        for section in chunk.document.sections
        if section.span.start < span.end and section.span.end > span.start
    ]


def _in_language(chunk: OracleChunk, wanted: Sequence[str]) -> bool:
    """A document's own language, or else those of the code in a chunk of prose."""
    language = chunk.document.language
    languages = [language] if language else chunk.indexed.chunk.signature.split()
    return any(language in wanted for language in languages) or (ANY_LANGUAGE in wanted and bool(languages))


def _tagged(tags: Sequence[str], wanted: str) -> bool:
    """`a` is carried by what is tagged `a` or anything below it, such as `a/b`."""
    return any(tag == wanted.lower() or tag.startswith(wanted.lower() + "/") for tag in tags)


def _plain(text: str | None) -> str:
    """Without case and accents."""
    return (text or "").lower() if (text or "").isascii() else fold(text or "").casefold()
