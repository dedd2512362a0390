"""The lists of a Word 97 document: which paragraphs are numbered, and how each list counts.

The layout is Microsoft's [MS-DOC]: a table of lists, behind which all their levels lie, and a table of their uses.
"""

from __future__ import annotations

import struct

from octavo.converting.heading_styles_and_list_numbers import BULLET, ListLevel, ListNumbers

_LIST, _USE, _LEVEL = struct.Struct("<I22xBx"), struct.Struct("<I12x"), struct.Struct("<IB19xBB2x")
_KINDS = {0: "decimal", 1: "upperRoman", 2: "lowerRoman", 3: "upperLetter", 4: "lowerLetter", 22: "decimal"}
_SIMPLE = 1
_MOST = 5_000


class WordLists:
    """`lists` reaches beyond its own size in the header, to the end of the levels; `uses` are counted from one."""

    def __init__(self, lists: bytes, uses: bytes) -> None:
        self._numbers = ListNumbers(_read_lists(lists))
        count = min(_first(uses, 4), (len(uses) - 4) // _USE.size, _MOST)
        self._lists = [str(_USE.unpack_from(uses, 4 + _USE.size * number)[0]) for number in range(max(0, count))]

    def next(self, use: int, depth: int) -> str:
        """What stands before the next paragraph of a list; empty for a bullet, and outside of lists."""
        return self._numbers.next(self._lists[use - 1], depth) if 0 < use <= len(self._lists) else ""


def _read_lists(data: bytes) -> dict[str, dict[int, ListLevel]]:
    count = max(0, min(_first(data, 2), (len(data) - 2) // _LIST.size, _MOST))
    at, by_list = 2 + _LIST.size * count, dict[str, dict[int, ListLevel]]()
    for number in range(count):
        name, flags = _LIST.unpack_from(data, 2 + _LIST.size * number)
        levels: dict[int, ListLevel] = {}
        for depth in range(1 if flags & _SIMPLE else 9):
            if at + _LEVEL.size > len(data):
                return by_list
            start, kind, characters, paragraphs = _LEVEL.unpack_from(data, at)
            at += _LEVEL.size + characters + paragraphs
            size = _first(data[at:], 2)
            shown = data[at + 2 : at + 2 + 2 * size].decode("utf-16-le", "replace")
            at += 2 + 2 * size
            pattern = "".join(f"%{ord(sign) + 1}" if sign < "\x09" else sign for sign in shown)
            levels[depth] = ListLevel(_KINDS.get(kind, BULLET), pattern, min(start, 10_000))
        by_list[str(name)] = levels
    return by_list


def _first(data: bytes, size: int) -> int:
    return int.from_bytes(data[:size], "little")
