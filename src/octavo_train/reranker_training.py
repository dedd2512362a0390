"""Fine-tunes a reranker of Octavo's own form from the candidates that a search finds for the library's own pairs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from tokenizers import Tokenizer

from octavo.embedding.huggingface_tokenizer import load_tokenizer, without_surrogates
from octavo.embedding.model_folder import ModelDirectory
from octavo.errors import ModelUnavailable, ProviderFailed
from octavo.fast_dataclass import Value, replace
from octavo.observability.progress import Progress
from octavo_train.numpy_encoder import RerankerWeights
from octavo_train.onnx_graph_export import read_reranker
from octavo_train.reranker_training_lists import CandidateList
from octavo_train.torch_cross_encoder import CrossEncoder, RerankSettings, train
from octavo_train.trainable_model_checks import RERANKER_REMEDY
from octavo_train.training_checkpoint import SavedRun, is_out_of_memory, training_device

_SMALLEST_BATCH = 2


class TrainedReranker(Value):
    weights: RerankerWeights
    settings: RerankSettings
    device: str


def finetune_reranker(
    base: ModelDirectory,
    lists: Sequence[CandidateList],
    settings: RerankSettings,
    work: Path,
    progress: Progress,
    device: str | None = None,
) -> TrainedReranker:
    """Trains from the base's int8 weights. A run that was stopped goes on from its last saved state; one that exhausts
    memory begins again with half the batch. Lists without an answer teach nothing and are left out by the caller."""
    start, where = _weights(base), training_device(device)
    tokenizer = pair_tokenizer(base)
    lists = [_readable(candidates) for candidates in lists]
    while True:
        network = CrossEncoder(start).to(where)
        run = SavedRun(work, _fingerprint(base, lists, settings), progress)
        try:
            train(network, tokenizer, lists, settings, where, report=run.report, resume=run.resumed(), save=run.save)
            break
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error) or settings.batch // 2 < _SMALLEST_BATCH:
                raise ProviderFailed(f"training failed: {error}", hint="try a smaller --batch") from error
            settings = replace(settings, batch=settings.batch // 2)
            if where.type == "cuda":
                torch.cuda.empty_cache()
        finally:
            progress.finish()
    run.forget()
    return TrainedReranker(network.weights(), settings, where.type)


def pair_tokenizer(base: ModelDirectory) -> Tokenizer:
    """Cuts pairs as the stage that reranks does."""
    tokenizer = load_tokenizer(base.file("tokenizer.json"), base.remedy)
    tokenizer.enable_truncation(base.profile.window, strategy="longest_first")
    return tokenizer


def _readable(candidates: CandidateList) -> CandidateList:
    passages = tuple(map(without_surrogates, candidates.passages))
    return replace(candidates, query=without_surrogates(candidates.query), passages=passages)


def _weights(base: ModelDirectory) -> RerankerWeights:
    try:
        return read_reranker(base.graph().read_bytes())
    except (KeyError, ValueError, IndexError) as error:
        raise ModelUnavailable(f"{base.profile.name} was not built by Octavo: {error}", hint=RERANKER_REMEDY) from error


def _fingerprint(base: ModelDirectory, lists: Sequence[CandidateList], settings: RerankSettings) -> str:
    digest = hashlib.sha256(json.dumps([base.profile.revision, asdict(settings)]).encode())
    for candidates in lists:
        digest.update("\0".join((candidates.query, *candidates.passages)).encode("utf-8", "replace"))
    return digest.hexdigest()
