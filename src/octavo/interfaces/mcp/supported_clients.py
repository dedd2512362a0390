"""The clients that can be told of this server, and where the configuration of each is."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from octavo.fast_dataclass import Value

NAME = "octavo"


def _plain(line: Sequence[str]) -> dict[str, Any]:
    return {"command": line[0], "args": list(line[1:])}


def _typed(line: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_plain(line)}


Headers = Mapping[str, str]
_DESCRIBED = {"name": NAME, "description": "Search and memory over your own files"}


def _url_entry(url: str, headers: Headers) -> dict[str, Any]:
    return {"url": url, **_given(headers)}


def _typed_url(url: str, headers: Headers) -> dict[str, Any]:
    return {"type": "http", **_url_entry(url, headers)}


def _given(headers: Headers, name: str = "headers") -> dict[str, Any]:
    return {name: dict(headers)} if headers else {}


class Client(Value):
    """`key` is the object (or table) of the configuration that holds servers; `entry` is what stands there for a
    command line, `remote` for an address and the headers of each request, where the client can be given those.
    `command` (for a scope, `user` or `project`) and `removal` are the client's own ways to say the first and to take it
    back, where it has them.

    `project_file` is the configuration below a project that holds for it alone, where the client reads one. `skills` is
    where it looks for skills below the home directory, `project_skills` below a project; `folders` below the home
    directory show that it is used here. One that does not `works_in_folders` starts servers in a folder of its own.
    """

    name: str
    title: str
    path: Callable[[Mapping[str, str], Path, str], Path]
    afterwards: str
    key: str = "mcpServers"
    layout: Literal["json", "toml", "yaml"] = "json"
    entry: Callable[[Sequence[str]], dict[str, Any]] = _plain
    remote: Callable[[str, Headers], dict[str, Any]] | None = _url_entry
    command: Callable[[Sequence[str], str], str] | None = None
    removal: str | None = None
    project_file: str = ""
    skills: str = ""
    project_skills: str = ""
    folders: tuple[str, ...] = ()
    works_in_folders: bool = True


def _application(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    """Where desktop programs keep their settings."""
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return _dot_config(environ, home)


def _dot_config(environ: Mapping[str, str], home: Path) -> Path:
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")


def _zed(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    if platform == "win32":
        return _application(environ, home, platform) / "Zed" / "settings.json"
    return _dot_config(environ, home) / "zed" / "settings.json"


def _opencode(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    """The file with comments, when that is the one there is."""
    folder = _dot_config(environ, home) / "opencode"
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


def _goose(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    if platform == "win32":
        return _application(environ, home, platform) / "Block" / "goose" / "config" / "config.yaml"
    return _dot_config(environ, home) / "goose" / "config.yaml"


def _cline(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    named = environ.get("CLINE_MCP_SETTINGS_PATH")
    return Path(named) if named else home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"


def _continue(environ: Mapping[str, str], home: Path, platform: str) -> Path:
    """A file of its own: Continue reads every file of this folder, in the layout of other clients too."""
    return Path(environ.get("CONTINUE_GLOBAL_DIR") or home / ".continue") / "mcpServers" / f"{NAME}.json"


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            name="claude-code",
            title="Claude Code",
            path=lambda environ, home, platform: home / ".claude.json",
            afterwards="Start a new session; /mcp shows the server.",
            entry=_typed,
            remote=_typed_url,
            command=lambda line, scope: shlex.join(["claude", "mcp", "add", "--scope", scope, NAME, "--", *line]),
            removal=f"claude mcp remove {NAME}",
            project_file=".mcp.json",
            skills=".claude/skills",
            project_skills=".claude/skills",
            folders=(".claude",),
        ),
        Client(
            name="claude-desktop",
            title="Claude Desktop",
            path=lambda environ, home, platform: (
                _application(environ, home, platform) / "Claude" / "claude_desktop_config.json"
            ),
            afterwards="Quit Claude Desktop, not only its window, and start it again.",
            remote=None,
            works_in_folders=False,
        ),
        Client(
            name="cursor",
            title="Cursor",
            path=lambda environ, home, platform: home / ".cursor" / "mcp.json",
            project_file=".cursor/mcp.json",
            afterwards="Cursor reads the file again by itself; its MCP settings list the server.",
            skills=".cursor/skills",
            project_skills=".cursor/skills",
            folders=(".cursor",),
        ),
        Client(
            name="vscode",
            title="Visual Studio Code",
            key="servers",
            path=lambda environ, home, platform: _application(environ, home, platform) / "Code" / "User" / "mcp.json",
            project_file=".vscode/mcp.json",
            afterwards="Run MCP: List Servers, start octavo and trust it.",
            entry=_typed,
            remote=_typed_url,
            skills=".copilot/skills",
            project_skills=".github/skills",
            folders=(".copilot", ".vscode"),
        ),
        Client(
            name="codex",
            title="Codex",
            key="mcp_servers",
            path=lambda environ, home, platform: Path(environ.get("CODEX_HOME") or home / ".codex") / "config.toml",
            afterwards="Start a new session; /mcp shows the server.",
            layout="toml",
            remote=lambda url, headers: {"url": url, **_given(headers, "http_headers")},
            command=lambda line, scope: shlex.join(["codex", "mcp", "add", NAME, "--", *line]) * (scope == "user"),
            removal=f"codex mcp remove {NAME}",
            project_file=".codex/config.toml",
            skills=".agents/skills",
            project_skills=".agents/skills",
            folders=(".codex", ".agents"),
        ),
        Client(
            name="zed",
            title="Zed",
            key="context_servers",
            path=_zed,
            project_file=".zed/settings.json",
            afterwards="Zed reads the file again by itself; the agent panel's settings list the server.",
        ),
        Client(
            name="windsurf",
            title="Windsurf",
            path=lambda environ, home, platform: home / ".codeium" / "windsurf" / "mcp_config.json",
            afterwards="Press refresh in Cascade's MCP settings; they list the server.",
            remote=lambda url, headers: {"serverUrl": url, **_given(headers)},
        ),
        Client(
            name="gemini-cli",
            title="Gemini CLI",
            path=lambda environ, home, platform: home / ".gemini" / "settings.json",
            afterwards="Start a new session; /mcp shows the server.",
            remote=lambda url, headers: {"httpUrl": url, **_given(headers)},
            command=lambda line, scope: shlex.join(["gemini", "mcp", "add", "--scope", scope, NAME, *line]),
            removal=f"gemini mcp remove --scope user {NAME}",
            project_file=".gemini/settings.json",
        ),
        Client(
            name="opencode",
            title="OpenCode",
            key="mcp",
            path=_opencode,
            project_file="opencode.json",
            afterwards="Start a new session; `opencode mcp list` shows the server.",
            entry=lambda line: {"type": "local", "command": list(line), "enabled": True},
            remote=lambda url, headers: {"type": "remote", "url": url, "enabled": True, **_given(headers)},
        ),
        Client(
            name="cline",
            title="Cline",
            path=_cline,
            afterwards="Cline reads the file again by itself; its MCP servers panel lists the server.",
            remote=lambda url, headers: {"type": "streamableHttp", **_url_entry(url, headers)},
        ),
        Client(
            name="continue",
            title="Continue",
            path=_continue,
            project_file=f".continue/mcpServers/{NAME}.json",
            afterwards="Reload Continue's configuration; its tools settings list the server. Tools work in agent mode.",
            remote=_typed_url,
        ),
        Client(
            name="goose",
            title="Goose",
            key="extensions",
            path=_goose,
            afterwards="Start a new session; `goose configure` lists the extension.",
            layout="yaml",
            entry=lambda line: {
                "enabled": True,
                "type": "stdio",
                **_DESCRIBED,
                "cmd": line[0],
                "args": list(line[1:]),
                "timeout": 300,
            },
            remote=lambda url, headers: {
                "enabled": True,
                "type": "streamable_http",
                **_DESCRIBED,
                "uri": url,
                **_given(headers),
                "timeout": 300,
            },
        ),
    )
}
