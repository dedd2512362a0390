"""Messages that Outlook saved: read by kreuzberg, whose Markdown is taken apart again."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from html import unescape

import kreuzberg

from octavo.converting.child import Settings
from octavo.converting.outlook import attachments
from octavo.converting.text_builder import TextBuilder, TooLong
from octavo.model.converted import Converted, Refused
from octavo.model.document import BlockKind

CONVERTER = f"outlook-1/kreuzberg-{kreuzberg.__version__}"
_TYPE = "application/vnd.ms-outlook"
_HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
_ITEM = re.compile(r"^(\s*)([-*+]|\d{1,3}[.)])\s+(.*)$")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~&])")
_EMPHASIS = re.compile(r"(\*\*|__|\*)(?=\S)(.+?)(?<=\S)\1")
_FIELDS = 4_000  # characters in which the fields of a message stand
_FIELD = re.compile(r"^\*\*(Subject|From|To|Cc|Date)\*\*: (.*)$", re.MULTILINE)


def read_message(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    # Optical recognition would start by itself, and a cache would be written to disk.
    config = kreuzberg.ExtractionConfig(use_cache=False, disable_ocr=True, output_format="markdown")
    try:
        result = kreuzberg.extract_bytes_sync(data, _TYPE, config)
    except kreuzberg.KreuzbergError as error:
        said = " ".join(str(error).split())
        return Refused("encrypted: it needs a password" if "ncrypt" in said else f"damaged: {said[:160]}")
    content = str(result.content)
    if not content.strip():
        return Refused("it holds no text")
    return _message(TextBuilder(), content, data)


def _message(builder: TextBuilder, content: str, data: bytes) -> Converted:
    """A message as mail is written: its subject, its people and its date, its text, and what is attached to it."""
    fields = {label: _plain(value) for label, value in _FIELD.findall(content[:_FIELDS])}
    subject = fields.pop("Subject", "")
    attached = attachments(data)
    with suppress(TooLong):
        builder.heading(1, subject)
        builder.paragraph("\n".join(f"{label}: {value}" for label, value in fields.items()))
        write_markdown(builder, _FIELD.sub("", content[:_FIELDS]) + content[_FIELDS:])
        if attached:
            builder.paragraph("Attached: " + ", ".join(member.name for member in attached))
    facts = {label.casefold(): value for label, value in fields.items()}
    return replace(builder.converted(CONVERTER, subject, facts), members=attached)


def write_markdown(builder: TextBuilder, markdown: str) -> None:
    for block in re.split(r"\n\s*\n", markdown):
        lines = block.strip("\n").split("\n")
        if heading := _HEADING.match(lines[0].strip()):
            builder.heading(len(heading[1]), _plain(heading[2]))
            lines = lines[1:]
        if lines and all(line.lstrip().startswith("|") for line in lines):
            rows = [[_plain(cell) for cell in line.strip().strip("|").split("|")] for line in lines]
            builder.table([row for row in rows if not all(set(cell) <= set("-: ") for cell in row)])
        elif lines and all(_ITEM.match(line) for line in lines):
            for found in filter(None, map(_ITEM.match, lines)):
                builder.item(_plain(found[3]), len(found[1]) // 2, found[2] if found[2][0].isdigit() else "-")
        elif lines and not all(set(line.strip()) <= set("-*_") for line in lines):
            builder.paragraph(_plain("\n".join(lines)), BlockKind.PARAGRAPH)


def _plain(text: str) -> str:
    return _ESCAPED.sub(r"\1", _EMPHASIS.sub(r"\2", unescape(text))).replace("\t", " ").strip()
