"""Models that run on this machine, imported when the first is made."""

from __future__ import annotations

from functools import partial

from octavo.config.schema import Embedding, Reranking
from octavo.embedding.bundled import bundled_counter, bundled_embedder, bundled_reranker
from octavo.embedding.hashing import HashingEmbedder, WhitespaceCounter
from octavo.embedding.installed_models import model_named, models_folder
from octavo.embedding.onnx import OnnxEmbedder, token_counter
from octavo.model.location import expand_user
from octavo.ports import Embedder, Reranker, TokenCounter

REMEDY = "make it again with `octavo models finetune --reranker`, or go back: `octavo models activate octavo-rerank-1`"


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
        return bundled_reranker(settings.threads, settings.providers)
    from octavo.embedding.crossencoder import OnnxCrossEncoder  # with numpy, for searches that rerank

    make = partial(OnnxCrossEncoder, threads=settings.threads, providers=settings.providers)
    if name is not None:
        return make(model_named(models_folder(), name).path, remedy=REMEDY)
    assert settings.model is not None
    return make(expand_user(settings.model))
