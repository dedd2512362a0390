"""A cross-encoder in a local folder, run by onnxruntime: question and passage go in together, one score comes out.

The folder is like an embedder's (see `model_folder`): `model.json` with a `window` and `dimensions` 1, `model.onnx`
whose first output is one logit a pair (or two, of which the second is "relevant"), and `tokenizer.json`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.embedding.huggingface_tokenizer import load_tokenizer, without_surrogates
from octavo.embedding.model_folder import read_directory
from octavo.embedding.onnxruntime_loading import available_cores, model_session, plan
from octavo.errors import ModelUnavailable, ProviderFailed
from octavo.model.execution_provider import CPU, ExecutionProvider

REMEDY = "check the reranker's folder: it must hold model.json, model.onnx and tokenizer.json"

_BATCH_TOKENS, _BATCH_PAIRS = 4096, 32
_CUT = 2
"""How pairs are cut to the window, from 1: scores that were kept of another way are not taken for these."""


def _around_match(tokenizer: Any, question: str, text: str, room: int) -> str:
    """The text, or of one with more tokens than `room` its first line and the stretch of the rest that has most of the
    question's tokens. A token that the text has n times counts 1/n each time, so that rare ones decide."""
    if len(text) <= room:
        return text  # no token is shorter than a character
    ids, offsets = _tokens(tokenizer, text)
    if len(ids) <= room:
        return text
    line_end = text.find("\n") + 1
    head = sum(1 for start, _ in offsets if start < line_end)
    head = head if head <= room // 2 else 0
    asked = set(_tokens(tokenizer, question)[0])
    counts = Counter(ids)
    worth = [1.0 / counts[token] if token in asked else 0.0 for token in ids]
    sums = list(accumulate(worth, initial=0.0))
    width = room - head
    # Rounded, so that equal stretches tie whatever was added up before them; the earliest wins.
    start = max(range(head, len(ids) - width + 1), key=lambda at: round(sums[at + width] - sums[at], 9))
    stretch = text[offsets[start][0] : offsets[start + width - 1][1]]
    return f"{text[:line_end]}{stretch}" if head else stretch


def _tokens(tokenizer: Any, text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """All of them with their places in the text, though the tokenizer cuts to the window."""
    first = tokenizer.encode(text, add_special_tokens=False)
    parts = (first, *first.overflowing)
    return [token for part in parts for token in part.ids], [place for part in parts for place in part.offsets]


class OnnxCrossEncoder:
    """Fits `ports.Reranker`. A question has a quarter of the window at most; of a passage that does not fit beside it,
    the first line and what matches the question best are read."""

    def __init__(
        self,
        folder: Path,
        *,
        threads: int | None = None,
        providers: Sequence[ExecutionProvider] = CPU,
        remedy: str = REMEDY,
    ) -> None:
        self._directory = read_directory(folder, remedy)
        self._threads = threads
        self._providers = providers
        self._loading = Lock()
        self._loaded: tuple[Any, Any, frozenset[str]] | None = None

    @property
    def name(self) -> str:
        return f"{self._directory.profile.name}@{self._directory.profile.revision}/{_CUT}"

    def prepare(self) -> None:
        self._model()

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        if not texts:
            return []
        tokenizer, session, inputs = self._model()
        try:
            question, room = self._question(tokenizer, without_surrogates(query))
            read = [_around_match(tokenizer, question, without_surrogates(text), room) for text in texts]
            pairs = tokenizer.encode_batch([(question, text) for text in read])
        except Exception as error:  # the library raises nothing more precise
            raise ProviderFailed(f"{self.name} cannot read the question with a passage: {error}") from error
        scores = [0.0] * len(texts)
        for batch in plan([len(pair.ids) for pair in pairs], _BATCH_TOKENS, _BATCH_PAIRS):
            found = self._run(session, inputs, [pairs[place] for place in batch])
            for place, score in zip(batch, found.tolist(), strict=True):
                scores[place] = score
        return scores

    def _question(self, tokenizer: Any, query: str) -> tuple[str, int]:
        """As much of it as has a place, and how many tokens a passage may have beside it."""
        window = self._directory.profile.window
        most, special = window // 4, int(tokenizer.num_special_tokens_to_add(is_pair=True))
        offsets = _tokens(tokenizer, query)[1][:most]
        return (query[: offsets[-1][1]] if len(offsets) == most else query), window - special - len(offsets)

    def _run(self, session: Any, inputs: frozenset[str], pairs: Sequence[Any]) -> NDArray[np.float32]:
        given = {
            name: np.zeros((len(pairs), max(len(pair.ids) for pair in pairs)), np.int64)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        }
        for row, pair in enumerate(pairs):
            length = len(pair.ids)
            given["input_ids"][row, :length] = pair.ids
            given["attention_mask"][row, :length] = 1
            given["token_type_ids"][row, :length] = pair.type_ids
        try:
            output = np.asarray(session.run(None, {name: given[name] for name in inputs})[0], dtype=np.float32)
        except Exception as error:  # onnxruntime's errors share no base
            raise ProviderFailed(f"{self.name} failed on {len(pairs)} pairs: {error}") from error
        logits = output.reshape(len(pairs), -1) if output.size else output
        if logits.shape not in ((len(pairs), 1), (len(pairs), 2)):
            raise ModelUnavailable(
                f"{self.name} gives {'×'.join(map(str, output.shape))} values for {len(pairs)} pairs",
                hint=self._directory.remedy,
            )
        scores: NDArray[np.float32] = logits[:, 0] if logits.shape[1] == 1 else logits[:, 1] - logits[:, 0]
        return scores

    def _model(self) -> tuple[Any, Any, frozenset[str]]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._load()
            return self._loaded

    def _load(self) -> tuple[Any, Any, frozenset[str]]:
        directory = self._directory
        tokenizer = load_tokenizer(directory.file("tokenizer.json"), directory.remedy)
        tokenizer.enable_truncation(directory.profile.window, strategy="longest_first")
        graph = directory.graph()
        session = model_session(
            graph, threads=self._threads or available_cores(), providers=self._providers, remedy=directory.remedy
        )
        inputs = frozenset(tensor.name for tensor in session.get_inputs())
        if not {"input_ids", "attention_mask"} <= inputs <= {"input_ids", "attention_mask", "token_type_ids"}:
            raise ModelUnavailable(f"{graph} takes {', '.join(sorted(inputs))}", hint=directory.remedy)
        return tokenizer, session, inputs
