"""Answers in pieces: server-sent events, and the sentences of an answer as they are written."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from octavo.engine.builds import Stopped
from octavo.interfaces.calls import Calls
from octavo.operations.answering.answers import AnswerSentence, AskAnswer
from octavo.operations.answering.ask import answered
from octavo.operations.answering.requests import AskRequest
from octavo.operations.arguments import request as parsed
from octavo.operations.operation import Operation
from octavo.operations.schemas import dump

Endpoint = Callable[[Request], Awaitable[Response]]


def event(name: str, data: dict[str, Any]) -> str:
    # json.dumps escapes every line break, so the data is one line as the format wants it.
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def event_stream(events: AsyncIterator[str]) -> Response:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


def sentence_stream(
    calls: Calls, operation: Operation, arguments: Callable[[Request], Awaitable[dict[str, Any]]]
) -> Endpoint:
    """`sentence` events as sentences are checked, then the whole as an `answer` event.

    What goes wrong before the first sentence is a problem. A client that goes away ends the model's call.
    """

    async def endpoint(request: Request) -> Response:
        asked: AskRequest = parsed(operation.name, operation.takes, await arguments(request))
        loop, sentences = asyncio.get_running_loop(), asyncio.Queue[AnswerSentence | None]()
        gone = threading.Event()

        def tell(sentence: AnswerSentence) -> None:
            if gone.is_set():
                raise Stopped("nobody waits for this answer any more")
            loop.call_soon_threadsafe(sentences.put_nowait, sentence)

        def ended(done: asyncio.Future[AskAnswer]) -> None:
            if not done.cancelled():
                done.exception()  # looked at, so that nobody complains that nobody did
            sentences.put_nowait(None)

        work = asyncio.ensure_future(calls.work(lambda engine: answered(engine, asked, tell)))
        work.add_done_callback(ended)
        first = await sentences.get()
        if first is None:
            await work

        async def events() -> AsyncIterator[str]:
            sentence = first
            try:
                while sentence is not None:
                    yield event("sentence", dump(AnswerSentence, sentence))
                    sentence = await sentences.get()
                yield event("answer", dump(AskAnswer, await work))
            finally:
                gone.set()

        return event_stream(events())

    return endpoint
