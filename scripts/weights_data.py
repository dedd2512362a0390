"""What the scripts that make the weights share: reading, and the sets that they are measured on."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from octavo_train.model_scores_and_teacher_vectors import ndcg
from octavo_train.static_token_table_fitting import Bags, TableSettings
from octavo_train.torch_encoder import Encoder, Texts, embedded

Tokenise = Callable[[Sequence[str]], list[list[int]]]


def say(*words: object) -> None:
    print(*words, flush=True)


def lines(path: Path) -> Iterator[Any]:
    with lzma.open(path, "rt", encoding="utf-8") as rows:
        for row in rows:
            yield json.loads(row)


class Sets:
    """Data sets as the pipeline embeds them: windows of documents, queries, judgements."""

    def __init__(self, path: Path | None, tokens: Tokenise, device: torch.device) -> None:
        self.sets = []
        for one in json.loads(lzma.decompress(path.read_bytes())) if path else []:
            documents = [number for number, _ in one["inputs"]]
            ids = tokens([text for _, text in one["inputs"]])
            inputs = Texts(ids, device)
            for tag, queries in one["queries"].items():
                name = f"{one['name']}.{tag}" if tag else one["name"]
                judged = [{int(key): value for key, value in rel.items()} for _, rel, _ in queries]
                scopes = [tuple(scope) for _, _, scope in queries] if queries[0][2] else None
                asked = Texts(tokens([text for text, _, _ in queries]), device)
                self.sets.append((name, documents, ids, inputs, asked, judged, scopes))

    def measure(
        self, encoder: Encoder, table: np.ndarray | None = None, settings: TableSettings | None = None
    ) -> dict[str, float]:
        found, cached = {}, {}
        for name, documents, ids, inputs, asked, judged, scopes in self.sets:
            if id(ids) not in cached and table is None:
                cached[id(ids)] = embedded(encoder, inputs)
            elif id(ids) not in cached:
                cached[id(ids)] = by_table(table, ids, settings, inputs.device)
            found[name] = round(ndcg(embedded(encoder, asked), cached[id(ids)], documents, judged, scopes), 4)
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
