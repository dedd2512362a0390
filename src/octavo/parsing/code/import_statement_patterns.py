"""Import statements of each language as patterns. `target` is the module or file, `names` what is imported from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from octavo.parsing.code.code_outline_types import Import

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
