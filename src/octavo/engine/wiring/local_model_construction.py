"""Constructs the embedders, token counters and rerankers that run on this machine."""

from __future__ import annotations

from functools import partial

from octavo.config.schema import Embedding, Reranking
from octavo.embedding.bundled_embedder import bundled_counter, bundled_embedder
from octavo.embedding.hashing_embedder import HashingEmbedder, WhitespaceCounter
from octavo.embedding.installed_models import NO_RERANKER, RERANKER_HINT, model_named, models_folder
from octavo.embedding.onnx_embedder import OnnxEmbedder, token_counter
from octavo.errors import ModelUnavailable
from octavo.path_resolution_and_private_folders import expand_user
from octavo.ports import Embedder, Reranker, TokenCounter

REMEDY = f"make it again with `octavo models finetune --reranker`, or go back: `octavo models activate {NO_RERANKER}`"


def embedder_of(settings: Embedding, dimensions: int | None = None) -> Embedder:
    if settings.provider == "hashing":
        return HashingEmbedder(dimensions) if dimensions else HashingEmbedder()
    if settings.provider == "onnx" and settings.model:
        return OnnxEmbedder(settings.model, threads=settings.threads, providers=settings.providers)
    return bundled_embedder(settings.threads, settings.providers)


def counter_of(settings: Embedding) -> TokenCounter:
    if settings.provider == "hashing":
        return WhitespaceCounter()
    return token_counter(settings.model) if settings.provider == "onnx" and settings.model else bundled_counter()


def reranker_of(settings: Reranking, name: str | None = None) -> Reranker:
    if settings.model is None and name is None:
        raise ModelUnavailable("no reranker is configured", hint=RERANKER_HINT)
    from octavo.embedding.onnx_cross_encoder import OnnxCrossEncoder  # with numpy, for searches that rerank

    make = partial(OnnxCrossEncoder, threads=settings.threads, providers=settings.providers)
    if name is not None:
        return make(model_named(models_folder(), name).path, remedy=REMEDY)
    assert settings.model is not None
    return make(expand_user(settings.model))
