"""Trains a cross-encoder from harvested pairs, and measures it on data sets in BEIR layout. Wants one GPU.

    python scripts/train_reranker.py DATA SETS OUT PLAN

DATA holds pairs*.jsonl.xz as `harvest_sources.py` writes them, and the weights that runs start from or are taught by;
SETS the files of `rerank_candidates.py`; PLAN is JSON: `{"depth": 64, "common": {...}, "runs": [{"name": ..., "smooth":
..., "keep": true}]}`, whose keys are the fields of `Settings`. OUT gets results.json, the logits of every run for every
candidate of every set, and, for the runs that are kept, the weights in half precision without the word table, which is
the encoder's own and is not trained.

What is trained on comes from the whole pipeline where DATA holds lists-*.json.gz of `rerank_lists.py`; else from a
hybrid over the answers: cosines of octavo-encoder-1 and BM25 over word pieces, as z-scores, 0.6 to 0.4. What is
measured on comes from the whole pipeline. A folder `granite` in DATA, as `teachers.py` writes it, is a third voice in
the average that `averaged` runs learn from.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import math
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from teachers import Teacher
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from octavo_train.encoder import Encoder, Texts, embedded
from octavo_train.graph import read_graph
from octavo_train.weights import Model

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ENCODER = Path(__file__).resolve().parent.parent / "src/octavo/embedding/models/octavo-encoder-1"
TOKENIZER = Tokenizer.from_file(str(ENCODER / "tokenizer.json"))
CLS, SEP = 101, 102
QUERY_TOKENS, PASSAGE_TOKENS, WINDOW = 64, 250, 256
WEIGHTS, DEPTHS, MOST = (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0), (10, 20), 50
SCORED = max(DEPTHS)  # candidates that are measured
SETS = ("hotpotqa", "scifact", "cosqa", "stackfaq", "django", "ray", "locomo", "sessions")
DEVELOPMENT = ("cosqa_dev", "scifact_train")
NOWHERE = -1e4  # the score of what is no candidate
PART_BYTES = 15_000_000
_started = time.perf_counter()
torch._dynamo.config.cache_size_limit = 64  # several networks, each in two modes


@dataclass(frozen=True)
class Settings:
    """`smooth` is the share of the target that is the hybrid's own distribution over the list, at `temperature`;
    `residual` is how much of the fused score is added to the logits, so that the network learns what fusion gets wrong.
    A candidate whose cosine with the answer is `same` or more counts as an answer too and is left out. Negatives are
    drawn with weight rank ** -`skew`. Training ends early when the whole run is older than `deadline` seconds.

    `start` names weights in DATA that are gone on from, else the encoder's; `layers` are those of them that are kept.
    `teacher` names weights whose distribution over the list is `distil` of the target. `neighbours` of the negatives
    are other passages of the answer's own document. `late` trains a head of so many dimensions a token over the encoder
    as it is, where the score is the mean over the query's tokens of the best cosine with one of the passage's.
    With `averaged`, what `smooth` mixes in is not the fused score but the average of the encoder's cosine, granite's
    and BM25, each as z-scores over the list.
    """

    name: str
    epochs: float = 1.0
    batch: int = 128
    negatives: int = 11
    rate: float = 1e-4
    smooth: float = 0.0
    temperature: float = 0.5
    residual: float = 0.0
    same: float = 0.93
    skew: float = 0.5
    tokens: int = 200
    seed: int = 0
    deadline: float = math.inf
    keep: bool = False
    start: str = ""
    layers: tuple[int, ...] = ()
    teacher: tuple[str, ...] = ()
    distil: float = 0.0
    neighbours: int = 0
    late: int = 0
    averaged: bool = False


def say(*words: object) -> None:
    print(f"[{time.perf_counter() - _started:6.1f}]", *words, flush=True)


def tokenised(texts: Sequence[str], most: int) -> list[list[int]]:
    found: list[list[int]] = []
    for start in range(0, len(texts), 20_000):
        encoded = TOKENIZER.encode_batch_fast(list(texts[start : start + 20_000]), add_special_tokens=False)
        found += [encoding.ids[:most] for encoding in encoded]
    return found


class Ragged:
    """Token ids of many texts in one row on the device, with where each text starts and how long it is."""

    def __init__(self, ids: Sequence[Sequence[int]]) -> None:
        self.lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        starts = np.cumsum(self.lengths) - self.lengths
        flat = np.fromiter((token for text in ids for token in text), np.int32, int(self.lengths.sum()))
        self.flat = torch.as_tensor(flat).to(DEVICE)
        self.starts, self.sizes = torch.as_tensor(starts).to(DEVICE), torch.as_tensor(self.lengths).to(DEVICE)


class CrossEncoder(nn.Module):
    """The encoder's body over `[CLS] query [SEP] passage [SEP]`; the score is a linear head on the first token."""

    def __init__(self, model: Model) -> None:
        super().__init__()
        encoder = Encoder(model)
        self.words, self.positions, self.norm = encoder.words, encoder.positions, encoder.norm
        self.layers = encoder.layers
        self.words.weight.requires_grad_(False)
        if DEVICE.type == "cuda":
            for layer in self.layers:
                layer._after = torch.compile(layer._after, dynamic=True)
        self.types = nn.Parameter(torch.zeros(2, self.positions.shape[1]))
        self.head = nn.Linear(self.positions.shape[1], 1)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, queries: Ragged, passages: Ragged, asked: Tensor, read: Tensor, window: int = WINDOW) -> Tensor:
        """One logit for each pair of places in `asked` and `read`; pairs are packed without padding."""
        query_sizes = torch.clamp(queries.sizes[asked], max=QUERY_TOKENS)
        passage_sizes = torch.minimum(passages.sizes[read], window - 3 - query_sizes)
        sizes = query_sizes + passage_sizes + 3
        cuts = torch.zeros(len(asked) + 1, dtype=torch.int32, device=DEVICE)
        cuts[1:] = torch.cumsum(sizes, 0)
        total = int(cuts[-1])
        owner = torch.repeat_interleave(torch.arange(len(asked), device=DEVICE), sizes, output_size=total)
        place = torch.arange(total, device=DEVICE) - cuts[:-1].long()[owner]
        behind = place - query_sizes[owner] - 2
        ids = torch.full((total,), SEP, dtype=torch.long, device=DEVICE)
        ids[place == 0] = CLS
        in_query = (place >= 1) & (place <= query_sizes[owner])
        ids[in_query] = queries.flat[(queries.starts[asked][owner] + place - 1)[in_query]].long()
        in_passage = (behind >= 0) & (behind < passage_sizes[owner])
        ids[in_passage] = passages.flat[(passages.starts[read][owner] + behind)[in_passage]].long()
        x = self.norm(self.words(ids) + self.positions[place] + self.types[(behind >= 0).long()])
        for layer in self.layers:
            x = layer.packed(x, cuts, int(sizes.max()))
        logits: Tensor = self.head(x[cuts[:-1].long()].float()).squeeze(1)
        return logits


class Late(nn.Module):
    """Small vectors of tokens over the encoder as it is: the mean of each query token's best cosine in the passage."""

    def __init__(self, model: Model, dimensions: int) -> None:
        super().__init__()
        self.encoder = Encoder(model)
        self.encoder.requires_grad_(False)
        self.head = nn.Linear(self.encoder.positions.shape[1], dimensions, bias=False)
        self.scale = nn.Parameter(torch.tensor(20.0))

    def forward(self, queries: Ragged, passages: Ragged, asked: Tensor, read: Tensor, window: int = WINDOW) -> Tensor:
        once, place = torch.unique(asked, return_inverse=True)
        words, there = self._tokens(queries, once, QUERY_TOKENS)
        texts, within = self._tokens(passages, read, window)
        likeness = torch.bmm(words[place], texts.transpose(1, 2)).masked_fill(~within[:, None, :], -1.0)
        best = likeness.amax(2) * there[place]
        return self.scale * best.sum(1) / there[place].sum(1)

    def _tokens(self, texts: Ragged, places: Tensor, most: int) -> tuple[Tensor, Tensor]:
        sizes = torch.clamp(texts.sizes[places], max=most - 2)
        at = torch.arange(int(sizes.max()) + 2, device=DEVICE)
        inside = (at >= 1) & (at <= sizes[:, None])
        ids = torch.full(inside.shape, SEP, dtype=torch.long, device=DEVICE)
        ids[:, 0] = CLS
        ids[inside] = texts.flat[(texts.starts[places][:, None] + at - 1)[inside]].long()
        there = at < sizes[:, None] + 2
        with torch.no_grad():
            states = self.encoder.states(ids, there)[-1]
        return functional.normalize(self.head(states), dim=-1), there


def autocast() -> Any:
    return torch.autocast("cuda", torch.bfloat16, enabled=DEVICE.type == "cuda")


@torch.no_grad()
def scored(
    network: CrossEncoder | Late,
    queries: Ragged,
    passages: Ragged,
    asked: np.ndarray,
    read: np.ndarray,
    tokens: int = 400_000,
) -> np.ndarray:
    """The logits of many pairs, in their order; longest first, batches of about `tokens`."""
    network.eval()
    sizes = np.minimum(queries.lengths[asked], QUERY_TOKENS) + passages.lengths[read] + 3
    order, found, start = np.argsort(-sizes, kind="stable"), np.zeros(len(asked), np.float32), 0
    while start < len(order):
        batch = order[start : start + max(1, tokens // int(min(sizes[order[start]], WINDOW)))]
        with autocast():
            rows = torch.as_tensor(asked[batch]).to(DEVICE), torch.as_tensor(read[batch]).to(DEVICE)
            found[batch] = network(queries, passages, *rows).float().cpu().numpy()
        start += len(batch)
    return found


class Bm25:
    """BM25 over word pieces (k1 1.2, b 0.75) as one sparse product."""

    def __init__(self, ids: Sequence[Sequence[int]], k1: float = 1.2, b: float = 0.75) -> None:
        self._size = TOKENIZER.get_vocab_size()
        counted = [np.unique(np.asarray(text, np.int64), return_counts=True) for text in ids]
        rows = np.repeat(np.arange(len(ids)), [len(tokens) for tokens, _ in counted])
        columns = np.concatenate([tokens for tokens, _ in counted])
        counts = np.concatenate([often for _, often in counted])
        lengths = np.fromiter(map(len, ids), float, len(ids))
        found_in = np.bincount(columns, minlength=self._size)
        rarity = np.log(1 + (len(ids) - found_in + 0.5) / (found_in + 0.5))
        weights = counts * (k1 + 1) / (counts + k1 * (1 - b + b * lengths[rows] / lengths.mean())) * rarity[columns]
        matrix = torch.sparse_coo_tensor(
            np.stack([rows, columns]), torch.as_tensor(weights, dtype=torch.float32), (len(ids), self._size)
        )
        self._matrix = matrix.to(DEVICE).coalesce().to_sparse_csr()

    def __call__(self, queries: Sequence[Sequence[int]]) -> Tensor:
        asked = torch.zeros(self._size, len(queries), device=DEVICE)
        for column, ids in enumerate(queries):
            if ids:
                asked[torch.as_tensor(np.unique(np.asarray(ids, np.int64)), device=DEVICE), column] = 1.0
        return (self._matrix @ asked).T


def fused(dense: Tensor, lexical: Tensor, most: int, within: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The best by 0.6 and 0.4 of the z-scores over the union of both channels' first 200: places and scores."""
    if within is not None:
        dense, lexical = dense.masked_fill(~within, -2.0), lexical.masked_fill(~within, -1.0)
    depth = min(200, dense.shape[1])
    listed = torch.zeros_like(dense, dtype=torch.bool)
    for channel in (dense, lexical):
        listed.scatter_(1, channel.topk(depth, 1).indices, True)
    if within is not None:
        listed &= within

    def normalised(channel: Tensor) -> Tensor:
        count = listed.sum(1, keepdim=True).clamp(min=1)
        mean = (channel * listed).sum(1, keepdim=True) / count
        spread = ((((channel - mean) ** 2) * listed).sum(1, keepdim=True) / count).sqrt() + 1e-6
        return (channel - mean) / spread

    total = (0.6 * normalised(dense) + 0.4 * normalised(lexical)).masked_fill(~listed, NOWHERE)
    best = total.topk(min(most, total.shape[1]), 1)
    return best.indices, best.values


def vectors(encoder: Encoder, ids: Sequence[Sequence[int]]) -> Tensor:
    return torch.as_tensor(embedded(encoder, Texts([[CLS, *text, SEP] for text in ids], DEVICE))).to(DEVICE)


class EvaluationSet:
    """What the pipeline would rerank for each question of a data set, as `rerank_candidates.py` wrote it down."""

    def __init__(self, path: Path) -> None:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            data = json.load(file)
        self.name, self.recall, self.hybrid = data["name"], data["measure"].startswith("recall"), data["hybrid"]
        self.questions = [question for question in data["questions"] if question["found"]]
        shape = len(self.questions), MOST
        self.places, self.fused = np.zeros(shape, np.int64), np.full(shape, NOWHERE, np.float32)
        for row, question in enumerate(self.questions):
            for column, found in enumerate(question["found"]):
                self.places[row, column], self.fused[row, column] = found["passage"], found["score"]
        self.passages = Ragged(tokenised(data["passages"], PASSAGE_TOKENS))
        self.queries = Ragged(tokenised([question["text"] for question in self.questions], QUERY_TOKENS))

    def measure(self, scores: np.ndarray) -> float:
        """nDCG@10, or Recall@10 for conversations; a document stands where its best chunk does."""
        return float(np.mean([self._value(row, scores[row]) for row in range(len(self.places))]))

    def _value(self, row: int, scores: np.ndarray) -> float:
        best: dict[str, float] = {}
        for found, score in zip(self.questions[row]["found"], scores, strict=False):
            for document in found["documents"]:
                best[document] = max(best.get(document, -math.inf), float(score))
        ranked = sorted(best, key=lambda document: -best[document])[:10]
        judged = self.questions[row]["judged"]
        gains = [judged.get(document, 0) for document in ranked]
        if self.recall:
            return sum(gain > 0 for gain in gains) / sum(gain > 0 for gain in judged.values())
        return _discounted(gains) / _discounted(sorted(judged.values(), reverse=True)[:10])

    def logits(self, score: Callable[[Ragged, Ragged, np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        there = self.fused > NOWHERE / 10
        there[:, SCORED:] = False
        asked = np.broadcast_to(np.arange(len(self.places))[:, None], self.places.shape)
        found = np.zeros(self.places.shape, np.float32)
        found[there] = score(self.queries, self.passages, asked[there], self.places[there])
        return found

    def reranked(self, logits: np.ndarray) -> dict[str, float]:
        """What each weight of the reranker and each depth gives, as `depth/weight`."""
        found = {}
        for depth in DEPTHS:
            there = self.fused[:, :depth] > NOWHERE / 10
            before, after = _z(self.fused[:, :depth], there), _z(logits[:, :depth], there)
            for weight in WEIGHTS:
                top = np.where(there, (1 - weight) * before + weight * after, NOWHERE)
                found[f"{depth}/{weight}"] = self.measure(
                    np.concatenate([top + 100, self.fused[:, depth:] * 1e-3 - 50], 1)
                )
        return found


def _z(values: np.ndarray, there: np.ndarray) -> np.ndarray:
    count = there.sum(1, keepdims=True)
    mean = (values * there).sum(1, keepdims=True) / count
    return (values - mean) / (np.sqrt((((values - mean) ** 2) * there).sum(1, keepdims=True) / count) + 1e-6)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains))


def evaluation_sets(folder: Path, patience: float) -> list[EvaluationSet]:
    """Every set; those that are still being written are waited for, so many seconds."""
    wanted, ends = (*SETS, *DEVELOPMENT), time.perf_counter() + patience
    while time.perf_counter() < ends and not all((folder / f"{name}.json.gz").is_file() for name in wanted):
        time.sleep(1)
    return [EvaluationSet(path) for name in wanted if (path := folder / f"{name}.json.gz").is_file()]


@dataclass(frozen=True)
class Mined:
    """Each query's answer and the hybrid's candidates for it among the answers of all queries."""

    queries: Ragged
    passages: Ragged
    answers: np.ndarray
    candidates: np.ndarray
    fused: np.ndarray
    ranks: np.ndarray  # of the answer among the candidates; 999 where it is none
    likeness: np.ndarray  # each candidate's cosine with the answer
    kin: np.ndarray  # passages of the answer's document, -1 where there are no more
    average: np.ndarray  # what encoder, granite and BM25 say of each candidate together


def mined(encoder: Encoder, pairs: Sequence[Sequence[str]], depth: int) -> Mined:
    numbers: dict[str, int] = {}
    answers = np.array([numbers.setdefault(pair[1], len(numbers)) for pair in pairs])
    passages, queries = tokenised(list(numbers), PASSAGE_TOKENS), tokenised([pair[0] for pair in pairs], QUERY_TOKENS)
    say(f"{len(pairs)} pairs, {len(numbers)} passages")
    passage_vectors, query_vectors, bm25 = vectors(encoder, passages), vectors(encoder, queries), Bm25(passages)
    shape = (len(pairs), depth)
    candidates, scores = np.zeros(shape, np.int64), np.zeros(shape, np.float32)
    likeness, ranks = np.zeros(shape, np.float32), np.zeros(len(pairs), np.int64)
    for start in range(0, len(pairs), 192):
        rows = slice(start, start + 192)
        places, score = fused(query_vectors[rows] @ passage_vectors.T, bm25(queries[rows]), depth)
        answer = torch.as_tensor(answers[rows]).to(DEVICE)
        hit = places == answer[:, None]
        ranks[rows] = torch.where(hit.any(1), hit.float().argmax(1), torch.full_like(answer, 999)).cpu().numpy()
        likeness[rows] = (passage_vectors[places] * passage_vectors[answer][:, None]).sum(-1).cpu().numpy()
        candidates[rows], scores[rows] = places.cpu().numpy(), score.cpu().numpy()
    say(f"the answer is among the first {depth} of {(ranks < 999).mean():.3f}, on top of {(ranks == 0).mean():.3f}")
    kin = _kin([pair[3] for pair in pairs], answers)
    return Mined(Ragged(queries), Ragged(passages), answers, candidates, scores, ranks, likeness, kin, scores)


def listed(encoder: Encoder, folder: Path) -> Mined:
    """What `rerank_lists.py` wrote down, of the questions whose answer the pipeline found."""
    texts: list[str] = []
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("lists-*.json.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            data = json.load(file)
        base = len(texts)
        texts += data["passages"]
        for row in data["lists"]:
            if row["answers"]:
                rows.append({**row, "passages": [base + place for place in row["passages"]]})
    random.Random(1).shuffle(rows)
    shape = len(rows), MOST
    candidates, scores, there = np.zeros(shape, np.int64), np.zeros(shape, np.float32), np.zeros(shape, bool)
    lexical, right = np.zeros(shape, np.float32), np.zeros(shape, bool)
    for at, row in enumerate(rows):
        count = len(row["passages"])
        candidates[at, :count], scores[at, :count], there[at, :count] = row["passages"], row["scores"], True
        lexical[at, :count] = [steps.get("lexical", 0.0) for steps in row["steps"]]
        right[at, row["answers"]] = True
    ranks = right.argmax(1)
    answers = np.take_along_axis(candidates, ranks[:, None], 1)[:, 0]
    say(f"{len(rows)} lists, {len(texts)} passages, the answer first in {(ranks == 0).mean():.3f}")
    passages, queries = tokenised(texts, PASSAGE_TOKENS), tokenised([row["query"] for row in rows], QUERY_TOKENS)
    said = [(vectors(encoder, queries), vectors(encoder, passages))]
    if (folder / "granite").is_dir():
        granite = Teacher(folder / "granite", DEVICE)
        asked, read = granite.embedded([row["query"] for row in rows]), granite.embedded(texts)
        said.append((torch.as_tensor(asked).to(DEVICE), torch.as_tensor(read).to(DEVICE)))
    near = [_cosines(asked, read, candidates) for asked, read in said]
    likeness = np.where(right, 1.0, _cosines(said[0][1][torch.as_tensor(answers).to(DEVICE)], said[0][1], candidates))
    average = sum(_z(channel, there) for channel in (*near, lexical)) / (len(near) + 1)
    fused = np.where(there, _z(scores, there), NOWHERE).astype(np.float32)
    kin = np.full((len(rows), 1), -1)
    average = np.where(there, 1.7 * average, NOWHERE).astype(np.float32)  # about as widely spread as one channel
    return Mined(Ragged(queries), Ragged(passages), answers, candidates, fused, ranks, likeness, kin, average)


def _cosines(asked: Tensor, read: Tensor, candidates: np.ndarray) -> np.ndarray:
    found = np.zeros(candidates.shape, np.float32)
    for start in range(0, len(candidates), 1024):
        rows = slice(start, start + 1024)
        places = torch.as_tensor(candidates[rows]).to(DEVICE)
        found[rows] = (read[places] * asked[rows][:, None]).sum(-1).float().cpu().numpy()
    return found


def _kin(groups: Sequence[str], answers: np.ndarray, most: int = 4) -> np.ndarray:
    """Other answers of each query's document, as many as `most`: the passages beside the one that answers."""
    members: dict[str, list[int]] = {}
    for group, answer in zip(groups, answers.tolist(), strict=True):
        if answer not in members.setdefault(group, []):
            members[group].append(answer)
    found = np.full((len(answers), most), -1)
    for row, (group, answer) in enumerate(zip(groups, answers.tolist(), strict=True)):
        listed = members[group]
        at = listed.index(answer)
        near = sorted((place for place in range(len(listed)) if place != at), key=lambda place: abs(place - at))[:most]
        found[row, : len(near)] = [listed[place] for place in near]
    return found


def train(model: Model, data: Mined, settings: Settings, folder: Path) -> CrossEncoder | Late:
    dice = np.random.default_rng(settings.seed)
    torch.manual_seed(settings.seed)
    network = Late(model, settings.late).to(DEVICE) if settings.late else started(model, settings, folder)
    teachers = [loaded(model, folder / name).eval() for name in settings.teacher]
    usable = np.flatnonzero(data.ranks < 999)
    steps = int(len(usable) * settings.epochs / settings.batch)
    warm = max(1, steps // 20)
    body = [value for name, value in network.named_parameters() if value.requires_grad and "head" not in name]
    head = {"params": network.head.parameters(), "lr": settings.rate * 10}
    optimiser = torch.optim.AdamW([{"params": body, "lr": settings.rate}, head], weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: (step + 1) / warm if step < warm else max(0.0, (steps - step) / max(1, steps - warm))
    )
    order, at, running = dice.permutation(usable), 0, 0.0
    network.train()
    for step in range(steps):
        if at + settings.batch > len(order):
            order, at = dice.permutation(usable), 0
        rows = order[at : at + settings.batch]
        at += settings.batch
        loss = _loss(network, teachers, data, rows, settings, dice)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(body, 1.0)
        optimiser.step()
        schedule.step()
        running = float(loss.detach()) if step == 0 else 0.98 * running + 0.02 * float(loss.detach())
        if step % max(1, steps // 5) == 0:
            say(f"{settings.name}: step {step} of {steps}, loss {running:.4f}")
        if time.perf_counter() - _started > settings.deadline:
            say(f"{settings.name}: stopped at its deadline")
            break
    return network


def _loss(
    network: CrossEncoder | Late,
    teachers: Sequence[CrossEncoder],
    data: Mined,
    rows: np.ndarray,
    settings: Settings,
    dice: np.random.Generator,
) -> Tensor:
    """Cross-entropy of the list's softmax against the answer, softened by what hybrid and teachers make of it."""
    listed, scores = data.candidates[rows], data.fused[rows]
    usable = (listed != data.answers[rows][:, None]) & (data.likeness[rows] < settings.same) & (scores > NOWHERE / 10)
    weights = np.where(usable, (1 + np.arange(listed.shape[1])) ** -settings.skew, 0) + 1e-9
    drawn = np.argsort(-(np.log(weights) + dice.gumbel(size=weights.shape)), 1)[:, : settings.negatives]
    negatives, usable = np.take_along_axis(listed, drawn, 1), np.take_along_axis(usable, drawn, 1)
    answer_scores = np.take_along_axis(scores, data.ranks[rows][:, None], 1)
    hybrid = np.concatenate([answer_scores, np.take_along_axis(scores, drawn, 1)], 1)
    if settings.neighbours:
        # A neighbour that is no candidate has the fused score of the last that is.
        kin, last = data.kin[rows][:, : settings.neighbours], settings.negatives - settings.neighbours
        negatives[:, last:], usable[:, last:] = np.maximum(kin, 0), kin >= 0
        hybrid[:, 1 + last :] = scores.min(1, where=scores > NOWHERE / 10, initial=0.0)[:, None]
    passages = np.concatenate([data.answers[rows][:, None], negatives], 1)
    asked = torch.as_tensor(np.repeat(rows, passages.shape[1])).to(DEVICE)
    with autocast():
        read = torch.as_tensor(passages.reshape(-1)).to(DEVICE)
        logits = network(data.queries, data.passages, asked, read, settings.tokens).float().view(passages.shape)
    before = torch.as_tensor(hybrid).to(DEVICE).clamp(min=-10)
    left_out = torch.as_tensor(np.concatenate([np.zeros((len(rows), 1), bool), ~usable], 1)).to(DEVICE)
    target = torch.zeros_like(logits)
    target[:, 0] = 1
    voice = before
    if settings.averaged:
        average = data.average[rows]
        answer_average = np.take_along_axis(average, data.ranks[rows][:, None], 1)
        voice = np.concatenate([answer_average, np.take_along_axis(average, drawn, 1)], 1)
        voice = torch.as_tensor(voice).to(DEVICE).clamp(min=-10)
    soft = functional.softmax(voice.masked_fill(left_out, -30.0) / settings.temperature, 1)
    target = (1 - settings.smooth - settings.distil) * target + settings.smooth * soft
    for teacher in teachers:
        with torch.no_grad(), autocast():
            said = teacher(data.queries, data.passages, asked, read, settings.tokens).float().view(passages.shape)
        said = functional.softmax(said.masked_fill(left_out, -30.0) + settings.residual * before, 1)
        target = target + settings.distil / len(teachers) * said
    chosen = functional.log_softmax(logits.masked_fill(left_out, -30.0) + settings.residual * before, 1)
    return -(target * chosen).sum(1).mean()


def loaded(model: Model, path: Path) -> CrossEncoder:
    """The weights that `keep` wrote, in however many parts."""
    data = b"".join(part.read_bytes() for part in sorted(path.parent.glob(f"{path.name}.part*")))
    with np.load(io.BytesIO(data)) as archive:
        state = {name: torch.as_tensor(archive[name]).float() for name in archive.files}
    count = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    network = CrossEncoder(replace(model, layers=model.layers[:count]))
    network.load_state_dict(state, strict=False)
    return network.to(DEVICE)


def started(model: Model, settings: Settings, folder: Path) -> CrossEncoder:
    network = loaded(model, folder / settings.start) if settings.start else CrossEncoder(model).to(DEVICE)
    if settings.layers:
        network.layers = nn.ModuleList(network.layers[place] for place in settings.layers)
    return network


def keep(network: CrossEncoder, path: Path) -> None:
    state = network.state_dict()
    arrays = {name: value.half().cpu().numpy() for name, value in state.items() if not name.startswith("words")}
    file = io.BytesIO()
    np.savez(file, **arrays)
    data = file.getvalue()
    for number, start in enumerate(range(0, len(data), PART_BYTES)):
        path.with_name(f"{path.name}.part{number}").write_bytes(data[start : start + PART_BYTES])


def harvested(folder: Path) -> list[Sequence[str]]:
    pairs = []
    for path in sorted(folder.glob("pairs*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            pairs += [json.loads(line) for line in lines]
    pairs = list({(pair[0], pair[1]): pair for pair in pairs}.values())
    random.Random(1).shuffle(pairs)
    return pairs


def main() -> int:
    folder, sets_folder, out, plan_file = map(Path, sys.argv[1:5])
    out.mkdir(parents=True, exist_ok=True)
    plan = json.loads(plan_file.read_text())
    model = read_graph((ENCODER / "model.onnx").read_bytes())
    encoder = Encoder(model).to(DEVICE)
    if any(folder.glob("lists-*.json.gz")):
        data = listed(encoder, folder)
    else:
        data = mined(encoder, harvested(folder)[: plan.get("pairs")], plan["depth"])
    known = {field.name for field in fields(Settings)}
    trained: dict[str, tuple[dict[str, Any], CrossEncoder | Late]] = {}
    for run in plan["runs"]:
        described = {**plan.get("common", {}), **run}
        if unknown := set(described) - known:
            raise SystemExit(f"there is no setting {', '.join(sorted(unknown))}")
        settings = Settings(**described)
        network = train(model, data, settings, folder)
        trained[settings.name] = described, network
        if settings.keep and isinstance(network, CrossEncoder):
            keep(network, out / settings.name)
            keep(network, folder / settings.name)
    for name in plan.get("measured", ()):
        trained[name] = {}, loaded(model, folder / name)
    measured(trained, evaluation_sets(sets_folder, plan.get("patience", 0)), out)
    return 0


def measured(
    trained: Mapping[str, tuple[dict[str, Any], CrossEncoder | Late]], sets: Sequence[EvaluationSet], out: Path
) -> None:
    """Writes results.json and logits.npz after each run, so that one that is cut short leaves what there is."""
    results: dict[str, Any] = {
        "hybrid": {data.name: data.hybrid for data in sets},
        "candidates": {data.name: data.measure(data.fused) for data in sets},
    }
    say("hybrid", {name: round(value, 4) for name, value in results["hybrid"].items()})
    logits: dict[str, np.ndarray] = {}
    for name, (described, network) in trained.items():
        found = {}
        for data in sets:
            # The head of `late` pads, so that its batches are smaller.
            tokens = 100_000 if isinstance(network, Late) else 400_000
            said = data.logits(partial(scored, network, tokens=tokens))
            logits[f"{name}/{data.name}"] = said.astype(np.float16)
            found[data.name] = data.reranked(said)
        results[name] = {"settings": described, "found": found}
        for at in ("20/0.1", "20/0.2", "20/0.3", "20/0.5"):
            gained = {one: round(values[at] - results["candidates"][one], 4) for one, values in found.items()}
            mean = np.mean([gained[one] for one in SETS if one in gained])
            say(name, at, gained, "mean", round(float(mean), 4))
        (out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        np.savez_compressed(out / "logits.npz", **logits)


if __name__ == "__main__":
    sys.exit(main())
