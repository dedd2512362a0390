"""The embedder that ships with Recto: nothing to fetch, nothing to configure."""

from __future__ import annotations

from pathlib import Path

from recto.embedding.onnx import OnnxEmbedder, token_counter
from recto.embedding.static import StaticEmbedder
from recto.ports import TokenCounter

MODEL_DIRECTORY = Path(__file__).parent / "models" / "recto-encoder-1"
FAST_DIRECTORY = Path(__file__).parent / "models" / "recto-fast-1"
REMEDY = "reinstall Recto: `pip install --force-reinstall recto`"


def bundled_embedder(threads: int | None = None) -> OnnxEmbedder:
    return OnnxEmbedder(MODEL_DIRECTORY, threads=threads, remedy=REMEDY)


def bundled_counter() -> TokenCounter:
    return token_counter(MODEL_DIRECTORY, REMEDY)


def bundled_fast_embedder() -> StaticEmbedder:
    """The table in the bundled encoder's space: its vectors are compared with that encoder's, and no other's."""
    return StaticEmbedder(FAST_DIRECTORY, remedy=REMEDY)
