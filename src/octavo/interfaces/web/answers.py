"""Answers to questions: sentence by sentence as they are written, or whole for browsers without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from octavo.interfaces.http.events import streamed_answer
from octavo.interfaces.web.site import Listed, Site, fields, given
from octavo.operations.answering.answers import AnswerSentence, AskAnswer
from octavo.operations.answering.requests import AskRequest
from octavo.operations.arguments import request as parsed


class Answers:
    def __init__(self, site: Site) -> None:
        self._site = site

    def listed(self) -> Listed:
        return self._site.guarded([("/ask", self._ask, ["GET", "POST"]), ("/ask/stream", self._stream, ["POST"])])

    async def _ask(self, request: Request) -> Response:
        """The page comes at once and its script asks; where no script runs, a form does. An answer may cost a call of a
        language model, so a GET gives none: a link or a picture of another page is one."""
        asked = _asked(request.query_params if request.method == "GET" else await fields(request))
        question, mode = asked.get("question", ""), asked.get("mode", "")
        answer = await self._site.call("ask", **asked) if question and request.method == "POST" else None
        return self._site.page("ask.html", question=question, mode=mode, answer=answer, title=question or "Ask")

    async def _stream(self, request: Request) -> Response:
        asked: AskRequest = parsed("ask", AskRequest, {"question": "", **_asked(await fields(request))})
        return await streamed_answer(request, self._site.calls, asked, self._written)

    def _written(self, part: AnswerSentence | AskAnswer) -> dict[str, Any]:
        if isinstance(part, AskAnswer):
            return {"html": self._site.part("answer_end.html", answer=part)}
        return {"html": self._site.part("sentence.html", sentence=part)}


def _asked(sent: Mapping[str, str]) -> dict[str, str]:
    """What a form or an address asks, by the names of the operation's arguments."""
    return given({"question": sent.get("q", "").strip(), "mode": sent.get("mode", "")})
