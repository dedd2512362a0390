"""The prompt of an answer: instructions, and passages as numbered, quoted data within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile, parsed_prompt
from octavo.algorithms.model_inputs.prompt_quotations import one_line, with_line_numbers
from octavo.answering.citable_passages import NumberedPassage
from octavo.model.document import shown_path
from octavo.model.language_model_calls import Prompt

_BYTES_PER_TOKEN = 4
_LEAST_LINES = 3  # of a passage that is cut: fewer say nothing

OwnPrompts = Callable[[str], PromptFile | None]
"""The name of a prompt → the user's own, where there is one."""


def no_prompts(name: str) -> None:
    """Nobody has prompts of their own."""


class Mode(StrEnum):
    GROUNDED = "grounded"
    INSIGHT = "insight"


class Context(NamedTuple):
    """The whole prompt, and the passages that fitted into it."""

    prompt: Prompt
    passages: tuple[NumberedPassage, ...]


def context(
    mode: Mode, question: str, passages: Sequence[NumberedPassage], budget: int, own: OwnPrompts = no_prompts
) -> Context:
    """With as many passages, best first, as fit the budget of tokens; the last one may be cut at a line."""
    shown, kept = quoted_passages(passages, budget)
    return Context(prompt_of(mode.value, own, passages=shown, question=single_line(question)), kept)


def quoted_passages(passages: Sequence[NumberedPassage], budget: int) -> tuple[str, tuple[NumberedPassage, ...]]:
    """As a prompt has them: each below its number and place, every line marked."""
    room = budget * _BYTES_PER_TOKEN
    shown: list[str] = []
    kept: list[NumberedPassage] = []
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


def single_line(question: str) -> str:
    """A question on one line: it cannot begin a line of its own in a prompt."""
    return one_line(" ".join(question.split()))


def prompt_of(name: str, own: OwnPrompts, **values: str) -> Prompt:
    """The user's own prompt of this name or the one that ships with Octavo, with its gaps filled."""
    return (own(name) or _built_in(name)).filled(**values)


@cache
def _built_in(name: str) -> PromptFile:
    text = files("octavo.answering").joinpath("prompts", f"{name}.md").read_text("utf-8")
    prompt = parsed_prompt(name, text)
    assert prompt is not None, "what ships is a prompt"
    return prompt


def _block(passage: NumberedPassage, text: str) -> str:
    hit = passage.hit
    path = tuple(dict.fromkeys((hit.title, *hit.citation.heading_path)))
    head = f"[{passage.number}] {one_line(hit.collection)}/{one_line(hit.citation.uri)} · {one_line(shown_path(path))}"
    return f"{head}\n{with_line_numbers(text, hit.citation.lines.first)}"


def _cut(passage: NumberedPassage, room: int, *, anything: bool) -> str:
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
