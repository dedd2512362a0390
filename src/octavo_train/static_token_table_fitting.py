"""Fits the fast table: one vector for each token, such that their sum points where the encoder would have pointed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from octavo.embedding.static_token_table import LEAD
from octavo.fast_dataclass import Value
from octavo_train.contrastive_training import TrainingStep
from octavo_train.torch_encoder import Ids


class TableSettings(Value):
    """`lead` is what a token at the beginning counts, `power` what a token's count is raised to. `drop` is the share of
    a text's tokens left out at random, so that each has to say something by itself. `own` is the rate at which a row
    may leave what the map common to all tokens makes of it: rows that are hardly ever seen had better not. `find`
    weighs being found by the encoder's queries against landing where the encoder lands."""

    epochs: int = 6
    batch: int = 1024
    rate: float = 1e-3
    own: float = 3e-4
    decay: float = 0.1
    power: float = 0.7
    lead: float = 2.0
    drop: float = 0.0
    temperature: float = 0.05
    find: float = 0.05
    seed: int = 0


class Lessons(Value):
    """Documents as token ids with the encoder's vector of each; pairs of (query vector's place, document's place)."""

    documents: Ids
    targets: NDArray[np.float32]
    queries: NDArray[np.float32]
    pairs: Sequence[tuple[int, int]]


class Bags:
    """Texts as bags: for each its distinct tokens and how much each counts. Flat, so that a batch is a few slices."""

    def __init__(self, texts: Ids, power: float, device: torch.device, lead: float = 1.0) -> None:
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        flat = np.fromiter(chain.from_iterable(texts), np.int64, int(sizes.sum()))
        places = np.arange(len(flat)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        weights = torch.as_tensor(np.where(places < LEAD, lead, 1.0).astype(np.float32)).to(device)
        vocabulary = int(flat.max(initial=0)) + 1
        owners = torch.repeat_interleave(torch.arange(len(texts), device=device), torch.as_tensor(sizes).to(device))
        # One sort of (text, token) in one number finds the distinct tokens of every text at once.
        keys, where = torch.unique(owners * vocabulary + torch.as_tensor(flat).to(device), return_inverse=True)
        summed = torch.zeros(len(keys), device=device).index_add_(0, where, weights)
        self._tokens, self._weights = keys % vocabulary, summed**power
        counts = torch.bincount(keys // vocabulary, minlength=len(texts))
        self._starts = torch.cat([torch.zeros(1, dtype=torch.long, device=device), torch.cumsum(counts, 0)])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def summed(self, table: Callable[[Tensor], Tensor], places: Tensor, drop: float = 0.0) -> Tensor:
        """Unit vectors of the texts in these places; `table` gives the rows of the tokens it is asked for."""
        begin, end = self._starts[places], self._starts[places + 1]
        sizes = end - begin
        offsets = torch.cumsum(sizes, 0) - sizes
        flat = torch.arange(int(sizes.sum()), device=places.device)
        flat = flat - torch.repeat_interleave(offsets - begin, sizes)
        weights = self._weights[flat]
        if drop:
            weights = weights * (torch.rand_like(weights) >= drop)
        tokens, where = torch.unique(self._tokens[flat], return_inverse=True)
        summed = functional.embedding_bag(where, table(tokens), offsets, mode="sum", per_sample_weights=weights)
        return functional.normalize(summed, dim=-1)


class _Rows(torch.nn.Module):
    """A token's row: its weight times what one map makes of its features, plus what is its own."""

    def __init__(self, features: Tensor, weights: Tensor, width: int) -> None:
        super().__init__()
        self.features = features
        self.weights = torch.nn.Parameter(weights.log())
        self.map = torch.nn.Parameter(torch.eye(features.shape[1], width))
        self.own = torch.nn.Parameter(torch.zeros(len(features), width))

    def forward(self, tokens: Tensor) -> Tensor:
        rows: Tensor = self.weights[tokens, None].exp() * (self.features[tokens] @ self.map) + self.own[tokens]
        return rows


def features_of(alone: NDArray[np.float32], words: NDArray[np.float32]) -> NDArray[np.float32]:
    """What a token is known by: the encoder's vector of it alone, then its entry in the encoder's own table."""
    centred = words - words.mean(0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True) + 1e-6
    return np.concatenate([alone - alone.mean(0), centred.astype(np.float32)], axis=1)


def fit(
    features: NDArray[np.float32],
    lessons: Lessons,
    settings: TableSettings,
    device: torch.device,
    report: Callable[[TrainingStep], None] = lambda step: None,
) -> NDArray[np.float32]:
    """The table, one row a token, its length the token's weight."""
    torch.manual_seed(settings.seed)
    bags = Bags(lessons.documents, settings.power, device, settings.lead)
    targets = torch.as_tensor(lessons.targets, device=device)
    queries = torch.as_tensor(lessons.queries, device=device)
    rows = _Rows(
        torch.as_tensor(features, device=device),
        torch.as_tensor(_rarity(lessons.documents, len(features)), device=device),
        lessons.targets.shape[1],
    ).to(device)
    groups = [
        {"params": [rows.map], "lr": settings.rate, "weight_decay": 0.0},
        {"params": [rows.weights], "lr": settings.rate * 10, "weight_decay": 0.0},
        {"params": [rows.own], "lr": settings.own, "weight_decay": settings.decay},
    ]
    optimiser = torch.optim.AdamW(groups)
    rates = [settings.rate, settings.rate * 10, settings.own]
    query_of = torch.full((len(bags),), -1, dtype=torch.long)
    for query, document in lessons.pairs:
        query_of[document] = query
    query_of = query_of.to(device)
    dice = random.Random(settings.seed)
    order = np.arange(len(bags))
    batch = min(settings.batch, len(order))
    steps = settings.epochs * (len(order) // batch)
    number = 0
    for _ in range(settings.epochs):
        order = order[np.random.default_rng(dice.randrange(1 << 30)).permutation(len(order))]
        for start in range(0, len(order) - batch + 1, batch):
            places = torch.as_tensor(order[start : start + batch]).to(device)
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * min(1.0, (number + 1) / 50) * (1 - number / (steps + 1))
            vectors = bags.summed(rows, places, settings.drop)
            wanted = targets[places]
            copy = (1 - (vectors * wanted).sum(-1)).mean()
            loss = copy
            if settings.find:
                loss = loss + settings.find * _found(queries, query_of[places], vectors, wanted, settings.temperature)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            number += 1
            if number % 50 == 0 or number == steps:
                report(TrainingStep(number, steps, float(loss.detach()), float(copy.detach())))
    with torch.no_grad():
        fitted: NDArray[np.float32] = rows(torch.arange(len(features), device=device)).cpu().numpy()
    return fitted


def _found(queries: Tensor, query_of: Tensor, vectors: Tensor, wanted: Tensor, temperature: float) -> Tensor:
    """How hard it is for the encoder's queries to find their documents among a batch of table vectors."""
    having = query_of >= 0
    q = queries[query_of[having]]
    if len(q) < 2:
        return vectors.sum() * 0
    with torch.no_grad():
        before = q @ wanted[having].T
        also = before > before.diagonal()[:, None] + 0.03
        also.fill_diagonal_(False)
    scores = (q @ vectors[having].T / temperature).masked_fill(also, float("-inf"))
    return functional.cross_entropy(scores, torch.arange(len(q), device=q.device))


def _rarity(documents: Ids, vocabulary: int) -> NDArray[np.float32]:
    """Where weights begin: the rarer a token is among the texts, the more it tells."""
    seen = np.concatenate([np.unique(np.asarray(document, np.int64)) for document in documents])
    counts = np.bincount(seen, minlength=vocabulary)
    return (1.0 / (1.0 + counts / (len(documents) * 0.002))).astype(np.float32)
