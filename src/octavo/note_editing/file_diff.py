"""Where two files differ, and a unified diff of them: found fast where they differ in few places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from octavo.note_editing.spliced_text import ChangedRange

_CONTEXT = 3
_COMPARED = 2_000  # lines: of more than this, the old ones are shown as taken out and the new ones as put in
_LONGEST = 20_000  # characters
_BLOCK = 1 << 16
_UNFINISHED = "\n\\ No newline at end of file\n"

_Opcodes = Sequence[tuple[str, int, int, int, int]]


def difference(before: bytes, after: bytes) -> ChangedRange:
    """What is between the bytes that two files begin with in common and those that they end with in common."""
    start = _common(before, after)
    end = _common_end(before, after, start)
    return ChangedRange(start, len(before) - end, start, len(after) - end)


def unified(before: bytes, after: bytes, name: str, differences: Sequence[ChangedRange] | None = None) -> str:
    """The diff as `diff -u` writes it, cut after some thousand characters; empty when nothing differs."""
    if before == after:
        return ""
    text = f"--- {name}\n+++ {name}\n"
    for part in _with_context(before, after, differences or [difference(before, after)]):
        for line in _hunks(before, after, part):
            if len(text) + len(line) > _LONGEST:
                return text + "…\n"
            text += line
    return text


def _with_context(before: bytes, after: bytes, differences: Sequence[ChangedRange]) -> list[ChangedRange]:
    """The differences widened by the lines around them; those that come to touch are one."""
    ranges: list[ChangedRange] = []
    for start, end, new_start, new_end in differences:
        wide = ChangedRange(
            _line_start(before, start), _line_end(before, end), _line_start(after, new_start), _line_end(after, new_end)
        )
        if ranges and (wide.start <= ranges[-1].end or wide.new_start <= ranges[-1].new_end):
            last = ranges.pop()
            wide = wide._replace(start=last.start, new_start=last.new_start)
        ranges.append(wide)
    return ranges


def _hunks(before: bytes, after: bytes, part: ChangedRange) -> Iterator[str]:
    start, end, new_start, new_end = part
    first, new_first = before.count(b"\n", 0, start), after.count(b"\n", 0, new_start)
    if before.count(b"\n", start, end) + after.count(b"\n", new_start, new_end) > _COMPARED:
        return _exchanged(before[start:end], after[new_start:new_end], first, new_first)
    return _compared(_lines(before[start:end]), _lines(after[new_start:new_end]), first, new_first)


def _compared(old: Sequence[str], new: Sequence[str], first: int, new_first: int) -> Iterator[str]:
    for group in _groups(old, new):
        (_, a, _, b, _), (_, _, c, _, d) = group[0], group[-1]
        yield f"@@ -{_range(first + a, c - a)} +{_range(new_first + b, d - b)} @@\n"
        for tag, i, j, k, m in group:
            if tag == "equal":
                yield from (_marked(" ", line) for line in old[i:j])
            else:
                yield from (_marked("-", line) for line in old[i:j])
                yield from (_marked("+", line) for line in new[k:m])


def _groups(old: Sequence[str], new: Sequence[str]) -> Iterator[_Opcodes]:
    yield from SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT)


def _exchanged(old: bytes, new: bytes, first: int, new_first: int) -> Iterator[str]:
    """All old lines taken out and all new ones put in, as far as a diff is shown."""
    count, new_count = (content.count(b"\n") + (not content.endswith(b"\n")) for content in (old, new))
    yield f"@@ -{_range(first, count)} +{_range(new_first, new_count)} @@\n"
    for mark, content in (("-", old), ("+", new)):
        for start in range(0, len(content), _BLOCK):
            begin, end = (content.rfind(b"\n", 0, place) + 1 for place in (start, start + _BLOCK))
            whole = end if start + _BLOCK < len(content) else len(content)
            yield from (_marked(mark, line) for line in _lines(content[begin:whole]))


def _range(start: int, count: int) -> str:
    return f"{start + 1 if count else start},{count}" if count != 1 else f"{start + 1}"


def _marked(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else mark + line + _UNFINISHED


def _common(before: bytes, after: bytes) -> int:
    """How many bytes both begin with."""
    done, size = 0, min(len(before), len(after))
    while done < size and before[done : done + _BLOCK] == after[done : done + _BLOCK]:
        done += _BLOCK
    low, high = min(done, size), min(done + _BLOCK, size)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[low:middle] == after[low:middle] else (low, middle - 1)
    return low


def _common_end(before: bytes, after: bytes, start: int) -> int:
    """How many bytes both end with, the first `start` left out."""
    done, size = 0, min(len(before), len(after)) - start
    while done + _BLOCK <= size:
        old, new = len(before) - done, len(after) - done
        if before[old - _BLOCK : old] != after[new - _BLOCK : new]:
            break
        done += _BLOCK
    left = min(_BLOCK, size - done)
    old, new = len(before) - done, len(after) - done
    return done + _common(before[old - left : old][::-1], after[new - left : new][::-1])


def _line_start(content: bytes, at: int) -> int:
    """The start of a line a few lines before a place: the context of a diff."""
    for _ in range(_CONTEXT + 1):
        at = content.rfind(b"\n", 0, at)
        if at < 0:
            return 0
    return at + 1


def _line_end(content: bytes, at: int) -> int:
    for _ in range(_CONTEXT + 1):
        at = content.find(b"\n", at) + 1
        if at == 0:
            return len(content)
    return at


def _lines(content: bytes) -> list[str]:
    lines = content.decode("utf-8", "replace").split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
