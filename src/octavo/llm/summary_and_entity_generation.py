"""Has a language model summarise one text, or list the people, projects and places that it names."""

from __future__ import annotations

from typing import Any

from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile
from octavo.algorithms.model_inputs.prompt_quotations import one_line, with_line_numbers
from octavo.errors import ProviderFailed
from octavo.model.entity import EntityKind
from octavo.model.language_model_calls import Completion, CompletionRequest, Prompt
from octavo.model.language_model_settings import Prices
from octavo.ports import LanguageModel

_DEADLINE = 120.0  # seconds; nobody waits for a job
_CHARACTERS_PER_TOKEN = 2  # rather too few, as lines are numbered: a text that does not fit the window is an error
_ASKED_FOR = {"people": EntityKind.PERSON, "projects": EntityKind.PROJECT, "places": EntityKind.PLACE}
_NAMES = {"type": "array", "items": {"type": "string"}, "maxItems": 50}
_SCHEMA = {"type": "object", "properties": dict.fromkeys(_ASKED_FOR, _NAMES), "required": list(_ASKED_FOR)}


class TextReader:
    """`answer_tokens` is how long an answer may be. What does not fit the model's window is cut off at its end."""

    answer_tokens: int

    def __init__(self, model: LanguageModel, prompt: PromptFile) -> None:
        self.model = model
        self._prompt = prompt

    @property
    def maker(self) -> str:
        return f"{self.model.name} {self._prompt.name}@{self._prompt.version}"

    @property
    def prices(self) -> Prices:
        return self.model.prices

    def tokens(self, title: str, text: str) -> int:
        return self.model.count_tokens(self.filled(title, text).text) + self.answer_tokens

    def filled(self, title: str, text: str) -> Prompt:
        instructions = self.model.count_tokens(self._prompt.filled(title=title, text="").text)
        room = max(0, self.model.window - instructions - self.answer_tokens) * _CHARACTERS_PER_TOKEN
        return self._prompt.filled(title=one_line(title), text=with_line_numbers(text[:room], 1))

    def _request(self, title: str, text: str, schema: dict[str, Any] | None = None) -> CompletionRequest:
        prompt = self.filled(title, text)
        return CompletionRequest(prompt, max_tokens=self.answer_tokens, deadline=_DEADLINE, schema=schema)


class ModelSummariser(TextReader):
    """Fits `ports.Summariser`: a section or a file in a few sentences."""

    answer_tokens = 160

    def summary(self, title: str, text: str) -> Completion:
        completion = self.model.complete(self._request(title, text))
        if not completion.text.strip():
            raise ProviderFailed(f"{self.model.name} wrote no summary")
        return completion


class ModelEntityFinder(TextReader):
    """Fits `ports.EntityFinder`: names in a text. Whether they stand there is checked by whoever asks."""

    answer_tokens = 400

    def names(self, title: str, text: str) -> tuple[tuple[tuple[EntityKind, str], ...], Completion]:
        completion = self.model.structured(self._request(title, text, _SCHEMA))
        reply = completion.value or {}
        return tuple((kind, name) for key, kind in _ASKED_FOR.items() for name in reply.get(key, ())), completion
