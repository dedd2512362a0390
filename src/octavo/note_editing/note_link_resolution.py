"""Resolves the links of a folder's notes: which file each leads to, by the notes as they are on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from octavo.algorithms.links.document_link_names import names_of
from octavo.algorithms.links.link_resolution import Resolver
from octavo.algorithms.text.document_name_normalisation import folded, last, name_match
from octavo.graph.anchor_resolution import anchored
from octavo.graph.edge_extraction import property_links, references_of
from octavo.model.document import Document, Link, LinkKind, Source
from octavo.model.ids import CollectionId, DocumentId
from octavo.model.link_graph import NameMatch, Reference
from octavo.model.normalised_text_and_spans import Span
from octavo.note_editing.note_heading_outline import BOM, text_start
from octavo.parsing.markdown.document_assembly import read_note

HOME, ELSEWHERE = CollectionId("home"), CollectionId("elsewhere")


class NoteLink(NamedTuple):
    """A link of a note, and the uri of the file it leads to; None where there is none."""

    source: str
    link: Link
    target: str | None

    @property
    def wiki(self) -> bool:
        return self.link.kind is not LinkKind.MARKDOWN


class LinkedNotes:
    """Notes by their uri. `others` are uris of other files; `elsewhere` are documents of other collections."""

    def __init__(
        self,
        texts: Mapping[str, str],
        others: Iterable[str] = (),
        elsewhere: Iterable[tuple[str, NameMatch]] = (),
        parsed: Mapping[str, Document] | None = None,
    ) -> None:
        self.texts = texts
        self.others = sorted(set(others) - texts.keys())
        self.elsewhere = tuple(elsewhere)
        self.parsed: dict[str, Document] = dict(parsed or {})
        """The notes that were read; the others are known by the names of their files."""

    def document(self, uri: str) -> Document:
        """The note's structure; its offsets begin behind a byte order mark."""
        document = self.parsed.get(uri)
        if document is None:
            document = self.parsed[uri] = parsed_note(uri, self.texts[uri])
        return document

    def links(self, uri: str) -> Iterator[NoteLink]:
        """Its links to files, in order; what leads out of the library is left out."""
        document, text = self.document(uri), self.texts[uri]
        shift = len(BOM) if text.startswith(BOM) else 0
        written = document.links
        if shift:
            written = tuple(
                link._replace(span=Span(link.span.start + shift, link.span.end + shift)) for link in written
            )
        for link in (*property_links(text, text_start(text)), *written):
            references = references_of(document, link)
            if references:
                yield NoteLink(uri, link, self.resolved(references))

    def resolved(self, references: Iterable[Reference]) -> str | None:
        for reference in references:
            target = self._resolver.resolve(reference, HOME)
            if target is not None:
                return self._uris[target]
        return None

    def section(self, uri: str, anchor: str) -> int | None:
        """Where the part of a note begins that an anchor names."""
        document = self.document(uri)
        span = anchored(document.sections, document.metadata, anchor)
        return span.start if span else None

    @cached_property
    def _uris(self) -> tuple[str, ...]:
        return (*self.texts, *self.others, *(match.uri for _, match in self.elsewhere))

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self._candidates())

    def _candidates(self) -> Iterator[tuple[str, NameMatch]]:
        number = 0
        for uri in self.texts:
            # A note that was not read goes by its file's name.
            document = self.parsed.get(uri) or parsed_note(uri, "")
            for name in names_of(document):
                yield name.name, name_match(number, HOME, uri, name.kind, name.path)
            number += 1
        for uri in self.others:
            for name in names_of(parsed_note(uri, "")):
                yield name.name, name_match(number, HOME, uri, name.kind, name.path)
            number += 1
        for reference, match in self.elsewhere:
            yield reference, NameMatch(number, ELSEWHERE, match.uri, match.kind, match.path)
            number += 1


def parsed_note(uri: str, text: str) -> Document:
    """A note as the library reads it; offsets are those of its file behind a byte order mark, whatever ends lines."""
    masked = text.removeprefix(BOM)
    return read_note(Source(DocumentId(uri), uri, masked.replace("\r\n", " \n"), 0.0))


def mentions(text: str, names: Iterable[str]) -> bool:
    """Whether a text could link to something called by one of these folded names."""
    plain = folded(text)
    return any(name in plain or name.replace(" ", "%20") in plain for name in names)


def link_names(uri: str, document: Document | None = None) -> frozenset[str]:
    """The folded words by which links ask for a file."""
    names = names_of(document or parsed_note(uri, ""))
    return frozenset(name.name if not name.name.startswith("/") else folded(last(name.path)) for name in names) - {""}
