"""Answers to questions: sentence by sentence as they are written, or whole for browsers without scripts."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from octavo.interfaces.http.events import streamed_answer
from octavo.interfaces.web.site import Listed, Site, given
from octavo.operations.answering.answers import AnswerSentence, AskAnswer
from octavo.operations.answering.requests import AskRequest
from octavo.operations.arguments import request as parsed


class Answers:
    def __init__(self, site: Site) -> None:
        self._site = site

    def listed(self) -> Listed:
        return self._site.guarded([("/ask", self._ask, ["GET"]), ("/ask/stream", self._stream, ["GET"])])

    async def _ask(self, request: Request) -> Response:
        """The page comes at once and its script asks; `whole` is asked for where no script runs."""
        asked = _asked(request)
        question, mode = asked.get("question", ""), asked.get("mode", "")
        whole = question and request.query_params.get("whole")
        answer = await self._site.call("ask", **asked) if whole else None
        return self._site.page("ask.html", question=question, mode=mode, answer=answer, title=question or "Ask")

    async def _stream(self, request: Request) -> Response:
        asked: AskRequest = parsed("ask", AskRequest, {"question": "", **_asked(request)})
        return await streamed_answer(request, self._site.calls, asked, self._written)

    def _written(self, part: AnswerSentence | AskAnswer) -> dict[str, Any]:
        if isinstance(part, AskAnswer):
            return {"html": self._site.part("answer_end.html", answer=part)}
        return {"html": self._site.part("sentence.html", sentence=part)}


def _asked(request: Request) -> dict[str, str]:
    """What the address asks, by the names of the operation's arguments."""
    wanted = request.query_params
    return given({"question": wanted.get("q", "").strip(), "mode": wanted.get("mode", "")})
