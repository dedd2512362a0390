"""Loads the compiled library where the wheel has one; without it, or if it is damaged, Python does the same, slower."""

from __future__ import annotations

import os
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL

VARIABLE = "OCTAVO_COMPILED"
"""Set to 0, the compiled library is left alone; set to a path, that file is loaded."""

BETWEEN_WORDS, IN_UNITS = 0, 1
"""How a text is cut: into what stands between separators, or into units of byte-level BPE."""

_NAMES = ("word_tables.so", "word_tables.dylib", "word_tables.dll")
_loading = threading.Lock()


def compiled_library() -> CDLL | None:
    with _loading:
        return _loaded(os.environ.get(VARIABLE, ""))


def in_use() -> str:
    """For a person: which library is in use, or why none is."""
    if os.environ.get(VARIABLE) == "0":
        return f"not in use ({VARIABLE} is 0)"
    path = _path(os.environ.get(VARIABLE, ""))
    if path is None:
        return "not in this wheel"
    return "in use" if compiled_library() is not None else f"not in use ({path.name} cannot be loaded)"


def _path(given: str) -> Path | None:
    if given not in ("", "1"):
        return Path(given)
    return next((path for name in _NAMES if (path := Path(__file__).with_name(name)).is_file()), None)


@cache
def _loaded(given: str) -> CDLL | None:
    path = None if given == "0" else _path(given)
    if path is None:
        return None
    from octavo.algorithms.compiled.library_functions import opened

    return opened(path)
