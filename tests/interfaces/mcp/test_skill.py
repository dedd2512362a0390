"""The skill: what it says, where it is put, and that the plugin has the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml
from cli_calls import Octavo

from octavo.interfaces.cli.commands.skill import skill_text
from octavo.operations.table import OPERATIONS

PLUGIN = Path(__file__).parents[3] / "plugins" / "claude-code"
MARKETPLACE = Path(__file__).parents[3] / ".claude-plugin" / "marketplace.json"


def test_the_skill_has_a_name_and_says_when_to_use_it() -> None:
    _, header, body = skill_text().split("---\n", 2)
    told = yaml.safe_load(header)
    assert told["name"] == "octavo"
    assert 100 < len(told["description"]) <= 1024
    assert "collection/uri:line" in body


def test_every_operation_that_the_skill_names_exists() -> None:
    tools = re.search(r"\(`search`.*?\)", skill_text(), re.DOTALL)
    assert tools is not None
    named = {*re.findall(r"`(\w+)`", tools[0]), "search_code", "log"}
    assert named <= OPERATIONS.keys()


def test_the_plugin_has_the_same_skill_and_starts_the_server() -> None:
    assert (PLUGIN / "skills" / "octavo" / "SKILL.md").read_text("utf-8") == skill_text()
    assert json.loads((PLUGIN / ".mcp.json").read_text("utf-8"))["mcpServers"]["octavo"]["args"] == ["mcp"]
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text("utf-8"))
    listed = json.loads(MARKETPLACE.read_text("utf-8"))["plugins"][0]
    assert (listed["name"], listed["description"]) == (manifest["name"], manifest["description"])
    assert (MARKETPLACE.parents[1] / listed["source"]).resolve() == PLUGIN


def test_it_is_put_where_each_client_looks(octavo: Octavo, environment: Path) -> None:
    home = environment.parent / "home"
    result = octavo("skill", "install", "--client", "claude-code", "--client", "codex", "--json")
    paths = [Path(row["path"]) for row in json.loads(result.stdout)["skills"]]
    assert paths == [home / folder / "skills" / "octavo" / "SKILL.md" for folder in (".claude", ".agents")]
    assert all(path.read_text("utf-8") == skill_text() for path in paths)


def test_what_was_there_and_differs_is_kept_as_a_copy(octavo: Octavo, environment: Path) -> None:
    octavo("skill", "install", "--client", "cursor", "--here")
    path = environment / ".cursor" / "skills" / "octavo" / "SKILL.md"
    path.write_text("mine", "utf-8")
    row = json.loads(octavo("skill", "install", "--client", "cursor", "--here", "--json").stdout)["skills"][0]
    assert (Path(row["backup"]).read_text("utf-8"), path.read_text("utf-8")) == ("mine", skill_text())
    again = json.loads(octavo("skill", "install", "--client", "cursor", "--here", "--json").stdout)["skills"][0]
    assert not again["changed"]


def test_without_a_client_those_that_are_used_here_are_taught(octavo: Octavo, environment: Path) -> None:
    assert octavo("skill", "install").exit_code == 2
    (environment.parent / "home" / ".cursor").mkdir()
    result = octavo("skill", "install")
    assert result.exit_code == 0
    assert "Cursor" in result.stdout
