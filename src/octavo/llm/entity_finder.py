"""Names in a text by a language model, as JSON; whether they stand there is checked by whoever asks."""

from __future__ import annotations

from octavo.algorithms.prompt_template import PromptFile
from octavo.llm.text_reader import DEADLINE, TextReader
from octavo.model.entity import EntityKind
from octavo.model.language_model import Completion, CompletionRequest
from octavo.ports import LanguageModel

_WRITTEN = 400  # tokens of an answer at most
_ASKED_FOR = {"people": EntityKind.PERSON, "projects": EntityKind.PROJECT, "places": EntityKind.PLACE}
_NAMES = {"type": "array", "items": {"type": "string"}, "maxItems": 50}
_SCHEMA = {"type": "object", "properties": dict.fromkeys(_ASKED_FOR, _NAMES), "required": list(_ASKED_FOR)}


class ModelEntityFinder(TextReader):
    """Fits `ports.EntityFinder`."""

    def __init__(self, model: LanguageModel, prompt: PromptFile) -> None:
        super().__init__(model, prompt, _WRITTEN)

    def names(self, title: str, text: str) -> tuple[tuple[tuple[EntityKind, str], ...], Completion]:
        completion = self.model.structured(
            CompletionRequest(self.filled(title, text), max_tokens=_WRITTEN, deadline=DEADLINE, schema=_SCHEMA)
        )
        reply = completion.value or {}
        return tuple((kind, name) for key, kind in _ASKED_FOR.items() for name in reply.get(key, ())), completion
