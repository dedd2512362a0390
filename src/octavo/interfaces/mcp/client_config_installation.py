"""Adds the server's entry to an MCP client's configuration and removes it, leaving the rest untouched."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from octavo.atomic_file_replacement import replace_file
from octavo.bounded_file_reading import read_small
from octavo.errors import Conflict, InvalidArgument, StorageError, system_message
from octavo.fast_dataclass import Value
from octavo.interfaces.mcp import jsonc_edits, toml_edits, yaml_edits
from octavo.interfaces.mcp.supported_clients import NAME, Client
from octavo.path_resolution_and_private_folders import real_path


class _Layout(Protocol):
    """How a configuration file is written: read whole, one entry put in or taken out. A ValueError says why not."""

    def parse(self, text: str) -> Any: ...
    def insert(self, text: str, key: str, name: str, value: Mapping[str, Any]) -> str: ...
    def remove(self, text: str, key: str, name: str) -> str: ...
    def snippet(self, key: str, name: str, value: Mapping[str, Any]) -> str: ...


_LARGEST = 1 << 26  # bytes: some clients keep what was said in the same file
_LAYOUTS: Mapping[str, _Layout] = {"json": jsonc_edits, "toml": toml_edits, "yaml": yaml_edits}


class InstalledClient(Value):
    """`backup` is the file as it was before; None when there was none, or when nothing had to change."""

    path: Path
    backup: Path | None
    changed: bool


def location(client: Client, environ: Mapping[str, str], home: Path, platform: str = sys.platform) -> Path:
    return client.path(environ, home, platform)


def snippet(client: Client, entry: Mapping[str, Any]) -> str:
    """What to put into the file by hand."""
    return _LAYOUTS[client.layout].snippet(client.key, NAME, entry)


def install(client: Client, path: Path, entry: Mapping[str, Any]) -> InstalledClient:
    """Adds the server to the client's file, or changes it there; everything else in the file stays. A file with the
    token of a server is the account's alone."""

    def added(text: str) -> str:
        layout = _LAYOUTS[client.layout]
        known = _servers(client, text).get(NAME)
        if not isinstance(known, dict):
            return layout.insert(text, client.key, NAME, entry)
        _refuse_another_library(client, path, known, entry)
        if _is_started(known) != _is_started(entry):
            return layout.insert(layout.remove(text, client.key, NAME), client.key, NAME, entry)
        merged = {**known, **entry}  # what the client or a person put beside it stays
        return text if merged == known else layout.insert(text, client.key, NAME, merged)

    return _changed(path, added, "add the printed entry by hand", private=not _is_started(entry))


def _refuse_another_library(client: Client, path: Path, known: Mapping[str, Any], entry: Mapping[str, Any]) -> None:
    """An entry that names a library was made for it, mostly by somebody in another repository."""
    before, after = _pinned(known), _pinned(entry)
    if before and before != after:
        hint = f"`octavo mcp uninstall --client {client.name}` takes it out first"
        if client.project_file:
            hint += "; --scope project leaves it there, and adds this one for this repository alone"
        raise Conflict(f"{path} has an entry {NAME} for {' '.join(before)}", hint=hint)


def _pinned(entry: Mapping[str, Any]) -> list[str]:
    """The library and the project that an entry's command line names, with their options."""
    command = entry.get("command")
    line = [*(command if isinstance(command, list) else ()), *(entry.get("args") or ())]
    return [word for at, word in enumerate(line) if {"--library", "--project"} & {word, *line[max(0, at - 1) : at]}]


def refuse_links_out(project: Path, paths: list[Path]) -> None:
    """A project may come from anyone: its links do not say which file of yours is replaced."""
    for path in paths:
        if not real_path(path).is_relative_to(real_path(project)):
            raise InvalidArgument(
                f"{path} leads out of {project}", hint="nothing is written where a link leads; remove it"
            )


def _is_started(entry: Mapping[str, Any]) -> bool:
    """Whether the client starts the server, and does not look for it at an address."""
    return bool(entry.keys() & {"command", "cmd"})


def uninstall(client: Client, path: Path) -> InstalledClient:
    """Takes the server out of the client's file; everything else in the file stays."""

    def without(text: str) -> str:
        known = NAME in _servers(client, text)
        return _LAYOUTS[client.layout].remove(text, client.key, NAME) if known else text

    return _changed(path, without, f"remove {NAME} from {client.key} by hand")


def write_client_file(path: Path, text: str) -> InstalledClient:
    """A client's file written whole; what was there before and differs is kept as a copy."""
    return _changed(path, lambda before: text, "check who may write there")


def _servers(client: Client, text: str) -> dict[str, Any]:
    whole = _LAYOUTS[client.layout].parse(text)
    servers = whole.get(client.key, {}) if isinstance(whole, dict) else None
    if servers is None and isinstance(whole, dict) and client.layout == "yaml":
        return {}  # a key without a value
    if not isinstance(servers, dict):
        raise ValueError(f"{client.key} is not an object")
    return servers


def _changed(path: Path, change: Callable[[str], str], hint: str, *, private: bool = False) -> InstalledClient:
    try:
        path = real_path(path)  # a link into a folder of dotfiles stays a link
        before = read_small(path, _LARGEST).decode("utf-8") if path.exists() else ""
        after = change(before)
        if after == before:
            return InstalledClient(path, None, False)
        path.parent.mkdir(parents=True, exist_ok=True)
        backup = _backup(path) if path.exists() else None
        if backup and private:
            path.chmod(path.stat().st_mode & 0o700)
        replace_file(path, after.encode("utf-8"))  # one that is new is its owner's alone: it may hold others' tokens
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} cannot be changed: {system_message(error)}", hint=hint) from error
    except ValueError as error:
        raise Conflict(f"{path} is left as it was: {error}", hint=hint) from error
    return InstalledClient(path, backup, True)


def _backup(path: Path) -> Path:
    number = 0
    while os.path.lexists(backup := path.with_name(f"{path.name}.octavo-backup{f'-{number}' if number else ''}")):
        number += 1
    shutil.copy2(path, backup)
    return backup
