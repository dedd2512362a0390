"""A cross-encoder in a local folder, run by onnxruntime: question and passage go in together, one score comes out.

The folder is like an embedder's (see `directory`): `model.json` with a `window` and `dimensions` 1, `model.onnx` whose
first output is one logit a pair (or two, of which the second is "relevant"), and `tokenizer.json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.embedding.batching import plan
from octavo.embedding.cores import available_cores
from octavo.embedding.directory import GRAPH, read_directory
from octavo.embedding.runtime import onnx_runtime
from octavo.embedding.tokens import load_tokenizer, without_surrogates
from octavo.errors import ModelUnavailable, ProviderFailed

REMEDY = "check the reranker's folder: it must hold model.json, model.onnx and tokenizer.json"

_BATCH_TOKENS, _BATCH_PAIRS = 4096, 32


class OnnxCrossEncoder:
    """Fits `ports.Reranker`. A passage that does not fit the window together with its question is cut there."""

    def __init__(self, folder: Path, *, threads: int | None = None, remedy: str = REMEDY) -> None:
        self._directory = read_directory(folder, remedy)
        self._threads = threads
        self._loading = Lock()
        self._loaded: tuple[Any, Any, frozenset[str]] | None = None

    @property
    def name(self) -> str:
        return f"{self._directory.profile.name}@{self._directory.profile.revision}"

    def prepare(self) -> None:
        self._model()

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        if not texts:
            return []
        tokenizer, session, inputs = self._model()
        question = without_surrogates(query)
        try:
            pairs = tokenizer.encode_batch([(question, without_surrogates(text)) for text in texts])
        except Exception as error:  # the library raises nothing more precise
            raise ProviderFailed(f"{self.name} cannot read the question with a passage: {error}") from error
        scores = [0.0] * len(texts)
        for batch in plan([len(pair.ids) for pair in pairs], _BATCH_TOKENS, _BATCH_PAIRS):
            found = self._run(session, inputs, [pairs[place] for place in batch])
            for place, score in zip(batch, found.tolist(), strict=True):
                scores[place] = score
        return scores

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
        graph = directory.file(GRAPH)
        onnxruntime = onnx_runtime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads or available_cores()
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors reach us as exceptions; stderr is for the operator
        try:
            session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's errors share no base
            raise ModelUnavailable(f"{graph} cannot be loaded: {error}", hint=directory.remedy) from error
        inputs = frozenset(tensor.name for tensor in session.get_inputs())
        if not {"input_ids", "attention_mask"} <= inputs <= {"input_ids", "attention_mask", "token_type_ids"}:
            raise ModelUnavailable(f"{graph} takes {', '.join(sorted(inputs))}", hint=directory.remedy)
        return tokenizer, session, inputs
