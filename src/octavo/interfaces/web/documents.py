"""The page of a document: its text with the cited lines marked, its outline, what links to it, its versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from octavo.errors import OctavoError
from octavo.interfaces.web import text
from octavo.interfaces.web.site import Listed, Site, given, number
from octavo.operations.reading.answers import OutlineSection

_WHOLE = 100_000  # tokens of a document on one page
_MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".mkd"})


class DocumentPages:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._page = site.page
        self._call = site.call

    def listed(self) -> Listed:
        return self._site.guarded(
            [
                ("/document/{collection}/{uri:path}", self._document, ["GET"]),
                ("/find/{collection}/{name:path}", self._find, ["GET"]),
                ("/find", self._find, ["GET"]),
            ]
        )

    async def _document(self, request: Request) -> Response:
        collection, uri = request.path_params["collection"], request.path_params["uri"]
        lines = cited_lines(request.query_params.get("lines", ""))
        wanted = request.query_params
        found = await self._call(
            "get",
            reference=uri,
            collection=collection,
            max_tokens=_WHOLE,
            **given({"cursor": wanted.get("cursor"), "version": number(wanted.get("version"))}),
        )
        outline = await self._call("outline", reference=found.document_id)
        history = await self._site.maybe("history", reference=found.uri, collection=collection)
        place = text.DocumentPlace(collection, found.uri, lines)
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
            earlier=bool(number(wanted.get("version"))),
            change=await self._change(found.uri, collection, number(wanted.get("changes"))),
            body=body,
            headed="<h1" in body,
            openers=await self._openers(collection, found.uri, lines[0] if lines else 1),
            title=found.title or found.uri,
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
                wanted = given({"reference": reference, "collection": collection})
                found = await self._call("get", max_tokens=500, **wanted)
            except OctavoError:  # not there, or several: the search shows what is nearest
                continue
            anchor = text.heading_anchor(heading) if heading and not heading.startswith("^") else ""
            return RedirectResponse(text.document_link(found.collection, found.uri) + anchor, 303)
        return RedirectResponse(f"/?{urlencode({'q': target})}", 303)


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
