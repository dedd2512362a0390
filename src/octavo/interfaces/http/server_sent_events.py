"""Answers in pieces, as server-sent events; and work that ends when its client leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from octavo.interfaces.execution.answer_streaming import stream_answer
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import AnswerSentence, AskAnswer
from octavo.operations.argument_parsing import request as parsed
from octavo.operations.json_schemas import dump
from octavo.operations.operation import Operation

Endpoint = Callable[[Request], Awaitable[Response]]


def event(name: str, data: dict[str, Any]) -> str:
    # json.dumps escapes every line break, so the data is one line as the format wants it.
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def event_stream(events: AsyncIterator[str]) -> Response:
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def streamed_answer(
    request: Request,
    calls: Calls,
    ask_request: AskRequest,
    written: Callable[[AnswerSentence | AskAnswer], dict[str, Any]],
) -> Response:
    """`sentence` events, then an `answer` event, each with what `written` makes of it.

    What goes wrong before the first of them is raised. A client that goes away, before or after it, ends the work.
    """
    parts = stream_answer(calls, ask_request)

    async def begun() -> Response:
        first = await anext(parts)

        async def events() -> AsyncIterator[str]:
            async with aclosing(parts):
                yield _answer_event(first, written)
                async for part in parts:
                    yield _answer_event(part, written)

        return event_stream(events())

    return await while_wanted(request, begun())


def _answer_event(
    part: AnswerSentence | AskAnswer, written: Callable[[AnswerSentence | AskAnswer], dict[str, Any]]
) -> str:
    return event("answer" if isinstance(part, AskAnswer) else "sentence", written(part))


def sentence_stream(
    calls: Calls, operation: Operation, arguments: Callable[[Request], Awaitable[dict[str, Any]]]
) -> Endpoint:
    """`sentence` events as sentences are checked, then the whole as an `answer` event.

    What goes wrong before the first sentence is a problem. A client that goes away ends the model's call.
    """

    async def endpoint(request: Request) -> Response:
        ask_request: AskRequest = parsed(operation.name, operation.takes, await arguments(request))
        return await streamed_answer(request, calls, ask_request, lambda part: dump(type(part), part))

    return endpoint


async def while_wanted(request: Request, answer: Coroutine[Any, Any, Response]) -> Response:
    """The answer, unless the client leaves before: then the work for it stops, and what had not begun never does."""
    working = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else Response(status_code=499)
    finally:
        for task in (working, leaving):
            task.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
