"""A cross-encoder in torch, trained to rank passages that answer a question above other found candidates."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from octavo.algorithms.ranking.score_normalisation import z_scores
from octavo.fast_dataclass import Value
from octavo_train.contrastive_training import SAVE_SECONDS, TrainingStep
from octavo_train.numpy_encoder import RerankerWeights
from octavo_train.reranker_training_lists import CandidateList
from octavo_train.torch_encoder import Encoder, precision

_NO_CANDIDATE = -30.0  # a logit that no softmax notices


class RerankSettings(Value):
    """`negatives` candidates are read beside each answer, earlier ones more often. `smooth` is the share of the target
    that is the search's own distribution over the list, at `temperature`: a candidate it ranks high is often an answer
    too. `residual` is how much of the search's score is added to the logits, so that the network learns what the search
    gets wrong. The defaults are those that octavo-rerank-1 was trained with, at a lower rate."""

    epochs: float = 1.0
    batch: int = 8
    rate: float = 2e-5
    negatives: int = 7
    smooth: float = 0.5
    temperature: float = 0.5
    residual: float = 0.15
    seed: int = 0


class CrossEncoder(nn.Module):
    """`[CLS] question [SEP] passage [SEP]` → one logit, by a linear head on the first token. The word table is not
    trained: a library has too few words for it."""

    def __init__(self, weights: RerankerWeights) -> None:
        super().__init__()
        self.encoder = Encoder(weights.model)
        self.encoder.words.weight.requires_grad_(False)
        self.segments = nn.Parameter(torch.tensor(weights.segments, dtype=torch.float32))
        self.head = nn.Linear(len(weights.head), 1)
        with torch.no_grad():
            self.head.weight.copy_(torch.tensor(weights.head, dtype=torch.float32)[None])
            self.head.bias.fill_(weights.bias)

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        first = self.encoder.states(ids, mask, self.segments[types])[-1][:, 0]
        logits: Tensor = self.head(first.float()).squeeze(1)
        return logits

    def weights(self) -> RerankerWeights:
        head, bias = self.head.weight.detach().cpu().numpy()[0].copy(), float(self.head.bias.detach())
        return RerankerWeights(self.encoder.weights(), self.segments.detach().cpu().numpy().copy(), head, bias)


def train(
    network: CrossEncoder,
    tokenizer: Tokenizer,
    lists: Sequence[CandidateList],
    settings: RerankSettings,
    device: torch.device,
    *,
    report: Callable[[TrainingStep], None] = lambda step: None,
    resume: Mapping[str, Any] | None = None,
    save: Callable[[int, Mapping[str, Any]], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Changes the network in place. With the same lists, settings and CPU, the same weights come out. The tokenizer
    cuts pairs to the window."""
    torch.manual_seed(settings.seed)
    trained = [value for value in network.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=settings.rate, weight_decay=0.01)
    begin = 0
    if resume is not None:
        network.load_state_dict(resume["network"])
        optimiser.load_state_dict(resume["optimiser"])
        begin = int(resume["step"])
    network.train()
    batches, saved_at = list(_batches(lists, settings)), clock()
    for number, batch in enumerate(batches):
        if number < begin:
            continue
        for group in optimiser.param_groups:
            group["lr"] = settings.rate * (len(batches) - number) / len(batches)
        loss = _loss(network, tokenizer, [(lists[place], read) for place, read in batch], settings, device)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        report(TrainingStep(number + 1, len(batches), float(loss.detach()), 0.0))
        if save is not None and number + 1 < len(batches) and clock() - saved_at >= SAVE_SECONDS:
            state = {"network": network.state_dict(), "optimiser": optimiser.state_dict(), "step": number + 1}
            save(number + 1, state)
            saved_at = clock()
    network.eval()


@torch.no_grad()
def scored(network: CrossEncoder, tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """The logit of each pair of a question and a passage."""
    network.eval()
    said: list[float] = network(*_encoded(tokenizer, pairs, network.segments.device)).tolist()
    return said


def _batches(lists: Sequence[CandidateList], settings: RerankSettings) -> Iterator[list[tuple[int, list[int]]]]:
    """Lists by their places, each with the places that are read of it: an answer first, then the negatives."""
    dice = random.Random(settings.seed)
    left = round(settings.epochs * len(lists))
    while left > 0:
        order = dice.sample(range(len(lists)), len(lists))[:left]
        left -= len(order)
        for start in range(0, len(order), settings.batch):
            yield [(place, _read(lists[place], settings.negatives, dice)) for place in order[start:][: settings.batch]]


def _read(candidates: CandidateList, negatives: int, dice: random.Random) -> list[int]:
    others = [place for place in range(len(candidates.passages)) if place not in candidates.answers]
    # Drawn without putting back, with weight 1 / sqrt(rank): Efraimidis and Spirakis, 2006.
    keys = {place: dice.random() ** ((place + 1) ** 0.5) for place in others}
    return [dice.choice(sorted(candidates.answers)), *sorted(others, key=lambda place: -keys[place])[:negatives]]


def _loss(
    network: CrossEncoder,
    tokenizer: Tokenizer,
    batch: Sequence[tuple[CandidateList, Sequence[int]]],
    settings: RerankSettings,
    device: torch.device,
) -> Tensor:
    """Cross-entropy of each list's softmax against its answer, softened by what the search makes of it."""
    pairs = [(candidates.query, candidates.passages[place]) for candidates, read in batch for place in read]
    with precision(device):
        said = network(*_encoded(tokenizer, pairs, device)).float()
    width = max(len(read) for _, read in batch)
    logits = torch.full((len(batch), width), _NO_CANDIDATE, device=device)
    before = torch.full((len(batch), width), _NO_CANDIDATE, device=device)
    start = 0
    for row, (candidates, read) in enumerate(batch):
        spread = z_scores(candidates.scores)
        logits[row, : len(read)] = said[start : start + len(read)]
        before[row, : len(read)] = torch.tensor([spread[place] for place in read], device=device)
        start += len(read)
    target = settings.smooth * functional.softmax(before / settings.temperature, 1)
    target[:, 0] += 1.0 - settings.smooth
    chosen = functional.log_softmax(logits + settings.residual * before, 1)
    return -(target * chosen).sum(1).mean()


def _encoded(
    tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]], device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    """Ids, which segment each token is of, and what is not padding."""
    encodings = tokenizer.encode_batch(list(pairs))
    longest = max(len(pair.ids) for pair in encodings)
    given = np.zeros((3, len(encodings), longest), np.int64)
    for row, pair in enumerate(encodings):
        length = len(pair.ids)
        given[0, row, :length], given[1, row, :length], given[2, row, :length] = pair.ids, pair.type_ids, 1
    ids, types, mask = torch.as_tensor(given).to(device)
    return ids, types, mask.bool()
