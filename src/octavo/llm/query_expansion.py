"""Better queries by a language model: passages that might answer a question, and further things to look for."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile
from octavo.errors import ProviderFailed
from octavo.lazy_regex import regex
from octavo.model.language_model_calls import CompletionRequest, Hypotheses, Subqueries, Usage
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
