"""Summaries by a language model: a section or a file in a few sentences."""

from __future__ import annotations

from octavo.algorithms.prompt_template import PromptFile
from octavo.errors import ProviderFailed
from octavo.llm.text_reader import DEADLINE, TextReader
from octavo.model.language_model import Completion, CompletionRequest
from octavo.ports import LanguageModel

_WRITTEN = 160  # tokens of a summary at most


class ModelSummariser(TextReader):
    """Fits `ports.Summariser`."""

    def __init__(self, model: LanguageModel, prompt: PromptFile) -> None:
        super().__init__(model, prompt, _WRITTEN)

    def summary(self, title: str, text: str) -> Completion:
        completion = self.model.complete(
            CompletionRequest(self.filled(title, text), max_tokens=_WRITTEN, deadline=DEADLINE)
        )
        if not completion.text.strip():
            raise ProviderFailed(f"{self.model.name} wrote no summary")
        return completion
