"""The pages and what each asks for. They ask operations only, as every other interface does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from octavo.errors import NotFound, OctavoError
from octavo.interfaces.http.guard import COOKIE
from octavo.interfaces.marks import marks_of
from octavo.interfaces.web import text
from octavo.interfaces.web.site import HEADERS, Listed, Site
from octavo.operations.reading.answers import OutlineSection
from octavo.operations.search.answers import FoundHit, SearchAnswer

ASSETS: Mapping[str, str] = {
    "style.css": "text/css",
    "search.js": "text/javascript",
    "page.js": "text/javascript",
    "graph.css": "text/css",
    "graph.js": "text/javascript",
    "layout.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
# The same drawing as the page that `octavo graph plot` writes.
_DRAWING = {
    "graph.css": ("octavo.graph", "drawing", "page.css"),
    "graph.js": ("octavo.graph", "drawing", "page.js"),
    "layout.js": ("octavo.graph", "drawing", "layout.js"),
}
_SHOWN = 30  # hits of a search
_WHOLE = 100_000  # tokens of a document on one page
_FILTERS = ("collections", "kinds", "tags_all", "language")
_MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".mkd"})


@dataclass(frozen=True, slots=True)
class Facet:
    """A way to narrow a search: how many of the hits shown have it, and where choosing it leads."""

    name: str
    count: int
    chosen: bool
    link: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A search as its address says it."""

    query: str
    filters: Mapping[str, tuple[str, ...]]
    since: str
    profile: str

    @classmethod
    def of(cls, request: Request) -> Asked:
        given = request.query_params
        filters = {name: tuple(dict.fromkeys(given.getlist(name))) for name in _FILTERS}
        return cls(given.get("q", "").strip(), filters, given.get("since", ""), given.get("profile", ""))

    def arguments(self) -> dict[str, Any]:
        optional = {"modified_after": self.since, "profile": self.profile, **self.filters}
        found: dict[str, Any] = {name: value for name, value in optional.items() if value}
        if language := found.pop("language", None):
            found["language"] = language[-1]
        return {"query": self.query, "limit": _SHOWN, "max_tokens": _WHOLE, "explain": True, **found}

    def link(self, page: str = "/", changed: Mapping[str, tuple[str, ...]] | None = None) -> str:
        """Where the same search leads, with other filters in place of those that are `changed`."""
        pairs = [("q", self.query)]
        pairs += [(name, value) for name, values in {**self.filters, **(changed or {})}.items() for value in values]
        pairs += [(name, value) for name, value in (("since", self.since), ("profile", self.profile)) if value]
        return f"{page}?{urlencode(pairs)}"


class Pages:
    """Search, documents, memories, the library. `describe` gives the OpenAPI document."""

    def __init__(self, site: Site, describe: Callable[[], Mapping[str, Any]]) -> None:
        self._site = site
        self._page = site.page
        self._call = site.call
        self._describe = describe

    def listed(self) -> Listed:
        pages: Listed = [
            ("/", self._search, ["GET"]),
            ("/results", self._results, ["GET"]),
            ("/trace", self._trace, ["GET"]),
            ("/document/{collection}/{uri:path}", self._document, ["GET"]),
            ("/find/{collection}/{name:path}", self._find, ["GET"]),
            ("/memories", self._memories, ["GET"]),
            ("/memory/{item}", self._memory, ["GET"]),
            ("/library", self._library, ["GET"]),
            ("/docs", self._programming, ["GET"]),
            ("/login", self._login, ["GET", "POST"]),
        ]
        return [*self._site.guarded(pages), ("/assets/{name}", asset, ["GET"])]

    async def _search(self, request: Request) -> Response:
        asked = Asked.of(request)
        found = await self._found(asked)
        return self._page("search.html", asked=asked, title=asked.query or "Search", **found)

    async def _results(self, request: Request) -> Response:
        """The same hits without the page around them, for the script that searches as one types."""
        asked = Asked.of(request)
        return self._page("results.html", asked=asked, **(await self._found(asked)))

    async def _found(self, asked: Asked) -> dict[str, Any]:
        if not asked.query:
            status = await self._call("status")
            return {"answer": None, "groups": (), "facets": {}, "mark": None, "problem": None, "status": status}
        problem, answer = None, None
        try:
            answer = await self._call("search", **asked.arguments())
        except OctavoError as error:  # while a query is being typed it is often not one yet
            problem = error
        find = marks_of(asked.query)
        return {
            "answer": answer,
            "groups": grouped(answer.hits) if answer else (),
            "facets": facets(asked, answer) if answer else {},
            "mark": lambda passage: text.excerpt(passage, find),
            "problem": problem,
            "status": None,
        }

    async def _trace(self, request: Request) -> Response:
        asked = Asked.of(request)
        answer = await self._call("search", **asked.arguments())
        longest = max((stage.took_ms for stage in answer.trace), default=0.0) or 1.0
        return self._page("trace.html", asked=asked, answer=answer, longest=longest, title=f"Trace: {asked.query}")

    async def _document(self, request: Request) -> Response:
        collection, uri = request.path_params["collection"], request.path_params["uri"]
        lines = cited_lines(request.query_params.get("lines", ""))
        found = await self._call(
            "get", reference=uri, collection=collection, max_tokens=_WHOLE, **cursor(request.query_params.get("cursor"))
        )
        outline = await self._call("outline", reference=found.document_id)
        history = await self._history(found.uri, collection)
        place = text.Place(collection, found.uri, lines)
        suffix = PurePosixPath(found.uri).suffix
        if suffix in _MARKDOWN or found.kind == "memory":
            body = text.markdown(found.text, place)
        else:
            body = text.code(found.text, suffix.removeprefix("."), place, found.start_line)
        return self._page(
            "document.html",
            document=found,
            outline=outline,
            paths=heading_paths(outline.sections),
            history=history,
            body=body,
            headed="<h1" in body,
            openers=await self._openers(collection, found.uri, lines[0] if lines else 1),
            title=found.title or found.uri,
        )

    async def _openers(self, collection: str, uri: str, line: int) -> list[tuple[str, str]]:
        """Addresses that open the file in programs of this machine, as the configuration spells them."""
        status = await self._call("status") if self._site.open_with else None
        root = next((one.root for one in status.collections if one.name == collection), "") if status else ""
        path = quote(str(PurePosixPath(root) / uri)) if root else ""
        return [(name, template.format(path=path, line=line)) for name, template in self._site.open_with if path]

    async def _history(self, uri: str, collection: str) -> Any:
        try:
            return await self._call("history", reference=uri, collection=collection)
        except OctavoError:
            return None

    async def _find(self, request: Request) -> Response:
        """Where a wikilink leads: to the document of that name, else to a search for it."""
        collection, name = request.path_params["collection"], request.path_params["name"]
        target = name.partition("#")[0]
        for reference in (target, f"{target}.md"):
            try:
                found = await self._call("get", reference=reference, collection=collection, max_tokens=500)
            except NotFound:
                continue
            return RedirectResponse(text.document_link(found.collection, found.uri), 303)
        return RedirectResponse(f"/?{urlencode({'q': target})}", 303)

    async def _memories(self, request: Request) -> Response:
        query = request.query_params.get("q", "").strip()
        answer = await self._call("recall", query=query, limit=50)
        find = marks_of(query)
        return self._page(
            "memories.html",
            answer=answer,
            query=query,
            mark=lambda passage: text.excerpt(passage, find),
            title="Memories",
        )

    async def _memory(self, request: Request) -> Response:
        item, given = request.path_params["item"], request.query_params
        version = {"version": int(given["version"])} if given.get("version", "").isdecimal() else {}
        as_of = {"as_of": given["as_of"]} if given.get("as_of") and not version else {}
        memory = await self._call("memory_get", item=item, **version, **as_of)
        history = await self._call("memory_history", item=item)
        diff = await self._call("memory_diff", item=item) if len(history.versions) > 1 else None
        body = text.markdown(memory.text, text.Place("", ""))
        return self._page("memory.html", memory=memory, history=history, diff=diff, body=body, title=memory.title)

    async def _library(self, request: Request) -> Response:
        status = await self._call("status", problems=True)
        return self._page("library.html", status=status, title="Library")

    async def _programming(self, request: Request) -> Response:
        return self._page("docs.html", paths=self._describe()["paths"], title="Programming interface")

    async def _login(self, request: Request) -> Response:
        """A token in a cookie, for browsers, which send no Authorization of their own. The guard compares it."""
        if request.method == "GET":
            return self._page("login.html", title="Token needed")
        token = parse_qs((await request.body()).decode(errors="replace")).get("token", [""])[0]
        answered = RedirectResponse("/", 303)
        answered.set_cookie(COOKIE, token.strip(), httponly=True, samesite="strict")
        return answered


async def asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(404)
    package, folder, file = _DRAWING.get(name, ("octavo.interfaces.web", "assets", name))
    content = files(package).joinpath(folder, file).read_bytes()
    return Response(content, headers={**HEADERS, "Cache-Control": "no-cache"}, media_type=ASSETS[name])


def heading_paths(sections: Sequence[OutlineSection]) -> list[tuple[str, ...]]:
    """The titles from the root to each section, as the operations that write take them."""
    paths: list[tuple[str, ...]] = []
    above: list[OutlineSection] = []
    for section in sections:
        above = [*(one for one in above if one.level < section.level), section]
        paths.append(tuple(one.title for one in above))
    return paths


def grouped(hits: Sequence[FoundHit]) -> list[tuple[FoundHit, list[FoundHit]]]:
    """Hits by document, in the order of each document's best."""
    groups: dict[str, list[FoundHit]] = {}
    for hit in hits:
        groups.setdefault(hit.document_id, []).append(hit)
    return [(members[0], members) for members in groups.values()]


def facets(asked: Asked, answer: SearchAnswer) -> dict[str, list[Facet]]:
    counted = {
        "collections": Counter(hit.collection for hit in answer.hits),
        "kinds": Counter(hit.kind for hit in answer.hits),
        "language": Counter(hit.language for hit in answer.hits if hit.language),
    }
    found = {}
    for name, counts in counted.items():
        chosen = asked.filters[name]
        names = sorted({*counts, *chosen}, key=lambda value: (-counts[value], value))
        found[name] = [
            Facet(value, counts[value], value in chosen, asked.link(changed={name: toggled(chosen, value)}))
            for value in names
        ]
    return found


def toggled(chosen: tuple[str, ...], value: str) -> tuple[str, ...]:
    return tuple(other for other in chosen if other != value) if value in chosen else (*chosen, value)


def cited_lines(given: str) -> tuple[int, int] | None:
    """`3-9` or `3`; nothing where it is neither."""
    first, _, last = given.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        return None
    return int(first), int(last or first)


def cursor(given: str | None) -> dict[str, str]:
    return {"cursor": given} if given else {}
