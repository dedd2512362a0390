"""The clients that can be told of this server, and where the configuration of each is."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

NAME = "octavo"


@dataclass(frozen=True, slots=True)
class Client:
    """`key` is the object (or TOML table) that holds servers; `typed` clients want the kind of server said."""

    name: str
    title: str
    key: str
    path: Callable[[Mapping[str, str], Path, str], Path]
    afterwards: str
    typed: bool = False
    toml: bool = False
    command: Callable[[Sequence[str]], str] | None = None


def _application(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    """Where desktop programs keep their settings."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")


def _zed(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    if platform == "win32":
        return _application(environ, home, platform) / "Zed" / "settings.json"
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "zed" / "settings.json"


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            name="claude-code",
            title="Claude Code",
            key="mcpServers",
            path=lambda environ, home, platform: home / ".claude.json",
            afterwards="Start a new session; /mcp shows the server.",
            typed=True,
            command=lambda line: shlex.join(["claude", "mcp", "add", "--scope", "user", NAME, "--", *line]),
        ),
        Client(
            name="claude-desktop",
            title="Claude Desktop",
            key="mcpServers",
            path=lambda environ, home, platform: (
                _application(environ, home, platform) / "Claude" / "claude_desktop_config.json"
            ),
            afterwards="Quit Claude Desktop, not only its window, and start it again.",
        ),
        Client(
            name="cursor",
            title="Cursor",
            key="mcpServers",
            path=lambda environ, home, platform: home / ".cursor" / "mcp.json",
            afterwards="Cursor reads the file again by itself; its MCP settings list the server.",
        ),
        Client(
            name="vscode",
            title="Visual Studio Code",
            key="servers",
            path=lambda environ, home, platform: _application(environ, home, platform) / "Code" / "User" / "mcp.json",
            afterwards="Run MCP: List Servers, start octavo and trust it.",
            typed=True,
        ),
        Client(
            name="codex",
            title="Codex",
            key="mcp_servers",
            path=lambda environ, home, platform: Path(environ.get("CODEX_HOME") or home / ".codex") / "config.toml",
            afterwards="Start a new session; /mcp shows the server.",
            toml=True,
            command=lambda line: shlex.join(["codex", "mcp", "add", NAME, "--", *line]),
        ),
        Client(
            name="zed",
            title="Zed",
            key="context_servers",
            path=_zed,
            afterwards="Zed reads the file again by itself; the agent panel's settings list the server.",
        ),
    )
}
