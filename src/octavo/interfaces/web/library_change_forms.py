"""Serves the forms that change memories, the index, the profile and note sections, only under `--write`.

The guard has looked at the session and the origin of every request before it comes here.
"""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import Value, replace
from octavo.interfaces.web import document_addresses
from octavo.interfaces.web.page_rendering import Listed, Pages, fields, given
from octavo.note_editing.note_change_transaction import WriteAnswer
from octavo.note_editing.redacted_section_editing import replace_shown_section, section_text
from octavo.operations.note_editing.requests import WriteRequest
from octavo.operations.operation_lookup import EVERY

_ON_MEMORIES = {"pin": "memory_pin", "unpin": "memory_unpin", "forget": "forget"}


class SectionEdit(Value):
    """A section of a note, by its headings from the root, and the text that is to stand below them."""

    collection: str
    uri: str
    path: tuple[str, ...]
    content: str


class Changes(Pages):
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
        return RedirectResponse(f"/memory/{quote(item)}", 303)

    async def _reindex(self, request: Request) -> Response:
        await self._call("reindex")
        return RedirectResponse("/library", 303)

    async def _profile(self, request: Request) -> Response:
        await self._call("profiles_activate", name=(await fields(request)).get("name", ""))
        return RedirectResponse("/models", 303)

    async def _edit(self, request: Request) -> Response:
        """A section of a note: its text to change, the difference to look at, and only then a file that is written.

        A file that was changed meanwhile is not overwritten: the same text is shown with its difference from the file
        as it is now, to be written or left.
        """
        form = await fields(request) if request.method == "POST" else {}
        edit = SectionEdit(
            collection=request.path_params["collection"],
            uri=request.path_params["uri"],
            path=tuple(form.get("path", request.query_params.get("path", "")).split("\n")),
            content=form.get("content", "").replace("\r\n", "\n"),
        )
        now = await self._site.calls.work(
            lambda engine: section_text(engine.notes, edit.uri, edit.collection, edit.path)
        )
        if not form:
            return self._shown(replace(edit, content=now.text), now.hash)
        overtaken = form.get("hash", now.hash) != now.hash
        written = await self._written(edit, now.hash, dry_run=overtaken or form.get("action") != "save")
        if not written.dry_run:
            lines = (written.start_line, written.end_line)
            return RedirectResponse(document_addresses.document_link(edit.collection, edit.uri, lines), 303)
        return self._shown(edit, now.hash, written.diff or "Nothing changes.", overtaken=overtaken)

    async def _written(self, edit: SectionEdit, expected_hash: str, *, dry_run: bool) -> WriteAnswer:
        terms = WriteRequest(expected_hash=expected_hash, dry_run=dry_run, reason="edited in the browser")

        def write(engine: Engine) -> WriteAnswer:
            note = engine.notes.writable(edit.uri, edit.collection)
            return replace_shown_section(engine.notes, note, edit.path, edit.content, terms)

        if dry_run:
            return await self._site.calls.work(write)
        return await self._site.calls.perform(EVERY["doc_replace_section"], write)

    def _shown(self, edit: SectionEdit, seen: str, difference: str = "", *, overtaken: bool = False) -> Response:
        shown = {"edit": edit, "hash": seen, "difference": difference, "overtaken": overtaken}
        return self._site.page("edit.html", 409 if overtaken else 200, **shown, title=f"Edit {edit.path[-1]}")
