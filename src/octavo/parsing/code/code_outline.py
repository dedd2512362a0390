"""The outline of a source file, for any language: symbols, cut points, and imports with their patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice
from typing import NamedTuple

from octavo.fast_dataclass import dataclass
from octavo.model.document import BlockKind


class Cut(NamedTuple):
    """A line start at which the text may be cut; `kind` applies up to the next cut."""

    start: int
    kind: BlockKind


class Symbol(NamedTuple):
    """A declaration: its comments and decorators, signature and body. `names` is its qualified name in the module."""

    names: tuple[str, ...]
    level: int
    start: int
    end: int


class Import(NamedTuple):
    """A reference to other code, as written; `names` are the imported names."""

    target: str
    names: str
    start: int
    end: int


@dataclass(slots=True)
class CodeOutline:
    """All lists in document order. Symbols nest or follow one another; they never overlap partially."""

    symbols: list[Symbol] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def nested(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Symbols that satisfy an outline's invariant: sorted by start, each completely inside or after another.

    A grammar that recovers from errors may let a node extend into its neighbour: the earlier one is cut there.
    """
    nested_symbols: list[Symbol] = []
    above: list[int] = []
    for symbol in symbols:
        if nested_symbols and symbol.start < nested_symbols[-1].start:
            continue
        while above and nested_symbols[above[-1]].end <= symbol.start:
            above.pop()
        while above and nested_symbols[above[-1]].level >= symbol.level:
            nested_symbols[above[-1]] = nested_symbols[above[-1]]._replace(end=symbol.start)
            above.pop()
        if above and nested_symbols[above[-1]].end < symbol.end:
            symbol = symbol._replace(end=nested_symbols[above[-1]].end)
        above.append(len(nested_symbols))
        nested_symbols.append(symbol)
    return [symbol for symbol in nested_symbols if symbol.start < symbol.end]


_FLAGS = re.MULTILINE

PATTERNS: Mapping[str, re.Pattern[str]] = {
    "python": re.compile(
        r"^[ \t]*from[ \t]+(?P<target>[.\w]+)[ \t]+import[ \t]+(?:\((?P<listed>[^)]{0,2000}+)\)|(?P<names>[^\n#;]+))"
        r"|^[ \t]*import[ \t]+(?P<several>[\w., \t]+)",
        _FLAGS,
    ),
    "javascript": re.compile(
        r"\bfrom\s*[\"'](?P<target>[^\"'\n]+)[\"']"
        r"|\bimport\s*+\(?\s*+[\"'](?P<bare>[^\"'\n]+)[\"']"
        r"|\brequire\s*\(\s*[\"'](?P<required>[^\"'\n]+)[\"']"
    ),
    "go": re.compile(r"\"(?P<target>[^\"\n]+)\""),
    "rust": re.compile(
        r"^[ \t]*(?:pub(?:\([^)]*\))?[ \t]+)?"
        r"(?:use[ \t]+(?P<target>[\w:]+?)(?:::(?P<names>\{[^;]{0,2000}+|\*))?(?:[ \t]+as[ \t]+\w+)?[ \t]*;"
        r"|mod[ \t]+(?P<module>\w+)[ \t]*;|extern[ \t]+crate[ \t]+(?P<crate>\w+))",
        _FLAGS,
    ),
    "java": re.compile(r"^[ \t]*import[ \t]+(?:static[ \t]+)?(?P<target>\w+(?:\.\w+)*(?:\.\*)?)", _FLAGS),
    "c": re.compile(r"^[ \t]*#[ \t]*(?:include|import)[ \t]*[<\"](?P<target>[^>\"\n]+)[>\"]", _FLAGS),
    "csharp": re.compile(
        r"^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?(?P<target>[\w.]+)[ \t]*;", _FLAGS
    ),
    "ruby": re.compile(
        r"^[ \t]*(?:require|require_relative|load)[ \t]*+\(?[ \t]*+[\"'](?P<target>[^\"'\n]+)[\"']", _FLAGS
    ),
    "php": re.compile(
        r"^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?(?P<target>[\w\\]+?)(?:\\(?P<names>\{[^}]{0,2000}+\}))?"
        r"(?:[ \t]+as[ \t]+\w+)?[ \t]*[;,]"
        r"|\b(?:require|include)(?:_once)?[ \t(]+(?:__DIR__[ \t.]+)?[\"']/?(?P<required>[^\"'\n]+)[\"']",
        _FLAGS,
    ),
    "kotlin": re.compile(r"^[ \t]*import[ \t]+(?P<target>[\w`]+(?:\.[\w`]+)*(?:\.\*)?)", _FLAGS),
    "swift": re.compile(
        r"^[ \t]*(?:@\w+[ \t]+)?import[ \t]+(?:(?:struct|class|enum|protocol|func)[ \t]+)?(?P<target>[\w.]+)", _FLAGS
    ),
    "scala": re.compile(
        r"^[ \t]*import[ \t]+(?P<target>\w+(?:\.(?!_\b)\w+)*)(?:\.(?P<names>\{[^}]{0,2000}+\}|[_*]))?", _FLAGS
    ),
    "shell": re.compile(r"^[ \t]*(?:source|\.)[ \t]+[\"']?(?P<target>[^\s\"';&|]+)", _FLAGS),
    "css": re.compile(r"@(?:import|use|forward)\s+(?:url\(\s*)?[\"']?(?P<target>[^\"'()\s;]+)"),
    "html": re.compile(
        r"<(?:script|link)\b[^<>]*?\s(?:src|href)\s*=\s*[\"'](?P<target>[^\"'\n>]+)[\"']", re.IGNORECASE
    ),
    "lua": re.compile(r"\brequire\s*+\(?\s*+[\"'](?P<target>[^\"'\n]+)[\"']"),
    "proto": re.compile(r"^import[ \t]+(?:public[ \t]+|weak[ \t]+)?\"(?P<target>[^\"\n]+)\"", _FLAGS),
    "dart": re.compile(r"^(?:import|export|part)[ \t]+[\"'](?P<target>[^\"'\n]+)[\"']", _FLAGS),
    "haskell": re.compile(r"^import[ \t]+(?:qualified[ \t]+)?(?P<target>[\w.]+)", _FLAGS),
    "elixir": re.compile(r"^[ \t]*(?:alias|import|use|require)[ \t]+(?P<target>[A-Z][\w.]*)", _FLAGS),
    "perl": re.compile(r"^[ \t]*(?:use|require)[ \t]+(?P<target>[A-Z][\w:]*)", _FLAGS),
    "julia": re.compile(r"^[ \t]*(?:using|import)[ \t]+(?P<target>[\w.]+)", _FLAGS),
    "r": re.compile(r"^[ \t]*(?:library|require|source)\([\"']?(?P<target>[^\"')\n]+)", _FLAGS),
}

ANYWHERE = frozenset({"html"})
"""Languages with imports anywhere in the text: all of it is searched."""

_SAME = {"typescript": "javascript", "tsx": "javascript", "cpp": "c", "objc": "c", "less": "css", "groovy": "java"}
_MANY = 2000  # links from one file; more is data


def pattern_for(language: str) -> re.Pattern[str] | None:
    return PATTERNS.get(_SAME.get(language, language))


def imports_in(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Import]:
    for match in pattern.finditer(text, start, end):
        groups = {name: value for name, value in match.groupdict().items() if value}
        names = " ".join((groups.pop("names", "") or groups.pop("listed", "")).strip("{}() \t").split())
        kind, target = next(iter(groups.items()), ("", ""))
        if kind == "several":
            at = match.start("several")
            for part in target.split(","):
                words = part.split()
                if words:
                    begin = text.index(words[0], at)
                    yield Import(words[0], "", begin, begin + len(words[0]))
                at += len(part) + 1
        elif target:
            yield Import(target, names.rstrip(","), match.start(kind), match.end(kind))


def limited(imports: Iterable[Import]) -> list[Import]:
    """The first ones, each once, in order."""
    by_start = {item.start: item for item in islice(imports, _MANY)}
    return [by_start[start] for start in sorted(by_start)]
