"""Conversations as documents: a section for each turn; those of an export are documents inside of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from octavo.converting.archives import unused
from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.mail import dated_name
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, Member, RefusedFile, Unit
from octavo.model.document import Kind
from octavo_records.chat_export_readers import DAMAGE, conversations_in
from octavo_records.conversation import OWN, Conversation, Turn, iso, shown

CONVERTER = "conversation-2"
_MOST = 20_000  # conversations of an export
_LONG = 300  # turns: of a longer chat, every month is a document
_FENCE = regex(r"(`{3,}|~{3,})([\w+-]*)")
_BLANK = regex(r"\n\s*\n")


def read_conversations(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """A file with one conversation is that; of a file with several each is a document inside of it."""
    try:
        held = list(conversations_in(name, data.decode("utf-8", "replace")))
        found = [spoken for each in held if each and (spoken := _spoken(each))]
    except DAMAGE as error:
        return RefusedFile(f"damaged: it begins like a conversation and goes on otherwise ({type(error).__name__})")
    damaged = held.count(None)
    if not found:
        return RefusedFile("damaged: no conversation in it is whole" if damaged else "nobody says anything in it")
    parts = list(_by_month(found[0])) if len(found) == 1 else found
    outcome = converted(parts[0]) if len(parts) == 1 else _members(parts)
    warnings = (f"{damaged:,} of {len(held):,} conversations are damaged",) if damaged else ()
    return replace(outcome, warnings=(*outcome.warnings, *warnings))


def converted(conversation: Conversation) -> Converted:
    builder = TextBuilder(Unit.TURN)
    with suppress(TooLong):
        for number, turn in enumerate(conversation.turns, 1):
            builder.mark(str(number))
            builder.heading(2, turn.heading)
            _write(builder, turn.text)
    speakers = dict.fromkeys(one_line(turn.speaker) for turn in conversation.turns)
    facts: dict[str, Any] = {"source": conversation.source, "speakers": list(speakers)[:50]}
    facts |= {"conversation": conversation.key} if conversation.key else {}
    facts |= {"folder": conversation.folder} if conversation.folder else {}
    if times := conversation.times:
        facts |= {"started": iso(min(times)), "ended": iso(max(times))}
    return replace(builder.converted(CONVERTER, conversation.title, facts), kind=Kind.CONVERSATION)


def own_form(conversation: Conversation) -> bytes:
    """As a file of its own, which `octavo_records.chat_export_readers` reads again."""
    turns = [{"speaker": turn.speaker, "time": turn.time, "text": turn.text} for turn in conversation.turns]
    return json.dumps({"octavo": OWN, **asdict(conversation), "turns": turns}, ensure_ascii=False).encode(
        "utf-8", "replace"
    )


def _spoken(conversation: Conversation) -> Conversation | None:
    turns = tuple(turn for turn in conversation.turns if turn.text.strip())
    return replace(conversation, turns=turns) if turns else None


def _by_month(conversation: Conversation) -> Iterator[Conversation]:
    """A chat that goes on for years, month by month: a search for last week's finds a document of that time."""
    months: dict[str, list[Turn]] = {}
    last = ""
    for turn in conversation.turns:
        last = shown(turn.time)[:7] if turn.time is not None else last
        months.setdefault(last, []).append(turn)
    if len(conversation.turns) < _LONG or len(months) == 1:
        yield conversation
        return
    for month, turns in months.items():
        title = f"{conversation.title}, {month}"
        yield replace(conversation, title=title, key=f"{conversation.key} {month}", turns=tuple(turns))


def _members(conversations: Sequence[Conversation]) -> Converted:
    taken: set[str] = set()
    members = []
    for conversation in conversations[:_MOST]:
        began = iso(min(conversation.times)) if conversation.times else ""
        digest = hashlib.sha256((conversation.key or conversation.title).encode("utf-8", "replace")).hexdigest()
        name = dated_name(began, conversation.title, digest, ".json")
        members.append(Member(unused(name, taken), own_form(conversation)))
    left = len(conversations) - len(members)
    warnings = (f"only its first {_MOST:,} of {len(conversations):,} conversations were read",) if left else ()
    return Converted("", CONVERTER, warnings=warnings, members=tuple(members))


def _write(builder: TextBuilder, text: str) -> None:
    """Paragraphs and code as they are; whatever else of Markdown there is stands in the paragraphs."""
    fence, language = "", ""
    lines: list[str] = []
    for line in text.split("\n"):
        opening = None if fence else _FENCE.match(line)
        if opening:
            _write_paragraphs(builder, "\n".join(lines))
            (fence, language), lines = opening.groups(), []
        elif fence and line.startswith(fence) and not line.strip("`~ \t\r"):
            builder.code("\n".join(lines), language)
            fence, lines = "", []
        else:
            lines.append(line)
    if fence:  # never closed, as Markdown has it: code to the end
        builder.code("\n".join(lines), language)
    else:
        _write_paragraphs(builder, "\n".join(lines))


def _write_paragraphs(builder: TextBuilder, text: str) -> None:
    for paragraph in _BLANK.split(text):
        builder.paragraph(paragraph)
