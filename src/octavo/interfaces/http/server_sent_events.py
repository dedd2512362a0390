"""Answers in pieces: server-sent events, and the sentences of an answer as they are written."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from octavo.interfaces.execution.answer_streaming import stream_answer
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.http.disconnect_cancellation import while_wanted
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
