"""Trains the shipped weights from what `harvest_sources.py` harvested, and measures them as it goes.

    python scripts/train_weights.py BASE DATA OUT --plan plan.json [--sets SETS]

BASE holds the published float weights (see `--pack`), DATA the harvested files, SETS data
sets as the pipeline embeds them, for reporting only. The plan names runs; each differs from the defaults in the fields
it gives. Everything that learns is `recto.training`, as in `recto finetune`; this script only chooses and reports.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from recto.training.contrastive import Examples, Settings, Step, blend, mined, train
from recto.training.encoder import Encoder, Texts, embedded
from recto.training.graph import read_graph
from recto.training.measure import ndcg
from recto.training.table import Bags, Lessons, TableSettings, features_of, fit
from recto.training.weights import WINDOW, Model, read_model, read_safetensors

MODELS = Path(__file__).resolve().parent.parent / "src/recto/embedding/models"
WORDS = "embeddings.word_embeddings.weight"


def say(*words: object) -> None:
    print(*words, flush=True)


def pack(weights: Path, out: Path) -> None:
    """The published weights in half precision, without the word table, which the plain graph holds."""
    tensors = read_safetensors(weights.read_bytes())
    rest = {name: value.astype(np.float16) for name, value in tensors.items() if name != WORDS and "pooler" not in name}
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out, **rest)


def unpack(path: Path, graph: Path) -> Model:
    tensors = {name: value.astype(np.float32) for name, value in np.load(path).items()}
    tensors[WORDS] = read_graph(graph.read_bytes()).words
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
            if id(ids) not in cached:
                cached[id(ids)] = (
                    embedded(encoder, inputs) if table is None else by_table(table, ids, settings, inputs.device)
                )
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


def rounded(table: np.ndarray) -> np.ndarray:
    """As int8 keeps it."""
    scale = np.abs(table).max(1, keepdims=True) / 127
    scale[scale == 0] = 1
    return (np.rint(table / scale) * scale).astype(np.float32)


def main() -> int:
    parser = argparse.ArgumentParser(description="Train the shipped weights.")
    parser.add_argument("base", type=Path)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--pack", type=Path, help="only: write BASE (a safetensors file) in half precision here")
    parser.add_argument("--graph", type=Path, default=Path("build/minilm-l6-v2/model.onnx"), help="the plain graph")
    parser.add_argument("--plan", type=Path)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no run of an encoder after so long")
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--limit", type=int, help="only so many pairs, to try it out")
    arguments = parser.parse_args()
    if arguments.pack:
        pack(arguments.base, arguments.pack)
        return 0
    started = time.perf_counter()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.backends.cuda.matmul.allow_tf32 = True
    plan = json.loads(arguments.plan.read_text())
    tokens = Tokens()
    rows = [row for path in sorted(arguments.data.glob("pairs*.jsonl.xz")) for row in lines(path)]
    if arguments.limit:
        rows = rows[:: max(1, len(rows) // arguments.limit)]
    passages = [row[1] for path in sorted(arguments.data.glob("passages*.jsonl.xz")) for row in lines(path)]
    if arguments.limit:
        passages = passages[: arguments.limit]
    say(f"{len(rows)} pairs, {len(passages)} passages, {time.perf_counter() - started:.0f} s")
    texts: dict[str, int] = {}
    groups: list[str] = []
    for query, answer, _, group in rows:
        for text in (query, answer):
            if text not in texts:
                texts[text] = len(texts)
                groups.append(group)
    ids = tokens(list(texts))
    balance = tokens(passages)
    every, kept_back = Texts(ids, device), Texts(balance, device)
    sets = Sets(arguments.sets, tokens, device)
    say(f"tokenised {len(ids)} texts, {time.perf_counter() - started:.0f} s on {device}")
    # Held back by document: about one in forty.
    import zlib

    held = [zlib.crc32(row[3].encode()) % 40 == 0 for row in rows]
    places = [(texts[row[0]], texts[row[1]]) for row in rows]
    test = [pair for pair, out in zip(places, held, strict=True) if out]
    learn = [(pair, row[2], row[3]) for pair, row, out in zip(places, rows, held, strict=True) if not out]
    answers = sorted({answer for _, answer in test})
    where = {answer: number for number, answer in enumerate(answers)}
    say(f"{len(learn)} to learn from, {len(test)} held back among {len(answers)} answers")

    asked = Texts([ids[query] for query, _ in test], device)
    answering = Texts([ids[answer] for answer in answers], device)

    def held_back(encoder: Encoder) -> float:
        q = embedded(encoder, asked)
        p = embedded(encoder, answering)
        return round(ndcg(q, p, range(len(answers)), [{where[answer]: 1} for _, answer in test]), 4)

    base = unpack(arguments.base, arguments.graph)
    original = Encoder(base).to(device)
    vectors = embedded(original, every)
    say(f"embedded, {time.perf_counter() - started:.0f} s")
    report: dict[str, Any] = {"original": {"held": held_back(original), **sets.measure(original)}}
    say("original", json.dumps(report["original"]))
    kept: dict[str, Encoder] = {"original": original}
    spared = embedded(original, kept_back)

    def learn_with(run: dict[str, Any]) -> None:
        begun = time.perf_counter()
        settings = replace(Settings(), **run.get("settings", {}))
        kinds, sources = run.get("without", []), tuple(run.get("without_sources", ["-"]))
        chosen = [pair for pair, kind, group in learn if kind not in kinds and not group.startswith(sources)]
        if run.get("pairs"):
            chosen = chosen[:: max(1, len(chosen) // run["pairs"])]
        negatives, worth = mined(vectors, chosen, groups, settings, device)
        if run.get("hopeless", False):
            worth = list(range(len(chosen)))
        examples = Examples(
            every,
            [chosen[one] for one in worth],
            [negatives[one] for one in worth],
            kept_back if settings.balance else None,
        )
        say(f"{run['name']}: {len(worth)} of {len(chosen)} pairs, mined in {time.perf_counter() - begun:.0f} s")
        encoder = Encoder(base).to(device)
        start = {name: value.detach().clone() for name, value in encoder.state_dict().items()}

        def told(step: Step) -> None:
            if step.number % 100 < 20:
                say(f"  step {step.number}/{step.total} loss {step.loss:.3f} drift {step.drift:.4f}")

        train(encoder, examples, settings, told=told, before=(vectors, spared if settings.balance else None))
        trained = {name: value.detach().clone() for name, value in encoder.state_dict().items()}
        took = time.perf_counter() - begun
        for share in run.get("blends", [1.0]):
            encoder.load_state_dict(trained)
            blend(encoder, start, share)
            name = run["name"] if share == 1.0 else f"{run['name']}@{share}"
            report[name] = {"held": held_back(encoder), **sets.measure(encoder), "seconds": round(took, 1)}
            say(name, json.dumps(report[name]))
            if run.get("keep"):
                kept[name] = Encoder(encoder.weights()).to(device)
        say(f"  {time.perf_counter() - started:.0f} s in all")

    def in_time(run: dict[str, Any]) -> bool:
        left = time.perf_counter() - started < arguments.seconds
        if not left:
            say(f"no time for {run['name']}")
        return left

    for run in plan.get("encoders", []):
        if in_time(run):
            learn_with(run)
    # Of those that lose nothing anywhere, the best by what may be chosen by: the pairs held back, and the splits of
    # two sets that no figure is reported on.
    before = report["original"]

    def worth(name: str) -> tuple[bool, float]:
        loss = max((before[one] - report[name][one] for one in before), default=0.0)
        return loss <= 0.004, sum(report[name][one] for one in ("held", "scifact.train", "cosqa.dev"))

    best = max((name for name in kept if name != "original"), key=worth, default="original")
    kept["chosen"] = kept[best]
    say(f"chosen: {best}")
    tables = {}
    documents = sorted({answer for _, answer in places})
    queries = sorted({query for query, _ in places})
    at = {one: number for number, one in enumerate(documents)}
    ask = {one: number for number, one in enumerate(queries)}
    lesson_ids = [ids[one] for one in documents] + list(balance) + [ids[one] for one in queries]
    prepared: dict[str, tuple[Lessons, np.ndarray]] = {}
    for run in plan.get("tables", []):
        begun = time.perf_counter()
        settings = replace(TableSettings(), **run.get("settings", {}))
        encoder = kept[run["encoder"]]
        if run["encoder"] not in prepared:
            targets = embedded(encoder, Texts(lesson_ids, device))
            pairs = [(ask[query], at[answer]) for query, answer in places]
            lessons = Lessons(lesson_ids, targets, targets[len(documents) + len(balance) :], pairs)
            vocabulary = encoder.words.weight.shape[0]
            alone = embedded(encoder, Texts([[101, token, 102] for token in range(vocabulary)], device))
            prepared[run["encoder"]] = lessons, features_of(alone, encoder.words.weight.detach().cpu().numpy())
            say(f"lessons of {run['encoder']}: {len(lesson_ids)}, {time.perf_counter() - begun:.0f} s")
        lessons, features = prepared[run["encoder"]]
        table = fit(features, lessons, settings, device)
        table = rounded(table)
        tables[run["name"]] = table
        found = sets.measure(encoder, table, settings)
        report[f"table {run['name']}"] = found
        say(f"table {run['name']} ({time.perf_counter() - begun:.0f} s)", json.dumps(found))
    if tables:
        fastest = max(
            tables, key=lambda name: sum(report[f"table {name}"][one] for one in ("scifact.train", "cosqa.dev"))
        )
        tables["chosen-table"] = tables[fastest]
        say(f"chosen table: {fastest}")
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
        for name in plan.get("write", []):
            if name in tables:
                scale = np.abs(tables[name]).max(1) / 127
                rows = np.rint(tables[name] / np.where(scale == 0, 1, scale)[:, None]).astype(np.int8)
                np.savez(arguments.out / f"table-{name}.npz", rows=rows, scales=scale.astype(np.float32))
                continue
            state = {key: value.half().cpu().numpy() for key, value in kept[name].state_dict().items()}
            np.savez(arguments.out / f"{name}.npz", **state)
            data = (arguments.out / f"{name}.npz").read_bytes()
            (arguments.out / f"{name}.npz").unlink()
            split(data, arguments.out / name)
    for run in plan.get("ablations", []):
        if in_time(run):
            learn_with(run)
    if arguments.out:
        (arguments.out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    say(f"done in {time.perf_counter() - started:.0f} s")
    return 0


def split(data: bytes, path: Path, most: int = 15_000_000) -> None:
    for number, start in enumerate(range(0, len(data), most)):
        path.with_name(f"{path.name}.part{number}").write_bytes(data[start : start + most])


if __name__ == "__main__":
    sys.exit(main())
