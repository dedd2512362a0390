"""Quotes memories in a form that `remember` recognises when it comes back, so that recalled text is not stored again.

Every line of a memory starts with a bar that the text itself cannot forge: it can neither end its own quotation nor
pass for an instruction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_MEMORIES, with_bars
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.memory import MemoryId

# A rank, and perhaps a title in a line of its own; the id with its version; then lines with bars.
_BLOCK = regex(
    r"^[ \t]*(?:\d+\. +(?:[^\n]*\n   (?=\[mem_))?)?\[(mem_[0-9a-f]{20}) v\d+[^\]\n]*\][^\n]*(?:\n[ \t]*\|[^\n]*)*\n?",
    re.MULTILINE,
)
_MARK = regex(r"^[ \t]*\d*\|[ ]?", re.MULTILINE)
_PREFACE = regex(rf"^[ \t]*{re.escape(QUOTED_MEMORIES)}[ \t]*\n?", re.MULTILINE)


def quoted(name: MemoryId, version: int, about: str, text: str) -> str:
    """A heading with the id, the version and `about`, then the text with a bar before every line."""
    return f"[{name} v{version}{about.replace(']', ')')}]\n{with_bars(text)}"


@dataclass(frozen=True, slots=True)
class NewText:
    """A text without the memories it quotes, and the ids of those memories."""

    text: str
    quoted: tuple[MemoryId, ...]


def without_quotations(text: str) -> NewText:
    if names := _in_recall_json(text):
        return NewText("", names)
    names = tuple(MemoryId(match[1]) for match in _BLOCK.finditer(text))
    if names:
        text = _BLOCK.sub("", text)
    if QUOTED_MEMORIES in text:
        text = _PREFACE.sub("", text)
    lines = [line for line in text.split("\n") if line.strip()]
    if lines and all(_MARK.match(line) for line in lines):
        text = _MARK.sub("", text)  # the bars were kept and the heading dropped
    return NewText(text, tuple(dict.fromkeys(names)))


def _in_recall_json(text: str) -> tuple[MemoryId, ...]:
    """The memories in a recall's JSON answer that was handed back unchanged."""
    if not text.lstrip().startswith("{") or "mem_" not in text:
        return ()
    try:
        body = json.loads(text)
    except ValueError:
        return ()
    return tuple(dict.fromkeys(_items(body.get("memories"))))


def _items(listed: object) -> Iterator[MemoryId]:
    for memory in listed if isinstance(listed, list) else ():
        if isinstance(memory, dict) and isinstance(name := memory.get("item"), str) and name.startswith("mem_"):
            yield MemoryId(name)
