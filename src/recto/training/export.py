"""From trained weights to a folder that can be searched with: int8 graph or table, tokenizer, checksums, card."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from recto.training.card import card

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recto.training.quantise import Range
    from recto.training.weights import Model


@dataclass(frozen=True, slots=True)
class Made:
    """What a model's card says of how it came about. `figures` are nDCG@10 on each check, before and after."""

    name: str
    base: str
    base_revision: str
    made_at: str
    command: str
    pairs: Mapping[str, int]
    settings: Mapping[str, Any]
    figures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    licence: str = "the licence of the base model and of what it was trained on"
    sources: str = "one library's own documents"


def encoder_files(
    model: Model,
    prose: Sequence[str],
    tokenizer: bytes,
    vocabulary: bytes,
    licence: bytes,
    window: int,
    ranges: Mapping[str, Range] | None = None,
) -> dict[str, bytes]:
    """The graph and what it needs beside it. Ranges are measured on the library's own prose and on random tokens,
    unless the weights were settled for some already."""
    from tokenizers import Tokenizer

    from recto.training.graph import emit
    from recto.training.quantise import calibrate, calibration_texts, fold_contexts, spread_out

    counting = Tokenizer.from_str(tokenizer.decode())
    if ranges is None:
        seen = calibrate(model, calibration_texts(counting, "\n".join(prose)[:40_000], window))
        model, ranges = spread_out(model, seen)
    return {
        "model.onnx": emit(*fold_contexts(model, ranges), title="recto"),
        "tokenizer.json": tokenizer,
        "vocab.txt": vocabulary,
        "LICENSE": licence,
    }


def described_encoder(files: Mapping[str, bytes], made: Made, window: int, dimensions: int) -> dict[str, bytes]:
    """The files with their card and `model.json`, which knows the sha256 of all of them."""
    about = {
        "format": 1,
        "name": made.name,
        "model": f"recto/{made.name}",
        "revision": f"int8-{_sha256(files['model.onnx'])[:12]}",
        "dimensions": dimensions,
        "window": window,
        "pooling": "graph",
        "tokenizer": "wordpiece",
        "padding": False,
        "optimised": True,
    }
    return _with_card(files, made, about)


def described_table(
    table: NDArray[np.float32],
    power: float,
    lead: float,
    vocabulary: bytes,
    licence: bytes,
    made: Made,
    window: int,
) -> dict[str, bytes]:
    files = {"table.npz": table_bytes(table), "vocab.txt": vocabulary, "LICENSE": licence}
    about = {
        "format": 1,
        "name": made.name,
        "model": f"recto/{made.name}",
        "revision": f"table-{_sha256(files['table.npz'])[:12]}",
        "dimensions": int(table.shape[1]),
        "window": window,
        "tokenizer": "wordpiece",
        "space": made.base_revision,
        "power": power,
        "lead": lead,
    }
    return _with_card(files, made, about)


def table_bytes(table: NDArray[np.float32]) -> bytes:
    """int8 with a scale a row, as an archive whose bytes depend on nothing else."""
    import io
    import zipfile

    import numpy as np

    scales = (np.abs(table).max(1) / 127).astype(np.float32)
    rows = np.rint(table / np.where(scales == 0, 1, scales)[:, None]).astype(np.int8)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as archive:
        for name, array in (("rows", rows), ("scales", scales)):
            raw = io.BytesIO()
            np.lib.format.write_array(raw, np.ascontiguousarray(array), allow_pickle=False)
            # Not `np.savez`: it writes the time of day into the archive.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), raw.getvalue())
    return held.getvalue()


def _with_card(files: Mapping[str, bytes], made: Made, about: Mapping[str, Any]) -> dict[str, bytes]:
    everything = {**files, "CARD.md": card(made, about).encode()}
    listed = {name: {"bytes": len(data), "sha256": _sha256(data)} for name, data in sorted(everything.items())}
    told = {
        **about,
        "base": made.base,
        "base_revision": made.base_revision,
        "made_at": made.made_at,
        "figures": made.figures,
        "files": listed,
    }
    return {**everything, "model.json": (json.dumps(told, indent=2) + "\n").encode()}


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
