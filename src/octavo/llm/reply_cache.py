"""Answers a repeated language-model request from the library, by prompt version and a hash of the request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress

from octavo.errors import OctavoError
from octavo.fast_dataclass import replace
from octavo.llm.reply_parsing import read_json
from octavo.model.ids import ProjectId
from octavo.model.language_model_calls import Completion, CompletionRequest, Prompt, Usage
from octavo.model.language_model_settings import Prices
from octavo.ports import LanguageModel
from octavo.sql_repositories.llm_completion_cache import CompletionRepository


class ModelWrapper:
    """The parts of `ports.LanguageModel` that a wrapper passes on; how to complete is for each to say."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def window(self) -> int:
        return self._model.window

    @property
    def prices(self) -> Prices:
        return self._model.prices

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)


class CachedModel(ModelWrapper):
    """Fits `ports.LanguageModel`. What it knows comes from the library; an answer that was cut off is not kept."""

    def __init__(
        self, model: LanguageModel, completions: CompletionRepository, project: ProjectId, keep_bytes: int
    ) -> None:
        super().__init__(model)
        self._completions = completions
        self._project = project
        self._keep_bytes = keep_bytes
        self.known = 0

    def complete(self, request: CompletionRequest) -> Completion:
        digest = _digest(request)
        completion = self._known(request.prompt, digest)
        if completion is None:
            completion = self._model.complete(request)
            self._keep(request.prompt, digest, completion)
        return completion

    def stream(self, request: CompletionRequest) -> Iterator[str]:
        prompt, digest = request.prompt, _digest(request)
        completion = self._known(prompt, digest)
        if completion is not None:
            yield completion.text
            return
        pieces: list[str] = []
        for piece in self._model.stream(request):
            pieces.append(piece)
            yield piece
        text = "".join(pieces)
        usage = Usage(self.count_tokens(prompt.text), self.count_tokens(text))
        self._keep(prompt, digest, Completion(text, usage, truncated=usage.completion_tokens >= request.max_tokens))

    def structured(self, request: CompletionRequest) -> Completion:
        digest = _digest(request)
        completion = self._known(request.prompt, digest)
        if completion is not None:
            value, problem = read_json(completion.text, request.schema or {})
            if not problem:
                return replace(completion, value=value)
        completion = self._model.structured(request)
        self._keep(request.prompt, digest, completion)
        return completion

    def _known(self, prompt: Prompt, digest: str) -> Completion | None:
        completion = self._completions.known(self._project, self.name, _version(prompt), digest)
        self.known += completion is not None
        return completion

    def _keep(self, prompt: Prompt, digest: str, completion: Completion) -> None:
        """It only saves work: a library that is busy, or cannot be written, does without it."""
        if completion.truncated or not completion.text:
            return
        with suppress(OctavoError):
            self._completions.put(
                self._project, self.name, _version(prompt), digest, completion, keep_bytes=self._keep_bytes
            )


def _version(prompt: Prompt) -> str:
    return f"{prompt.name}@{prompt.version}"


def _digest(request: CompletionRequest) -> str:
    messages = [[message.role, message.text] for message in request.prompt.messages]
    key = [messages, request.max_tokens, request.temperature, list(request.stop), request.schema]
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
