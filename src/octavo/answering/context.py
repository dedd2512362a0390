"""The prompt of an answer: instructions, and passages as numbered, quoted data within a budget of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from importlib.resources import files
from typing import NamedTuple

from octavo.algorithms.quoting import one_line, quoted
from octavo.answering.passages import Passage
from octavo.model.document import shown_path

_BYTES_PER_TOKEN = 4
_LEAST_LINES = 3  # of a passage that is cut: fewer say nothing


class Mode(StrEnum):
    GROUNDED = "grounded"
    INSIGHT = "insight"


class Context(NamedTuple):
    """The whole prompt, and the passages that fitted into it."""

    prompt: str
    passages: tuple[Passage, ...]


def context(mode: Mode, question: str, passages: Sequence[Passage], budget: int) -> Context:
    """With as many passages, best first, as fit the budget of tokens; the last one may be cut at a line."""
    room = budget * _BYTES_PER_TOKEN
    shown: list[str] = []
    kept: list[Passage] = []
    for passage in passages:
        whole = _block(passage, passage.text)
        block = whole if _size(whole) <= room else _cut(passage, room)
        if block:
            shown.append(block)
            kept.append(passage)
        if block != whole:
            break
        room -= _size(block)
    text = template(mode.value)
    # Not str.format: braces in a passage are its own.
    before, _, after = text.partition("{passages}")
    prompt = before + "\n\n".join(shown) + after.replace("{question}", one_line(" ".join(question.split())))
    return Context(prompt, tuple(kept))


def template(name: str) -> str:
    """A prompt with `{names}` of what goes into it."""
    return files("octavo.answering").joinpath("prompts", f"{name}.md").read_text("utf-8")


def _block(passage: Passage, text: str) -> str:
    hit = passage.hit
    path = tuple(dict.fromkeys((hit.title, *hit.citation.heading_path)))
    head = f"[{passage.number}] {one_line(hit.collection)}/{one_line(hit.citation.uri)} · {one_line(shown_path(path))}"
    return f"{head}\n{quoted(text, hit.citation.lines.first)}"


def _cut(passage: Passage, room: int) -> str:
    """As many lines as fit; nothing where those are too few to say something."""
    lines = passage.text.split("\n")
    for count in range(len(lines) - 1, _LEAST_LINES - 1, -1):
        block = _block(passage, "\n".join(lines[:count]))
        if _size(block) <= room:
            return block
    return ""


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass")) + 2
