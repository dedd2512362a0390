"""Draws what int8 makes of the trained weights back to what they are in float, and says what each product costs.

    python scripts/settle_weights.py BASE DATA TRAINED WHEEL [--sets SETS]

BASE, DATA and SETS are those of `train_weights.py`; TRAINED has what it wrote, and gets `settled.part*` and
`ranges.npz`, which `export_weights.py` takes. WHEEL holds the prose that ranges are measured on.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from export_weights import INSIDE, trained
from tokenizers import Tokenizer
from weights_data import MODELS, Sets, Tokens, lines, say, split, unpack

from recto.training.encoder import Encoder, Texts
from recto.training.measure import ndcg
from recto.training.quantise import calibrate, calibration_texts, ranges_as_arrays
from recto.training.rounding import PRODUCTS, Rounded, Settling, clipped, fixed, settle, vectors

LENGTHS = (40, 80, 120, 250, 600, 1200)  # characters: turns and questions count as much as sections
CLIPS = (0.85, 0.7, 0.55)


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
    for name in ("base", "data", "trained", "wheel"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--sets", type=Path)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--few", type=int, default=400, help="texts that ranges are narrowed by")
    parser.add_argument("--test", type=int, default=1_200, help="texts that are looked at only")
    arguments = parser.parse_args()
    started = time.perf_counter()
    torch.backends.cuda.matmul.allow_tf32 = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = trained(arguments.trained, unpack(arguments.base), 1.0)
    encoder = Encoder(model).to(device)
    with zipfile.ZipFile(arguments.wheel) as archive:
        prose = archive.read(INSIDE + "README.md").decode()
    counting = Tokenizer.from_file(str(MODELS / "recto-encoder-1/tokenizer.json"))
    ranges = calibrate(model, calibration_texts(counting, prose[:40_000]))
    tokens = Tokens()
    texts = tokens(material(arguments.data, random.Random(3)))
    first, second = arguments.few, arguments.few + arguments.test
    few, test, learn = (Texts(some, device) for some in (texts[:first], texts[first:second], texts[second:]))
    sets = Sets(arguments.sets, tokens, device)
    wanted = vectors(encoder, test)

    def tell(name: str, module: torch.nn.Module, whole: bool = False) -> None:
        near = (vectors(module, test) * wanted).sum(1)
        say(f"{name}: cosine {near.mean():.5f}, at worst {near.min():.4f}", measured(sets, module) if whole else "")

    tell("float", encoder, whole=True)
    plain = fixed(model, ranges)
    tell("int8", Rounded(encoder, plain), whole=True)
    for name in plain:
        tell(f"int8 but {name}", Rounded(encoder, plain, [name]))
    for part in PRODUCTS:
        tell(f"int8 but every {part}", Rounded(encoder, plain, [name for name in plain if name.endswith(part)]))
    clips = clipped(encoder, model, ranges, few, CLIPS)
    say("narrowed", json.dumps(clips))
    settled = fixed(model, ranges, clips)
    tell("narrowed", Rounded(encoder, settled), whole=True)
    settings = Settling(steps=arguments.steps, batch=arguments.batch, rate=arguments.rate)
    settle(encoder, settled, learn, settings, told=lambda step, off: say(f"  step {step} off by {off:.5f}"))
    tell("settled", Rounded(encoder, settled), whole=True)
    held = io.BytesIO()
    np.savez(held, **{name: value.half().cpu().numpy() for name, value in encoder.state_dict().items()})
    split(held.getvalue(), arguments.trained / "settled")
    np.savez(arguments.trained / "ranges.npz", **ranges_as_arrays(settled))
    say(f"done in {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
