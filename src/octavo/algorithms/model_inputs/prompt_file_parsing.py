"""Parses a prompt file into messages by role, with placeholders to fill, and a version."""

from __future__ import annotations

import hashlib
import re
from typing import Any, cast

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.language_model_calls import Message, Prompt

_FRONT = regex(r"\A---\n(.*?)\n---\n", re.DOTALL)
_PART = regex(r"^# (system|user|assistant) *$", re.MULTILINE)
_GAP = regex(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt with gaps. Its version is the number in the file, and a digest: a changed text is another prompt."""

    name: str
    version: str
    parts: tuple[Message, ...]

    def filled(self, **values: str) -> Prompt:
        """What stands in a value is never looked through for further gaps."""
        messages = (
            Message(part.role, _GAP.sub(lambda gap: values.get(gap[1], gap[0]), part.text)) for part in self.parts
        )
        return Prompt(tuple(messages), self.name, self.version)


def parsed_prompt(name: str, text: str) -> PromptFile | None:
    """None where the last part is not what the user says.

    >>> parsed_prompt("hello", "---\\nversion: 2\\n---\\n# user\\nSay {word}.").filled(word="hi {word}").text
    'Say hi {word}.'
    """
    text = text.replace("\r\n", "\n")
    front = _FRONT.match(text)
    version = re.search(r"^version: *(\S+)", front[1], re.MULTILINE) if front else None
    _, *sections = _PART.split(text[front.end() :] if front else text)
    parts = tuple(
        Message(cast("Any", role), body.strip())
        for role, body in zip(sections[::2], sections[1::2], strict=True)
        if body.strip()
    )
    if not parts or parts[-1].role != "user":
        return None
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return PromptFile(name, f"{version[1] if version else '0'}-{digest}", parts)
