"""A parsed document's names and outgoing links: each link's type, context and what it asks for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from octavo.algorithms.links.document_link_names import FOR_THEIR_FOLDER, ROOT, at_path, joined, names_of
from octavo.algorithms.links.sphinx_label_and_role_extraction import roles
from octavo.algorithms.text.document_name_normalisation import folded, folder, last, without_ending
from octavo.graph.import_resolution import imported
from octavo.lazy_regex import regex
from octavo.model.document import Document, Kind, Link, LinkKind
from octavo.model.link_graph import WEIGHTS, DocumentLinks, EdgeType, Lookup, OutLink, Reference
from octavo.model.normalised_text_and_spans import Span

_MOST = 100_000  # links of one document: a list beyond that is data
_MOST_FILES = 2_000  # of one commit
_AROUND = 50  # characters of context on each side
_LONGEST = 1_000
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]{1,31}:")
_WIKILINK = regex(r"\[\[([^\[\]\n|]{1,500})(?:\|[^\[\]\n]*)?\]\]")
_IMPLEMENTATION = regex(r"(?:the )?(?:implementation|implemented|implements|source code)\b", re.IGNORECASE)
_RELATED = regex(
    r"(?:see also|see more|related\b|relates to|further reading|read more|learn more|next steps|references$)",
    re.IGNORECASE,
)
_TEST_FILE = regex(
    r"(?:^|/)(?:tests?|specs?|__tests__)/|(?:^|/)test_[^/]*$|[_.-](?:test|spec|tests)\.[A-Za-z]+$|Tests?\.[A-Za-z]+$"
)

_Type = tuple[EdgeType, float]


def _weighted(kind: EdgeType) -> _Type:
    return kind, WEIGHTS[kind]


_LINKS_TO, _EMBEDS = _weighted(EdgeType.LINKS_TO), _weighted(EdgeType.EMBEDS)
_TESTS, _MENTIONS = _weighted(EdgeType.TESTS), _weighted(EdgeType.MENTIONS)
_RELATED_TO, _IMPLEMENTS = _weighted(EdgeType.RELATED), _weighted(EdgeType.IMPLEMENTS)
# Asked for once: Python 3.11 takes a fifth of a microsecond to find a member of an enumeration.
_COMMIT, _CODE, _MEMORY, _MARKDOWN = Kind.COMMIT, Kind.CODE, Kind.MEMORY, LinkKind.MARKDOWN
_IMPORT, _EMBED, _AT_PATH, _BESIDE = LinkKind.IMPORT, LinkKind.EMBED, Lookup.PATH, Lookup.MARKDOWN
_WIKI = Lookup.WIKI


def linked(document: Document) -> DocumentLinks:
    """What one document adds to the graph: its names and its links."""
    return DocumentLinks(document.id, names_of(document), links_of(document))


def links_of(document: Document) -> tuple[OutLink, ...]:
    links = _Links(document)
    if document.kind is _COMMIT:
        links.changed_files()
    for link in islice(document.links, _MOST):
        links.take(link)
    links.properties()
    links.roles()
    return tuple(links.links)


def references_of(document: Document, link: Link) -> tuple[Reference, ...]:
    """What one link of a document asks for; nothing where it leads out of the library."""
    if "://" in link.target or (not link.target and not link.anchor):
        return ()
    return tuple(_Links(document).references(link))


def property_links(text: str, end: int) -> tuple[Link, ...]:
    """The wikilinks in front matter that ends at `end`, where they are written."""
    links = []
    for written in islice(_WIKILINK.finditer(text, 0, end), _MOST):
        target, _, anchor = written[1].partition("#")
        span = Span(written.start(), written.end())
        links.append(Link(LinkKind.WIKILINK, target.strip(), anchor.strip() or None, None, span))
    return tuple(links)


class _Links:
    """The links of one document so far. References are made once for each thing asked for."""

    __slots__ = ("_document", "_folder", "_known", "_starts", "_tests", "_types", "links")

    def __init__(self, document: Document) -> None:
        self._document = document
        self._folder = folder(document.uri)
        self._tests: bool | None = None
        self._known: dict[str, tuple[Reference, ...]] = {}
        self._starts: list[int] | None = None
        self._types: dict[int, _Type] = {}
        self.links: list[OutLink] = []

    def take(self, link: Link) -> None:
        target, kind = link.target, link.kind
        if "://" in target or (not target and not link.anchor):
            return
        key = target if kind is _MARKDOWN else "\0" + target
        if kind is _IMPORT:
            key += f"\0{link.shown}"
        references = self._known.get(key)
        if references is None:
            references = self._known[key] = tuple(self.references(link))
        if references:
            type_, weight = self._type(link)
            context = self._context(link.span)
            for reference in references:
                values = (reference, type_, weight, link.anchor, context, link.span)
                self.links.append(tuple.__new__(OutLink, values))  # in half of the constructor's time

    def changed_files(self) -> None:
        """A commit's files, as its metadata lists them; a renamed file counts under its new name."""
        metadata = self._document.metadata
        within = str(metadata.get("repository_path") or metadata.get("prefix") or "").strip("/")
        files = metadata.get("files")
        for file in islice(files if isinstance(files, list | tuple) else (), _MOST_FILES):
            if isinstance(file, Mapping):
                path = file.get("path")
            else:
                path = file[0] if isinstance(file, list | tuple) and file else file
            if isinstance(path, str) and 0 < len(path) <= _LONGEST:
                reference = _reference(Lookup.CHANGED, within, without_ending(path))
                weight = WEIGHTS[EdgeType.CHANGES]
                self.links.append(OutLink(reference, EdgeType.CHANGES, weight, None, "", Span(0, 0)))

    def properties(self) -> None:
        """Wikilinks in front matter: `up: "[[Home]]"`. Their context is the property's name."""
        for name, value in self._document.metadata.items():
            for inner in _in_property(value):
                target, _, anchor = inner.partition("#")
                link = Link(LinkKind.WIKILINK, target.strip(), anchor.strip() or None, None, Span(0, 0))
                for reference in self.references(link):
                    type_ = EdgeType.RELATED if _RELATED.match(name) else EdgeType.LINKS_TO
                    self.links.append(OutLink(reference, type_, WEIGHTS[type_], link.anchor, name, link.span))

    def roles(self) -> None:
        """References by label or page, as documentation made with Sphinx has them."""
        document = self._document
        if document.kind is _CODE:
            return
        # A commit says what stands above its diff; the diff quotes what files say, or said once.
        has_diff = document.kind is _COMMIT and len(document.sections) > 1
        diff_start = document.sections[-1].span.start if has_diff else None
        for role in roles(document.text[:diff_start]):
            link = Link(_MARKDOWN, role.target, None, None, Span(role.start, role.end))
            if role.page:
                references = tuple(self._looked_for(without_ending(role.target), _BESIDE))
            else:
                references = (Reference(Lookup.LABEL, "", role.target.lower(), role.target.lower()),)
            type_, weight = self._type(link)
            context = self._context(link.span)
            for reference in references:
                self.links.append(OutLink(reference, type_, weight, None, context, link.span))

    def references(self, link: Link) -> Iterator[Reference]:
        target = link.target
        if len(target) > _LONGEST or "\0" in target:
            return
        if link.kind is _IMPORT:
            yield from imported(self._document.language, self._document.uri, target, link.shown or "")
            return
        if not target:
            own = without_ending(self._document.uri)
            yield Reference(_AT_PATH, "", own, at_path(own))
            return
        if _SCHEME.match(target) or target.startswith(("//", "{{", "<")):
            return
        markdown = link.kind is _MARKDOWN
        path = without_ending(target.partition("?")[0] if markdown else target)
        if markdown and path.endswith((".html", ".htm")):
            path = path.rpartition(".")[0]
        yield from self._looked_for(path, _BESIDE if markdown else _WIKI)

    def _looked_for(self, path: str, lookup: Lookup) -> Iterator[Reference]:
        anywhere = not path.startswith("/")
        explicit = path.startswith(("./", "../"))
        path = path.replace("\\", "/") if lookup is _WIKI else path
        if explicit:
            # What leads out of the collection is kept as written, which no document is ever called.
            there = joined(self._folder, path) or path
            yield Reference(_AT_PATH, "", there, at_path(there))
            return
        path = path.strip("/")
        if not path.strip("./"):
            return
        if lookup is _BESIDE and folded(last(path)) in FOR_THEIR_FOLDER:
            if anywhere or not self._folder or not folder(path):
                sibling = joined(self._folder, path) if anywhere else path
                if sibling:
                    yield Reference(_AT_PATH, "", sibling, at_path(sibling))
                return
            # Where the top is, is not known here: the page is found by the folder it speaks for.
            path = folder(path)
        if "/./" in path or "/../" in path:
            path = joined("", path) or path
        yield _reference(lookup, self._folder if anywhere else ROOT + self._folder, path)

    def _type(self, link: Link) -> _Type:
        document = self._document
        if link.kind is _EMBED or (link.kind is _MARKDOWN and document.text.startswith("!", link.span.start)):
            return _EMBEDS
        if document.kind is _MEMORY or document.kind is _COMMIT:
            return _MENTIONS
        if self._tests is None:
            self._tests = _TEST_FILE.search(document.uri) is not None
        if self._tests:
            return _TESTS
        if link.kind is _IMPORT:
            return _LINKS_TO
        if self._starts is None:
            self._starts = [section.span.start for section in document.sections]
        at = bisect_right(self._starts, link.span.start) - 1
        edge_type = self._types.get(at)
        if edge_type is None:
            edge_type = self._types[at] = self._section_type(at)
        return edge_type

    def _section_type(self, at: int) -> _Type:
        """By the heading above, or one above that: `Implementation`, `See also`."""
        path = self._document.sections[at].path if at >= 0 else ()
        for title in reversed(path[1:] if len(path) > 1 else path):
            if _RELATED.match(title):
                return _RELATED_TO
            if _IMPLEMENTATION.match(title):
                return _IMPLEMENTS
        return _LINKS_TO

    def _context(self, span: Span) -> str:
        """What stands around a link, on one line, without half words at its ends."""
        text = self._document.text
        start, end = max(0, span.start - _AROUND), min(len(text), min(span.end, span.start + 200) + _AROUND)
        around = text[start:end]
        if start and not text[start - 1].isspace():
            around = around[around.find(" ") + 1 :] if " " in around[:_AROUND] else around
        if end < len(text) and not text[end].isspace():
            cut = around.rfind(" ")
            around = around[:cut] if cut > len(around) - _AROUND else around
        return " ".join(around.split())


def _reference(lookup: Lookup, scope: str, path: str) -> Reference:
    return Reference(lookup, scope, path, folded(last(path)))


def _in_property(value: Any) -> Iterator[str]:
    values = value if isinstance(value, list) else [value]
    for value in islice(values, 200):
        if isinstance(value, str) and "[[" in value:
            yield from (match[1] for match in islice(_WIKILINK.finditer(value), 50))
