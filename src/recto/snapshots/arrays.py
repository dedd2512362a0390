"""A file of named arrays, written once and read through memory mapping.

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
from typing import TYPE_CHECKING, Any

from recto.errors import DamagedSnapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC = b"RCTARR1\n"
_ALIGNED = 64


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """On disk when this returns: what a manifest vouches for must survive a power cut."""
    import numpy as np

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
    """The arrays as views of the file. It may be deleted while they are in use."""
    import numpy as np

    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        length = int.from_bytes(mapped[8:16], "little")
        if mapped[:8] != _MAGIC or length > len(mapped):
            raise ValueError("it does not start like one")
        header: dict[str, Any] = json.loads(mapped[16 : 16 + length])
        start = _start(length)
        found: dict[str, NDArray[Any]] = {}
        for name, (kind, shape, offset) in header.items():
            view = np.frombuffer(mapped, dtype=kind, count=prod(shape), offset=start + offset) if prod(shape) else None
            found[name] = np.zeros(shape, dtype=kind) if view is None else view.reshape(shape)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DamagedSnapshot(
            f"{path} cannot be read as a file of arrays: {error}", hint="run `recto snapshot build` to make it anew"
        ) from error
    return found


def _start(header: int) -> int:
    return -(-(16 + header) // _ALIGNED) * _ALIGNED
