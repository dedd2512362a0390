"""Lines of JSON: what `octavo export` wrote, each line a document inside of the file, or an agent's session."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

from octavo.converting.archives import unused
from octavo.converting.converter_process import ConversionSettings
from octavo.model.converted_file import Converted, Member, RefusedFile
from octavo.model.formats import format_of
from octavo_records.conversations import read_conversations

CONVERTER = "exported-1"
_FIRST = '"octavo": "document"'


def read_lines(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    text = data.decode("utf-8", "replace")
    if _FIRST not in text[:100]:
        return read_conversations(name, data, settings)
    taken: set[str] = set()
    members, broken = [], 0
    for line in filter(str.strip, text.split("\n")):
        try:
            document = json.loads(line)
            place, content = _place(f"{document['collection']}/{document['uri']}"), str(document["text"])
        except (ValueError, LookupError, TypeError):
            broken += 1
            continue
        members.append(Member(unused(place, taken), content.encode("utf-8", "replace")))
    warnings = (f"{broken:,} lines are no documents",) if broken else ()
    return Converted("", CONVERTER, warnings=warnings, members=tuple(members))


def _place(uri: str) -> str:
    """What was converted is the text of it now, so that it reads as that."""
    path = "/".join(part for part in PurePosixPath(uri).parts if part not in ("/", ".", ".."))
    known = format_of(path)
    return path if known is None or known.sniffs else f"{path}.md"
