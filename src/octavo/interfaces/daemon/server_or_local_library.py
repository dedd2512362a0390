"""Client of a library for long-running programs: asks its server when one runs, else an engine of its own.

Both ways give the same typed answers. What concerns this machine alone is always done here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.interfaces.daemon.client import Connection, Unreachable, running
from octavo.interfaces.daemon.greeting_messages import ASK_ALOUD
from octavo.observability.progress import Progress
from octavo.operations.answering.ask import answered
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import AnswerSentence, AskAnswer
from octavo.operations.argument_parsing import request
from octavo.operations.json_schemas import adapter
from octavo.operations.operation_lookup import EVERY

_SECONDS = 120.0


class LibraryClient:
    """Threads may ask at once: calls to the server take turns, an engine of our own serves them side by side."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._opening = threading.Lock()
        self._talking = threading.Lock()
        self._engine: Engine | None = None
        self._server: Connection | None = running(config)

    @property
    def served(self) -> bool:
        """Whether a server answers."""
        return self._server is not None

    def ask(self, operation: str, /, progress: Progress | None = None, **arguments: Any) -> Any:
        """The operation's answer. What goes wrong on purpose is raised as the error it is."""
        row = EVERY[operation]
        if row.remote and self._server is not None and not row.watched:
            try:
                with self._talking:
                    reply = self._server.call(operation, arguments, _SECONDS)
                return adapter(row.gives).validate_python(reply)
            except (Unreachable, ValueError):  # an answer that is not understood is of another state of this version
                self._server = None
        return row.run(self.engine(), request(operation, row.takes, arguments), progress)

    def answer(self, question: str, tell: Callable[[AnswerSentence], None]) -> AskAnswer:
        """The answer to a question; `tell` gets each sentence as soon as it is certain to stay."""
        arguments = {"question": question}
        if self._server is not None:
            sentence = adapter(AnswerSentence)
            try:
                with self._talking:
                    reply = self._server.call(
                        ASK_ALOUD, arguments, _SECONDS, lambda part: tell(sentence.validate_python(part))
                    )
                whole: AskAnswer = adapter(AskAnswer).validate_python(reply)
                return whole
            except (Unreachable, ValueError):
                self._server = None
        return answered(self.engine(), request("ask", AskRequest, arguments), tell)

    def engine(self) -> Engine:
        with self._opening:
            if self._engine is None:
                self._engine = open_engine(self.config)
            return self._engine

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        if self._engine is not None:
            self._engine.close()
