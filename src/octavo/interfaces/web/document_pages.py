"""Serves the page of a document: cited lines marked, outline, backlinks, versions, original file, pictures."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from octavo.engine.engine import Engine
from octavo.errors import OctavoError
from octavo.fast_dataclass import Value
from octavo.interfaces.web import code_diffs_and_messages_as_html, document_addresses
from octavo.interfaces.web.document_addresses import DocumentPlace, heading_id
from octavo.interfaces.web.markdown_to_html import markdown, picture_names, ragged
from octavo.interfaces.web.page_rendering import HEADERS, POLICY, Listed, Pages, given, number
from octavo.interfaces.web.rst_and_org_to_markdown import as_markdown
from octavo.lazy_regex import regex
from octavo.model.converted_file import MARKS, Unit
from octavo.model.file_formats import ending
from octavo.model.ids import DocumentId
from octavo.model.link_graph import Node
from octavo.operations.reading.passage_reading import linking_documents
from octavo.operations.reading.results import GetAnswer, OutlineSection
from octavo.retrieval.pictures_and_original_files import PDF, collection_file, has_original, pictures

_WHOLE = 100_000  # tokens of a document on one page
# A notebook is stored as Markdown.
_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".ipynb"})
_OTHER_MARKUP = frozenset({".rst", ".org"})
_PROSE = frozenset({".txt", ".adoc", ".asciidoc", ".tex", ".text"})
_BACKLINKS = 50
_FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
_SHAPED = regex(r"\s|[^\w\s\"'“‘(\[`*_]|\w+:\s|\d+[.)]\s")
"""A line that ends where its author wanted it to: indented, an item, a field."""
_UNDERLINE = regex(r"\s*([^\w\s])\1{2,}\s*")


class FileFacts(Value):
    """What the library knows of a document's file: where its pages begin, whether it may be shown and its sections be
    written, its pictures, and the documents that link to it."""

    converted: bool
    page_starts: tuple[int, ...]
    original: bool
    pictures: dict[str, str]
    backlinks: tuple[Node, ...]
    editable: bool = False

    def page_at(self, offset: int) -> int | None:
        return max(1, bisect_right(self.page_starts, offset)) if self.page_starts else None


def file_facts(passage: GetAnswer, engine: Engine) -> FileFacts:
    document = engine.store.documents.get(engine.project.id, DocumentId(passage.document_id))
    metadata = document.metadata if document is not None else {}
    marks = metadata.get(MARKS) or {}
    entry = None
    if document is not None:
        entry = engine.store.ledger.at(engine.project.id, document.collection_id, [passage.uri]).get(passage.uri)
    text = passage.text
    if (suffix := ending(passage.uri)) in _OTHER_MARKUP:
        text = "\n".join(line.text for line in as_markdown(text, suffix, ()))
    names = picture_names(text)
    return FileFacts(
        converted="converter" in metadata,
        page_starts=tuple(marks.get("starts", ())) if marks.get("unit") == Unit.PAGE else (),
        original=entry is not None and has_original(entry),
        editable=suffix in _MARKDOWN - {".ipynb"}
        and passage.kind != "memory"
        and engine.library.is_writable(engine.collection(passage.collection)),
        pictures=pictures(engine, passage.collection, passage.uri, names) if names and document is not None else {},
        backlinks=linking_documents(engine, DocumentId(passage.document_id), _BACKLINKS),
    )


class DocumentPages(Pages):
    def listed(self) -> Listed:
        return self._site.guarded(
            [
                ("/document/{collection}/{uri:path}", self._document, ["GET"]),
                ("/inspect/{collection}/{uri:path}", self._inspect, ["GET"]),
                ("/file/{collection}/{uri:path}", self._file, ["GET"]),
                ("/find/{collection}/{name:path}", self._find, ["GET"]),
                ("/find", self._find, ["GET"]),
            ]
        )

    async def _inspect(self, request: Request) -> Response:
        """How the library has cut and stored a document; with a query, where its passages rank for it."""
        collection, uri = request.path_params["collection"], request.path_params["uri"]
        query = request.query_params.get("q", "").strip()
        seen = await self._call("inspect", reference=uri, collection=collection, query=query)
        return self._page("inspect.html", seen=seen, title=seen.title or seen.uri)

    async def _document(self, request: Request) -> Response:
        collection, uri = request.path_params["collection"], request.path_params["uri"]
        lines = cited_lines(request.query_params.get("lines", ""))
        parameters = request.query_params
        passage = await self._call(
            "get",
            reference=uri,
            collection=collection,
            max_tokens=_WHOLE,
            **given({"cursor": parameters.get("cursor"), "version": number(parameters.get("version"))}),
        )
        outline = await self._call("outline", reference=passage.document_id)
        history = await self._site.maybe("history", reference=passage.uri, collection=collection)
        facts = await self._site.calls.work(partial(file_facts, passage))
        place = document_addresses.DocumentPlace(collection, passage.uri, lines, facts.pictures)
        body = document_body(passage, facts, place, outline.sections)
        page = self._page(
            "document.html",
            document=passage,
            outline=outline,
            paths=heading_paths(outline.sections),
            history=history,
            earlier=bool(history and passage.version < max((entry.version for entry in history.versions), default=0)),
            change=await self._change(passage.uri, collection, number(parameters.get("changes"))),
            body=body,
            editable=facts.editable,
            backlinks=facts.backlinks,
            headed="<h1" in body,
            openers=await self._openers(collection, passage.uri, lines[0] if lines else 1),
            original=original_view(passage, facts, lines, number(parameters.get("page"))),
            shows_original=facts.original and parameters.get("view") == "original",
            original_page="?" + urlencode({**parameters, "view": "original"}),
            is_pdf=ending(passage.uri) == ".pdf",
            title=passage.title or passage.uri,
        )
        page.headers["Content-Security-Policy"] = f"{POLICY}; frame-src 'self'"
        return page

    async def _file(self, request: Request) -> Response:
        """A picture or an original, as what it is and nothing else. Browsers show a PDF by a program of their own,
        which no `sandbox` lets start; everything else could only run what it holds outside of one."""
        collection, uri = request.path_params["collection"], request.path_params["uri"]
        file = await self._site.calls.work(lambda engine: collection_file(engine, collection, uri))
        shown = file.media_type == PDF or file.media_type.startswith("image/")
        named = f"filename*=utf-8''{quote(PurePosixPath(uri).name, safe='')}"
        return Response(
            file.content,
            headers={
                **HEADERS,
                "Content-Security-Policy": _FILE_POLICY + ("" if file.media_type == PDF else "; sandbox"),
                "Content-Disposition": f"{'inline' if shown else 'attachment'}; {named}",
                "Cross-Origin-Resource-Policy": "same-origin",
            },
            media_type=file.media_type,
        )

    async def _change(self, uri: str, collection: str, version: int | None) -> Any:
        """What a version changed of the one before it."""
        if version is None or version < 2:
            return None
        versions = {"from_version": version - 1, "to_version": version}
        return await self._call("diff", reference=uri, collection=collection, max_tokens=_WHOLE, **versions)

    async def _openers(self, collection: str, uri: str, line: int) -> list[tuple[str, str]]:
        """Addresses that open the file in programs of this machine, as the configuration spells them."""
        status = await self._call("status") if self._site.open_with else None
        root = next((known.root for known in status.collections if known.name == collection), "") if status else ""
        path = quote(str(PurePosixPath(root) / uri)) if root else ""
        return [(name, template.format(path=path, line=line)) for name, template in self._site.open_with if path]

    async def _find(self, request: Request) -> Response:
        """Where a wikilink leads: to the document of that name and its heading, else to a search for it."""
        collection = request.path_params.get("collection", "")
        name = request.path_params.get("name") or request.query_params.get("name", "")
        target, _, heading = name.partition("#")
        for reference in (target, f"{target}.md") if target else ():
            try:
                arguments = given({"reference": reference, "collection": collection})
                passage = await self._call("get", max_tokens=500, **arguments)
            except OctavoError:  # not there, or several: the search shows what is nearest
                continue
            anchor = document_addresses.heading_anchor(heading) if heading and not heading.startswith("^") else ""
            return RedirectResponse(document_addresses.document_link(passage.collection, passage.uri) + anchor, 303)
        return RedirectResponse(f"/?{urlencode({'q': target})}", 303)


def document_body(
    passage: GetAnswer,
    facts: FileFacts,
    place: document_addresses.DocumentPlace,
    sections: Sequence[OutlineSection],
) -> Markup:
    """The text of a document as a person reads it; source code with its line numbers."""
    suffix = ending(passage.uri)
    if facts.converted:
        pages = {
            passage.start_line + passage.text.count("\n", 0, start - passage.start): str(number)
            for number, start in enumerate(facts.page_starts, 1)
            if passage.start <= start < passage.end
        }
        return markdown(ragged(passage.text), place, first_line=passage.start_line, pages=pages)
    if suffix in _MARKDOWN or passage.kind == "memory":
        return markdown(passage.text, place, first_line=passage.start_line)
    if suffix in _OTHER_MARKUP:
        lines = as_markdown(passage.text, suffix, sections, passage.start_line)
        return markdown("\n".join(line.text for line in lines), place, numbers=[line.number for line in lines])
    if suffix in _PROSE:
        return prose(passage.text, sections, place, passage.start_line)
    return code_diffs_and_messages_as_html.code(passage.text, suffix.removeprefix("."), place, passage.start_line)


def original_view(passage: GetAnswer, facts: FileFacts, lines: tuple[int, int] | None, page: int | None) -> str:
    """Where the file that a document was converted from is served, at the page that is cited; empty where it is not."""
    if not facts.original:
        return ""
    before = passage.text.split("\n")[: max(0, lines[0] - passage.start_line)] if lines else []
    page = page or facts.page_at(passage.start + sum(len(line) + 1 for line in before))
    return document_addresses.file_link(passage.collection, passage.uri) + (f"#page={page}" if page else "")


def heading_paths(sections: Sequence[OutlineSection]) -> list[tuple[str, ...]]:
    """The titles from the root to each section, as the operations that write take them."""
    paths: list[tuple[str, ...]] = []
    above: list[OutlineSection] = []
    for section in sections:
        above = [*(outer for outer in above if outer.level < section.level), section]
        paths.append(tuple(outer.title for outer in above))
    return paths


def cited_lines(given: str) -> tuple[int, int] | None:
    """`3-9` or `3`; nothing where it is neither."""
    first, _, last = given.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        return None
    return int(first), int(last or first)


def prose(text: str, sections: Sequence[OutlineSection], place: DocumentPlace, first_line: int = 1) -> Markup:
    """Every line as it is, with the headings that the outline knows set as such; cited paragraphs carry a class."""
    headings = {section.start_line: section for section in sections}
    shown: list[Markup] = []
    anchored = False
    for at, lines in _paragraphs(text.removesuffix("\n").split("\n"), headings, first_line):
        cited = place.cites(at, at + len(lines) - 1)
        marks = Markup(' class="cited"') if cited else Markup("")
        identity = "cited" if cited and not anchored else ""
        anchored |= cited
        if section := headings.get(at):
            level = min(6, max(2, section.level + 1))
            name = Markup(' id="{}"').format(identity or heading_id(section.title))
            shown.append(Markup("<h{0}{1}{2}>{3}</h{0}>").format(level, name, marks, section.title))
            lines = [line for line in lines if section.title not in line and not _UNDERLINE.fullmatch(line)]
            identity, marks = "", Markup("")
        if any(line.strip() for line in lines):
            kinds = ("verse" if any(map(_SHAPED.match, lines)) else "", "cited" if cited else "")
            names = Markup(' class="{}"').format(" ".join(filter(None, kinds))) if any(kinds) else Markup("")
            name = Markup(' id="{}"').format(identity) if identity else Markup("")
            shown.append(Markup("<p{}{}>{}</p>").format(name, names, "\n".join(lines)))
    return Markup("\n").join(shown)


def _paragraphs(
    lines: Sequence[str], headings: dict[int, OutlineSection], first: int
) -> Iterator[tuple[int, list[str]]]:
    """Lines between blank ones and headings, with the number of their first."""
    gathered: list[str] = []
    start = first
    for at, line in enumerate(lines, first):
        if gathered and (not line.strip() or at in headings):
            yield start, gathered
            gathered = []
        if line.strip() or at in headings:
            if not gathered:
                start = at
            gathered.append(line)
    if gathered:
        yield start, gathered
