"""Summaries by a language model: a section or a file in a few sentences."""

from __future__ import annotations

from octavo.algorithms.prompts import PromptFile
from octavo.algorithms.quoting import one_line, quoted
from octavo.errors import ProviderFailed
from octavo.model.language_model import Completion, CompletionRequest, Prompt
from octavo.model.model_settings import Prices
from octavo.ports import LanguageModel

_WRITTEN = 160  # tokens of a summary at most
_CHARACTERS_PER_TOKEN = 2  # rather too few, as lines are numbered: a text that does not fit the window is an error
_DEADLINE = 120.0  # seconds; nobody waits for a job


class ModelSummariser:
    """Fits `ports.Summariser`. What does not fit the model's window is cut off at its end."""

    def __init__(self, model: LanguageModel, prompt: PromptFile) -> None:
        self._model = model
        self._prompt = prompt

    @property
    def maker(self) -> str:
        return f"{self._model.name} {self._prompt.name}@{self._prompt.version}"

    @property
    def prices(self) -> Prices:
        return self._model.prices

    def tokens(self, title: str, text: str) -> int:
        return self._model.count_tokens(self._filled(title, text).text) + _WRITTEN

    def summary(self, title: str, text: str) -> Completion:
        completion = self._model.complete(
            CompletionRequest(self._filled(title, text), max_tokens=_WRITTEN, deadline=_DEADLINE)
        )
        if not completion.text.strip():
            raise ProviderFailed(f"{self._model.name} wrote no summary")
        return completion

    def _filled(self, title: str, text: str) -> Prompt:
        instructions = self._model.count_tokens(self._prompt.filled(title=title, text="").text)
        room = max(0, self._model.window - instructions - _WRITTEN) * _CHARACTERS_PER_TOKEN
        return self._prompt.filled(title=one_line(title), text=quoted(text[:room], 1))
