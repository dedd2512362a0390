"""Answers to questions: sentence by sentence as they are written, or whole for browsers without scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from octavo.interfaces.http.server_sent_events import streamed_answer, while_wanted
from octavo.interfaces.web.page_rendering import HEADERS, Listed, Site, fields, given
from octavo.lazy_regex import regex
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import AnswerSentence, AskAnswer
from octavo.operations.argument_parsing import request as parsed

_STEP = regex(r"\d+[.)] ")
_SHORT = 2  # sentences above the hits of a search
_CERTAIN = frozenset({"quoted", "supported"})


class Answers:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._turn = asyncio.Semaphore(1)  # an answer reads a hundred sentences: two at once only wait for each other

    def listed(self) -> Listed:
        return self._site.guarded(
            [
                ("/ask", self._ask, ["GET", "POST"]),
                ("/ask/stream", self._stream, ["POST"]),
                ("/ask/short", self._short, ["POST"]),
            ]
        )

    async def _ask(self, request: Request) -> Response:
        """The page comes at once and its script asks; where no script runs, a form does. An answer may cost a call of a
        language model, so a GET gives none: a link or a picture of another page is one."""
        arguments = _asked(request.query_params if request.method == "GET" else await fields(request))
        question, mode = arguments.get("question", ""), arguments.get("mode", "")
        answer = await self._site.call("ask", **arguments) if question and request.method == "POST" else None
        return self._site.page("ask.html", question=question, mode=mode, answer=answer, title=question or "Ask")

    async def _stream(self, request: Request) -> Response:
        ask_request: AskRequest = parsed("ask", AskRequest, {"question": "", **_asked(await fields(request))})
        return await streamed_answer(request, self._site.calls, ask_request, self._written)

    async def _short(self, request: Request) -> Response:
        """The best sentences, for above the hits of a search; nothing where a language model would be asked."""
        question = (await fields(request)).get("q", "").strip()

        async def answered() -> Response:
            async with self._turn:
                model = await self._site.calls.work(lambda engine: engine.language_model("answer"))
                if model is not None or not question:
                    return HTMLResponse("", headers=HEADERS)
                answer = await self._site.call("ask", question=question)
            sentences = _first([sentence for sentence in answer.sentences if _answers(sentence)])
            return self._site.page("short_answer.html", sentences=sentences, question=question)

        return await while_wanted(request, answered())

    def _written(self, part: AnswerSentence | AskAnswer) -> dict[str, Any]:
        if isinstance(part, AskAnswer):
            return {"html": self._site.part("answer_end.html", answer=part)}
        return {"html": self._site.part("sentence.html", sentence=part)}


def _first(sentences: Sequence[AnswerSentence]) -> Sequence[AnswerSentence]:
    """The best sentences; where they are steps, all of them, because half a procedure helps nobody."""
    steps = [place for place, sentence in enumerate(sentences, 1) if _STEP.match(sentence.text)]
    return sentences[: steps[-1] if steps and steps[0] <= _SHORT else _SHORT]


def _answers(sentence: AnswerSentence) -> bool:
    return sentence.support in _CERTAIN and not sentence.text.rstrip("*_ ").endswith("?")


def _asked(sent: Mapping[str, str]) -> dict[str, str]:
    """What a form or an address asks, by the names of the operation's arguments."""
    return given({"question": sent.get("q", "").strip(), "mode": sent.get("mode", "")})
