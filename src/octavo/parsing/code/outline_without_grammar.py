"""Outline of source code without a grammar: cuts by blank lines and indentation, declarations by common keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo.lazy_regex import regex
from octavo.model.document import BlockKind
from octavo.parsing.code.code_outline import CodeOutline, Cut, Symbol, imports_in, limited, nested, pattern_for

LONG = 400
"""Characters; a longer run of lines without a blank one is cut at its least indented lines."""

_BLANK_LINES = regex(r"\n(?:[ \t]*+\n){1,1000}")
_LINE = regex(r"^([ \t]*+)(\S)", re.MULTILINE)
_CLOSING = frozenset("})]>")
_CLOSERS = regex(r"[ \t]*+(?:[})\]>]|(?:end|fi|done|esac|else|elsif|elif|catch|rescue|ensure|finally|then)\b)")
_COMMENT = regex(r"[ \t]*+(?:#(?![a-z]+\b[ \t]*[\w<\"])|//|--|;|%|/\*|\*|\(\*|'|\"[ \t])")

_DECLARATION = regex(
    r"^(?P<indent>[ \t]*+)"
    r"(?:(?:public|private|protected|internal|static|final|abstract|export|default|async|pub|local|override|virtual"
    r"|inline|extern|unsafe|open|sealed|shared|global|partial|pure|impure|recursive)[ \t]+)*+"
    r"(?P<keyword>class|struct|interface|trait|enum|module|namespace|package|protocol|impl|object|record|union|mixin"
    r"|extension|library|contract|message|service|rpc|resource|data|variable|output|provider|query|mutation|fragment"
    r"|def|defp|defmodule|defmacro|defprotocol|defimpl|defn|defun|defmethod|fn|fun|func|function|sub|proc|procedure"
    r"|subroutine|program|method|macro|macro_rules!|type|typedef|target|task|feature|scenario|@interface"
    r"|@implementation|@protocol)[ \t]+"
    r"(?P<name>\"[^\"\n]{1,80}\"(?:[ \t]+\"[^\"\n]{1,80}\")?|[\w$.:#-]{1,100})",
    re.MULTILINE | re.IGNORECASE,
)
_TARGET = regex(r"^(?P<indent>)(?P<name>[\w/-][\w./-]{0,99})[ \t]*:(?!=)", re.MULTILINE)
_STAGE = regex(r"^(?P<indent>)FROM[ \t]+\S+[ \t]+AS[ \t]+(?P<name>[\w.-]{1,100})", re.MULTILINE | re.IGNORECASE)
_LISP = regex(r"^(?P<indent>)\((?:def\w*|define\S*|ns)[ \t]+\(?(?P<name>[^\s()]{1,100})", re.MULTILINE)
_FORMS = {"make": _TARGET, "dockerfile": _STAGE, "lisp": _LISP, "clojure": _LISP}
_WORDS = frozenset({"is", "of", "for", "to", "in", "a", "an", "the", "and", "or", "with", "that", "which", "as"})
_IMPORTING = 100_000  # characters searched for imports
_MANY = 5000  # declarations in one text; with more it is data


def textual_outline(text: str, language: str | None) -> CodeOutline:
    """Total: any text has an outline, found in linear time."""
    outline = CodeOutline(cuts=_cuts(text))
    outline.symbols = nested(_symbols(text, language))
    pattern = pattern_for(language) if language else None
    if pattern:
        outline.imports = limited(imports_in(pattern, text, 0, min(len(text), _IMPORTING)))
    starts = {cut.start for cut in outline.cuts}
    added = [Cut(symbol.start, BlockKind.CODE) for symbol in outline.symbols if symbol.start not in starts]
    if added:
        outline.cuts = sorted([*outline.cuts, *added])
    return outline


def _cuts(text: str) -> list[Cut]:
    cuts: list[Cut] = []
    pos = 0
    for gap in _BLANK_LINES.finditer(text):
        _add_cuts(cuts, text, pos, gap.start() + 1)
        pos = gap.end()
    _add_cuts(cuts, text, pos, len(text))
    return cuts


def _add_cuts(cuts: list[Cut], text: str, start: int, end: int) -> None:
    """Cuts of a range without blank lines: one, or several if it is long."""
    if start >= end or text[start:end].isspace():
        return
    comment = comment_end(text, start, end)
    if comment > start:
        cuts.append(Cut(start, BlockKind.COMMENT))
        if comment >= end:
            return
    start = comment
    cuts.append(Cut(start, BlockKind.CODE))
    if end - start <= LONG:
        return
    lines = [(len(line[1].expandtabs()), line.start()) for line in _LINE.finditer(text, start, end)]
    least = min((indent for indent, _ in lines), default=0)
    for indent, at in lines:
        if indent == least and at > start and not _CLOSERS.match(text, at):
            cuts.append(Cut(at, BlockKind.CODE))


def comment_end(text: str, start: int, end: int) -> int:
    """Where the comment lines at the start of a range end."""
    while start < end and _COMMENT.match(text, start, end):
        start = text.find("\n", start, end) + 1 or end
    return start


def _symbols(text: str, language: str | None) -> list[Symbol]:
    pattern = _FORMS.get(language or "", _DECLARATION)
    declared = [match for match, _ in zip(_declarations(pattern, text), range(_MANY), strict=False)]
    if not declared:
        return []
    symbols: list[Symbol] = []
    open_names: list[tuple[int, str, int]] = []
    ends = _ends(text, declared)
    floor = 0
    for match, end in zip(declared, ends, strict=True):
        indent = len(match["indent"].expandtabs())
        while open_names and open_names[-1][2] <= match.start():
            open_names.pop()
        name = " ".join(match["name"].replace('"', " ").split()).rstrip(":.-")
        open_names.append((indent, name, end))
        names = tuple(ancestor for _, ancestor, _ in open_names)
        symbols.append(Symbol(names, len(names), with_comment(text, match.start(), floor), end))
        floor = match.end()
    return symbols


def with_comment(text: str, start: int, floor: int) -> int:
    """The start of the comment lines directly above."""
    while start > floor:
        above = text.rfind("\n", 0, start - 1) + 1
        if above < floor or above == start or not _COMMENT.match(text, above, start):
            break
        start = above
    return start


def _declarations(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for match in pattern.finditer(text):
        # "class of things" in a sentence is not a declaration.
        if match["name"] not in _WORDS:
            yield match


def _ends(text: str, declared: list[re.Match[str]]) -> list[int]:
    """Where each declaration ends: before the next line that is not indented deeper and does not close it."""
    ends = [len(text)] * len(declared)
    running: list[tuple[int, int]] = []
    following = iter(enumerate(declared))
    number, match = next(following)
    waiting = True
    for line in _LINE.finditer(text):
        at, indent = line.start(), len(line[1].expandtabs())
        closing = line[2] in _CLOSING or _CLOSERS.match(text, at) is not None
        while running and indent <= running[-1][0] and not closing:
            ends[running.pop()[1]] = at
        if waiting and at == match.start():
            running.append((indent, number))
            try:
                number, match = next(following)
            except StopIteration:
                waiting = False
    return ends
