"""Train an encoder or a reranker or fit a table on what was harvested, measure it, and install it among the models."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from octavo.embedding.installed_models import install, model_named, models_folder
from octavo.embedding.token_counters import counter_of
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.evaluation.beir_dataset import SHIPPED, read_dataset
from octavo.evaluation.measured_query_run import mean
from octavo.fast_dataclass import Value, replace
from octavo.observability.progress import Progress
from octavo.operations.models.requests import ModelsFinetuneRequest
from octavo.operations.models.results import FinetuneAnswer
from octavo_train.contrastive_training import TrainingSettings
from octavo_train.encoder_finetuning_and_table_fit import finetune, fit_table
from octavo_train.model_scores_and_teacher_vectors import pair_scores, score
from octavo_train.reranker_training import finetune_reranker
from octavo_train.reranker_training_lists import FoundList, found_lists
from octavo_train.static_token_table_fitting import TableSettings
from octavo_train.torch_cross_encoder import RerankSettings
from octavo_train.trainable_model_checks import ModelDirectory
from octavo_train.trained_model_export import (
    ModelCard,
    described_encoder,
    described_reranker,
    described_table,
    encoder_files,
    reranker_files,
    table_bytes,
    words_of,
)
from octavo_train.training_pairs_from_document import counted
from octavo_train.training_pairs_from_library import Harvest

BUNDLED_SET = "bundled set"
HELD_BACK = "held back"
WITHOUT = "held back, against no reranker"
_LISTS, _HELD_LISTS = 3_000, 500  # questions that a reranker learns from, and is measured by
_SET = SHIPPED / "almanac"


class Training(Value):
    """What a model is trained from, and how."""

    request: ModelsFinetuneRequest
    settings: Mapping[str, Any]
    base: ModelDirectory
    harvest: Harvest
    teacher: ModelDirectory | None
    progress: Progress

    def made(self, settings: Mapping[str, Any], figures: Mapping[str, Mapping[str, float]]) -> ModelCard:
        teacher = {"teacher": self.request.teacher} if self.request.teacher else {}
        return ModelCard(
            name=self.request.name,
            base=self.base.profile.name,
            base_revision=self.base.profile.revision,
            made_at=datetime.now(UTC).isoformat(timespec="seconds"),
            command=command_line(self.request),
            pairs=counted(self.harvest.learn),
            settings={**settings, **teacher},
            figures=figures,
        )

    def licence(self) -> bytes:
        path = self.base.path / "LICENSE"
        return path.read_bytes() if path.is_file() else b""

    def answer(self, figures: Mapping[str, Mapping[str, float]], **trained: Any) -> FinetuneAnswer:
        model = model_named(models_folder(), self.request.name)
        return FinetuneAnswer(
            name=model.name,
            form=model.form,
            path=str(model.path),
            revision=model.profile.revision,
            pairs=counted(self.harvest.learn),
            held=len(self.harvest.held_out),
            figures=figures,
            better=not model.worse,
            **trained,
        )


def train_encoder(training: Training) -> FinetuneAnswer:
    request, base, progress = training.request, training.base, training.progress
    # A teacher says more than which passage is right: the pairs count for less, and each has more to choose from.
    usual = {"contrast": 0.5, "negatives": 3} if training.teacher else {}
    settings = _settings(TrainingSettings, {**usual, **training.settings})
    root = models_folder()
    work = root / f".{request.name}.work"
    trained = finetune(base, training.harvest, settings, work, progress, request.device, teacher=training.teacher)
    progress.start("quantising", None, "texts")
    try:
        files = encoder_files(
            trained.model,
            training.harvest.passages[:60],
            counter_of(base),
            base.file("vocab.txt").read_bytes(),
            training.licence(),
            base.profile.window,
        )
    finally:
        progress.finish()
    made = training.made(asdict(trained.settings), {HELD_BACK: _rounded(trained.before, trained.after)})
    folder = install(root, request.name, _described(files, made, base), replace=request.replace)
    before, after = _bundled_set(base.path, progress), _bundled_set(folder, progress)
    figures = {**made.figures, BUNDLED_SET: _rounded(before, after)}
    install(root, request.name, _described(files, replace(made, figures=figures), base), replace=True)
    return training.answer(figures, dropped=trained.dropped, batch=trained.settings.batch, device=trained.device)


def train_table(training: Training) -> FinetuneAnswer:
    request, base = training.request, training.base
    settings = _settings(TableSettings, training.settings)
    table, found = fit_table(base, training.harvest, settings, training.progress, request.device)
    figures = {f"{HELD_BACK}, documents by table": _rounded(found, found)}
    made = training.made(asdict(settings), figures)
    vocabulary, space = base.file("vocab.txt").read_bytes(), (base.profile, words_of(base))
    rows = table_bytes(table)
    files = described_table(rows, settings.power, settings.lead, vocabulary, training.licence(), made, space)
    install(models_folder(), request.name, files, replace=request.replace)
    return training.answer(figures, dropped=0, batch=settings.batch, device="")


def train_reranker(training: Training, engine: Engine) -> FinetuneAnswer:
    """Learns from the lists that `hybrid` finds for the pairs; measured by the order that `hybrid_rerank` gives those
    of the held-back ones, against the base's and against the order without any reranker."""
    request, base, progress, root = training.request, training.base, training.progress, models_folder()
    harvest, settings = training.harvest, _settings(RerankSettings, training.settings)
    root.mkdir(parents=True, exist_ok=True)
    learn, pairs = harvest.learn[:_LISTS], harvest.held_out[:_HELD_LISTS]
    found = found_lists(engine, (*pairs, *learn), harvest.passages[:_LISTS], root, progress)
    measured, lists = (
        found[: len(pairs)],
        [found_list.learnt() for found_list in found[len(pairs) :] if found_list.answers],
    )
    work = root / f".{request.name}.work"
    trained = finetune_reranker(base, lists, settings, work, progress, request.device)
    progress.start("quantising", None, "pairs")
    try:
        prose = [(pair.query, pair.positive) for pair in learn[:60]]
        licence, tokenizer = training.licence(), base.file("tokenizer.json").read_bytes()
        files = reranker_files(trained.weights, prose, tokenizer, licence, base.profile.window)
    finally:
        progress.finish()
    made = training.made(asdict(trained.settings), {})
    folder = install(root, request.name, described_reranker(files, made, base.profile.window), replace=request.replace)
    alone = mean([found_list.ndcg() for found_list in measured])
    before, after = (_reranked(model, measured, progress) for model in (base.path, folder))
    figures = {HELD_BACK: _rounded(before, after), WITHOUT: _rounded(alone, after)}
    described = described_reranker(files, replace(made, figures=figures), base.profile.window)
    install(root, request.name, described, replace=True)
    dropped = len(learn) - len(lists)
    return training.answer(figures, dropped=dropped, batch=trained.settings.batch, device=trained.device)


def _reranked(model: Path, lists: Sequence[FoundList], progress: Progress) -> float:
    """nDCG@10 of the lists as `hybrid_rerank` would order them with this model, int8 and all."""
    scored = pair_scores(model)
    progress.start("measuring", len(lists), "questions")
    figures = []
    try:
        for found in lists:
            figures.append(found.ndcg(scored))
            progress.advance(1)
    finally:
        progress.finish()
    return mean(figures)


def _described(files: Mapping[str, bytes], made: ModelCard, base: ModelDirectory) -> dict[str, bytes]:
    return described_encoder(files, made, base.profile.window, base.profile.dimensions, words_of(base))


def command_line(request: ModelsFinetuneRequest) -> str:
    """The command that asks for the same, for the model's card."""
    said = ["octavo", "models", "finetune"]
    for field in fields(request):
        value = getattr(request, field.name)
        option = "--" + ("collection" if field.name == "collections" else field.name)
        if value == field.default:
            continue
        for each in value if isinstance(value, tuple) else (value,):
            said += [option] if each is True else [option, str(each)]
    return shlex.join(said)


def _settings(kind: Any, given: Mapping[str, Any] | None) -> Any:
    known = kind.__dataclass_fields__
    for name in given or {}:
        if name not in known:
            raise InvalidArgument(f"there is no setting {name} in training", hint=f"there are: {', '.join(known)}")
    return kind(**(given or {}))


def _bundled_set(model: Path, progress: Progress) -> float:
    """What a model finds of the set that ships with Octavo."""
    read = read_dataset(_SET)
    number = {record.id: place for place, record in enumerate(read.records)}
    judged = [
        {number[document]: value for document, value in read.qrels[question.id].items() if value > 0}
        for question in read.questions
    ]
    passages = [f"{record.title}\n{record.text}".strip() for record in read.records]
    return score(model, passages, [question.text for question in read.questions], judged, progress)


def _rounded(before: float, after: float) -> Mapping[str, float]:
    return {"before": round(before, 4), "after": round(after, 4)}
