"""Settles what `distil_encoder.py` trained for int8 and fits the table of fast vectors in its space.

    python scripts/finish_encoder.py DATA STATES NAME OUT [--steps N]

DATA and STATES are those of `distil_encoder.py`, NAME the run to finish. OUT gets `body.part*` (half precision),
`words.npz` (int8 with a scale a row, as the graph keeps them), `ranges.npz` and `table.npz`.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import rounding
import torch
from distil_encoder import Measures, Student, Words
from rounding import Rounded, Settling, fixed, vectors
from tokenizers import Tokenizer
from weights_data import lines, say, split

from octavo_train.int8_quantisation import (
    Range,
    calibrate,
    calibration_ids,
    quantise_rows,
    ranges_as_arrays,
    spread_out,
)
from octavo_train.numpy_encoder import WINDOW, Model
from octavo_train.onnx_graph_export import read_graph
from octavo_train.static_token_table_fitting import Lessons, TableSettings, features_of, fit
from octavo_train.torch_encoder import Encoder, Texts, embedded

LENGTHS = (40, 80, 120, 250, 600, 1200)  # characters: turns and questions count as much as sections
WIDER = 1.3  # what ranges behind GELU begin with: too wide is learnt away sooner than too narrow


def model_of(state: dict[str, torch.Tensor], like: Model) -> Model:
    """The trained weights as plain arrays, added words behind the others."""
    held = {name: value.float().cpu() for name, value in state.items()}
    more = held.pop("more")
    held["words.weight"] = torch.cat([held["words.weight"], more]) if len(more) else held["words.weight"]
    encoder = Encoder(replace(like, words=held["words.weight"].cpu().numpy()))
    encoder.load_state_dict(held)
    return encoder.weights()


def _wider(name: str, seen: Range) -> Range:
    return Range(seen.low, seen.high * WIDER) if name.endswith("down") else seen


def main() -> int:
    parser = argparse.ArgumentParser(description="Settle the trained encoder for int8 and fit its table.")
    parser.add_argument("data", type=Path)
    parser.add_argument("states", type=Path)
    parser.add_argument("name")
    parser.add_argument("out", type=Path)
    parser.add_argument("--steps", type=int, default=3200)
    parser.add_argument("--lessons", type=int, default=400_000)
    parser.add_argument("--limit", type=int, default=0)
    arguments = parser.parse_args()
    started = time.perf_counter()
    torch.backends.cuda.matmul.allow_tf32 = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = arguments.data

    like = read_graph((data / "encoder-1.onnx").read_bytes())
    like = replace(like, layers=tuple(_narrow(layer) for layer in like.layers))
    model = model_of(torch.load(arguments.states / f"{arguments.name}.pt", map_location="cpu"), like)
    tokenizer = Tokenizer.from_file(str(data / "words.json"))
    words = Words(tokenizer)
    assert len(model.words) == tokenizer.get_vocab_size(), (len(model.words), tokenizer.get_vocab_size())
    dice = random.Random(3)
    passages = [row[1] for path in sorted(data.glob("passages*.jsonl.xz")) for row in lines(path)]
    pairs = [row for path in sorted(data.glob("pairs*.jsonl.xz")) for row in lines(path)]
    foreign = [text for row in lines(data / "parallel.jsonl.xz") for text in row[1].values()]
    dice.shuffle(foreign)
    dice.shuffle(pairs)
    if arguments.limit:
        passages, pairs, foreign = (some[: arguments.limit] for some in (passages, pairs, foreign))
    english = [*passages, *(row[1] for row in pairs[:120_000]), *(row[0] for row in pairs[:60_000])]
    material = [text[: dice.choice(LENGTHS)] for text in (*english, *foreign[:120_000])]
    dice.shuffle(material)
    counting = Tokenizer.from_str(tokenizer.to_str())
    counting.no_truncation()
    rounding.pooled = _first  # the vector is the first token's
    start, end = (int(tokenizer.token_to_id(name)) for name in ("<s>", "</s>"))
    prose = counting.encode("\n".join(passages[:60])[:40_000], add_special_tokens=False).ids
    measured = calibrate(model, calibration_ids(prose, (start, end), len(model.words), WINDOW))
    ranges = {name: _wider(name, seen) for name, seen in measured.items()}
    say(f"calibrated, {time.perf_counter() - started:.0f} s")
    encoder = Student(model, first=True).to(device)
    ids = words(material)
    test, learn = Texts(ids[:1200], device), Texts(ids[1200:] or ids, device)
    measures = Measures(data, words, None, device)
    wanted = vectors(encoder, test)
    wide, seen = spread_out(model, ranges)
    plain, rounded = fixed(wide, seen), Encoder(wide).to(device)

    def tell(name: str, module: Any) -> None:
        near = (vectors(module, test) * wanted).sum(1)
        say(f"{name}: cosine {near.mean():.5f}, at worst {near.min():.4f}, {time.perf_counter() - started:.0f} s")

    measures("float", encoder)
    tell("int8", Rounded(rounded, plain))
    settings = Settling(steps=arguments.steps, rate=3e-5, scale_rate=3e-4, seed=0)

    def tell_step(step: int, off: float) -> None:
        if step % 400 < 50:
            say(f"  {step} {off:.5f}")

    settled = rounding.settle(rounded, plain, learn, settings, tell_step, before=encoder)
    with torch.no_grad():
        for name, value in rounded.named_parameters():
            if name != "words.weight":
                value.copy_(value.half().float())
    tell("settled", Rounded(rounded, settled))
    arguments.out.mkdir(parents=True, exist_ok=True)
    held = io.BytesIO()
    body = {name: value for name, value in rounded.state_dict().items() if name != "words.weight"}
    np.savez(held, **{name: value.half().cpu().numpy() for name, value in body.items()})
    split(held.getvalue(), arguments.out / "body")
    rows, scales = quantise_rows(rounded.words.weight.detach().float().cpu().numpy())
    np.savez(arguments.out / "words.npz", rows=rows, scales=scales)
    np.savez(arguments.out / "ranges.npz", **ranges_as_arrays(settled))
    report: dict[str, Any] = {}
    # The table lands where the float encoder does; its queries are the encoder's.
    documents = [*(row[1] for row in pairs), *passages, *foreign[:200_000]][: arguments.lessons]
    questions = [row[0] for row in pairs]
    lesson_ids = words([*documents, *questions])
    targets = embedded(encoder, Texts(lesson_ids, device))
    count = min(len(pairs), len(documents))
    lessons = Lessons(lesson_ids, targets, targets[len(documents) :], [(place, place) for place in range(count)])
    alone = embedded(encoder, Texts([[start, token, end] for token in range(len(model.words))], device))
    say(f"lessons {len(lesson_ids)}, {time.perf_counter() - started:.0f} s")
    chosen = TableSettings(power=0.7, lead=2.0)
    table = fit(features_of(alone, model.words), lessons, chosen, device)
    scale = np.abs(table).max(1) / 127
    kept = np.rint(table / np.where(scale == 0, 1, scale)[:, None]).astype(np.int8)
    np.savez(arguments.out / "table.npz", rows=kept, scales=scale.astype(np.float32))
    table = kept.astype(np.float32) * scale[:, None]
    found = measures.sets.measure(encoder, table, chosen)
    say("table", json.dumps(found))
    report["table"] = found
    (arguments.out / "report.json").write_text(json.dumps(report) + "\n")
    say(f"done in {time.perf_counter() - started:.0f} s")
    return 0


def _first(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(states[:, 0], dim=-1)


def _narrow(layer: Any) -> Any:
    """A layer of the plain width, as a shape to fill."""
    up = replace(layer.up, weight=layer.up.weight[:, :1536], bias=layer.up.bias[:1536])
    return replace(layer, up=up, down=replace(layer.down, weight=layer.down.weight[:1536]))


if __name__ == "__main__":
    raise SystemExit(main())
