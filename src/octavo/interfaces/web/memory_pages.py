"""Pages of the memories: the list, and each memory with its versions."""

from __future__ import annotations

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from octavo.interfaces.presenting.match_highlighting import marks_of
from octavo.interfaces.web.document_addresses import DocumentPlace
from octavo.interfaces.web.hit_excerpts import excerpt
from octavo.interfaces.web.markdown_to_html import markdown
from octavo.interfaces.web.page_rendering import Listed, Pages, given, number

_NOWHERE = DocumentPlace("", "")


class MemoryPages(Pages):
    def listed(self) -> Listed:
        return self._site.guarded([("/memories", self._memories, ["GET"]), ("/memory/{item}", self._memory, ["GET"])])

    async def _memories(self, request: Request) -> Response:
        query = request.query_params.get("q", "").strip()
        answer = await self._call("recall", query=query, limit=50)
        find = marks_of(query)
        return self._page(
            "memories.html",
            answer=answer,
            query=query,
            mark=lambda passage: excerpt(passage, _NOWHERE, find),
            title="Memories",
        )

    async def _memory(self, request: Request) -> Response:
        item, parameters = request.path_params["item"], request.query_params
        history = await self._call("memory_history", item=item)
        changes = history.changes
        at = min(number(parameters.get("at")) or len(changes), len(changes))
        version = number(parameters.get("version")) or (changes[at - 1].version if parameters.get("at") else None)
        memory = await self._call(
            "memory_get", item=item, **given({"version": version, "as_of": "" if version else parameters.get("as_of")})
        )
        diff = await self._call("memory_diff", item=item) if len(history.versions) > 1 else None
        body = markdown(memory.text, _NOWHERE)
        if len(history.versions) == 1 and body.strip() == Markup("<p>{}</p>").format(memory.title):
            body = Markup("")  # the heading says it already
        return self._page(
            "memory.html",
            memory=memory,
            history=history,
            at=at,
            then=changes[at - 1] if parameters.get("at") else None,
            diff=diff,
            body=body,
            title=memory.title,
        )
