"""Pages of search, its results and its trace; the page of the programming interface; static assets."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from octavo.engine.engine import Engine
from octavo.engine.search.index_freshness import learning
from octavo.errors import LibraryError, OctavoError
from octavo.fast_dataclass import Value
from octavo.interfaces.http.server_sent_events import while_wanted
from octavo.interfaces.presenting.match_highlighting import MarksOf, marks_of
from octavo.interfaces.web import document_addresses
from octavo.interfaces.web.hit_excerpts import excerpt, marked_words, source_excerpt
from octavo.interfaces.web.markdown_to_html import set_apart
from octavo.interfaces.web.page_rendering import HEADERS, Listed, Pages, Site, templates
from octavo.lazy_regex import regex
from octavo.model.search_result import StageTrace
from octavo.operations.argument_parsing import request as parsed
from octavo.operations.library.results import StatusAnswer
from octavo.operations.operation_lookup import EVERY
from octavo.operations.reading.results import DocumentRow
from octavo.operations.search.rendering import in_words
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.results import FoundHit, SearchAnswer, whole_answer
from octavo.operations.search.search_execution import find

ASSETS: Mapping[str, str] = {
    "style.css": "text/css",
    "search.js": "text/javascript",
    "page.js": "text/javascript",
    "memory.js": "text/javascript",
    "ask.js": "text/javascript",
    "graph.css": "text/css",
    "graph.js": "text/javascript",
    "layout.js": "text/javascript",
    "zoom.js": "text/javascript",
    "map.css": "text/css",
    "map.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
# The same drawings as in the pages that `octavo graph plot` and `octavo cluster plot` write.
_DRAWING = {
    "graph.css": ("octavo.graph", "drawing", "page.css"),
    "graph.js": ("octavo.graph", "drawing", "page.js"),
    "layout.js": ("octavo.graph", "drawing", "layout.js"),
    "zoom.js": ("octavo.graph", "drawing", "zoom.js"),
    "map.css": ("octavo.graph", "drawing", "map.css"),
    "map.js": ("octavo.graph", "drawing", "map.js"),
}
_TAGS = 12  # of the hits, the most frequent
_SHOWN = 10  # hits of a search: twice as many take a seventh longer, for every key
_FURTHER = 50  # of one who asks for more
_RECENT = 50  # documents whose titles and tags make examples
_RECENT_SHOWN = 8
_CHANNELS = {"lexical": "words", "dense": "meaning", "symbol": "a name in code", "place": "its path", "graph": "links"}
_FILTERS = ("collections", "kinds", "tags_all", "language", "uris")
_WORD = regex(r"[^\W\d_]{4,}")
_BEGINNING = 4  # letters of a word that stand for all that begin so


class Facet(Value):
    """A way to narrow a search: how many of the hits shown have it, and where choosing it leads."""

    name: str
    count: int
    chosen: bool
    link: str


class SearchAddress(Value):
    """A search as its address says it."""

    query: str
    filters: Mapping[str, tuple[str, ...]]
    since: str
    profile: str
    more: bool = False

    @classmethod
    def of(cls, request: Request) -> SearchAddress:
        given = request.query_params
        filters = {name: tuple(dict.fromkeys(given.getlist(name))) for name in _FILTERS}
        since, profile = given.get("since", ""), given.get("profile", "")
        return cls(given.get("q", "").strip(), filters, since, profile, "more" in given)

    @property
    def most(self) -> int:
        """How many passages are shown."""
        return _FURTHER if self.more else _SHOWN

    def request(self, *, explain: bool = True) -> SearchRequest:
        optional = {"modified_after": self.since, "profile": self.profile, **self.filters}
        arguments: dict[str, Any] = {name: value for name, value in optional.items() if value}
        if language := arguments.pop("language", None):
            arguments["language"] = language[-1]
        given = {"query": self.query, "limit": self.most, "explain": explain, **arguments}
        made: SearchRequest = parsed("search", SearchRequest, given)
        return made

    def link(self, page: str = "/", changed: Mapping[str, tuple[str, ...]] | None = None) -> str:
        """Where the same search leads, with other filters in place of those that are `changed`."""
        pairs = [("q", self.query)]
        pairs += [(name, value) for name, values in {**self.filters, **(changed or {})}.items() for value in values]
        pairs += [(name, value) for name, value in (("since", self.since), ("profile", self.profile)) if value]
        return f"{page}?{urlencode(pairs)}"

    def everywhere(self) -> str:
        """The same words, not narrowed."""
        return f"/?{urlencode({'q': self.query})}"


class SearchPages(Pages):
    """Search, and the programming interface. `describe` gives its OpenAPI document."""

    def __init__(self, site: Site, describe: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__(site)
        self._describe = describe
        self._turns = asyncio.Semaphore(max(2, os.cpu_count() or 2))

    def listed(self) -> Listed:
        pages: Listed = [
            ("/", self._search, ["GET"]),
            ("/results", self._results, ["GET"]),
            ("/trace", self._trace, ["GET"]),
            ("/docs", self._programming, ["GET"]),
        ]
        return [*self._site.guarded(pages), ("/assets/{name}", asset, ["GET"])]

    async def _search(self, request: Request) -> Response:
        address = SearchAddress.of(request)
        content = await self._site.calls.work(partial(shown, address, True)) if address.query else await self._welcome()
        return self._page("search.html", asked=address, title=address.query or "Search", **content)

    async def _results(self, request: Request) -> Response:
        """The same hits without the page around them, for the script that searches as one types.

        It leaves a question when the next key is pressed. As many are worked on at once as there are processors: more
        would only make each other slow, and those who wait may be gone before their turn. Why a hit is there is told
        to whoever asks for it by `explain`: for every key it would cost a fifth of the answer.
        """
        address, explain = SearchAddress.of(request), "explain" in request.query_params

        async def answered() -> Response:
            if not address.query:
                return self._page("results.html", asked=address, **(await self._welcome()))
            async with self._turns:
                html = await self._site.calls.apart(partial(results, address, explain))
            return HTMLResponse(html, headers=HEADERS)

        return await while_wanted(request, answered())

    async def _welcome(self) -> dict[str, Any]:
        status = await self._call("status")
        recent = (await self._call("recent", limit=_RECENT)).documents
        tagged = (await self._call("doc_tags", document_ids=tuple(row.document_id for row in recent))).documents
        tags = Counter(tag for document in tagged for tag in document.tags)
        return {
            "answer": None,
            "problem": None,
            "status": status,
            "recent": recent[:_RECENT_SHOWN],
            "examples": query_examples(status, recent, tags),
        }

    async def _trace(self, request: Request) -> Response:
        address = SearchAddress.of(request)
        answer, _ = await self._site.calls.work(partial(searched, address.request()))
        stages = waterfall(answer.trace or ())
        return self._page("trace.html", asked=address, answer=answer, stages=stages, title=f"Trace: {address.query}")

    async def _programming(self, request: Request) -> Response:
        return self._page(
            "docs.html",
            paths=self._describe()["paths"],
            address=str(request.base_url).rstrip("/"),
            type_of=type_of,
            title="Programming interface",
        )


async def asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(404)
    package, folder, file = _DRAWING.get(name, ("octavo.interfaces.web", "assets", name))
    content = files(package).joinpath(folder, file).read_bytes()
    return Response(content, headers={**HEADERS, "Cache-Control": "no-cache"}, media_type=ASSETS[name])


def results(address: SearchAddress, explain: bool, engine: Engine) -> str:
    """The hits as the page has them."""
    return templates().get_template("results.html").render(asked=address, **shown(address, explain, engine))


def shown(address: SearchAddress, explain: bool, engine: Engine) -> dict[str, Any]:
    """What a page about a search says, and how."""
    problem, answer = None, None
    tags: Mapping[str, tuple[str, ...]] = {}
    try:
        answer, tags = searched(address.request(explain=explain), engine)
    except OctavoError as error:  # while a query is being typed it is often not one yet
        problem = error
        if isinstance(error, LibraryError):
            engine.reader.promise_repair()
    find = marks_of(address.query if answer is None else answer.marked_by)
    return {
        "answer": answer,
        "groups": grouped(answer.hits) if answer is not None else (),
        "facets": facets(address, answer, tags) if answer is not None else {},
        "mark": lambda hit: hit_excerpt(hit, find),
        "hit_link": hit_link,
        "heading_of": heading_of,
        "with_marks": lambda text: set_apart(text, marked_words(text, find(text))),
        "place_of": place_of,
        "matched_by": matched_by,
        "learning": learning(answer.freshness) if answer is not None else "",
        "problem": problem,
        "status": None,
    }


def searched(request: SearchRequest, engine: Engine) -> tuple[SearchAnswer, dict[str, tuple[str, ...]]]:
    """All hits and the tags of their documents. The operation would also measure what it writes, to fit a length."""
    answer = whole_answer(find(engine, request), explain=request.explain, steps=request.explain)
    ids = tuple(dict.fromkeys(hit.document_id for hit in answer.hits))
    tags = EVERY["doc_tags"]
    tagged = tags.run(engine, parsed(tags.name, tags.takes, {"document_ids": ids})).documents if ids else ()
    return answer, {document.document_id: document.tags for document in tagged}


def waterfall(trace: Sequence[StageTrace]) -> list[tuple[StageTrace, float, float, list[tuple[str, str]]]]:
    """Each stage with the percent of the whole at which it begins, those that it takes, and its details in words."""
    whole = sum(stage.took_ms for stage in trace) or 1.0
    rows, before = [], 0.0
    for stage in trace:
        details = [(name.replace("_", " "), in_words(value)) for name, value in stage.detail.items()]
        rows.append((stage, before / whole * 100, stage.took_ms / whole * 100, details))
        before += stage.took_ms
    return rows


def type_of(schema: Mapping[str, Any]) -> str:
    """An argument's type as a person writes it, with its default.

    >>> type_of({"type": "array", "items": {"type": "string"}}), type_of({"type": "integer", "default": 10})
    ('list of string', 'integer, 10 unless given')
    """
    text = str(schema.get("type", ""))
    if "enum" in schema:
        text = " | ".join(map(str, schema["enum"]))
    elif choices := schema.get("anyOf", schema.get("oneOf", ())):
        text = " or ".join(dict.fromkeys(map(type_of, choices)))
    elif text == "array":
        text = f"list of {type_of(schema.get('items', {})) or 'values'}"
    default = schema.get("default")
    return text if default in (None, "", [], False) else f"{text}, {default} unless given"


def grouped(hits: Sequence[FoundHit]) -> list[tuple[FoundHit, list[FoundHit]]]:
    """Hits by document, in the order of each document's best."""
    groups: dict[str, list[FoundHit]] = {}
    for hit in hits:
        groups.setdefault(hit.document_id, []).append(hit)
    return [(members[0], members) for members in groups.values()]


def facets(address: SearchAddress, answer: SearchAnswer, tags: Mapping[str, tuple[str, ...]]) -> dict[str, list[Facet]]:
    tagged = Counter(tag for hit in answer.hits for tag in tags.get(hit.document_id, ()))
    counted = {
        "tags_all": Counter(dict(tagged.most_common(_TAGS))),
        "collections": Counter(hit.collection for hit in answer.hits),
        "kinds": Counter(hit.kind for hit in answer.hits),
        "language": Counter(hit.language for hit in answer.hits if hit.language),
    }
    groups = {}
    for name, counts in counted.items():
        chosen = address.filters[name]
        names = sorted({*counts, *chosen}, key=lambda value: (-counts[value], value))
        if len(names) == 1 and not chosen and counts[names[0]] == len(answer.hits):
            names = []  # all hits have it: nothing would be narrowed
        groups[name] = [
            Facet(value, counts[value], value in chosen, address.link(changed={name: toggled(chosen, value)}))
            for value in names
        ]
    return groups


def hit_excerpt(hit: FoundHit, find: MarksOf) -> Markup:
    """The part of a passage that answers: Markdown as it reads, source text as it is."""
    if is_source(hit):
        return Markup('<pre class="exact">{}</pre>').format(source_excerpt(hit.excerpt, find))
    place = document_addresses.DocumentPlace(hit.collection, hit.uri)
    return excerpt(hit.excerpt, place, find, titles=(hit.title, *hit.heading_path), first_line=hit.start_line)


def is_source(hit: FoundHit) -> bool:
    return hit.kind in ("code", "config", "commit")


def matched_by(hit: FoundHit) -> str:
    """How a passage was found, in plain words."""
    ways = [_CHANNELS[channel] for channel in hit.matched if channel in _CHANNELS]
    return f"Found by {' and '.join(ways)}" if ways else "Why it is here"


def heading_of(hit: FoundHit) -> str:
    """The headings above a passage; the first is left out where it is the document's title, which stands above."""
    path = hit.heading_path
    return " → ".join(path[1:] if path and path[0] == hit.title else path)


def hit_link(hit: FoundHit, *, lines: bool = False) -> str:
    """The page of what was found: a memory has one of its own."""
    if hit.kind == "memory":
        return f"/memory/{quote(PurePosixPath(hit.uri).stem)}"
    return document_addresses.document_link(
        hit.collection, hit.uri, (hit.start_line, hit.end_line) if lines else None, hit.page
    )


def place_of(hit: FoundHit) -> str:
    """Where a hit is, as a person would say it: names that are only numbers are left out or shortened."""
    if hit.kind == "memory":
        return hit.collection
    if hit.kind == "commit":
        return f"{hit.collection}, {PurePosixPath(hit.uri).name[:10]}"
    return f"{hit.collection}/{hit.uri}"


def toggled(chosen: tuple[str, ...], value: str) -> tuple[str, ...]:
    return tuple(other for other in chosen if other != value) if value in chosen else (*chosen, value)


def query_examples(
    status: StatusAnswer, recent: Sequence[DocumentRow], tags: Mapping[str, int]
) -> list[tuple[str, str]]:
    """Each with what it means; what the library has nothing for is left out."""
    return list(_examples(status, recent, tags))


def _examples(
    status: StatusAnswer, recent: Sequence[DocumentRow], tags: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    titles = [row.title for row in recent if len(_WORD.findall(row.title)) > 1]
    words = [word.lower() for row in recent for word in _WORD.findall(row.title)]
    if titles:
        first, second = _WORD.findall(titles[0])[:2]
        if f"{first} {second}" in titles[0]:
            yield f'"{first.lower()} {second.lower()}"', "these words in this order"
    first = next((row.title.lower() for row in recent if _WORD.search(row.title)), "")
    other = next((word for word in words if word not in first), "")
    if other:
        yield f"{words[0]} -{other}", "without a word"
    if words:
        longest = max(words, key=len)
        yield f"{longest[:_BEGINNING]}*", "words that begin so"
        yield f"title:{words[0]}", "in the title"
    if tags:
        yield f"tag:{max(tags, key=lambda tag: (tags[tag], tag))}", "with a tag"
    held = [collection.name for collection in status.collections if collection.indexed]
    if len(held) > 1:
        yield f"in:{held[0]}", "of a collection"
    folder = next((row.uri.partition("/")[0] for row in recent if "/" in row.uri), "")
    if folder:
        path = f"path:{folder}/"
        yield f'path:"{folder}/"' if " " in folder else path, "below a folder"
    kinds = sorted({row.kind for row in recent})
    if len(kinds) > 1:
        yield f"kind:{kinds[0]}", f"{', '.join(kinds)}, commit or memory"
