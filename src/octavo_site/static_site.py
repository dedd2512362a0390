"""Documents, the graph and a search as files: pages that need no server, and fetch nothing from anywhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import groupby, zip_longest
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from markupsafe import Markup

from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.fast_dataclass import Value
from octavo.graph.export_formats import page as graph_page
from octavo.graph.whole_graph_view import GraphView, Shown, view
from octavo.interfaces.web.document_addresses import DocumentPlace, heading_id
from octavo.interfaces.web.document_pages import FileFacts, document_body
from octavo.interfaces.web.markdown_to_html import picture_names
from octavo.lazy_regex import regex
from octavo.model.document import Kind, Section
from octavo.model.stored_rows import StoredDocument
from octavo.operations.library.library_export import file_paths, safe_parts
from octavo.operations.reading.passage_reading import linking_documents
from octavo.operations.reading.results import GetAnswer
from octavo.retrieval.pictures_and_original_files import collection_file, pictures

_LINK = regex(r'<a href="(/(?:document|find)[/?][^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_SOURCE = regex(r'(?<=src=")/file/([^"/]+)/([^"]+)(?=")')
_HEADING = regex(r"<h([1-6])[^>]*>(.*?)</h\1>", re.DOTALL)
_BLOCK_END = regex(r"(?=</(?:p|li|t[dhr]|pre|d[dt])>|<br)")
_SOURCE_KINDS = (Kind.CODE, Kind.CONFIG)
_BACKLINKS = 50
_WORDS = 3_000  # characters of a passage that are searched


class SitePage(Value):
    """`path` is where its page is in the site, with slashes."""

    document: StoredDocument
    path: str


class StaticSite:
    """Only what is exported has a page, is found, is linked to or is drawn."""

    def __init__(self, engine: Engine, folder: Path, documents: Sequence[StoredDocument]) -> None:
        self.engine, self.folder = engine, folder
        paths = file_paths(documents, ".html")
        self.pages = {each.id: SitePage(each, f"documents/{paths[each.id]}") for each in documents}
        self._names = dict(reversed([entry for page in self.pages.values() for entry in _names(page)]))
        self._pictures: set[str] = set()

    def write(self, texts: Iterable[tuple[StoredDocument, str]]) -> None:
        passages: list[list[str]] = []
        for document, text in texts:
            page = self.pages[document.id]
            body = self._body(page, text)
            self._write(page.path, self._page(page, body, self._sections(document)))
            passages += _passages(page, text if document.kind in _SOURCE_KINDS else None, body)
        self._write("index.html", self._index())
        self._write("graph.html", graph_page(self._graph(), "Graph"))
        # A script and not JSON: pages that are opened as files may not read others.
        written = json.dumps(passages, ensure_ascii=False, separators=(",", ":"))
        self._write("passages.js", f"const PASSAGES = {written};\n")
        for name in ("search.js", "site.css"):
            self._write(name, (files("octavo_site") / name).read_text("utf-8"))
        self._write("style.css", (files("octavo.interfaces.web") / "assets" / "style.css").read_text("utf-8"))

    def _body(self, page: SitePage, text: str) -> Markup:
        document = page.document
        names = picture_names(text)
        shown = pictures(self.engine, document.collection, document.uri, names) if names else {}
        facts = FileFacts("converter" in document.metadata, (), False, shown, ())
        passage = GetAnswer(
            collection=document.collection,
            uri=document.uri,
            kind=document.kind.value,
            title=document.title,
            document_id=document.id,
            version=document.version,
            modified_at="",
            tags=document.tags,
            aliases=document.aliases,
            heading_path=(),
            start=0,
            end=len(text),
            start_line=1,
            end_line=text.count("\n") + 1,
            text=text,
        )
        place = DocumentPlace(document.collection, document.uri, None, shown)
        rendered = str(document_body(passage, facts, place, ()))
        rendered = _LINK.sub(lambda match: self._link(page, match), rendered)
        return Markup(_SOURCE.sub(lambda match: self._picture(page, match), rendered))

    def _link(self, page: SitePage, match: re.Match[str]) -> str:
        """To a page of this site; what has none keeps its words."""
        address, _, fragment = match[1].replace("&amp;", "&").partition("#")
        _, _, rest = address.removeprefix("/").partition("/")
        collection, _, name = unquote(rest).partition("/")
        target, _, heading = name.partition("#")
        found = self._names.get((collection, _folded(target)))
        if found is None:
            return f'<span class="missing">{match[2]}</span>'
        anchor = fragment or (quote(heading_id(heading)) if heading else "")
        return f'<a href="{_relative(page.path, found)}{f"#{anchor}" if anchor else ""}">{match[2]}</a>'

    def _picture(self, page: SitePage, match: re.Match[str]) -> str:
        collection, uri = unquote(match[1]), unquote(match[2])
        path = "/".join(("files", *safe_parts(f"{collection}/{uri}")))
        if path not in self._pictures:
            try:
                content = collection_file(self.engine, collection, uri).content
            except NotFound:
                return ""
            self._pictures.add(path)
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_bytes(content)
        return _relative(page.path, path)

    def _page(self, page: SitePage, body: Markup, sections: Sequence[Section]) -> str:
        document = page.document
        heading = Markup("") if "<h1" in body else Markup("<h1>{}</h1>").format(document.title or document.uri)
        headings = ((f"#{quote(heading_id(section.title))}", section.title) for section in sections)
        linking = linking_documents(self.engine, document.id, _BACKLINKS)
        linked = (self.pages[node.document] for node in linking if node.document in self.pages)
        backlinks = ((_relative(page.path, other.path), other.document.title) for other in linked)
        aside = _listed("Outline", headings) + _listed("Linked from", backlinks)
        where = Markup('<p class="where">{}/{}</p>').format(document.collection, document.uri)
        tags = Markup(" ").join(Markup("<span>#{}</span>").format(tag) for tag in document.tags)
        main = Markup(
            '{}{}<p class="tags">{}</p><div class="reading"><article class="text">{}</article><aside>{}</aside></div>'
        )
        return self._document(page.path, document.title or document.uri, main.format(where, heading, tags, body, aside))

    def _index(self) -> str:
        lists = Markup("")
        pages = sorted(self.pages.values(), key=lambda page: (page.document.collection, page.document.uri))
        for collection, group in groupby(pages, key=lambda page: page.document.collection):
            lists += _listed(
                collection, ((quote(page.path), page.document.title or page.document.uri) for page in group)
            )
        return self._document("index.html", "Library", lists or Markup("<p>Nothing was exported.</p>"))

    def _document(self, path: str, title: str, main: Markup) -> str:
        template = Markup((files("octavo_site") / "page.html").read_text("utf-8"))
        return template.format(title=title, main=main, root="../" * path.count("/"))

    def _sections(self, document: StoredDocument) -> list[Section]:
        """Headings in the order of the text. Those of code are declarations, which its page has no places for."""
        if document.kind in _SOURCE_KINDS:
            return []
        sections = self.engine.store.documents.sections(self.engine.project.id, document.id)
        return sorted((each for each in sections if each.level), key=lambda each: each.span.start)

    def _graph(self) -> GraphView:
        graph, project = self.engine.store.graph, self.engine.project.id
        nodes = tuple(node for node in graph.nodes(project) if node.document in self.pages)
        shown = Shown(ghosts=False, tags=False, entities=False, commits=True)
        return view(nodes, graph.edges(project), graph.thematic(project), graph.communities(project), shown)

    def _write(self, path: str, text: str) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8", newline="\n")


def write_site(
    engine: Engine, folder: Path, documents: Sequence[StoredDocument], texts: Iterable[tuple[StoredDocument, str]]
) -> None:
    with engine.store.reading():
        StaticSite(engine, folder, documents).write(texts)


def _passages(page: SitePage, source: str | None, body: Markup) -> Iterator[list[str]]:
    """What is searched: title, headings, address and the words up to the next heading as the page shows them."""
    document, address = page.document, quote(page.path)
    shown = body.partition('<details class="front">')[0]
    headings = [] if source is not None else list(_HEADING.finditer(shown))
    before = source if source is not None else _plain(shown[: headings[0].start()] if headings else shown)
    tagged = " ".join((*(f"#{tag}" for tag in document.tags), before)).strip()
    if tagged or not headings:
        yield [document.title, "", address, tagged[:_WORDS]]
    path: list[tuple[int, str]] = []
    for heading, after in zip_longest(headings, headings[1:]):
        level, title = int(heading[1]), _plain(heading[2])
        path = [*(above for above in path if above[0] < level), (level, title)]
        text = _plain(shown[heading.end() : after.start() if after else len(shown)])
        if text or after is None or int(after[1]) <= level:  # else it is above those that say something
            above = " › ".join(title for _, title in path)
            yield [document.title, above, f"{address}#{quote(heading_id(title))}", text[:_WORDS]]


def _plain(html: str) -> str:
    return Markup(_BLOCK_END.sub(" ", html)).striptags()


def _names(page: SitePage) -> Iterator[tuple[tuple[str, str], str]]:
    """What others call a document: its path, with or without its ending, its file's name, its title and aliases."""
    document = page.document
    path = PurePosixPath(document.uri)
    stems = (document.uri, str(path.with_suffix("")), path.name, path.stem, document.title, *document.aliases)
    for name in filter(None, stems):
        yield (document.collection, _folded(name)), page.path


def _folded(name: str) -> str:
    return name.strip().casefold()


def _relative(source: str, target: str) -> str:
    return "../" * source.count("/") + quote(target)


def _listed(title: str, links: Iterable[tuple[str, str]]) -> Markup:
    items = Markup("\n").join(Markup('<li><a href="{}">{}</a></li>').format(*link) for link in links)
    return Markup('<h2>{}</h2>\n<ul class="bare">{}</ul>\n').format(title, items) if items else Markup("")
