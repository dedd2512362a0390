"""What the scripts that make the weights share: reading, tokenising, and the sets and pairs they are measured on."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from octavo_train.encoder import Encoder, Texts, embedded
from octavo_train.fast_table import Bags, TableSettings
from octavo_train.graph import read_graph
from octavo_train.measure import ndcg
from octavo_train.weights import WINDOW, Model, read_model, read_safetensors

MODELS = Path(__file__).resolve().parent.parent / "src/octavo/embedding/models"
WORDS = "embeddings.word_embeddings.weight"


def say(*words: object) -> None:
    print(*words, flush=True)


def pack(weights: Path, out: Path) -> None:
    """The published weights in half precision, the word table in a file beside the others."""
    tensors = read_safetensors(weights.read_bytes())
    rest = {name: value.astype(np.float16) for name, value in tensors.items() if name != WORDS and "pooler" not in name}
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out, **rest)
    np.save(out.with_name("words.npy"), tensors[WORDS].astype(np.float16))


def unpack(path: Path, graph: Path | None = None) -> Model:
    tensors = {name: value.astype(np.float32) for name, value in np.load(path).items()}
    words = read_graph(graph.read_bytes()).words if graph else np.load(path.with_name("words.npy"))
    tensors[WORDS] = words.astype(np.float32)
    return read_model(tensors)


def lines(path: Path) -> Iterator[Any]:
    with lzma.open(path, "rt", encoding="utf-8") as rows:
        for row in rows:
            yield json.loads(row)


class Tokens:
    """Texts → ids, with the special ones, within the window."""

    def __init__(self) -> None:
        files = sorted(MODELS.glob("*/tokenizer.json"))
        self._tokenizer = Tokenizer.from_file(str(files[0]))
        self._tokenizer.enable_truncation(WINDOW)

    def __call__(self, texts: Sequence[str]) -> list[list[int]]:
        return [one.ids for one in self._tokenizer.encode_batch_fast(list(texts))]


class Sets:
    """Data sets as the pipeline embeds them: windows of documents, queries, judgements."""

    def __init__(self, path: Path | None, tokens: Tokens, device: torch.device) -> None:
        self.sets = []
        self.texts: dict[int, list[str]] = {}
        self.asking: dict[str, list[str]] = {}
        for one in json.loads(lzma.decompress(path.read_bytes())) if path else []:
            documents = [number for number, _ in one["inputs"]]
            ids = tokens([text for _, text in one["inputs"]])
            self.texts[id(ids)] = [text for _, text in one["inputs"]]
            inputs = Texts(ids, device)
            for tag, queries in one["queries"].items():
                name = f"{one['name']}.{tag}" if tag else one["name"]
                judged = [{int(key): value for key, value in rel.items()} for _, rel, _ in queries]
                scopes = [tuple(scope) for _, _, scope in queries] if queries[0][2] else None
                asked = Texts(tokens([text for text, _, _ in queries]), device)
                self.sets.append((name, documents, ids, inputs, asked, judged, scopes))
                self.asking[name] = [text for text, _, _ in queries]

    def measure(
        self, encoder: Encoder, table: np.ndarray | None = None, settings: TableSettings | None = None, buckets: int = 0
    ) -> dict[str, float]:
        found, cached = {}, {}
        for name, documents, ids, inputs, asked, judged, scopes in self.sets:
            if id(ids) not in cached and table is None:
                cached[id(ids)] = embedded(encoder, inputs)
            elif id(ids) not in cached:
                tokens = with_bigrams(ids, len(table) - buckets, buckets) if buckets else ids
                cached[id(ids)] = by_table(table, tokens, settings, inputs.device)
            found[name] = round(ndcg(embedded(encoder, asked), cached[id(ids)], documents, judged, scopes), 4)
        return found

    def taught(self, embed: Callable[[list[str]], np.ndarray], names: Collection[str]) -> dict[str, float]:
        """How a teacher does on some of the sets."""
        found, held = {}, {}
        for name, documents, ids, _, _, judged, scopes in self.sets:
            if name in names:
                held[id(ids)] = held[id(ids)] if id(ids) in held else embed(self.texts[id(ids)])
                found[name] = round(ndcg(embed(self.asking[name]), held[id(ids)], documents, judged, scopes), 4)
        return found


class Check:
    """Pairs held back: each query's answer among the answers of all."""

    def __init__(
        self,
        pairs: Sequence[tuple[int, int]],
        corpus: Sequence[int],
        ids: Sequence[Sequence[int]],
        device: torch.device,
    ) -> None:
        answers = sorted(set(corpus))
        self._places = [query for query, _ in pairs], answers
        where = {answer: number for number, answer in enumerate(answers)}
        self._asked = Texts([ids[query] for query, _ in pairs], device)
        self._answering = Texts([ids[answer] for answer in answers], device)
        self._judged = [{where[answer]: 1} for _, answer in pairs]

    def measure(self, encoder: Encoder) -> float:
        q, p = embedded(encoder, self._asked), embedded(encoder, self._answering)
        return round(ndcg(q, p, range(len(p)), self._judged), 4)

    def taught(self, vectors: np.ndarray) -> float:
        """The same by vectors of every text."""
        asked, answers = self._places
        return round(ndcg(vectors[asked], vectors[answers], range(len(answers)), self._judged), 4)

    def __str__(self) -> str:
        return f"{len(self._judged)} among {len(self._answering)} answers"


def with_bigrams(ids: Sequence[Sequence[int]], vocabulary: int, buckets: int) -> list[list[int]]:
    """Neighbouring tokens as one more token each, by a hash, behind the others."""
    found = []
    for one in ids:
        some = np.asarray(one, np.int64)
        pairs = (some[:-1] * 1_000_003 + some[1:] * 7_919) % 2_147_483_647 % buckets + vocabulary
        found.append([*one, *pairs.tolist()])
    return found


def by_table(
    table: np.ndarray, ids: Sequence[Sequence[int]], settings: TableSettings, device: torch.device
) -> np.ndarray:
    bags, rows = Bags(ids, settings.power, device, settings.lead), torch.as_tensor(table, device=device).__getitem__
    parts = [
        bags.summed(rows, torch.arange(start, min(start + 4096, len(ids)), device=device)).cpu().numpy()
        for start in range(0, len(ids), 4096)
    ]
    return np.concatenate(parts)


def split(data: bytes, path: Path, most: int = 15_000_000) -> None:
    for number, start in enumerate(range(0, len(data), most)):
        path.with_name(f"{path.name}.part{number}").write_bytes(data[start : start + most])
