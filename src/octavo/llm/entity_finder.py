"""Names in a text by a language model, as JSON; whether they stand there is checked by whoever asks."""

from __future__ import annotations

from octavo.algorithms.prompts import PromptFile
from octavo.algorithms.quoting import one_line, quoted
from octavo.model.entity import EntityKind
from octavo.model.language_model import Completion, CompletionRequest, Prompt
from octavo.model.model_settings import Prices
from octavo.ports import LanguageModel

_WRITTEN = 400  # tokens of an answer at most
_CHARACTERS_PER_TOKEN = 2  # rather too few, as lines are numbered: a text that does not fit the window is an error
_DEADLINE = 120.0  # seconds; nobody waits for a job
_ASKED_FOR = {"people": EntityKind.PERSON, "projects": EntityKind.PROJECT, "places": EntityKind.PLACE}
_NAMES = {"type": "array", "items": {"type": "string"}, "maxItems": 50}
_SCHEMA = {"type": "object", "properties": dict.fromkeys(_ASKED_FOR, _NAMES), "required": list(_ASKED_FOR)}


class ModelEntityFinder:
    """Fits `ports.EntityFinder`. What does not fit the model's window is not read."""

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

    def names(self, title: str, text: str) -> tuple[tuple[tuple[EntityKind, str], ...], Completion]:
        completion = self._model.structured(
            CompletionRequest(self._filled(title, text), max_tokens=_WRITTEN, deadline=_DEADLINE, schema=_SCHEMA)
        )
        found = completion.value or {}
        return tuple((kind, name) for key, kind in _ASKED_FOR.items() for name in found.get(key, ())), completion

    def _filled(self, title: str, text: str) -> Prompt:
        instructions = self._model.count_tokens(self._prompt.filled(title=title, text="").text)
        room = max(0, self._model.window - instructions - _WRITTEN) * _CHARACTERS_PER_TOKEN
        return self._prompt.filled(title=one_line(title), text=quoted(text[:room], 1))
