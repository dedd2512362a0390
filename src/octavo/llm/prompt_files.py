"""Prompts: Markdown files beside this module, any of which a file of the user's own can stand in for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile, parsed_prompt
from octavo.errors import ConfigurationError, system_message
from octavo.lazy_regex import regex

_BUILT_IN = Path(__file__).parent / "prompts"
_NAME = regex(r"[\w-]{1,80}")


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


def own_prompt(name: str, folders: Sequence[Path]) -> PromptFile | None:
    """A prompt of the user's own in the first of the folders that has one; None where Octavo's is meant."""
    paths = (folder / f"{name}.md" for folder in folders)
    file = next((path for path in paths if path.is_file()), None)
    return None if file is None else _read(name, file)


def prompts_for(folder: Path, profile: str) -> list[Path]:
    """Where the prompts of a retrieval profile are looked for: in a folder of its name, then among all."""
    return [*([folder / profile] if _NAME.fullmatch(profile) else []), folder]


def _read(name: str, path: Path) -> PromptFile:
    try:
        prompt = parsed_prompt(name, path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {system_message(error)}") from error
    if prompt is None:
        raise ConfigurationError(f"{path} is no prompt", hint="its last part is under a heading `# user`")
    return prompt
