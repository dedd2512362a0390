"""Configuration and data files to documents: their keys are sections, so that a large one is found by its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recto.model.document import BlockKind, Document, Kind, Source
from recto.model.ids import text_hash
from recto.parsing.code.comments import LONGEST, shortened, summary
from recto.parsing.code.keys import DEEPEST, READERS, Key
from recto.parsing.code.languages import config_language, module_name
from recto.parsing.code.outline import Cut, Outline, Symbol, nested
from recto.parsing.code.parser import blocks_of, keywords_of, sections_of
from recto.parsing.code.structural import comment_end, structural

LARGEST = 1_000_000  # characters; what is larger is data, and is cut by its lines
_LONG = 400  # characters; the keys inside a longer value are sections too
_MANY = 5000  # sections
_HEAD = 4000  # characters in which a file describes itself
_DESCRIPTION = re.compile(
    r"^[ \t]*+[\"']?description[\"']?[ \t]*+[:=][ \t]*+(?P<said>[^\n]+)", re.MULTILINE | re.IGNORECASE
)


class ConfigParser:
    """Fits `ports.Parser`. Total: a file that breaks its own format is cut by its lines."""

    version = "config-1"

    def parse(self, source: Source) -> Document:
        text = source.text
        language = config_language(source.uri)
        found = outlined(text, language)
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
            keywords=keywords_of([symbol for symbol in found.symbols if symbol.level == 1]),
            sections=sections_of(source.id, module_name(source.uri, None), text, found.symbols),
            blocks=blocks_of(text, found.cuts, language),
            tags=tuple(dict.fromkeys(source.tags)),
            metadata=dict(source.metadata),
        )


def outlined(text: str, language: str | None) -> Outline:
    """Keys are symbols and places to cut; without a reader for the format, or in a huge file, only lines are."""
    reader = READERS.get(language or "")
    if reader is None or len(text) > LARGEST:
        return Outline(cuts=structural(text, None).cuts)
    keys, places = reader(text)
    symbols = nested(list(_symbols(keys)))
    said = comment_end(text, 0, len(text))
    starts = {said, *places, *(key.start for key in keys), *(symbol.start for symbol in symbols)}
    lines = sorted(at for at in starts if at >= said and (at == 0 or text[at - 1] == "\n"))
    cuts = [Cut(0, BlockKind.COMMENT)] if said else []
    cuts += [Cut(at, BlockKind.CODE) for at in lines if at < len(text)]
    return Outline(symbols=symbols, cuts=cuts)


def _symbols(keys: Sequence[Key]) -> Iterator[Symbol]:
    """Keys worth a section: all at the top, and those inside a long value that are large themselves."""
    above: list[Key] = []
    for key in keys[:_MANY]:
        while above and key.start >= above[-1].end:
            above.pop()
        if key.depth != len(above) or key.depth >= DEEPEST:
            continue
        if above and not (key.large and above[-1].end - above[-1].start > _LONG):
            continue
        above.append(key)
        yield Symbol(tuple(each.name for each in above), len(above), key.start, key.end)


def _description(text: str) -> str:
    """What the file says of itself: its `description`, else its opening comment."""
    if found := _DESCRIPTION.search(text, 0, _HEAD):
        said = found["said"].strip().rstrip(",").strip("\"' ")
        if said and said[0] not in "|>{[&":
            return shortened(said, LONGEST)
    return summary(text[: comment_end(text, 0, min(len(text), _HEAD))])
