"""Configuration file parser: keys of JSON, YAML, TOML and INI become sections, so that a file is found by its parts.

These are scanners, not parsers: a key is found where a person sees one, even in a malformed file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from octavo.lazy_regex import regex
from octavo.model.document import BlockKind, Document, Kind, Source
from octavo.model.ids import text_hash
from octavo.parsing.code.code_outline import CodeOutline, Cut, Symbol, nested
from octavo.parsing.code.language_detection import config_language, module_name
from octavo.parsing.code.outline_without_grammar import comment_end, textual_outline, with_comment
from octavo.parsing.code.parser import LONGEST, blocks_of, keywords_of, sections_of, shortened, summary

DEEPEST = 4
"""Maximum nesting of keys."""


class ConfigKey(NamedTuple):
    """A key with its value, from the start of its line if it stands first on it.

    `depth` counts the enclosing keys; `large` is whether its value contains keys or items of its own.
    """

    name: str
    depth: int
    start: int
    end: int
    large: bool


class ConfigKeys(NamedTuple):
    """`places` are the line starts of list items and of keys without further information."""

    keys: list[ConfigKey]
    places: list[int]


_JSON_MARK = regex(r'["{}\[\],/]')
_JSON_STRING = regex(r'"(?:[^"\\\n]|\\.)*+"')
_COLON = regex(r"\s*+:")
_LINE_END = regex(r"[ \t]*+\n")
_LONGEST_INDENT = 200

_YAML_KEY = regex(
    r"^(?P<indent>[ ]*+)(?P<items>(?:-[ ]++)*+)"
    r"(?:\"(?P<double>[^\"\n]{1,100})\"|'(?P<single>[^'\n]{1,100})'|(?P<plain>[^\s#:&*!|>%@\"'\[{-][^:#\n]{0,100}?))"
    r"[ ]*+:(?=[ \t\n])(?P<value>[^\n]*+)",
    re.MULTILINE,
)
_BLOCK_SCALAR = regex(r"[ \t]*+(?:&\w+[ \t]+)?[|>][+\-\d]*[ \t]*+(?:#.*)?$")
_YAML_ITEM = regex(r"^([ ]*+)(?:-[ ]|---[ \t]*+$)", re.MULTILINE)

_TABLE = regex(r"^[ \t]*+\[{1,2}[ \t]*+(?P<name>[^\]\n]{1,200})\]{1,2}[ \t]*+(?:[#;][^\n]*)?$", re.MULTILINE)
_TRIPLE = regex(r'"""(?s:.*?)"""' + r"|'''(?s:.*?)'''")
_UNINDENTED = regex(r"^(?=[^\s#;\[\])}])", re.MULTILINE)


def json_keys(text: str) -> ConfigKeys:
    """A scan over brackets and strings, up to the first string that does not end."""
    keys: list[ConfigKey | None] = []
    places: list[int] = []
    brackets: list[str] = []
    going: list[
        tuple[int, str, int, int, bool]
    ] = []  # number, name, depth, start, large: keys whose value is still open
    begins = False  # whether a key or an item may begin at this position

    def close(depth: int, at: int) -> None:
        while going and going[-1][2] >= depth:
            number, name, level, start, large = going.pop()
            keys[number] = ConfigKey(name, level, start, at, large)

    pos = 0
    while mark := _JSON_MARK.search(text, pos):
        sign, at, pos = mark[0], mark.start(), mark.end()
        depth = len(brackets)
        if sign == '"':
            string = _JSON_STRING.match(text, at)
            if string is None:
                break
            pos = string.end()
            if begins and depth <= DEEPEST and brackets and brackets[-1] == "{" and _COLON.match(text, pos):
                going.append((len(keys), string[0][1:-1], depth - 1, _line_start(text, at), False))
                keys.append(None)
            begins = False
        elif sign == "/":
            pos = _past_comment(text, at)
        elif sign in "{[":
            if going and going[-1][2] == depth - 1:
                going[-1] = (*going[-1][:4], True)
            if begins and 0 < depth <= DEEPEST:
                places.append(at)
            brackets.append(sign)
            begins = True
        else:
            close(depth - 1, _value_end(text, at, comma=sign == ","))
            if sign != "," and brackets:
                brackets.pop()
            begins = sign == ","
    close(0, len(text))
    return ConfigKeys([key for key in keys if key is not None], [at for at in map(_own_line(text), places) if at >= 0])


def _past_comment(text: str, at: int) -> int:
    if text.startswith("//", at):
        return text.find("\n", at) + 1 or len(text)
    if text.startswith("/*", at):
        return text.find("*/", at) + 2 if text.find("*/", at) >= 0 else len(text)
    return at + 1


def _value_end(text: str, at: int, *, comma: bool) -> int:
    """After the comma and the line end if only white space is between; before the line of a closing bracket."""
    if not comma:
        return _line_start(text, at)
    line_end = _LINE_END.match(text, at + 1)
    return line_end.end() if line_end else at + 1


def _line_start(text: str, at: int) -> int:
    """The start of the line if only white space precedes, else the position itself."""
    start = _own_line(text)(at)
    return start if start >= 0 else at


def _own_line(text: str) -> Callable[[int], int]:
    def start(at: int) -> int:
        floor = max(0, at - _LONGEST_INDENT)
        line = text.rfind("\n", floor, at) + 1
        if line == 0 and floor:
            return -1
        return line if line == at or text[line:at].isspace() else -1

    return start


def yaml_keys(text: str) -> ConfigKeys:
    """By indentation: a key contains what is indented deeper, and a list at its own indentation."""
    open_keys: list[tuple[int, str, int, bool]] = []  # column, name, start, whether it opens an item of a list
    literal = -1  # lines indented deeper than this are the text of a block scalar
    floor = 0
    for match in _YAML_KEY.finditer(text):
        indent, items = len(match["indent"]), len(match["items"])
        if 0 <= literal < indent:
            continue
        literal = indent if _BLOCK_SCALAR.match(match["value"]) else -1
        name = match["double"] or match["single"] or match["plain"].strip()
        open_keys.append((indent + items, name, with_comment(text, match.start(), floor), items > 0))
        floor = match.end()
    ends = [len(text)] * len(open_keys)
    keys: list[ConfigKey | None] = [None] * len(open_keys)
    above: list[int] = []
    for number, (column, _, start, _) in enumerate(open_keys):
        while above and open_keys[above[-1]][0] >= column:
            ends[above.pop()] = start
        above.append(number)
    for number, (column, name, start, item) in enumerate(open_keys):
        while above and (open_keys[above[-1]][0] >= column or ends[above[-1]] <= start):
            above.pop()
        large = number + 1 < len(open_keys) and open_keys[number + 1][2] < ends[number]
        if not item:
            keys[number] = ConfigKey(name, len(above), start, ends[number], large)
        above.append(number)
    places = [match.start() for match in _YAML_ITEM.finditer(text) if len(match[1]) <= 2 * DEEPEST]
    return ConfigKeys([key for key in keys if key is not None], places)


def table_keys(text: str) -> ConfigKeys:
    """TOML and INI: a table or section extends to the next one."""
    outside = _outside(text)
    tables = [match for match in _TABLE.finditer(text) if outside(match.start())]
    starts: list[int] = []
    floor = 0
    for match in tables:
        starts.append(with_comment(text, match.start(), floor))
        floor = match.end()
    ends = [*starts[1:], len(text)]
    keys = [
        ConfigKey(match["name"].strip(), 0, start, end, True)
        for match, start, end in zip(tables, starts, ends, strict=False)
    ]
    return ConfigKeys(keys, [match.start() for match in _UNINDENTED.finditer(text) if outside(match.start())])


def _outside(text: str) -> Callable[[int], bool]:
    """Whether a position is outside all multi-line strings."""
    spans = [match.span() for match in (_TRIPLE.finditer(text) if '"""' in text or "'''" in text else iter(()))]
    starts = [start for start, _ in spans]

    def test(at: int) -> bool:
        before = bisect_right(starts, at) - 1
        return before < 0 or at >= spans[before][1]

    return test


READERS: Mapping[str, Callable[[str], ConfigKeys]] = {
    "json": json_keys,
    "yaml": yaml_keys,
    "toml": table_keys,
    "ini": table_keys,
}


LARGEST = 1_000_000  # characters; a larger file is data, and is cut at line ends
_LONG = 400  # characters; keys inside a longer value become sections too
_MANY = 5000  # sections
_HEAD = 4000  # characters searched for the file's description
_DESCRIPTION = regex(
    r"^[ \t]*+[\"']?description[\"']?[ \t]*+[:=][ \t]*+(?P<value>[^\n]+)", re.MULTILINE | re.IGNORECASE
)


class ConfigParser:
    """Fits `ports.Parser`. Total: a malformed file is cut at line ends."""

    version = "config-1"

    def parse(self, source: Source) -> Document:
        text = source.text
        language = config_language(source.uri)
        outline = outlined(text, language)
        return Document(
            id=source.id,
            uri=source.uri,
            kind=source.kind or Kind.CONFIG,
            title=source.title or source.uri.rsplit("/", 1)[-1],
            text=text,
            content_hash=text_hash(text),
            modified_at=source.modified_at,
            language=language,
            description=_description(text),
            keywords=keywords_of([symbol for symbol in outline.symbols if symbol.level == 1]),
            sections=sections_of(source.id, module_name(source.uri, None), text, outline.symbols),
            blocks=blocks_of(text, outline.cuts, language),
            tags=tuple(dict.fromkeys(source.tags)),
            metadata=dict(source.metadata),
        )


def outlined(text: str, language: str | None) -> CodeOutline:
    """Keys are symbols and cut points; without a reader for the format, or in a huge file, only lines."""
    reader = READERS.get(language or "")
    if reader is None or len(text) > LARGEST:
        return CodeOutline(cuts=textual_outline(text, None).cuts)
    keys, places = reader(text)
    symbols = nested(list(_symbols(keys)))
    comment = comment_end(text, 0, len(text))
    starts = {comment, *places, *(key.start for key in keys), *(symbol.start for symbol in symbols)}
    lines = sorted(at for at in starts if at >= comment and (at == 0 or text[at - 1] == "\n"))
    cuts = [Cut(0, BlockKind.COMMENT)] if comment else []
    cuts += [Cut(at, BlockKind.CODE) for at in lines if at < len(text)]
    return CodeOutline(symbols=symbols, cuts=cuts)


def _symbols(keys: Sequence[ConfigKey]) -> Iterator[Symbol]:
    """Keys that become sections: all at the top level, and large ones inside a long value."""
    above: list[ConfigKey] = []
    for key in keys[:_MANY]:
        while above and key.start >= above[-1].end:
            above.pop()
        if key.depth != len(above) or key.depth >= DEEPEST:
            continue
        if above and not (key.large and above[-1].end - above[-1].start > _LONG):
            continue
        above.append(key)
        yield Symbol(tuple(parent.name for parent in above), len(above), key.start, key.end)


def _description(text: str) -> str:
    """The file's own description: its `description` key, else its opening comment."""
    if match := _DESCRIPTION.search(text, 0, _HEAD):
        value = match["value"].strip().rstrip(",").strip("\"' ")
        if value and value[0] not in "|>{[&":
            return shortened(value, LONGEST)
    return summary(text[: comment_end(text, 0, min(len(text), _HEAD))])
