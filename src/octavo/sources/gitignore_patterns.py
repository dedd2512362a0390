"""Gitignore patterns, with git's own semantics, as regular expressions over bytes.

Git matches bytes, not characters, and so do these: `?.md` does not match `é.md`, there or here. The translation
follows git's wildmatch, including what it does after stripping a pattern's literal prefix (`a**/b` matches `ab`).
Stars become atomic groups wherever committing to the first match is safe, so that a hostile pattern such as
`*a*a*a*a*b` costs no more than an ordinary one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex

_SPECIAL = regex(r"[*?\[\\]")
_PRINTABLE = range(0x20, 0x7F)
_CLASSES: dict[str, frozenset[int]] = {
    name: frozenset(byte for byte in range(128) if test(chr(byte)))
    for name, test in {
        "alnum": str.isalnum,
        "alpha": str.isalpha,
        "blank": " \t".__contains__,
        "cntrl": lambda c: ord(c) not in _PRINTABLE,
        "digit": str.isdigit,
        "graph": lambda c: ord(c) in _PRINTABLE and c != " ",
        "lower": str.islower,
        "print": lambda c: ord(c) in _PRINTABLE,
        "punct": lambda c: ord(c) in _PRINTABLE and not c.isalnum() and c != " ",
        "space": " \t\n\r".__contains__,
        "upper": str.isupper,
        "xdigit": "0123456789abcdefABCDEF".__contains__,
    }.items()
}


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line. `source` is None when git never matches it; `on_name` when it matches against the last name alone."""

    text: str
    source: str | None
    negated: bool
    folders_only: bool
    on_name: bool

    def contains_literally(self, name: str) -> bool:
        """Whether the pattern contains `name` literally as one of its path segments."""
        return name in self.text.lstrip("!").split("/")

    def may_match_below(self, folder: str) -> bool:
        """Whether something inside `folder` (no trailing slash) can match, going by the literal segments."""
        if self.negated:
            return False
        if self.on_name or self.source is None:
            return self.on_name
        for part, segment in zip(self.text.strip("/").split("/"), folder.split("/"), strict=False):
            if _SPECIAL.search(part):
                return True
            if part != segment:
                return False
        return True


class IgnorePatterns:
    """The lines of one ignore file in order; the last match decides."""

    __slots__ = ("_lines", "_tables")

    def __init__(self, lines: Iterable[IgnorePattern]) -> None:
        self._lines = tuple(line for line in lines if line.source is not None)
        self._tables: dict[bool, tuple[_Table | None, _Table | None]] = {}

    def __bool__(self) -> bool:
        return bool(self._lines)

    def __iter__(self) -> Iterator[IgnorePattern]:
        return iter(self._lines)

    def match(self, path: bytes, name: bytes, is_folder: bool) -> IgnorePattern | None:
        """The line that decides about `path`, relative to the folder of the file these lines came from."""
        tables = self._tables_for(is_folder)
        best = max(_look(tables[0], name), _look(tables[1], path))
        return self._lines[best] if best >= 0 else None

    def match_path(self, path: bytes) -> IgnorePattern | None:
        """The same for a file, of the lines that name a path and not only a name."""
        best = _look(self._tables_for(False)[1], path)
        return self._lines[best] if best >= 0 else None

    def _tables_for(self, is_folder: bool) -> tuple[_Table | None, _Table | None]:
        tables = self._tables.get(is_folder)
        if tables is None:
            usable = [(n, line) for n, line in enumerate(self._lines) if is_folder or not line.folders_only]
            tables = self._tables[is_folder] = (
                _table([(n, line) for n, line in usable if line.on_name]),
                _table([(n, line) for n, line in usable if not line.on_name]),
            )
        return tables


_Table = tuple[re.Pattern[bytes], tuple[int, ...]]


def _table(lines: list[tuple[int, IgnorePattern]]) -> _Table | None:
    """One expression for many lines, last line first; the empty group that matched identifies the line."""
    if not lines:
        return None
    lines = lines[::-1]
    source = "|".join(rf"{line.source}\Z()" for _, line in lines)
    return re.compile(source.encode("latin-1"), re.DOTALL), tuple(n for n, _ in lines)


def _look(table: _Table | None, subject: bytes) -> int:
    if table is None:
        return -1
    match = table[0].match(subject)
    return table[1][match.lastindex - 1] if match and match.lastindex else -1


@lru_cache(maxsize=256)
def parse(content: bytes) -> IgnorePatterns:
    """The content of a .gitignore."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    lines = (_line(raw.removesuffix(b"\r").decode("latin-1")) for raw in content.split(b"\n"))
    return IgnorePatterns(line for line in lines if line is not None)


def from_globs(globs: Iterable[str]) -> IgnorePatterns:
    """Globs from a configuration: each means what it would mean as a line of a .gitignore."""
    return parse("\n".join(globs).encode("utf-8", "surrogateescape"))


def _line(raw: str) -> IgnorePattern | None:
    if not raw or raw.startswith("#"):
        return None
    glob = _without_trailing_spaces(raw)
    text = glob.encode("latin-1").decode("utf-8", "surrogateescape")
    negated = glob.startswith("!")
    glob = glob[negated:]
    folders_only = glob.endswith("/")
    glob = glob[: len(glob) - folders_only]
    on_name = "/" not in glob
    source = _translate(glob if on_name else glob.removeprefix("/"), not on_name) if glob else None
    return IgnorePattern(text, source, negated, folders_only, on_name)


def _without_trailing_spaces(raw: str) -> str:
    """Trailing spaces do not count unless escaped with a backslash."""
    bare = raw.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if backslashes % 2 and len(bare) < len(raw) else bare


def _translate(glob: str, on_path: bool) -> str | None:
    """A regular expression for a complete name or path, or None for a glob that can match nothing."""
    special = _SPECIAL.search(glob)
    start = i = special.start() if special else len(glob)
    out = [re.escape(glob[:i])]
    star = deep = -1  # index in `out` of the last star of this segment, and of the last `**/`
    size = len(glob)
    while i < size:
        char = glob[i]
        if char == "*":
            end = i
            while end < size and glob[end] == "*":
                end += 1
            at_boundary = i == start or glob[i - 1] == "/"
            if on_path and end - i > 1 and at_boundary and (end == size or glob.startswith(("/", "\\/"), end)):
                if glob.startswith("/", end):
                    if deep >= 0:
                        out[deep] = "(?>(?:.*?/)??"
                        out.append(")")
                    deep = len(out)
                    out.append("(?:.*/)?")
                    end += 1
                else:
                    out.append(".*")
                    deep = -1
                star = -1
            else:
                if star >= 0:
                    out[star] = "(?>[^/]*?"
                    out.append(")")
                star = len(out)
                out.append("[^/]*")
            i = end
        elif char == "[":
            bracket = _bracket(glob, i + 1)
            if bracket is None:
                return None
            members, i = bracket
            out.append(members)
        elif char == "?":
            out.append("[^/]")
            i += 1
        else:
            if char == "\\":
                i += 1
                if i == size:
                    return None
            if glob[i] == "/":
                star = -1
            out.append(re.escape(glob[i]))
            i += 1
    return "".join(out)


def _bracket(glob: str, i: int) -> tuple[str, int] | None:
    """A bracket expression from just after its `[`: the character class it means, and where it ends."""
    size = len(glob)
    negated = glob.startswith(("!", "^"), i)
    i += negated
    first, previous = True, 0
    members: set[int] = set()
    while i < size and (first or glob[i] != "]"):
        first = False
        char = glob[i]
        if char == "\\":
            i += 1
            if i == size:
                return None
            previous = ord(glob[i])
            members.add(previous)
        elif char == "-" and previous and i + 1 < size and glob[i + 1] != "]":
            i += 1
            if glob[i] == "\\":
                i += 1
                if i == size:
                    return None
            members.update(range(previous, ord(glob[i]) + 1))
            previous = 0
        elif char == "[" and glob.startswith(":", i + 1) and (close := glob.find("]", i + 2)) != i + 2:
            if close < 0:
                return None
            if glob[close - 1] == ":":
                known = _CLASSES.get(glob[i + 2 : close - 1])
                if known is None:
                    return None
                members |= known
                previous, i = 0, close
            else:
                previous = ord(char)
                members.add(previous)
        else:
            previous = ord(char)
            members.add(previous)
        i += 1
    if i >= size:
        return None
    if negated:
        members = set(range(1, 256)) - members
    members.discard(ord("/"))
    return (f"[{''.join(_ranges(members))}]" if members else "(?!)"), i + 1


def _ranges(members: set[int]) -> Iterator[str]:
    """As few ranges as there are gaps: an expression of many negated brackets would take long to compile."""
    for byte in sorted(members):
        if byte - 1 in members:
            continue
        end = byte
        while end + 1 in members:
            end += 1
        yield rf"\x{byte:02x}-\x{end:02x}"
