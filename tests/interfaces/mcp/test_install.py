"""Telling clients of this server: the right entry in the right file, and nothing else in it touched."""

from __future__ import annotations

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from cli_calls import Octavo
from hypothesis import given
from hypothesis import strategies as st

from octavo.config.schema import Serve
from octavo.errors import Conflict
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.http.server_token import read_token
from octavo.interfaces.mcp import jsonc_edits, yaml_edits
from octavo.interfaces.mcp.client_config_installation import install, location, snippet, uninstall
from octavo.interfaces.mcp.supported_clients import CLIENTS

LINE = ["/usr/bin/octavo", "mcp"]
LINE_ENTRY = {"command": "/usr/bin/octavo", "args": ["mcp"]}
DOCS = Path(__file__).parents[3] / "docs" / "guides" / "clients"
EVERY = pytest.mark.parametrize("name", CLIENTS)


READ = {"json": jsonc_edits.parse, "toml": tomllib.loads, "yaml": yaml.safe_load}
OTHER = {"command": "other", "args": ["--flag"]}
BEFORE = {
    "json": lambda key: json.dumps({"theme": "dark", key: {"other": OTHER}}, indent=4),
    "toml": lambda key: f'model = "x" # mine\n\n[{key}.other]\ncommand = "other"\nargs = ["--flag"]\n',
    "yaml": lambda key: (
        f"# mine\nmodel: x\n{key}:\n    other:\n        command: other\n        args: [--flag]\nend: 1\n"
    ),
}


def servers(name: str, path: Path) -> dict[str, Any]:
    client = CLIENTS[name]
    found: dict[str, Any] = READ[client.layout](path.read_text("utf-8"))[client.key]
    return found


def configured(name: str, home: Path) -> tuple[Path, str]:
    """A client's file with another server in it, and its text."""
    client = CLIENTS[name]
    path = location(client, {}, home)
    path.parent.mkdir(parents=True, exist_ok=True)
    before = BEFORE[client.layout](client.key)
    path.write_text(before, "utf-8")
    path.chmod(0o600)
    return path, before


@EVERY
def test_a_client_without_a_configuration_gets_one(name: str, tmp_path: Path) -> None:
    path = location(CLIENTS[name], {}, tmp_path)
    done = install(CLIENTS[name], path, CLIENTS[name].entry(LINE))
    assert (done.changed, done.backup) == (True, None)
    assert servers(name, path) == {"octavo": CLIENTS[name].entry(LINE)}
    assert path.read_text("utf-8") == snippet(CLIENTS[name], CLIENTS[name].entry(LINE))


REMOTE = pytest.mark.parametrize("name", [name for name, client in CLIENTS.items() if client.remote])


@REMOTE
def test_a_client_over_http_is_told_address_and_token_in_a_file_of_its_account_alone(name: str, tmp_path: Path) -> None:
    client = CLIENTS[name]
    assert client.remote is not None
    path, _ = configured(name, tmp_path)
    path.chmod(0o644)
    install(client, path, client.entry(LINE))
    entry = client.remote("http://127.0.0.1:7411/mcp", {"Authorization": "Bearer secret"})
    install(client, path, entry)
    assert servers(name, path) == {"other": OTHER, "octavo": entry}
    assert "Bearer secret" in path.read_text("utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    renewed = client.remote("http://127.0.0.1:7411/mcp", {"Authorization": "Bearer another"})
    install(client, path, renewed)
    assert servers(name, path)["octavo"] == renewed
    install(client, path, client.entry(LINE))
    assert servers(name, path) == {"other": OTHER, "octavo": client.entry(LINE)}
    uninstall(client, path)
    assert servers(name, path) == {"other": OTHER}


def test_installing_over_http_writes_the_token_that_the_server_asks_for(octavo: Octavo) -> None:
    told = json.loads(octavo("mcp", "install", "--client", "cursor", "--http", "--json").stdout)
    (entry,) = json.loads(told["entry"])["mcpServers"].values()
    assert entry == {
        "url": "http://127.0.0.1:7411/mcp",
        "headers": {"Authorization": f"Bearer {read_token(Serve())}"},
    }
    assert told["command"] is None
    refused = octavo("mcp", "install", "--client", "claude-desktop", "--http")
    assert (refused.exit_code, "leave out --http" in refused.stderr) == (2, True)


@EVERY
def test_what_was_there_stays_and_a_copy_is_kept(name: str, tmp_path: Path) -> None:
    client = CLIENTS[name]
    path, before = configured(name, tmp_path)
    done = install(client, path, client.entry(LINE))
    assert done.backup is not None
    assert done.backup.read_text("utf-8") == before
    assert servers(name, path) == {"other": OTHER, "octavo": client.entry(LINE)}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = install(client, path, client.entry(LINE))
    assert (again.changed, again.backup) == (False, None)


@EVERY
def test_what_was_put_there_is_taken_out_and_nothing_else(name: str, tmp_path: Path) -> None:
    client = CLIENTS[name]
    path, before = configured(name, tmp_path)
    install(client, path, client.entry(LINE))
    held = path.read_text("utf-8")
    done = uninstall(client, path)
    assert done.backup is not None
    assert done.backup.read_text("utf-8") == held
    assert path.read_text("utf-8").rstrip("\n") == before.rstrip("\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert uninstall(client, path).changed is False


@EVERY
def test_the_only_server_is_taken_out_and_can_be_put_back(name: str, tmp_path: Path) -> None:
    client = CLIENTS[name]
    path = location(client, {}, tmp_path)
    assert uninstall(client, path).changed is False
    assert not path.exists()
    install(client, path, client.entry(LINE))
    uninstall(client, path)
    assert "octavo" not in (READ[client.layout](path.read_text("utf-8")).get(client.key) or {})
    install(client, path, client.entry(LINE))
    assert servers(name, path) == {"octavo": client.entry(LINE)}


@EVERY
def test_what_a_person_put_beside_the_entry_stays_when_it_is_written_again(name: str, tmp_path: Path) -> None:
    client = CLIENTS[name]
    path, _ = configured(name, tmp_path)
    install(client, path, client.entry(["/old/octavo", "mcp"]))
    held = servers(name, path)["octavo"]
    text = path.read_text("utf-8")
    mine = {"json": '"mine": 1, "', "toml": "mine = 1\n", "yaml": "mine: 1\n        "}[client.layout]
    first = next(iter(held))
    spelled = f'"{first}"' if client.layout == "json" else first
    at = text.index(spelled, text.index("octavo"))
    path.write_text(text[:at] + mine + text[at + (client.layout == "json") :], "utf-8")
    install(client, path, client.entry(LINE))
    assert servers(name, path)["octavo"] == {"mine": 1, **client.entry(LINE)}
    assert servers(name, path)["other"] == OTHER


def test_another_entry_of_that_name_is_replaced_and_both_copies_stay(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text("{}", "utf-8")
    first = install(CLIENTS["cursor"], path, CLIENTS["cursor"].entry(["/old/octavo", "mcp"]))
    second = install(CLIENTS["cursor"], path, CLIENTS["cursor"].entry(LINE))
    assert servers("cursor", path)["octavo"] == LINE_ENTRY
    assert first.backup is not None
    assert second.backup is not None
    assert first.backup.read_text("utf-8") == "{}"
    assert "/old/octavo" in second.backup.read_text("utf-8")


COMMENTED = """\
// Zed settings
{
  "theme": "One Dark", // mine
  /* nothing yet */
  "languages": {"Python": {"tab_size": 4,},},
}
"""


def test_comments_and_trailing_commas_survive(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(COMMENTED, "utf-8")
    install(CLIENTS["zed"], path, CLIENTS["zed"].entry(LINE))
    text = path.read_text("utf-8")
    assert all(line in text for line in COMMENTED.splitlines())
    whole = jsonc_edits.parse(text)
    assert whole.pop("context_servers") == {"octavo": LINE_ENTRY}
    assert whole == jsonc_edits.parse(COMMENTED)


@pytest.mark.parametrize(
    "before",
    [
        '{"context_servers": {}}',
        '{ // c\n "context_servers": { // d\n } }',
        '{"a": {"context_servers": {"x": 1}}, "context_servers": {"y": {"command": "z"},},}',
        '{"context_servers": {"y": {"url": "http://x//y"}} /* } */ }',
        "{}",
        '{\r\n  "a": "//not a comment"\r\n}\r\n',
    ],
)
def test_an_entry_goes_into_the_right_object_of_any_text(before: str) -> None:
    after = jsonc_edits.insert(before, "context_servers", "octavo", LINE_ENTRY)
    known = jsonc_edits.parse(before)
    known.setdefault("context_servers", {})["octavo"] = LINE_ENTRY
    assert jsonc_edits.parse(after) == known


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": {"octavo": {"a": [1, {"b": 2}]}}}', '{"s": {}}'),
        ('{"s": {"octavo": 1, "x": 2}}', '{"s": { "x": 2}}'),
        ('{"s": {"x": 2, "octavo": 1}}', '{"s": {"x": 2}}'),
        ('{"octavo": 1, "s": {"octavo": 1}}', '{"octavo": 1, "s": {}}'),
        ('{\n  "s": {\n    // mine\n    "octavo": {},\n    "x": 1, // two\n  },\n}', None),
        ('{"s": {"x": "octavo\\"", "octavo": "}, //"} /* octavo */}', '{"s": {"x": "octavo\\""} /* octavo */}'),
    ],
)
def test_an_entry_is_taken_out_of_any_text(before: str, after: str | None) -> None:
    wanted = after or '{\n  "s": {\n    // mine\n    "x": 1, // two\n  },\n}'
    assert jsonc_edits.remove(before, "s", "octavo") == wanted


@pytest.mark.parametrize(
    "before", ["extensions: {a: {b: 1}}\n", "- a\n", "extensions:\n- a\n", "a: [\n", "{extensions: {}}\n"]
)
def test_yaml_in_another_layout_is_left_alone(before: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(before, "utf-8")
    with pytest.raises(Conflict):
        install(CLIENTS["goose"], path, CLIENTS["goose"].entry(LINE))
    assert path.read_text("utf-8") == before


@pytest.mark.parametrize(
    "before", ["extensions: {}\n", "extensions:\n", "a: 1", "extensions: # mine\n  b: {c: 1}\n\n# end\n"]
)
def test_an_entry_goes_into_yaml_and_out_again(before: str) -> None:
    held = yaml_edits.insert(before, "extensions", "octavo", {"cmd": "c: #d"})
    wanted = yaml.safe_load(before)
    assert yaml.safe_load(held) == {
        **wanted,
        "extensions": {"octavo": {"cmd": "c: #d"}, **(wanted.get("extensions") or {})},
    }
    again = yaml.safe_load(yaml_edits.remove(held, "extensions", "octavo"))
    assert {**again, "extensions": None} == {**wanted, "extensions": None} or again["extensions"] == wanted[
        "extensions"
    ]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=6) | st.just("servers"), values, max_size=4), st.sampled_from([None, 2, 4]))
def test_inserting_into_any_json_adds_the_entry_and_nothing_else(whole: dict[str, object], indent: int | None) -> None:
    held = whole.get("servers", {})
    if not isinstance(held, dict):
        return
    text = json.dumps(whole, indent=indent)
    after = jsonc_edits.parse(jsonc_edits.insert(text, "servers", "a new one", {"command": "c"}))
    assert after == {**whole, "servers": {**held, "a new one": {"command": "c"}}}
    assert jsonc_edits.parse(jsonc_edits.remove(json.dumps(after, indent=indent), "servers", "a new one")) == {
        **whole,
        "servers": held,
    }


@pytest.mark.parametrize("text", ["not json", "[]", '{"mcpServers": []}', '{"mcpServers": 5}', '{"a": '])
def test_a_file_that_is_not_understood_is_left_alone(text: str, tmp_path: Path, octavo: Octavo) -> None:
    path = Path(os.environ["HOME"]) / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(text, "utf-8")
    refused = octavo("mcp", "install", "--client", "cursor", "--write")
    assert refused.exit_code != 0
    assert path.read_text("utf-8") == text
    assert list(path.parent.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text("{}", "utf-8")
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    install(CLIENTS["cursor"], link, CLIENTS["cursor"].entry(LINE))
    assert link.is_symlink()
    assert servers("cursor", real)["octavo"] == LINE_ENTRY


def test_the_command_prints_and_writes_for_this_installation(octavo: Octavo, environment: Path) -> None:
    library = environment / "library.db"
    printed = octavo("mcp", "install", "--client", "claude-code", "--library", library, "--json")
    told = json.loads(printed.stdout)
    wanted = json.loads(told["entry"])["mcpServers"]["octavo"]
    assert wanted["args"][-2:] == ["--library", str(library)]
    assert told["command"].startswith("claude mcp add --scope user octavo -- ")
    assert not Path(told["path"]).exists()
    written = octavo("mcp", "install", "--client", "claude-code", "--library", library, "--write")
    assert written.exit_code == 0
    assert servers("claude-code", Path(told["path"]))["octavo"] == wanted
    assert octavo("mcp", "install", "--client", "claude-code", "--tools", "nonsense").exit_code == 2


def test_the_command_takes_the_server_out_again(octavo: Octavo, environment: Path) -> None:
    assert "has no octavo" in octavo("mcp", "uninstall", "--client", "gemini-cli").stdout
    octavo("mcp", "install", "--client", "gemini-cli", "--write")
    done = json.loads(octavo("mcp", "uninstall", "--client", "gemini-cli", "--json").stdout)
    assert done["changed"] is True
    assert json.loads(Path(done["path"]).read_text("utf-8")) == {"mcpServers": {}}
    assert "octavo" in Path(done["backup"]).read_text("utf-8")


def test_a_library_that_was_named_is_written_and_one_that_the_folder_has_is_followed(
    octavo: Octavo, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def arguments(*given: str) -> list[str]:
        told = json.loads(octavo("mcp", "install", "--client", "cursor", "--json", *given).stdout)
        args: list[str] = json.loads(told["entry"])["mcpServers"]["octavo"]["args"]
        return args

    assert "--library" not in arguments()
    assert arguments("--library", "mine.db")[-2:] == ["--library", str(environment / "mine.db")]
    monkeypatch.setenv("OCTAVO_LIBRARY", "named.db")
    assert arguments()[-2:] == ["--library", str(environment / "named.db")]
    monkeypatch.delenv("OCTAVO_LIBRARY")
    assert octavo("init", "--here").exit_code == 0
    assert "--library" not in arguments(), "the library of a folder is found again by whoever works there"


def test_who_has_a_library_is_told_that_folders_without_one_are_served_it(octavo: Octavo, environment: Path) -> None:
    def told() -> str:
        return octavo("mcp", "install", "--client", "cursor").stdout

    assert "whichever folder" in told() and "one of its own by itself" not in told()
    library = Path(json.loads(octavo("init", "--json").stdout)["library"])
    assert str(library) in told() and "`octavo add .`" in told() and "one of its own by itself" in told()
    assert octavo("init", "--here").exit_code == 0
    assert "one of its own by itself" not in told()


def test_a_client_that_works_in_no_folder_is_not_said_to_follow_one(octavo: Octavo, environment: Path) -> None:
    assert octavo("init", "--here").exit_code == 0
    told = octavo("mcp", "install", "--client", "claude-desktop").stdout
    assert "whichever folder" not in told and "Claude Desktop works in no folder: it gets " in told
    assert str(environment) not in told.rpartition("it gets ")[2].partition(";")[0]


def test_an_entry_that_names_another_library_is_not_replaced(octavo: Octavo, environment: Path) -> None:
    first = ("mcp", "install", "--client", "cursor", "--library", environment / "first.db", "--write")
    assert octavo(*first).exit_code == 0
    for other in (("--library", "second.db"), ()):
        refused = octavo("mcp", "install", "--client", "cursor", *other, "--write")
        assert refused.exit_code != 0
        assert "first.db" in refused.stderr and "--scope project" in refused.stderr
    assert octavo(*first, "--tools", "code").exit_code == 0


@pytest.mark.parametrize("name", [name for name, client in CLIENTS.items() if client.project_file])
def test_a_project_has_its_entry_in_its_own_file(
    name: str, octavo: Octavo, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (environment / ".git").mkdir()
    below = environment / "src"
    below.mkdir()
    monkeypatch.chdir(below)
    told = json.loads(octavo("mcp", "install", "--client", name, "--scope", "project", "--write", "--json").stdout)
    path = environment / CLIENTS[name].project_file
    assert Path(told["path"]) == path
    assert servers(name, path) == {"octavo": CLIENTS[name].entry(["octavo", "mcp"])}, "others have it elsewhere"
    assert not location(CLIENTS[name], {}, Path(os.environ["HOME"])).exists()
    assert octavo("mcp", "uninstall", "--client", name, "--scope", "project").exit_code == 0
    assert "octavo" not in path.read_text("utf-8")


def test_a_project_s_file_gets_no_token_and_no_client_gets_one_it_does_not_read(octavo: Octavo) -> None:
    shared = octavo("mcp", "install", "--client", "cursor", "--scope", "project", "--http")
    assert (shared.exit_code, "yours alone" in shared.stderr) == (2, True)
    unread = octavo("mcp", "install", "--client", "goose", "--scope", "project")
    assert (unread.exit_code, "Goose has no configuration for a project" in unread.stderr) == (2, True)


def test_a_library_named_by_a_relative_path_is_the_one_in_this_folder(environment: Path) -> None:
    choices = Choices(library=Path("p.db"))
    assert choices.flags() == {"library": environment / "p.db"}


@EVERY
def test_each_client_has_a_page_with_its_own_entry(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text("utf-8")
    assert snippet(CLIENTS[name], CLIENTS[name].entry(["/path/to/octavo", "mcp"])) in page
    assert f"octavo mcp install --client {name} --write" in page
    assert f"octavo mcp uninstall --client {name}" in page
    assert f"]({name}.md)" in (DOCS / "README.md").read_text("utf-8")
