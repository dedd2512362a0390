"""Configuration file parser: keys become sections, so that a large file is found by its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from octavo.lazy_regex import regex
from octavo.model.document import BlockKind, Document, Kind, Source
from octavo.model.ids import text_hash
from octavo.parsing.code.code_outline_types import CodeOutline, Cut, Symbol, nested
from octavo.parsing.code.config_file_keys import DEEPEST, READERS, ConfigKey
from octavo.parsing.code.language_detection import config_language, module_name
from octavo.parsing.code.opening_comment_summary import LONGEST, shortened, summary
from octavo.parsing.code.outline_without_grammar import comment_end, textual_outline
from octavo.parsing.code.parser import blocks_of, keywords_of, sections_of

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
