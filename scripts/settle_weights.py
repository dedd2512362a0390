"""Draws what int8 makes of the trained weights back to what they are in float, and says what each product costs.

    python scripts/settle_weights.py DATA TRAINED --base BASE --wheel WHEEL [--share SHARE] [--sets SETS]
    python scripts/settle_weights.py DATA TRAINED --graph GRAPH [--sets SETS]

BASE, DATA and SETS are those of `train_weights.py`; TRAINED has what it wrote, and gets `settled.part*` and
`ranges.npz`, which an export takes. Where they are there already, settling goes on from them. WHEEL holds the
prose that ranges are measured on. With GRAPH, a file that was exported before, its own weights are what is drawn back
to, and its own ranges what is begun with.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rounding import PRODUCTS, Rounded, Settling, fixed, settle, vectors
from tokenizers import Tokenizer
from trained_weights import INSIDE, trained
from weights_data import MODELS, Sets, Tokens, lines, say, split, unpack

from octavo_train.encoder import Encoder, Texts
from octavo_train.graph import read_graph, read_ranges_of
from octavo_train.measure import ndcg
from octavo_train.quantise import (
    Range,
    calibrate,
    calibration_texts,
    ranges_as_arrays,
    read_ranges,
    spread_out,
)
from octavo_train.weights import Model

LENGTHS = (40, 80, 120, 250, 600, 1200)  # characters: turns and questions count as much as sections
WIDER = 1.3  # what ranges behind GELU begin with: too wide is learnt away sooner than too narrow


def material(data: Path, dice: random.Random) -> list[str]:
    """Passages, and a third of the pairs' texts, each cut to one of several lengths."""
    rows = [row[1] for path in sorted(data.glob("passages*.jsonl.xz")) for row in lines(path)]
    pairs = []
    for path in sorted(data.glob("pairs*.jsonl.xz")):
        for number, row in enumerate(lines(path)):
            if number % 3 == 0:
                pairs += [row[1], row[0]]
    dice.shuffle(rows)
    dice.shuffle(pairs)
    texts = [text[: dice.choice(LENGTHS)] for text in (*rows, *pairs[:220_000])]
    dice.shuffle(texts)
    return texts


def begun(arguments: argparse.Namespace) -> tuple[Model, Model, dict[str, Range]]:
    """What is as wide as the weights, the weights, and their ranges: those of a graph, or those that were trained."""
    if arguments.graph:
        data = arguments.graph.read_bytes()
        model = read_graph(data)
        return model, model, read_ranges_of(data)
    base = unpack(arguments.base)
    model = trained(arguments.trained, base, arguments.share)
    with zipfile.ZipFile(arguments.wheel) as archive:
        prose = archive.read(INSIDE + "README.md").decode()
    counting = Tokenizer.from_file(str(MODELS / "octavo-encoder-1/tokenizer.json"))
    measured = calibrate(model, calibration_texts(counting, prose[:40_000]))
    return base, model, {name: wider(name, one) for name, one in measured.items()}


def wider(name: str, seen: Range) -> Range:
    return Range(seen.low, seen.high * WIDER) if name.endswith("down") else seen


def measured(sets: Sets, model: torch.nn.Module) -> dict[str, float]:
    found: dict[str, float] = {}
    held: dict[int, Any] = {}
    for name, documents, ids, inputs, asked, judged, scopes in sets.sets:
        if id(ids) not in held:
            held = {id(ids): vectors(model, inputs)}
        found[name] = round(ndcg(vectors(model, asked), held[id(ids)], documents, judged, scopes), 4)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Settle the trained weights for int8.")
    usual = Settling()
    for name in ("data", "trained", "--base", "--wheel", "--graph"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--share", type=float, default=1.0, help="how much of the way from BASE to TRAINED is taken")
    parser.add_argument("--steps", type=int, default=usual.steps)
    parser.add_argument("--rate", type=float, default=usual.rate)
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--few", type=int, default=400, help="texts that are left out")
    parser.add_argument("--test", type=int, default=1_200, help="texts that are looked at only")
    arguments = parser.parse_args()
    if not arguments.graph and not (arguments.base and arguments.wheel):
        parser.error("either --graph, or --base and --wheel")
    arguments.trained.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    torch.backends.cuda.matmul.allow_tf32 = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    base, model, ranges = begun(arguments)
    encoder = Encoder(model).to(device)
    tokens = Tokens()
    texts = tokens(material(arguments.data, random.Random(3)))
    first, second = arguments.few, arguments.few + arguments.test
    test, learn = (Texts(some, device) for some in (texts[first:second], texts[second:]))
    sets = Sets(arguments.sets, tokens, device)
    wanted = vectors(encoder, test)

    def tell(name: str, module: torch.nn.Module, whole: bool = False) -> None:
        near = (vectors(module, test) * wanted).sum(1)
        say(f"{name}: cosine {near.mean():.5f}, at worst {near.min():.4f}", measured(sets, module) if whole else "")

    tell("float", encoder, whole=True)
    wide, seen = spread_out(model, ranges)
    plain, rounded = fixed(wide, seen), Encoder(wide).to(device)
    tell("int8", Rounded(rounded, plain), whole=True)
    for part in PRODUCTS:
        tell(f"int8 but every {part}", Rounded(rounded, plain, [name for name in plain if name.endswith(part)]))
    if (arguments.trained / "ranges.npz").exists():
        plain = read_ranges(np.load(arguments.trained / "ranges.npz"))
        rounded = Encoder(trained(arguments.trained, base, 1.0, "settled")).to(device)
        tell("settled before", Rounded(rounded, plain), whole=True)
    settings = Settling(steps=arguments.steps, rate=arguments.rate, scale_rate=10 * arguments.rate, seed=arguments.seed)
    settled = settle(
        rounded, plain, learn, settings, lambda step, off: say(f"  step {step} off by {off:.5f}"), before=encoder
    )
    with torch.no_grad():
        for value in rounded.parameters():
            value.copy_(value.half().float())  # as they are kept
    tell("settled", Rounded(rounded, settled), whole=True)
    held = io.BytesIO()
    np.savez(held, **{name: value.half().cpu().numpy() for name, value in rounded.state_dict().items()})
    split(held.getvalue(), arguments.trained / "settled")
    np.savez(arguments.trained / "ranges.npz", **ranges_as_arrays(settled))
    say(f"done in {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
