"""A language model that is given one text at a time, by a prompt: what summaries and entities are made with."""

from __future__ import annotations

from octavo.algorithms.prompt_template import PromptFile
from octavo.algorithms.quotations import one_line, with_line_numbers
from octavo.model.language_model import Prompt
from octavo.model.model_settings import Prices
from octavo.ports import LanguageModel

DEADLINE = 120.0  # seconds; nobody waits for a job
_CHARACTERS_PER_TOKEN = 2  # rather too few, as lines are numbered: a text that does not fit the window is an error


class TextReader:
    """`answer_tokens` is how long an answer may be. What does not fit the model's window is cut off at its end."""

    def __init__(self, model: LanguageModel, prompt: PromptFile, answer_tokens: int) -> None:
        self.model = model
        self._prompt = prompt
        self._answer_tokens = answer_tokens

    @property
    def maker(self) -> str:
        return f"{self.model.name} {self._prompt.name}@{self._prompt.version}"

    @property
    def prices(self) -> Prices:
        return self.model.prices

    def tokens(self, title: str, text: str) -> int:
        return self.model.count_tokens(self.filled(title, text).text) + self._answer_tokens

    def filled(self, title: str, text: str) -> Prompt:
        instructions = self.model.count_tokens(self._prompt.filled(title=title, text="").text)
        room = max(0, self.model.window - instructions - self._answer_tokens) * _CHARACTERS_PER_TOKEN
        return self._prompt.filled(title=one_line(title), text=with_line_numbers(text[:room], 1))
