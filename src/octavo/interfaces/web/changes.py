"""Changes from the page: offered where the server was started with --write, and then only with the token.

The guard has compared the token and the origin of every request before it comes here.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from octavo.errors import InvalidArgument
from octavo.interfaces.web import text
from octavo.interfaces.web.site import Listed, Site, given

_ON_MEMORIES = {"pin": "memory_pin", "unpin": "memory_unpin", "forget": "forget"}


class Changes:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._call = site.call

    def listed(self) -> Listed:
        return self._site.guarded(
            [
                ("/change/remember", self._remember, ["POST"]),
                ("/change/memory/{item}", self._memory, ["POST"]),
                ("/change/reindex", self._reindex, ["POST"]),
                ("/change/profile", self._profile, ["POST"]),
                ("/edit/{collection}/{uri:path}", self._edit, ["GET", "POST"]),
            ]
        )

    async def _remember(self, request: Request) -> Response:
        form = await fields(request)
        kept = await self._call("remember", **given({"text": form.get("text", ""), "title": form.get("title", "")}))
        return RedirectResponse(f"/memory/{quote(kept.item)}", 303)

    async def _memory(self, request: Request) -> Response:
        item, action = request.path_params["item"], (await fields(request)).get("action", "")
        if action not in _ON_MEMORIES:
            raise InvalidArgument(f"there is no action {action}", hint=f"choose one of: {', '.join(_ON_MEMORIES)}")
        await self._call(_ON_MEMORIES[action], item=item)
        return RedirectResponse("/memories" if action == "forget" else f"/memory/{quote(item)}", 303)

    async def _reindex(self, request: Request) -> Response:
        await self._call("reindex")
        return RedirectResponse("/library", 303)

    async def _profile(self, request: Request) -> Response:
        await self._call("embedding_profiles_activate", name=(await fields(request)).get("name", ""))
        return RedirectResponse("/models", 303)

    async def _edit(self, request: Request) -> Response:
        """A section of a note: its text to change, the difference to look at, and only then a file that is written."""
        collection, uri = request.path_params["collection"], request.path_params["uri"]
        form = await fields(request) if request.method == "POST" else {}
        path = tuple(form.get("path", request.query_params.get("path", "")).split("\n"))
        checked = await self._call("doc_validate", uri=uri, collection=collection)
        content = form.get("content", "").replace("\r\n", "\n")
        difference = ""
        if not form:
            content = await self._content(collection, uri, path)
        else:
            written = await self._call(
                "doc_replace_section",
                uri=uri,
                collection=collection,
                heading_path=path,
                content_md=content,
                expected_hash=form.get("hash") or checked.hash,
                dry_run=form.get("action") != "save",
                reason="edited in the browser",
            )
            if not written.dry_run:
                lines = (written.start_line, written.end_line)
                return RedirectResponse(text.document_link(collection, uri, lines), 303)
            difference = written.diff or "Nothing changes."
        shown: dict[str, Any] = {"collection": collection, "uri": uri, "path": path, "content": content}
        hash_seen = form.get("hash") or checked.hash
        return self._site.page("edit.html", **shown, hash=hash_seen, difference=difference, title=f"Edit {path[-1]}")

    async def _content(self, collection: str, uri: str, path: tuple[str, ...]) -> str:
        """The text below a heading, without the heading."""
        outline = await self._call("outline", reference=uri, collection=collection)
        section = next((listed for listed in outline.sections if listed.title == path[-1]), None)
        if section is None:
            raise InvalidArgument(f"{uri} has no section {path[-1]}", hint="open the document again")
        reference = f"{uri}:{section.start_line}-{section.end_line}"
        found = await self._call("get", reference=reference, collection=collection, max_tokens=100_000)
        return str(found.text).partition("\n")[2].strip("\n")


async def fields(request: Request) -> dict[str, str]:
    """What a form sent."""
    return {name: values[-1] for name, values in parse_qs((await request.body()).decode(errors="replace")).items()}
