"""Trains an encoder by contrastive loss and a teacher's similarities, with a penalty on drift from the original."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from octavo.fast_dataclass import Value
from octavo_train.torch_encoder import Encoder, Texts, embedded, packs, precision

SAVE_SECONDS = 60.0
"""How much of a run an interruption costs at most, apart from the step under way: a step may take longer than that."""
_TELL_SECONDS = 1.0


class TrainingSettings(Value):
    """`temperature` sharpens the choice among a batch; `close` weighs the stay-close term on the texts of the pairs,
    `balance` on passages that no pair is of. `margin` is how much nearer than the answer another passage may be to the
    query, in the eyes of the original, before it counts as an answer too. `blend` is how far the result goes from
    the original weights (0) to the trained ones (1). `contrast` weighs the pairs and `teach` what a teacher makes of
    them, where there is one."""

    epochs: float = 1.0
    batch: int = 64  # all of its texts are in memory at once: 256 of full length want more than 22 GB
    rate: float = 3e-5
    temperature: float = 0.05
    close: float = 0.5
    balance: float = 1.0
    margin: float = 0.05
    negatives: int = 1
    blend: float = 1.0
    contrast: float = 1.0
    teach: float = 1.0
    seed: int = 0


class Examples(Value):
    """`pairs` are (query, answer) places in `texts`; `negatives` has places for each pair, best first. The products of
    `teacher`'s rows say how near a teacher finds two texts (see `taught`); pairs that are not among the `trusted` are
    only what the teacher makes of them."""

    texts: Texts
    pairs: Sequence[tuple[int, int]]
    negatives: Sequence[Sequence[int]]
    balance: Texts | None = None
    teacher: Tensor | None = None
    trusted: Sequence[bool] | None = None


class TrainingStep(Value):
    """What a step of training reports."""

    number: int
    total: int
    loss: float
    drift: float


def train(
    encoder: Encoder,
    examples: Examples,
    settings: TrainingSettings,
    *,
    report: Callable[[TrainingStep], None] = lambda step: None,
    before: tuple[NDArray[np.float32], NDArray[np.float32] | None] | None = None,
    resume: Mapping[str, Any] | None = None,
    save: Callable[[int, Mapping[str, Any]], None] | None = None,
    save_seconds: float = SAVE_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Changes the encoder in place. With the same examples, settings and CPU, the same weights come out.

    `save` is given the state every so many seconds, after the step that is under way, and `resume` takes one up again.
    `before` are the original's vectors of the texts and of the balance, where somebody has them already.
    """
    torch.manual_seed(settings.seed)
    device = examples.texts.device
    if before is None:
        balance = None if examples.balance is None else embedded(encoder, examples.balance)
        before = embedded(encoder, examples.texts), balance
    original = torch.as_tensor(before[0]).to(device)
    kept = None if before[1] is None else torch.as_tensor(before[1]).to(device)
    start = {name: value.detach().clone() for name, value in encoder.state_dict().items()}
    batches = list(_batches(examples, settings))
    optimiser = torch.optim.AdamW(
        encoder.parameters(), lr=settings.rate, weight_decay=0.01, fused=device.type == "cuda"
    )
    begin = 0
    if resume is not None:
        encoder.load_state_dict(resume["encoder"])
        optimiser.load_state_dict(resume["optimiser"])
        begin = int(resume["step"])
    encoder.train()
    dice = random.Random(settings.seed + 1)
    told_at, saved_at = -math.inf, clock()
    for number, places in enumerate(batches):
        extra = _sample(dice, examples.balance, settings.batch // 2)
        if number < begin:
            continue
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * _schedule(number, len(batches))
        loss, drift = _loss(encoder, examples, places, extra, original, kept, settings)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        now, last = clock(), number + 1 == len(batches)
        if last or now - told_at >= _TELL_SECONDS:
            report(TrainingStep(number + 1, len(batches), float(loss.detach()), float(drift)))
            told_at = now
        if save is not None and not last and now - saved_at >= save_seconds:
            state = {"encoder": encoder.state_dict(), "optimiser": optimiser.state_dict(), "step": number + 1}
            save(number + 1, state)
            saved_at = now
    blend(encoder, start, settings.blend)
    encoder.eval()


def blend(encoder: Encoder, start: Mapping[str, Tensor], share: float) -> None:
    """Weights between the original's and the trained ones keep more of what the original knew (WiSE-FT, 2021)."""
    if share < 1.0:
        trained = encoder.state_dict()
        encoder.load_state_dict({name: start[name] + share * (trained[name] - start[name]) for name in trained})


def _loss(
    encoder: Encoder,
    examples: Examples,
    places: Sequence[int],
    extra: Sequence[int],
    original: Tensor,
    kept: Tensor | None,
    settings: TrainingSettings,
) -> tuple[Tensor, Tensor]:
    device = examples.texts.device
    queries = [examples.pairs[place][0] for place in places]
    answers = [examples.pairs[place][1] for place in places]
    wrong = [answer for place in places for answer in examples.negatives[place][: settings.negatives]]
    passages = answers + wrong
    with precision(device):
        q = _encoded(encoder, examples.texts, queries)
        p = _encoded(encoder, examples.texts, passages)
        b = _encoded(encoder, examples.balance, extra) if extra and examples.balance is not None else None
    with torch.no_grad():
        q0, p0 = original[torch.as_tensor(queries, device=device)], original[torch.as_tensor(passages, device=device)]
        before, margin = q0 @ p0.T, settings.margin
        if examples.teacher is not None:
            asked, answered = (examples.teacher[torch.as_tensor(some, device=device)] for some in (queries, passages))
            before, margin = asked @ answered.T, 0.0
        also = before > before.diagonal()[:, None] + margin
        same = torch.as_tensor(answers, device=device)[:, None] == torch.as_tensor(passages, device=device)[None]
        also |= same
        also.fill_diagonal_(False)
    near = q @ p.T / settings.temperature
    scores = near.masked_fill(also, float("-inf"))
    labels = torch.arange(len(queries), device=device)
    if examples.trusted is not None:
        trusted = torch.as_tensor([examples.trusted[place] for place in places], device=device)
        labels = labels.where(trusted, torch.full_like(labels, -100))
    back = scores[:, : len(queries)].T
    loss = settings.contrast * (0.7 * _mistaken(scores, labels) + 0.3 * _mistaken(back, labels))
    if examples.teacher is not None:
        there, backwards = _unlike(before, near), _unlike(before[:, : len(queries)].T, near[:, : len(queries)].T)
        loss = loss + settings.teach * (0.7 * there + 0.3 * backwards)
    drift = 1 - (torch.cat([(q * q0).sum(-1), (p * p0).sum(-1)])).mean()
    loss = loss + settings.close * drift
    if b is not None and kept is not None:
        loss = loss + settings.balance * (1 - (b * kept[torch.as_tensor(extra, device=device)]).sum(-1).mean())
    return loss, drift.detach()


def _encoded(encoder: Encoder, texts: Texts, places: Sequence[int]) -> Tensor:
    """The texts' vectors. Where a GPU cannot take them packed, in lots of about the same length: half of what a large
    batch holds is padding."""
    if packs(texts.device):
        return encoder.packed(*texts.packed(places))
    lots = 4 if texts.device.type == "cuda" and len(places) >= 256 else 1
    if lots == 1:
        found: Tensor = encoder(*texts.batch(places))
        return found
    order = texts.lengths[list(places)].argsort(kind="stable")
    rows = [encoder(*texts.batch([places[place] for place in lot])) for lot in np.array_split(order, lots)]
    back = torch.empty(len(order), dtype=torch.long)
    back[torch.as_tensor(order)] = torch.arange(len(order))
    return torch.cat(rows)[back.to(texts.device)]


def _mistaken(scores: Tensor, labels: Tensor) -> Tensor:
    """How far the choice is from the answer, on average over those that have one: none may have."""
    return functional.cross_entropy(scores, labels, reduction="sum") / (labels >= 0).sum().clamp(min=1)


def _unlike(teacher: Tensor, student: Tensor) -> Tensor:
    """How far the student's choice among the passages of a batch is from the teacher's (Kullback and Leibler)."""
    return functional.kl_div(
        functional.log_softmax(student, -1), functional.log_softmax(teacher, -1), reduction="batchmean", log_target=True
    )


def _batches(examples: Examples, settings: TrainingSettings) -> Iterator[list[int]]:
    """Every pair once an epoch, in an order of its own; the last, smaller batch is left out where it is not alone."""
    dice = random.Random(settings.seed)
    count = len(examples.pairs)
    left = round(settings.epochs * count)
    while left > 0:
        order = list(range(count))
        dice.shuffle(order)
        order = order[:left]
        left -= len(order)
        for start in range(0, len(order), settings.batch):
            batch = order[start : start + settings.batch]
            if len(batch) == settings.batch or len(order) < settings.batch:
                yield batch


def _sample(dice: random.Random, texts: Texts | None, wanted: int) -> list[int]:
    count = 0 if texts is None else len(texts)
    return [dice.randrange(count) for _ in range(min(wanted, count))]


def _schedule(number: int, total: int) -> float:
    """Up over the first tenth, then down to nothing."""
    warm = max(1, total // 10)
    return (number + 1) / warm if number < warm else max(0.0, (total - number) / max(1, total - warm))


def mined(
    vectors: NDArray[np.float32],
    pairs: Sequence[tuple[int, int]],
    groups: Sequence[str],
    settings: TrainingSettings,
    device: torch.device,
    taught: bool = False,
) -> tuple[list[list[int]], list[int]]:
    """For each pair the nearest passages that are not its answer, and which pairs are worth keeping.

    A passage nearer than the answer (times a margin) may be an answer itself, and one of the same document often is:
    neither is taken, unless a teacher says how good each is; then some are taken from near and some from farther off.
    A pair whose answer is not among the nearest thousand is hopeless: its query does not say enough.
    """
    depth, hopeless, ceiling = 64, 1000, 0.97
    spread = [round(depth ** (place / settings.negatives)) - 1 for place in range(settings.negatives)]
    table = torch.as_tensor(vectors, device=device)
    answers = sorted({answer for _, answer in pairs})
    at = torch.as_tensor(answers, device=device)
    passages = table[at]
    names: dict[str, int] = {}
    group = torch.as_tensor([names.setdefault(name, len(names)) for name in groups], device=device)
    found: list[list[int]] = []
    worth: list[int] = []
    for start in range(0, len(pairs), 2048):
        some = torch.as_tensor(pairs[start : start + 2048], device=device)
        q = table[some[:, 0]]
        own = (q * table[some[:, 1]]).sum(-1)
        scores = q @ passages.T
        rank = (scores > own[:, None]).sum(-1)
        best, near = scores.topk(min(depth, len(answers)), dim=-1)
        fit = (best < ceiling * own[:, None]) & (group[at[near]] != group[some[:, 1]][:, None])
        if taught:
            fit = at[near] != some[:, 1:]
        # The fit ones first, each lot in its order: as many as are wanted, and how many of them are fit.
        first = torch.sort((~fit).byte(), dim=-1, stable=True).indices
        first = first[:, [min(place, first.shape[1] - 1) for place in spread] if taught else slice(settings.negatives)]
        chosen, counts = at[near.gather(1, first)].tolist(), fit.sum(-1).tolist()
        for row, count in enumerate(counts):
            found.append(chosen[row][:count] or [answers[(start + row * 7919) % len(answers)]])
        worth += (start + torch.nonzero(rank < hopeless)[:, 0]).tolist()
    return found, worth


def taught(
    teachers: Sequence[NDArray[np.float32]], pairs: Sequence[tuple[int, int]], seed: int, device: torch.device
) -> Tensor:
    """Rows whose products say how near the teachers together find two texts, on a scale on which a softmax over many
    passages is about as sure of the answer as it is right. `teachers` have the unit vectors of every text."""
    found = [torch.as_tensor(vectors).to(device) for vectors in teachers]
    scales = sureness(found, [1.0] * len(found), pairs, seed)
    return torch.cat([rows * scale for rows, scale in zip(found, scales, strict=True)], dim=1)


def sureness(
    teachers: Sequence[Tensor], weights: Sequence[float], pairs: Sequence[tuple[int, int]], seed: int
) -> list[float]:
    """What each teacher's vectors are to be multiplied by; `weights` say how much each is listened to."""
    some = random.Random(seed).sample(list(pairs), min(2048, len(pairs)))
    device = teachers[0].device
    asked, answers = (torch.as_tensor(places, device=device) for places in zip(*some, strict=True))
    same = (answers[:, None] == answers[None]).fill_diagonal_(False)
    labels = torch.arange(len(some), device=device)

    def sharpest(scores: Tensor) -> float:
        factors = [1.25**power for power in range(-8, 24)]
        masked = scores.masked_fill(same, float("-inf"))
        return min(factors, key=lambda factor: float(functional.cross_entropy(masked * factor, labels)))

    near = [rows[asked] @ rows[answers].T for rows in teachers]
    factors = [sharpest(near_by) * weight / sum(weights) for near_by, weight in zip(near, weights, strict=True)]
    together = sharpest(
        sum((cosines * factor for cosines, factor in zip(near, factors, strict=True)), torch.zeros_like(near[0]))
    )
    return [(factor * together) ** 0.5 for factor in factors]
