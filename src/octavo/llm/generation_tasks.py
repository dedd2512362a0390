"""What a language model is asked to write: passages that might answer, further queries, summaries, names in a text."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile
from octavo.algorithms.model_inputs.prompt_quotations import one_line, with_line_numbers
from octavo.errors import ProviderFailed
from octavo.lazy_regex import regex
from octavo.model.entity import EntityKind
from octavo.model.language_model_calls import Completion, CompletionRequest, Hypotheses, Prompt, Subqueries, Usage
from octavo.model.language_model_settings import Prices
from octavo.ports import LanguageModel

_LINE = regex(r"^[\s*`\-\d.)]*(lex|vec|hyde)[`*]*\s*:[`*]*\s*(.+?)[`*]*\s*$", re.IGNORECASE)
_LONGEST = 2_000  # characters of a passage
_MOST = 8  # subqueries of a type


class ModelQueryWriter:
    """Fits `ports.QueryWriter`."""

    def __init__(self, model: LanguageModel, prompts: Callable[[str], PromptFile]) -> None:
        self._model = model
        self._prompts = prompts

    def hypotheses(self, question: str, *, count: int, temperature: float, deadline: float, prompt: str) -> Hypotheses:
        """As many as are written within the deadline, each once; at least one, or the model's failure."""
        ends = time.monotonic() + deadline
        file = self._prompts(prompt)
        texts: list[str] = []
        usage, cached = Usage(), 0
        for number in range(count):
            left = ends - time.monotonic()
            if number and left <= 0:
                break
            # The number tells the samples apart: one that was stored does not stand for all.
            filled = file.filled(question=question, number=str(number + 1), count=str(count))
            try:
                completion = self._model.complete(
                    CompletionRequest(filled, max_tokens=200, temperature=temperature, deadline=left)
                )
            except ProviderFailed:
                if texts:
                    break
                raise
            usage += completion.usage
            cached += completion.usage.cached
            texts.append(" ".join(completion.text.split())[:_LONGEST])
        written = tuple(dict.fromkeys(filter(None, texts)))
        if not written:
            raise ProviderFailed(f"{self._model.name} wrote no hypothesis")
        return Hypotheses(written, self._model.name, usage, cached)

    def subqueries(self, question: str, *, deadline: float, prompt: str) -> Subqueries:
        filled = self._prompts(prompt).filled(question=question)
        completion = self._model.complete(CompletionRequest(filled, max_tokens=300, deadline=deadline))
        subqueries_of: dict[str, list[str]] = {"lex": [], "vec": [], "hyde": []}
        for line in completion.text.splitlines():
            typed = _LINE.match(line)
            if typed:
                subqueries_of[typed[1].lower()].append(typed[2][:_LONGEST])
        if not any(subqueries_of.values()):
            raise ProviderFailed(f"{self._model.name} wrote no subquery")
        lex, vec, hyde = (tuple(dict.fromkeys(subqueries_of[kind]))[:_MOST] for kind in ("lex", "vec", "hyde"))
        return Subqueries(lex, vec, hyde, self._model.name, completion.usage)


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
