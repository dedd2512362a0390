"""The embedder that ships with Octavo: nothing to fetch, nothing to configure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from octavo.embedding.onnx_embedder import OnnxEmbedder, token_counter
from octavo.embedding.static_token_embedder import StaticEmbedder
from octavo.model.execution_provider import CPU, ExecutionProvider
from octavo.ports import TokenCounter

MODELS = Path(__file__).parent / "models"
MODEL_DIRECTORY = MODELS / "octavo-encoder-2"
FAST_DIRECTORY = MODELS / "octavo-fast-2"
REMEDY = "install Octavo again, with `pip install --force-reinstall` and what it was installed from"


def bundled_embedder(threads: int | None = None, providers: Sequence[ExecutionProvider] = CPU) -> OnnxEmbedder:
    return OnnxEmbedder(MODEL_DIRECTORY, threads=threads, providers=providers, remedy=REMEDY)


def bundled_counter() -> TokenCounter:
    return token_counter(MODEL_DIRECTORY, REMEDY)


def bundled_fast_embedder() -> StaticEmbedder:
    """The table in the bundled encoder's space: its vectors are compared with that encoder's, and no other's."""
    return StaticEmbedder(FAST_DIRECTORY, remedy=REMEDY)
