"""Vectors from the folder of an HNSW index as hnswlib writes it: fixed places in a file, found by a pickled table.

A pickle can name any function to call. Here nothing is called: numbers, texts and tables are all that is let through.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.dataclass import dataclass
from octavo.errors import LibraryError

_HEADER = struct.Struct("<i6Q")
_VERSION = 1
_HINT = "leave the index folder out: records without a vector are embedded anew"


@dataclass(frozen=True, slots=True)
class HnswFolder:
    """Vectors as they were given, or of length one where the index compares by cosine."""

    rows: NDArray[np.float32]
    places: Mapping[str, int]

    def of(self, record: str) -> NDArray[np.float32] | None:
        place = self.places.get(record)
        return None if place is None else self.rows[place]


def open_folder(folder: Path, dimensions: int) -> HnswFolder | None:
    """None where nothing was written into the folder yet: then the log holds all there is."""
    table, header, data = (folder / name for name in ("index_metadata.pickle", "header.bin", "data_level0.bin"))
    if not (table.is_file() and header.is_file() and data.is_file()):
        return None
    raw = header.read_bytes()
    if len(raw) < _HEADER.size:
        raise LibraryError(f"{header} is too short", hint=_HINT)
    version, _, _, count, size, label_at, vector_at = _HEADER.unpack(raw[: _HEADER.size])
    if version != _VERSION:
        raise LibraryError(f"{header} is of version {version}; this Octavo reads {_VERSION}", hint=_HINT)
    if label_at - vector_at != 4 * dimensions or size < label_at + 8 or data.stat().st_size < count * size:
        raise LibraryError(f"{folder} holds no vectors of {dimensions} dimensions", hint=_HINT)
    if not count:
        return None
    elements = np.memmap(data, dtype=np.uint8, mode="r", shape=(count, size))
    labels = np.ascontiguousarray(elements[:, label_at : label_at + 8]).view("<u8").ravel()
    at = {int(label): place for place, label in enumerate(labels.tolist())}
    places = {str(id_): at[label] for id_, label in _labels(table).items() if label in at}
    return HnswFolder(elements[:, vector_at:label_at].view("<f4"), places)


def floats(raw: bytes, encoding: str | None) -> NDArray[np.float32] | None:
    """A vector as the log holds it."""
    kind = {"FLOAT32": "<f4", "INT32": "<i4"}.get(encoding or "FLOAT32")
    return None if kind is None else np.frombuffer(raw, dtype=kind).astype(np.float32)


class _Table:
    """Stands for the one class of Chroma's own that its tables were once pickled as."""


class _Careful(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name == "PersistentData" and module.startswith("chromadb."):
            return _Table
        raise pickle.UnpicklingError(f"{module}.{name} does not belong there")


def _labels(table: Path) -> Mapping[str, int]:
    try:
        stored = _Careful(io.BytesIO(table.read_bytes())).load()
        labels = stored["id_to_label"] if isinstance(stored, dict) else stored.__dict__["id_to_label"]
        return {str(name): int(label) for name, label in labels.items()}
    except Exception as error:
        raise LibraryError(f"{table} cannot be read: {error}", hint=_HINT) from error
