"""Rerankers: language models that score each passage or order all of them, and services made for it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from statistics import median
from typing import Any

from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile
from octavo.algorithms.model_inputs.prompt_quotations import with_line_numbers
from octavo.errors import ConfigurationError, ProviderFailed
from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex
from octavo.llm.reply_parsing import read_json
from octavo.model.language_model_calls import CompletionRequest, Prompt
from octavo.model.language_model_settings import ModelSettings
from octavo.ports import LanguageModel
from octavo.services.json_client import Endpoint

_NUMBER = regex(r"(?<![\w.-])(10(?:\.0+)?|\d(?:\.\d+)?)(?![\d%])")
_LONGEST = 4_000  # characters of a passage that a model reads
_RANKING = {"type": "array", "items": {"type": "integer"}}


class _Judge:
    """A language model with the prompt by which it judges."""

    def __init__(self, model: LanguageModel, prompt: PromptFile, deadline: float) -> None:
        self._model = model
        self._prompt = prompt
        self._deadline = deadline

    @property
    def name(self) -> str:
        return f"{self._model.name} by {self._prompt.name}@{self._prompt.version}"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        return self.score_within(query, texts, self._deadline)

    def score_within(self, query: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        raise NotImplementedError


class PointwiseJudge(_Judge):
    """Fits `ports.Reranker`: one call for each passage, a few of them at once, answered with a number from 0 to 10."""

    def score_within(self, query: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """A passage about which the model says no number gets the median of the others."""
        prompts = [self._prompt.filled(query=query, passage=with_line_numbers(text[:_LONGEST], 1)) for text in texts]
        with ThreadPoolExecutor(max(1, len(prompts)), "octavo-judge") as pool:
            calls = [pool.submit(copy_context().run, self._judged, prompt, seconds) for prompt in prompts]
            scores = [call.result() for call in calls]
        known = [score for score in scores if score is not None]
        if texts and not known:
            raise ProviderFailed(f"{self._model.name} gave no score", hint="a larger model may do better")
        return [median(known) if score is None else score for score in scores]

    def _judged(self, prompt: Prompt, seconds: float) -> float | None:
        return score_in(self._model.complete(CompletionRequest(prompt, max_tokens=8, deadline=seconds)).text)


class ListwiseJudge(_Judge):
    """Fits `ports.Reranker`: one call for all passages, answered with their order.

    Sun et al., "Is ChatGPT Good at Search?", 2023, without the sliding window: no more passages are shown than fit.
    """

    def score_within(self, query: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """From as many as there are passages down to 1; those the model leaves out follow in the order they had."""
        if not texts:
            return ()
        room = max(200, min(_LONGEST, (self._model.window * 2) // len(texts)))  # characters: half of the window
        shown = "\n\n".join(f"[{number}]\n{with_line_numbers(text[:room], 1)}" for number, text in enumerate(texts, 1))
        prompt = self._prompt.filled(query=query, passages=shown, count=str(len(texts)))
        completion = self._model.complete(CompletionRequest(prompt, max_tokens=8 * len(texts) + 32, deadline=seconds))
        order = order_in(completion.text, len(texts))
        if not order:
            raise ProviderFailed(f"{self._model.name} gave no order", hint="a larger model may do better")
        rest = (at for at in range(len(texts)) if at not in order)
        place = {at: rank for rank, at in enumerate((*order, *rest))}
        return [float(len(texts) - place[at]) for at in range(len(texts))]


class AbsentJudge:
    """Fits `ports.Reranker`: one of several models that cannot be asked as configured: the next one is."""

    def __init__(self, name: str, reason: ConfigurationError) -> None:
        self.name = name
        self._reason = reason

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        raise ProviderFailed(self._reason.message, hint=self._reason.hint) from self._reason


def score_in(text: str) -> float | None:
    """The first number from 0 to 10: `7`, `Score: 7`, `7/10`, `7.5 out of 10`."""
    match = _NUMBER.search(text)
    return float(match[1]) if match else None


def order_in(text: str, count: int) -> tuple[int, ...]:
    """Places from 0, each once, of `[2, 1, 3]` or `[2] > [1] > [3]`; numbers nobody gave are left out."""
    value, problem = read_json(text, _RANKING)
    numbers = value if not problem and len(value) > 1 else [int(number) for number in re.findall(r"\d{1,4}", text)]
    return tuple(dict.fromkeys(number - 1 for number in numbers if 1 <= number <= count))


class RerankServiceAddress(Value):
    """Where a rerank service is, unless a model's table says otherwise. All of them have a `/rerank` of one shape."""

    url: str
    key_variable: str = ""


RERANK_SERVICES: Mapping[str, RerankServiceAddress] = {
    "cohere": RerankServiceAddress("https://api.cohere.com/v2", "COHERE_API_KEY"),
    "jina": RerankServiceAddress("https://api.jina.ai/v1", "JINA_API_KEY"),
    "llamacpp": RerankServiceAddress("http://127.0.0.1:8080"),
}


class RerankService:
    """Fits `ports.Reranker`."""

    def __init__(self, name: str, settings: ModelSettings, endpoint: Endpoint) -> None:
        self._said = name
        self._settings = settings
        self._endpoint = endpoint

    @property
    def name(self) -> str:
        return f"{self._settings.provider}:{self._settings.model or self._said}"

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        if not texts:
            return ()
        body: dict[str, Any] = {"query": query, "documents": list(texts), "top_n": len(texts)}
        if self._settings.model:
            body["model"] = self._settings.model
        answer = self._endpoint.post_within("/rerank", body, self._settings.timeout_seconds)
        try:
            results = answer if isinstance(answer, list) else answer["results"]
            scores = {int(each["index"]): _score(each) for each in results}
            return [scores[at] for at in range(len(texts))]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ProviderFailed(
                f"the rerank service {self._said} did not score every passage", hint="check its provider and url"
            ) from error


def _score(result: Mapping[str, Any]) -> float:
    """Cohere, Jina and llama.cpp call it `relevance_score`; text-embeddings-inference says `score`."""
    return float(result["relevance_score"] if "relevance_score" in result else result["score"])
