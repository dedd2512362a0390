"""A unified diff of two texts, found fast where they differ in one place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_CONTEXT = 3
_COMPARED = 2_000  # lines: of more than this, the old ones are shown as taken out and the new ones as put in
_LONGEST = 20_000  # characters
_BLOCK = 1 << 16
_UNFINISHED = "\n\\ No newline at end of file\n"

_Opcodes = Sequence[tuple[str, int, int, int, int]]


def unified(before: str, after: str, name: str) -> str:
    """The diff as `diff -u` writes it, cut after some thousand characters; empty when nothing differs."""
    if before == after:
        return ""
    start = _line_start(before, _common(before, after))
    rest, new_rest = before[start:], after[start:]
    same = _common_end(rest, new_rest)
    end, new_end = _line_end(rest, len(rest) - same), _line_end(new_rest, len(new_rest) - same)
    first = before.count("\n", 0, start)
    old, new = _lines(rest[:end]), _lines(new_rest[:new_end])
    text = f"--- {name}\n+++ {name}\n" + "".join(_hunks(old, new, first))
    return text if len(text) <= _LONGEST else text[: text.rfind("\n", 0, _LONGEST) + 1] + "…\n"


def _hunks(old: Sequence[str], new: Sequence[str], first: int) -> Iterator[str]:
    for group in _groups(old, new):
        (_, a, _, b, _), (_, _, c, _, d) = group[0], group[-1]
        yield f"@@ -{_range(first + a, c - a)} +{_range(first + b, d - b)} @@\n"
        for tag, i, j, k, m in group:
            if tag == "equal":
                yield from (_marked(" ", line) for line in old[i:j])
            else:
                yield from (_marked("-", line) for line in old[i:j])
                yield from (_marked("+", line) for line in new[k:m])


def _groups(old: Sequence[str], new: Sequence[str]) -> Iterator[_Opcodes]:
    if len(old) + len(new) > _COMPARED:
        yield [("replace", 0, len(old), 0, len(new))]
    else:
        yield from SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT)


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}" if count != 1 else f"{start + 1}"


def _marked(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else mark + line + _UNFINISHED


def _common(before: str, after: str) -> int:
    """How many characters two texts begin with in common."""
    done, size = 0, min(len(before), len(after))
    while done < size and before[done : done + _BLOCK] == after[done : done + _BLOCK]:
        done += _BLOCK
    low, high = min(done, size), min(done + _BLOCK, size)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[low:middle] == after[low:middle] else (low, middle - 1)
    return low


def _common_end(before: str, after: str) -> int:
    """How many characters two texts end with in common."""
    done, size = 0, min(len(before), len(after))
    while done + _BLOCK <= size:
        old, new = len(before) - done, len(after) - done
        if before[old - _BLOCK : old] != after[new - _BLOCK : new]:
            break
        done += _BLOCK
    left = min(_BLOCK, size - done)
    old, new = len(before) - done, len(after) - done
    return done + _common(before[old - left : old][::-1], after[new - left : new][::-1])


def _line_start(text: str, at: int) -> int:
    """The start of a line a few lines before a place: the context of a diff."""
    for _ in range(_CONTEXT + 1):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _line_end(text: str, at: int) -> int:
    for _ in range(_CONTEXT + 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
