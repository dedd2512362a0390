"""Counts the calls, tokens, time and cost that an answer takes of a language model, and its cached calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from octavo.llm.reply_cache import ModelWrapper
from octavo.model.language_model_calls import Completion, CompletionRequest, Usage
from octavo.ports import LanguageModel, RemembersCompletions


class MeteredModel(ModelWrapper):
    """Fits `ports.LanguageModel`. A call that was known already costs nothing; one that failed counts as a call."""

    def __init__(self, model: LanguageModel, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(model)
        self._clock = clock
        self.usage = Usage()
        self.calls = self.cached = 0

    def complete(self, request: CompletionRequest) -> Completion:
        self.calls += 1
        return self._counted(self._model.complete(request))

    def structured(self, request: CompletionRequest) -> Completion:
        self.calls += 1
        return self._counted(self._model.structured(request))

    def stream(self, request: CompletionRequest) -> Iterator[str]:
        """What it took is counted as the model counts, or nearly, however the stream ends."""
        self.calls += 1
        began, known, pieces = self._clock(), self._known(), []
        try:
            for piece in self._model.stream(request):
                pieces.append(piece)
                yield piece
        finally:
            if self._known() > known:
                self.cached += 1
            else:
                read, wrote = self.count_tokens(request.prompt.text), self.count_tokens("".join(pieces))
                self.usage += Usage(read, wrote, self._clock() - began, self.prices.cost(read, wrote))

    def _known(self) -> int:
        return self._model.known if isinstance(self._model, RemembersCompletions) else 0

    def _counted(self, completion: Completion) -> Completion:
        if completion.usage.cached:
            self.cached += 1
        else:
            self.usage += completion.usage
        return completion
