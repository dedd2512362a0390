"""Fine-tunes an encoder of Octavo's own form, or fits a table in its space, from what was harvested."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from octavo.embedding.model_folder import ModelDirectory
from octavo.embedding.token_counters import counter_of
from octavo.errors import ModelUnavailable, ProviderFailed
from octavo.fast_dataclass import Value, replace
from octavo.observability.progress import Progress
from octavo_train.contrastive_training import (
    SAVE_SECONDS,
    Examples,
    TrainingSettings,
    TrainingStep,
    mined,
    taught,
    train,
)
from octavo_train.model_scores_and_teacher_vectors import ndcg, teach
from octavo_train.numpy_encoder import Model
from octavo_train.onnx_graph_export import read_graph
from octavo_train.static_token_table_fitting import Bags, Lessons, TableSettings, features_of, fit
from octavo_train.torch_encoder import Encoder, Texts, embedded
from octavo_train.trainable_model_checks import REMEDY
from octavo_train.training_checkpoint import SavedRun, is_out_of_memory, training_device
from octavo_train.training_pairs_from_library import Harvest

_SMALLEST_BATCH = 8


class Trained(Value):
    """The weights, and what the encoder found of the held-back pairs before and after."""

    model: Model
    before: float
    after: float
    pairs: int
    dropped: int
    settings: TrainingSettings
    device: str


def finetune(
    base: ModelDirectory,
    harvest: Harvest,
    settings: TrainingSettings,
    work: Path,
    progress: Progress,
    device: str | None = None,
    save_seconds: float | None = None,
    teacher: ModelDirectory | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Trained:
    """Trains from the base's int8 weights. A run that was stopped goes on from its last saved state.

    The state is saved every minute, or every so many seconds. A teacher's vectors say how near a query and each passage
    should be. How long it all takes is shown before the first text is read, from how fast the held-back ones were.
    """
    model, where = _weights(base), training_device(device)
    encode = _encoder(base)
    texts: dict[str, int] = {}
    groups: list[str] = []
    for pair in harvest.learn:
        for text in (pair.query, pair.positive):
            if text not in texts:
                texts[text] = len(texts)
                groups.append(pair.group)
    every = Texts([encode(text) for text in texts], where)
    balance = Texts([encode(text) for text in harvest.passages], where) if harvest.passages else None
    places = [(texts[pair.query], texts[pair.positive]) for pair in harvest.learn]
    encoder = Encoder(model).to(where)
    held_out = _HeldBack(harvest, encode, where)
    begun = clock()
    before = held_out.score(encoder)
    expected = _expected(held_out.tokens / max(1e-3, clock() - begun), every, balance, places, settings)
    progress.start(f"{expected} in all; reading", len(every) + (0 if balance is None else len(balance)), "texts")
    vectors = embedded(encoder, every, advance=progress.advance)
    spared = None if balance is None else embedded(encoder, balance, advance=progress.advance)
    progress.finish()
    said, by = None, vectors
    if teacher is not None:
        asked = {pair.query for pair in harvest.learn}
        said = taught([teach(teacher.path, list(texts), asked, progress)], places, settings.seed, where)
        by = said.cpu().numpy()
    negatives, worth = mined(by, places, groups, settings, where, taught=said is not None)
    examples = Examples(every, [places[place] for place in worth], [negatives[place] for place in worth], balance, said)
    settings = replace(settings, batch=min(settings.batch, max(2, len(worth))))
    while True:
        run = SavedRun(work, _fingerprint(base, teacher, harvest, settings), progress)
        try:
            resume = run.resumed()
            train(
                encoder,
                examples,
                settings,
                report=run.report,
                before=(vectors, spared),
                resume=resume,
                save=run.save,
                save_seconds=SAVE_SECONDS if save_seconds is None else save_seconds,
                clock=clock,
            )
            break
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error) or settings.batch // 2 < _SMALLEST_BATCH:
                raise ProviderFailed(f"training failed: {error}", hint="try a smaller --batch") from error
            settings = replace(settings, batch=settings.batch // 2)
            encoder = Encoder(model).to(where)
            if where.type == "cuda":
                torch.cuda.empty_cache()
        finally:
            progress.finish()
    after = held_out.score(encoder)
    run.forget()
    dropped = len(places) - len(worth)
    return Trained(encoder.weights(), before, after, len(worth), dropped, settings, where.type)


def fit_table(
    base: ModelDirectory, harvest: Harvest, settings: TableSettings, progress: Progress, device: str | None = None
) -> tuple[NDArray[np.float32], float]:
    """The table in the base's space, and what its vectors let the encoder find of the held-back pairs."""
    model, where = _weights(base), training_device(device)
    encode = _encoder(base)
    encoder = Encoder(model).to(where)
    answers = list(dict.fromkeys(pair.positive for pair in harvest.learn))
    queries = list(dict.fromkeys(pair.query for pair in harvest.learn))
    ids = [encode(text) for text in (*answers, *harvest.passages, *queries)]
    progress.start("reading with the encoder", None, "texts")
    targets = embedded(encoder, Texts(ids, where))
    start, end = encode("")[0], encode("")[-1]
    alone = embedded(encoder, Texts([[start, token, end] for token in range(len(model.words))], where))
    progress.finish()
    at, asked = _numbered(answers), _numbered(queries)
    pairs = [(asked[pair.query], at[pair.positive]) for pair in harvest.learn]
    lessons = Lessons(ids, targets, targets[len(ids) - len(queries) :], pairs)

    done = [0]

    def report(step: TrainingStep) -> None:
        if step.number <= 50:
            progress.start("fitting", step.total, "steps")
        progress.advance(step.number - done[0], f"distance {step.drift:.3f}")
        done[0] = step.number

    table = fit(features_of(alone, model.words), lessons, settings, where, report)
    progress.finish()
    held_out = list(dict.fromkeys(pair.positive for pair in harvest.held_out))
    bags = Bags([encode(text) for text in held_out], settings.power, where, settings.lead)
    rows = torch.as_tensor(table).to(where)
    with torch.no_grad():
        documents = bags.summed(rows.__getitem__, torch.arange(len(held_out), device=where)).cpu().numpy()
    found = embedded(encoder, Texts([encode(pair.query) for pair in harvest.held_out], where))
    number = _numbered(held_out)
    score = ndcg(found, documents, range(len(held_out)), [{number[pair.positive]: 1} for pair in harvest.held_out])
    return table, score


class _HeldBack:
    """The pairs that are not learnt from: what an encoder finds of them, and how many tokens that reads."""

    def __init__(self, harvest: Harvest, encode: Callable[[str], list[int]], device: Any) -> None:
        answers = list(dict.fromkeys(pair.positive for pair in harvest.held_out))
        number = _numbered(answers)
        self._asked = Texts([encode(pair.query) for pair in harvest.held_out], device)
        self._answers = Texts([encode(text) for text in answers], device)
        self._judged = [{number[pair.positive]: 1} for pair in harvest.held_out]
        self.tokens = int(self._asked.lengths.sum() + self._answers.lengths.sum())

    def score(self, encoder: Encoder) -> float:
        asked, answers = embedded(encoder, self._asked), embedded(encoder, self._answers)
        return ndcg(asked, answers, range(len(self._answers)), self._judged)


def _expected(
    speed: float, texts: Texts, balance: Texts | None, places: Sequence[tuple[int, int]], settings: TrainingSettings
) -> str:
    """About how long reading every text and training takes, by the tokens that were read a second: `about 25 min`.

    A step is worth three readings, forward and twice that backward, of its pairs, as many wrong answers as `negatives`,
    and half as many texts of the balance, all padded to the longest of a batch: nearly to the longest of all.
    """
    read = int(texts.lengths.sum()) + (0 if balance is None else int(balance.lengths.sum()))
    queries = max(int(texts.lengths[query]) for query, _ in places)
    answers = max(int(texts.lengths[answer]) for _, answer in places)
    padded = queries + (1 + settings.negatives) * answers
    padded += 0 if balance is None else int(balance.lengths.max(initial=0)) // 2
    minutes = (read + 3 * settings.epochs * len(places) * padded) / max(1.0, speed) / 60
    if minutes < 1:
        return "less than a minute"
    return f"about {minutes:.0f} min" if minutes < 100 else f"about {minutes / 60:.0f} h"


def _weights(base: ModelDirectory) -> Model:
    try:
        return read_graph(base.graph().read_bytes(), base.path)
    except (KeyError, ValueError) as error:
        raise ModelUnavailable(f"{base.profile.name} was not built by Octavo: {error}", hint=REMEDY) from error


def _encoder(base: ModelDirectory) -> Callable[[str], list[int]]:
    counter = counter_of(base)
    room = base.profile.window - 2
    return lambda text: [counter.start, *counter.fitted(text, room), counter.end]


def _fingerprint(
    base: ModelDirectory, teacher: ModelDirectory | None, harvest: Harvest, settings: TrainingSettings
) -> str:
    models = [base.profile.revision, teacher.profile.revision if teacher else ""]
    digest = hashlib.sha256(json.dumps([models, asdict(settings)]).encode())
    for pair in harvest.learn:
        digest.update(f"{pair.query}\0{pair.positive}\0".encode("utf-8", "replace"))
    return digest.hexdigest()


def _numbered(texts: Iterable[str] | Sequence[str]) -> dict[str, int]:
    return {text: number for number, text in enumerate(texts)}
