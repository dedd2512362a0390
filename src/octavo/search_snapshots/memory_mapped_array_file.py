"""A file format for named arrays, written once and read through a memory map.

Format 1: eight bytes of magic, the length of the header, the header as JSON (name → type, shape, offset), then each
array at a multiple of 64 bytes. Little-endian throughout.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.errors import DamagedSnapshot

_MAGIC = b"OCTARR1\n"
_ALIGNED = 64


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Fsynced when this returns: what a manifest lists must survive a power failure."""
    header: dict[str, tuple[str, tuple[int, ...], int]] = {}
    offset = 0
    for name, array in arrays.items():
        header[name] = (array.dtype.newbyteorder("<").str, array.shape, offset)
        offset += -(-array.nbytes // _ALIGNED) * _ALIGNED
    text = json.dumps(header).encode()
    start = _start(len(text))
    with path.open("wb") as file:
        file.write(_MAGIC + len(text).to_bytes(8, "little") + text)
        for name, array in arrays.items():
            file.seek(start + header[name][2])
            file.flush()
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            np.ascontiguousarray(little).tofile(file)
        file.truncate(start + offset)
        file.flush()
        os.fsync(file.fileno())


def open_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays as views of a memory map. The file may be deleted while they are in use."""
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        length = int.from_bytes(mapped[8:16], "little")
        if mapped[:8] != _MAGIC or length > len(mapped):
            raise ValueError("wrong magic number")
        header: dict[str, Any] = json.loads(mapped[16 : 16 + length])
        start = _start(length)
        arrays: dict[str, NDArray[Any]] = {}
        for name, (kind, shape, offset) in header.items():
            view = np.frombuffer(mapped, dtype=kind, count=prod(shape), offset=start + offset) if prod(shape) else None
            arrays[name] = np.zeros(shape, dtype=kind) if view is None else view.reshape(shape)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DamagedSnapshot(
            f"{path} cannot be read as a file of arrays: {error}", hint="run `octavo snapshots build` to make it anew"
        ) from error
    return arrays


def _start(header: int) -> int:
    return -(-(16 + header) // _ALIGNED) * _ALIGNED
