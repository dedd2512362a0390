"""Loads the compiled library where the wheel has one; without it, or if it is damaged, Python does the same, slower."""

from __future__ import annotations

import logging
import os
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL
    from types import ModuleType

VARIABLE = "OCTAVO_COMPILED"
"""Set to 0, the compiled library is left alone; set to a path, that file is loaded."""

BETWEEN_WORDS, IN_UNITS = 0, 1
"""How a text is cut: into what stands between separators, or into units of byte-level BPE."""

_ABI = 1
_NAMES = ("word_tables.so", "word_tables.dylib", "word_tables.dll")
_log = logging.getLogger(__name__)
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
    import ctypes

    try:
        library = ctypes.CDLL(str(path))
        if library.octavo_abi() != _ABI:
            raise OSError(f"it is of another version of Octavo ({library.octavo_abi()}, not {_ABI})")
        _declare(library, ctypes)
    except (OSError, AttributeError) as error:
        _log.warning("The compiled library is not used, indexing is slower: %s: %s", path, error)
        return None
    return library


def _declare(library: CDLL, ctypes: ModuleType) -> None:
    """Results and arguments: addresses are numbers, `bytes` are given as they are."""
    text, address, unsigned = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint64
    small, number = ctypes.c_int32, ctypes.c_int64
    library.__dict__["string_at"] = (
        ctypes.string_at
    )  # so that who uses a library need not import ctypes before there is one
    for name, result, *arguments in (
        ("table_new", address, unsigned, text, address, small, small),
        ("table_free", None, address),
        ("table_clear", None, address),
        ("table_words", number, address),
        ("table_bytes", number, address),
        ("table_output", address, address),
        ("table_output_bytes", number, address),
        ("table_measure", number, address, text, number, small, address, address, number, address),
        ("table_rewrite", number, address, text, address, number, small, small, address),
        ("table_missing", small, address, address),
        ("table_fill", small, address, text, address),
        ("table_function_word", small, address, text, number, small),
        ("table_evidence", number, address, text, address, number, address),
        ("table_numbers", small, address, text, address, number, address),
        ("table_keys", small, address, address),
        ("ranks_new", address, unsigned, text, address, number),
        ("table_merge_by", None, address, address, small),
        ("table_merge", small, address, text, address, number, address),
        ("rows_sum", small, address, text, address, number, address, address, address),
        ("hints_find", small, text, number, number, text, address, small, text, address),
    ):
        function = getattr(library, f"octavo_{name}")
        function.restype, function.argtypes = result, arguments
