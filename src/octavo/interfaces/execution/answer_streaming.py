"""An answer sentence by sentence, for interfaces that show it while it is being written."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator

from octavo.engine.indexing.index_runs import Stopped
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.operations.answering.ask import answered
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import AnswerSentence, AskAnswer


async def stream_answer(calls: Calls, request: AskRequest) -> AsyncGenerator[AnswerSentence | AskAnswer]:
    """Sentences as they are checked, then the whole. Whoever leaves before the end ends the model's call."""
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

    work = asyncio.ensure_future(calls.work(lambda engine: answered(engine, request, tell)))
    work.add_done_callback(ended)
    try:
        while (sentence := await sentences.get()) is not None:
            yield sentence
        yield await work
    finally:
        gone.set()
        work.cancel()  # which ends a call of the model; nothing is left to cancel after the last sentence
