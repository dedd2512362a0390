"""Converts JSON Lines: documents that `octavo export` wrote, or else the conversation of an agent's session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from octavo.converting.archives import unused
from octavo.converting.conversion_settings import ConversionSettings
from octavo.model.converted_file import Converted, Member, RefusedFile
from octavo.model.document import Kind
from octavo.model.file_formats import format_of
from octavo_records.chat_export_readers import DAMAGE
from octavo_records.conversation import OWN
from octavo_records.conversation_converter import read_conversations

CONVERTER = "exported-2"
_FIRST = '"octavo": "document"'


def read_lines(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    text = data.decode("utf-8", "replace")
    if _FIRST not in text[:100]:
        return read_conversations(name, data, settings)
    taken: set[str] = set()
    members, broken = [], 0
    for line in filter(str.strip, text.split("\n")):
        try:
            place, content = _file_of(json.loads(line))
        except DAMAGE:
            broken += 1
            continue
        members.append(Member(unused(place, taken), content.encode("utf-8", "replace")))
    warnings = (f"{broken:,} lines are no documents",) if broken else ()
    return Converted("", CONVERTER, warnings=warnings, members=tuple(members))


def _file_of(document: Mapping[str, Any]) -> tuple[str, str]:
    """A conversation is one again; what was converted is the text of it now, so that it reads as that."""
    uri, text, about = f"{document['collection']}/{document['uri']}", str(document["text"]), document["metadata"]
    path = "/".join(part for part in PurePosixPath(uri).parts if part not in ("/", ".", ".."))
    if document["kind"] == Kind.CONVERSATION and (turns := _turns(text, about)):
        facts = {"title": document["title"], "source": about.get("source"), "folder": about.get("folder")}
        told = {"octavo": OWN, **facts, "key": about.get("conversation"), "turns": turns}
        return f"{path.removesuffix('.json')}.json", json.dumps(told, ensure_ascii=False)
    known = format_of(path)
    if "rendered_from" not in about and (known is None or known.sniffs):
        return path, text
    return f"{path}.md", f"---\ntitle: {json.dumps(document['title'], ensure_ascii=False)}\n---\n\n{text}"


def _turns(text: str, about: Mapping[str, Any]) -> list[dict[str, str]]:
    """As `octavo_records.conversation_converter` wrote them: below a heading, `Ada, 2026-03-02 10:12`."""
    starts = about.get("marks", {}).get("starts", ())
    began, ended = (str(about.get(name) or "") for name in ("started", "ended"))
    turns = []
    for start, end in zip(starts, (*starts[1:], len(text)), strict=True):
        heading, _, said = text[start:end].removeprefix("## ").partition("\n")
        timeless = heading in about.get("speakers", ())
        speaker, _, time = (heading, "", "") if timeless else heading.rpartition(", ")
        turns.append({"speaker": speaker, "time": time, "text": said.strip()})
    # Headings tell minutes; the first and the last moment are known to the second.
    last = next((turn for turn in reversed(turns) if turn["time"] == _minute(ended)), {})
    for turn in turns:
        if turn["time"] == _minute(began):
            turn["time"] = began
    last["time"] = ended
    return turns


def _minute(stamp: str) -> str:
    return stamp[:16].replace("T", " ")
