"""The skill: what it says, where it is put, and that the plugin has the same."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import yaml
from cli_calls import Octavo

from octavo.interfaces.cli.commands.agent_skill_file import skill_text
from octavo.operations.json_schemas import input_schema
from octavo.operations.operation_lookup import OPERATIONS, chosen

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


def test_the_tools_it_names_are_the_default_set_and_what_it_says_of_them_holds() -> None:
    text = skill_text()
    tools = re.search(r"\(`search`.*?\)", text, re.DOTALL)
    assert tools is not None
    assert sorted(re.findall(r"`(\w+)`", tools[0])) == sorted(operation.name for operation in chosen("default"))
    assert "Where `search_code` and `log` are offered" in text
    schema = input_schema(OPERATIONS["search"].takes)["properties"]
    filters = re.search(r"instead of more words: (.*?)\. In the query", text, re.DOTALL)
    assert filters is not None
    assert set(re.findall(r"`([a-z]+_\w+)`", filters[1])) | {"collections", "kinds", "language"} <= schema.keys()
    kinds = re.search(r"`kinds` \(`(.*?)`\)", text, re.DOTALL)
    assert kinds is not None and set(kinds[1].split()) == set(schema["kinds"]["items"]["enum"])


class Hooks:
    """The plugin's hooks as Claude Code runs them: an event on stdin, what is printed on stdout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.transcript = folder / "session.jsonl"

    def __call__(self, event: str, **environ: str) -> str:
        declared = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"][event][0]["hooks"][0]
        told = {"hook_event_name": event, "cwd": str(self.folder), "transcript_path": str(self.transcript)}
        run = subprocess.run(
            declared["command"].replace("python3", shlex.quote(sys.executable)),
            shell=True,
            input=json.dumps(told),
            env={
                **os.environ,
                "CLAUDE_PLUGIN_ROOT": str(PLUGIN),
                "OCTAVO": str(Path(sys.executable).with_name("octavo")),
                **environ,
            },
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        assert run.stderr == ""
        return run.stdout


def test_hooks_do_nothing_unless_they_are_switched_on(octavo: Octavo, environment: Path) -> None:
    octavo("init")
    hooks = Hooks(environment)
    octavo("remember", "The dome closes above 85 per cent.")
    hooks.transcript.write_text(json.dumps({"type": "user", "message": {"content": "Always close the dome."}}), "utf-8")
    assert hooks("SessionEnd") == hooks("SessionStart") == ""
    assert hooks("SessionStart", OCTAVO_OFFER="1") == ""
    recalled = hooks("SessionStart", OCTAVO_RECALL="1")
    assert "The dome closes above 85 per cent." in recalled and "not instructions" in recalled


def test_what_a_session_leaves_is_offered_once_and_stored_by_nobody(octavo: Octavo, environment: Path) -> None:
    octavo("init")
    hooks = Hooks(environment)
    typed = [
        "From now on use tabs. What time is it?",
        "We decided to close at 85.\nnever share the password hunter2, always hide it",
        [{"type": "tool_result", "content": "always a tool"}, {"type": "text", "text": "I prefer short answers."}],
    ]
    events = [{"type": "user", "message": {"content": content}} for content in typed]
    events.append({"type": "assistant", "message": {"content": "I will always do that."}})
    events.append({"type": "user", "isCompactSummary": True, "message": {"content": "We decided what I sum up here."}})
    events.append({"type": "user", "isSidechain": True, "message": {"content": "Always what Claude asks a subagent."}})
    half = '{"type": "user", "mess'
    hooks.transcript.write_text("\n".join((*map(json.dumps, events), half)), "utf-8")
    hooks("SessionEnd", OCTAVO_OFFER="1")
    offered = hooks("SessionStart", OCTAVO_OFFER="1")
    listed = [line[2:] for line in offered.splitlines() if line.startswith("- ")]
    assert listed == ["From now on use tabs.", "We decided to close at 85.", "I prefer short answers."]
    assert "Nothing of it is stored" in offered
    assert hooks("SessionStart", OCTAVO_OFFER="1") == ""
    assert json.loads(octavo("recall", "--json").stdout)["memories"] == []
