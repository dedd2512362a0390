"""The prompt of an answer: instructions, and passages as numbered, quoted data within a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from importlib.resources import files
from typing import Any, NamedTuple, cast

from octavo.algorithms.quoting import one_line, quoted
from octavo.answering.passages import Passage
from octavo.model.document import shown_path
from octavo.model.language_model import Message, Prompt

_BYTES_PER_TOKEN = 4
_LEAST_LINES = 3  # of a passage that is cut: fewer say nothing
_PART = re.compile(r"^# (system|user|assistant) *$", re.MULTILINE)
_GAP = re.compile(r"\{(\w+)\}")
_VERSION = "1"


class Mode(StrEnum):
    GROUNDED = "grounded"
    INSIGHT = "insight"


class Context(NamedTuple):
    """The whole prompt, and the passages that fitted into it."""

    prompt: Prompt
    passages: tuple[Passage, ...]


def context(mode: Mode, question: str, passages: Sequence[Passage], budget: int) -> Context:
    """With as many passages, best first, as fit the budget of tokens; the last one may be cut at a line."""
    shown, kept = quoted_passages(passages, budget)
    return Context(prompt_of(mode.value, passages=shown, question=asked(question)), kept)


def quoted_passages(passages: Sequence[Passage], budget: int) -> tuple[str, tuple[Passage, ...]]:
    """As a prompt has them: each below its number and place, every line marked."""
    room = budget * _BYTES_PER_TOKEN
    shown: list[str] = []
    kept: list[Passage] = []
    for passage in passages:
        whole = _block(passage, passage.text)
        block = whole if _size(whole) <= room else _cut(passage, room, anything=not shown)
        if block:
            shown.append(block)
            kept.append(passage)
        if block != whole:
            break
        room -= _size(block)
    return "\n\n".join(shown), tuple(kept)


def asked(question: str) -> str:
    """A question on one line: it cannot begin a line of its own in a prompt."""
    return one_line(" ".join(question.split()))


def prompt_of(name: str, **values: str) -> Prompt:
    """A prompt that ships with Octavo, with its gaps filled; what stands in a value is not looked through for gaps."""
    text = files("octavo.answering").joinpath("prompts", f"{name}.md").read_text("utf-8")
    _, *found = _PART.split(text)
    messages = tuple(
        Message(cast("Any", role), _GAP.sub(lambda gap: values.get(gap[1], gap[0]), said.strip()))
        for role, said in zip(found[::2], found[1::2], strict=True)
    )
    return Prompt(messages, name, _VERSION)


def _block(passage: Passage, text: str) -> str:
    hit = passage.hit
    path = tuple(dict.fromkeys((hit.title, *hit.citation.heading_path)))
    head = f"[{passage.number}] {one_line(hit.collection)}/{one_line(hit.citation.uri)} · {one_line(shown_path(path))}"
    return f"{head}\n{quoted(text, hit.citation.lines.first)}"


def _cut(passage: Passage, room: int, *, anything: bool) -> str:
    """As many lines as fit; nothing where those are too few to say something, unless `anything` is better."""
    lines = passage.text.split("\n")
    for count in range(len(lines) - 1, _LEAST_LINES - 1, -1):
        block = _block(passage, "\n".join(lines[:count]))
        if _size(block) <= room:
            return block
    head = _size(_block(passage, ""))
    # A character takes four bytes at most.
    return _block(passage, passage.text[: (room - head) // 4]) if anything and room > head + _BYTES_PER_TOKEN else ""


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) + 2
