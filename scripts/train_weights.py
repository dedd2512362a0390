"""Trains the shipped weights from what `harvest_sources.py` harvested, and measures them as it goes.

    python scripts/train_weights.py BASE DATA OUT --plan plan.json [--sets SETS]

BASE holds the published float weights (see `--pack`), DATA the harvested files, SETS data
sets as the pipeline embeds them, for reporting only. The plan names runs; each differs from the defaults in the fields
it gives. Everything that learns is `octavo_train`, as in `octavo models finetune`; this script
only chooses and reports.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from teachers import Teacher
from trained_weights import trained
from weights_data import MODELS, Check, Sets, Tokens, lines, pack, say, split, unpack, with_bigrams

from octavo_train.contrastive import Examples, TrainingSettings, TrainingStep, blend, mined, sureness, train
from octavo_train.encoder import Encoder, Texts, embedded
from octavo_train.fast_table import Lessons, TableSettings, features_of, fit
from octavo_train.graph import read_graph

STARRED = ("scifact.train", "cosqa.dev")  # what may be chosen by
Mined = tuple[list[int], dict[int, list[int]]]
WRITTEN = "asked"  # questions that a language model wrote


def unfolded(encoder: Encoder, original: Encoder) -> dict[str, torch.Tensor]:
    """A graph's weights with the values of attention scaled as the original's: the powers of two that the graph moved
    from them into what follows are moved back, so that a mean with others makes sense."""
    state = {name: value.detach().clone() for name, value in encoder.state_dict().items()}
    first = original.state_dict()
    for index in range(len(encoder.layers)):
        qkv, out = f"layers.{index}.qkv", f"layers.{index}.out.weight"
        width = state[out].shape[1]
        ratio = first[f"{qkv}.weight"][-width:].norm(dim=1) / state[f"{qkv}.weight"][-width:].norm(dim=1)
        factor = 2 ** ratio.log2().round()
        state[f"{qkv}.weight"][-width:] *= factor[:, None]
        state[f"{qkv}.bias"][-width:] *= factor
        state[out] /= factor
        say(f"  layer {index}: moved back up to {float(factor.max()):g}, down to {float(factor.min()):g}")
    return state


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
    parser.add_argument("--graph", type=Path, help="take the word table from this plain graph, not from beside BASE")
    parser.add_argument("--begin", type=Path, help="begin with what an earlier round wrote, not with BASE")
    parser.add_argument("--plan", type=Path)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no run of an encoder after so long")
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--teachers", type=Path, help="what teachers.py wrote, for plans that name some")
    parser.add_argument("--states", type=Path, help="where the weights of runs are kept, and means taken from")
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
    # Written questions carry the rank of their passage: one that does not lead back to it asks for something else.
    near = plan.get("near", 1_000)
    rows = [row[:4] for row in rows if len(row) < 5 or row[4] < near]
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
    # Documentation of projects that nothing is learnt from, as far from the rest as what a user brings along.
    unseen = tuple(plan.get("unseen", ["-"]))
    away = [row[3].startswith(unseen) for row in rows]
    held = [zlib.crc32(row[3].encode()) % 40 == 0 for row in rows]
    places = [(texts[row[0]], texts[row[1]]) for row in rows]
    learn = [
        (pair, row[2], row[3])
        for pair, row, out, far in zip(places, rows, held, away, strict=True)
        if not out and not far
    ]
    checks = {}
    for name, inside in (
        ("held", [out and not far for out, far in zip(held, away, strict=True)]),
        ("unseen", away),
    ):
        test = [(pair, row[2]) for pair, row, within in zip(places, rows, inside, strict=True) if within]
        corpus = [pair[1] for pair, _ in test]
        for kind, asking in (
            ("", [pair for pair, kind in test if kind != WRITTEN]),
            (f" {WRITTEN}", [pair for pair, kind in test if kind == WRITTEN]),
        ):
            if asking:
                checks[name + kind] = Check(asking, corpus, ids, device)
    say(f"{len(learn)} to learn from; " + ", ".join(f"{name}: {one}" for name, one in checks.items()))

    def held_back(encoder: Encoder) -> dict[str, float]:
        return {name: check.measure(encoder) for name, check in checks.items()}

    base = unpack(arguments.base, arguments.graph)
    original = Encoder(base).to(device)
    vectors = embedded(original, every)
    say(f"embedded, {time.perf_counter() - started:.0f} s")
    report: dict[str, Any] = {"original": {**held_back(original), **sets.measure(original)}}
    say("original", json.dumps(report["original"]))
    shipped = Encoder(read_graph((MODELS / "octavo-encoder-1/model.onnx").read_bytes())).to(device)
    given = {"original": original, "shipped": shipped}
    kept: dict[str, Encoder] = dict(given)
    if plan.get("shipped"):
        report["shipped"] = {**held_back(shipped), **sets.measure(shipped)}
        say("shipped", json.dumps(report["shipped"]))
        if arguments.states:
            torch.save(unfolded(shipped, original), arguments.states / "shipped.pt")
    spared = embedded(original, kept_back)
    said: dict[str, np.ndarray] = {}
    asking: dict[str, Callable[[list[str]], np.ndarray]] = {}
    for name in plan.get("teachers", []):
        if name in kept:  # an encoder of the same make may teach beside others
            pupil = kept[name]
            asking[name] = lambda some, pupil=pupil: embedded(pupil, Texts(tokens(some), device))
            said[name] = vectors if name == "original" else embedded(pupil, every)
        else:
            asking[name] = Teacher(arguments.teachers / name, device).embedded
            said[name] = asking[name](list(texts))
        say(f"teacher {name}, {time.perf_counter() - started:.0f} s")
    together: dict[str, torch.Tensor] = {}

    def taught_by(mixture: str) -> torch.Tensor:
        """What teachers think together: the plan's `mixtures` have a weight for each."""
        if mixture not in together:
            together.clear()  # one is a gigabyte
            weights = plan["mixtures"][mixture]
            rows = [torch.as_tensor(said[name]).to(device) for name in weights]
            scales = sureness(rows, list(weights.values()), [pair for pair, _, _ in learn], 0)
            together[mixture] = torch.cat([one * scale for one, scale in zip(rows, scales, strict=True)], dim=1)

            def embed(some: list[str]) -> np.ndarray:
                return np.concatenate(
                    [asking[name](some) * scale for name, scale in zip(weights, scales, strict=True)], 1
                )

            found = {one: check.taught(together[mixture].cpu().numpy()) for one, check in checks.items()}
            report[f"teacher {mixture}"] = found | sets.taught(embed, plan.get("judged", STARRED))
            say(f"teacher {mixture} {weights}", json.dumps(report[f"teacher {mixture}"]))
        return together[mixture]

    for mixture in plan.get("mixtures", {}):
        if plan.get("compare"):
            taught_by(mixture)
    mines: dict[tuple[tuple[str, ...], str], Mined] = {}

    def mine(sources: tuple[str, ...], teachers: str) -> Mined:
        """Which pairs are worth learning from, and three hard negatives of each: once for all runs."""
        if (sources, teachers) not in mines:
            some = [number for number, (_, _, group) in enumerate(learn) if not group.startswith(sources)]
            by = taught_by(teachers).cpu().numpy() if teachers else vectors
            wanted = TrainingSettings(negatives=4 if teachers else 3)
            found, worth = mined(by, [learn[one][0] for one in some], groups, wanted, device, taught=bool(teachers))
            mines[sources, teachers] = [some[one] for one in worth], dict(zip(some, found, strict=True))
            say(f"mined, {len(worth)} of {len(some)} pairs kept, {time.perf_counter() - started:.0f} s")
        return mines[sources, teachers]

    def look_at(run: dict[str, Any], state: dict[str, Any], start: dict[str, Any], took: float) -> None:
        for share in run.get("blends", [1.0]):
            encoder = Encoder(base).to(device)
            encoder.load_state_dict(state)
            blend(encoder, start, share)
            name = run["name"] if share == 1.0 else f"{run['name']}@{share}"
            report[name] = {**held_back(encoder), **sets.measure(encoder), "seconds": round(took, 1)}
            say(name, json.dumps(report[name]))
            if run.get("keep"):
                kept[name] = encoder

    def soup(run: dict[str, Any]) -> None:
        """The mean of the weights of several runs that began at the same place."""
        parts = [torch.load(arguments.states / f"{name}.pt", map_location=device) for name in run["of"]]
        state = {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]}
        look_at({"keep": True, **run}, state, original.state_dict(), 0.0)

    def learn_with(run: dict[str, Any]) -> None:
        begun = time.perf_counter()
        settings = replace(TrainingSettings(), **run.get("settings", {}))
        kinds, sources = run.get("without", []), tuple(run.get("without_sources", plan.get("without_sources", ["-"])))
        teachers, untrusted = run.get("teachers", ""), tuple(run.get("untrusted", []))
        worthy, negatives = mine(sources, teachers)
        chosen = [one for one in worthy if learn[one][1] not in kinds]
        most = run.get("most", {})
        if most:
            dice = random.Random(settings.seed + 2)
            dice.shuffle(chosen)
            counted: Counter[str] = Counter()
            some = []
            for one in chosen:
                counted[learn[one][1]] += 1
                if counted[learn[one][1]] <= most.get(learn[one][1], len(chosen)):
                    some.append(one)
            chosen = some
        if run.get("pairs"):
            chosen = random.Random(settings.seed).sample(chosen, min(run["pairs"], len(chosen)))
        examples = Examples(
            every,
            [learn[one][0] for one in chosen],
            [negatives[one] for one in chosen],
            kept_back if settings.balance else None,
            taught_by(teachers) if teachers else None,
            [not learn[one][2].startswith(untrusted) for one in chosen] if untrusted else None,
        )
        say(f"{run['name']}: {len(chosen)} pairs", json.dumps(Counter(learn[one][1] for one in chosen)))
        encoder = Encoder(trained(arguments.begin, base, 1.0) if arguments.begin else base).to(device)

        def told(step: TrainingStep) -> None:
            if step.number % 100 < 20:
                say(f"  step {step.number}/{step.total} loss {step.loss:.3f} drift {step.drift:.4f}")

        train(encoder, examples, settings, report=told, before=(vectors, spared if settings.balance else None))
        state = {name: value.detach().clone() for name, value in encoder.state_dict().items()}
        took = time.perf_counter() - begun
        if arguments.states and run.get("keep"):
            arguments.states.mkdir(parents=True, exist_ok=True)
            torch.save(state, arguments.states / f"{run['name']}.pt")
        look_at(run, state, original.state_dict(), took)
        say(f"  {time.perf_counter() - started:.0f} s in all")

    def in_time(run: dict[str, Any]) -> bool:
        left = time.perf_counter() - started < arguments.seconds
        if not left:
            say(f"no time for {run['name']}")
        return left

    for run in plan.get("encoders", []):
        if in_time(run):
            learn_with(run)
    for run in plan.get("soups", []):
        soup(run)
    # Of those that lose nothing anywhere, the best by what may be chosen by: the pairs held back, and the splits of
    # two sets that no figure is reported on.
    before = report["original"]

    def worth(name: str) -> tuple[bool, float]:
        loss = max((before[one] - report[name][one] for one in before), default=0.0)
        return loss <= 0.004, sum(report[name].get(one, 0.0) for one in (*checks, *STARRED))

    among = plan.get("among", [name for name in kept if name not in given])
    best = max((name for name in among if name in kept), key=worth, default="original")
    kept["chosen"] = kept[best]
    say(f"chosen: {best}")
    tables = {}
    wanted = plan.get("lessons", len(places))
    picked = places if wanted >= len(places) else random.Random(0).sample(places, wanted)
    documents = sorted({answer for _, answer in picked})
    queries = sorted({query for query, _ in picked})
    at = {one: number for number, one in enumerate(documents)}
    ask = {one: number for number, one in enumerate(queries)}
    lesson_ids = [ids[document] for document in documents] + list(balance) + [ids[query] for query in queries]
    prepared: dict[str, tuple[Lessons, np.ndarray]] = {}
    for run in plan.get("tables", []):
        begun = time.perf_counter()
        settings = replace(TableSettings(), **run.get("settings", {}))
        encoder = kept[run["encoder"]]
        if run["encoder"] not in prepared:
            targets = embedded(encoder, Texts(lesson_ids, device))
            pairs = [(ask[query], at[answer]) for query, answer in picked]
            lessons = Lessons(lesson_ids, targets, targets[len(documents) + len(balance) :], pairs)
            vocabulary = encoder.words.weight.shape[0]
            alone = embedded(encoder, Texts([[101, token, 102] for token in range(vocabulary)], device))
            prepared[run["encoder"]] = lessons, features_of(alone, encoder.words.weight.detach().cpu().numpy())
            say(f"lessons of {run['encoder']}: {len(lesson_ids)}, {time.perf_counter() - begun:.0f} s")
        lessons, features = prepared[run["encoder"]]
        buckets = run.get("bigrams", 0)
        if buckets:
            lessons = replace(lessons, documents=with_bigrams(lessons.documents, len(features), buckets))
            features = np.concatenate([features, np.zeros((buckets, features.shape[1]), np.float32)])
        table = fit(features, lessons, settings, device)
        table = rounded(table)
        tables[run["name"]] = table
        found = sets.measure(encoder, table, settings, buckets)
        report[f"table {run['name']}"] = found
        say(f"table {run['name']} ({time.perf_counter() - begun:.0f} s)", json.dumps(found))
    if tables:
        fastest = max(
            (run["name"] for run in plan["tables"] if not run.get("bigrams")),
            key=lambda name: sum(report[f"table {name}"].get(one, 0.0) for one in STARRED),
        )
        tables["chosen-table"] = tables[fastest]
        say(f"chosen table: {fastest}")
        fitted = next(run.get("settings", {}) for run in plan["tables"] if run["name"] == fastest)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "report.json").write_text(json.dumps(report, indent=1) + "\n")
        if tables:
            (arguments.out / "table.json").write_text(json.dumps(asdict(replace(TableSettings(), **fitted))) + "\n")
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


if __name__ == "__main__":
    sys.exit(main())
