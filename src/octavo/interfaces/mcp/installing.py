"""What goes into a client's configuration, and putting it there without touching the rest."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from octavo.errors import Conflict, StorageError
from octavo.interfaces.mcp import jsonc
from octavo.interfaces.mcp.clients import NAME, Client


@dataclass(frozen=True, slots=True)
class Installed:
    """`backup` is the file as it was before; None when there was none, or when nothing had to change."""

    path: Path
    backup: Path | None
    changed: bool


def location(client: Client, environ: Mapping[str, str], home: Path, platform: str = sys.platform) -> Path:
    return client.path(environ, home, platform)


def snippet(client: Client, line: Sequence[str]) -> str:
    """What to put into the file by hand."""
    if client.toml:
        return _toml(client, line)
    return json.dumps({client.key: {NAME: entry(client, line)}}, indent=2, ensure_ascii=False) + "\n"


def entry(client: Client, line: Sequence[str]) -> dict[str, Any]:
    kind = {"type": "stdio"} if client.typed else {}
    return {**kind, "command": line[0], "args": list(line[1:])}


def install(client: Client, path: Path, line: Sequence[str]) -> Installed:
    """Adds the server to the client's file, or changes it there; everything else in the file stays."""
    try:
        path = path.resolve()  # a link into a folder of dotfiles stays a link
        before = path.read_bytes().decode("utf-8") if path.exists() else ""
        after = _with_toml(client, before, line) if client.toml else _with_json(client, before, line, path)
        if after == before:
            return Installed(path, None, False)
        path.parent.mkdir(parents=True, exist_ok=True)
        backup = _backup(path) if path.exists() else None
        replacement = path.with_name(f"{path.name}.octavo-new")
        replacement.touch(0o600)  # the file may hold other servers' tokens
        replacement.write_bytes(after.encode("utf-8"))
        if backup:
            shutil.copymode(backup, replacement)
        replacement.replace(path)
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"{path} cannot be changed: {error}", hint="add the printed entry by hand") from error
    return Installed(path, backup, True)


def _backup(path: Path) -> Path:
    number = 0
    while (backup := path.with_name(f"{path.name}.octavo-backup{f'-{number}' if number else ''}")).exists():
        number += 1
    shutil.copy2(path, backup)
    return backup


def _with_json(client: Client, text: str, line: Sequence[str], path: Path) -> str:
    wanted = entry(client, line)
    try:
        known = jsonc.parse(text) if text.strip() else {}
        servers = known.get(client.key, {}) if isinstance(known, dict) else None
        if not isinstance(servers, dict):
            raise ValueError(f"{client.key} is not an object")
        if servers.get(NAME) == wanted:
            return text
        if not text.strip():
            return snippet(client, line)
        try:
            whole = json.loads(text)
        except ValueError:  # comments: kept by writing into the text
            if NAME in servers:
                raise ValueError(f"it has comments and another {NAME} already") from None
            return jsonc.insert(text, client.key, NAME, wanted)
        whole.setdefault(client.key, {})[NAME] = wanted
        return json.dumps(whole, indent=jsonc.indentation(text), ensure_ascii=False) + "\n"
    except ValueError as error:
        raise Conflict(f"{path} is left as it was: {error}", hint="add the printed entry by hand") from error


def _toml(client: Client, line: Sequence[str]) -> str:
    arguments = ", ".join(json.dumps(argument) for argument in line[1:])
    return f"[{client.key}.{NAME}]\ncommand = {json.dumps(line[0])}\nargs = [{arguments}]\n"


def _with_toml(client: Client, text: str, line: Sequence[str]) -> str:
    wanted = {"command": line[0], "args": list(line[1:])}
    try:
        known = tomllib.loads(text).get(client.key, {}).get(NAME)
        if known is not None:
            if {**known, **wanted} == known:
                return text
            raise Conflict(f"{client.title} has another {NAME} already", hint=f"remove [{client.key}.{NAME}] first")
        after = text + ("\n" if text and not text.endswith("\n") else "") + ("\n" if text else "") + _toml(client, line)
        tomllib.loads(after)
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise Conflict(f"{client.title}'s configuration is left as it was: {error}") from error
    return after
