"""Prompts: Markdown files beside this module, any of which a file of the user's own can stand in for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from octavo.errors import ConfigurationError
from octavo.model.language_model import Message, Prompt

_BUILT_IN = Path(__file__).parent / "prompts"
_NAME = re.compile(r"[\w-]{1,80}")
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_PART = re.compile(r"^# (system|user|assistant) *$", re.MULTILINE)
_GAP = re.compile(r"\{(\w+)\}")


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


def prompt_named(name: str, folders: Sequence[Path] = ()) -> PromptFile:
    """The prompt of this name in the first of the folders that has one, else the one that ships with Octavo."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"{name[:80]!r} is no name of a prompt", hint="a name has letters, digits, - and _")
    for folder in (*folders, _BUILT_IN):
        path = folder / f"{name}.md"
        if path.is_file():
            return _read(name, path)
    known = ", ".join(sorted(path.stem for path in _BUILT_IN.glob("*.md")))
    raise ConfigurationError(f"there is no prompt {name}", hint=f"Octavo has: {known}")


def _read(name: str, path: Path) -> PromptFile:
    try:
        text = path.read_text("utf-8").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    front = _FRONT.match(text)
    version = re.search(r"^version: *(\S+)", front[1], re.MULTILINE) if front else None
    _, *found = _PART.split(text[front.end() :] if front else text)
    parts = tuple(
        Message(cast("Any", role), said.strip())
        for role, said in zip(found[::2], found[1::2], strict=True)
        if said.strip()
    )
    if not parts or parts[-1].role != "user":
        raise ConfigurationError(f"{path} is no prompt", hint="its last part is under a heading `# user`")
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return PromptFile(name, f"{version[1] if version else '0'}-{digest}", parts)
