"""Opens a compiled library and declares its functions; imported only where there is one."""

from __future__ import annotations

import ctypes
import logging
from pathlib import Path

_ABI = 3
_log = logging.getLogger(__name__)


def opened(path: Path) -> ctypes.CDLL | None:
    """None, with a warning, where it cannot be loaded or is of another version."""
    try:
        library = ctypes.CDLL(str(path))
        if library.octavo_abi() != _ABI:
            raise OSError(f"it is of another version of Octavo ({library.octavo_abi()}, not {_ABI})")
        _declare(library)
    except (OSError, AttributeError) as error:
        _log.warning("The compiled library is not used, indexing is slower: %s: %s", path, error)
        return None
    return library


def _declare(library: ctypes.CDLL) -> None:
    """Results and arguments: addresses are numbers, `bytes` are given as they are."""
    text, address, unsigned = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint64
    small, number = ctypes.c_int32, ctypes.c_int64
    # So that whoever uses a library need not import ctypes before there is one.
    library.__dict__["string_at"] = ctypes.string_at
    for name, result, *arguments in (
        ("table_new", address, unsigned, text, address, small, small),
        ("table_free", None, address),
        ("table_clear", None, address),
        ("table_words", number, address),
        ("table_bytes", number, address),
        ("table_output", address, address),
        ("table_output_bytes", number, address),
        ("table_measure", number, address, text, number, small, address, address, number, address),
        ("table_each", number, address, text, number, address, address, address),
        ("table_rewrite", number, address, text, address, number, small, small, address),
        ("table_missing", small, address, address),
        ("table_fill", small, address, text, address),
        ("table_function_word", small, address, text, number, small),
        ("table_evidence", number, address, text, address, number, address),
        ("table_numbers", number, address, text, number, small, number, address),
        ("table_keys", small, address, address),
        ("ranks_new", address, unsigned, text, address, number),
        ("table_merge_by", None, address, address, small),
        ("table_merge", small, address, text, address, number, address),
        ("rows_sum", small, address, text, address, number, address, address, address),
        ("hints_find", small, text, number, number, text, address, small, text, address),
        ("codes_nearest", number, address, number, number, number, address, address, number, number, address, address),
        ("halves_products", None, address, number, number, address, address),
    ):
        function = getattr(library, f"octavo_{name}")
        function.restype, function.argtypes = result, arguments
