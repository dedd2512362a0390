"""What goes wrong: exit codes, messages, hints, and errors as JSON."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_calls import Octavo, Vault, write_vault

from octavo import errors
from octavo.interfaces.cli.error_exit_codes import EXITS, Exit, failure


def every_error(kind: type[errors.OctavoError]) -> set[type[errors.OctavoError]]:
    return {kind}.union(*(every_error(one) for one in kind.__subclasses__()))


def test_every_error_has_an_exit_code() -> None:
    assert every_error(errors.OctavoError) >= set(EXITS)
    named = {error: failure(error("it")).exit for error in every_error(errors.OctavoError) - {errors.OctavoError}}
    assert Exit.DEFECT not in named.values()
    assert Exit.OK not in named.values()


def error_of(stdout: str) -> dict[str, object]:
    error: dict[str, object] = json.loads(stdout)["error"]
    assert set(error) == {"code", "message", "hint", "details"}
    return error


@pytest.mark.usefixtures("vault")
def test_details_say_what_the_message_says(octavo: Octavo) -> None:
    def details(*arguments: str) -> dict[str, object]:
        found = error_of(octavo(*arguments, "--json").stdout)["details"]
        assert isinstance(found, dict)
        return found

    assert details("search", "x", "--limit", "0")["field"] == "limit"
    chosen = details("mcp", "install", "--client", "emacs")
    assert (chosen["field"], "zed" in str(chosen["valid_options"])) == ("client", True)
    near = details("get", "bred.md")
    assert near == {"uri": "bred.md", "heading_path": None, "near": ["bread.md"], "sections": None}
    section = details("get", "bread.md#nonsense")
    assert (section["uri"], section["heading_path"]) == ("bread.md", ["nonsense"])
    assert section["sections"]


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["search"], "INVALID_ARGUMENT", 2),
        (["search", "--limit", "0", "x"], "INVALID_ARGUMENT", 2),
        (["search", "-p", "nonsense", "x"], "INVALID_ARGUMENT", 2),
        (["search", "--after", "someday", "x"], "INVALID_ARGUMENT", 2),
        (["search", "-c", "nonsense", "x"], "NOT_FOUND", 1),
        (["get", "nonsense.md"], "NOT_FOUND", 1),
        (["get", "bread.md:9-3"], "INVALID_ARGUMENT", 2),
        (["get", "chk_nonsense"], "NOT_FOUND", 1),
        (["index", "nonsense"], "NOT_FOUND", 1),
        (["nonsense"], "INVALID_ARGUMENT", 2),
        (["add", "/nowhere"], "INVALID_ARGUMENT", 2),
        (["config", "get", "nonsense"], "CONFIGURATION", 3),
        (["search", "--library", "/nowhere/library.db", "x"], "NOT_INDEXED", 4),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
@pytest.mark.usefixtures("vault")
def test_an_error_is_a_message_for_people_and_an_object_for_machines(
    octavo: Octavo, arguments: list[str], code: str, exit_code: int
) -> None:
    plain = octavo(*arguments)
    assert (plain.exit_code, plain.stdout) == (exit_code, "")
    assert plain.stderr.startswith("error: ")
    for form in (["--json"], ["--jsonl"], ["--format", "json"], ["--format=jsonl"]):
        asked = octavo(arguments[0], *form, *arguments[1:])
        error = error_of(asked.stdout)
        assert (asked.exit_code, error["code"]) == (exit_code, code)
        assert (
            asked.stderr
            == plain.stderr
            == f"error: {error['message']}\n" + (f"hint: {error['hint']}\n" if error["hint"] else "")
        )


def test_a_mistyped_command_or_setting_names_the_nearest(octavo: Octavo) -> None:
    assert "Did you mean search?" in octavo("serch", "x").stderr
    assert "did you mean retrieval.limit?" in octavo("config", "get", "retreival.limit").stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("find", "search"), ("ls", "list"), ("rm", "remove"), ("opne", "open"), ("stat", "status")],
)
def test_what_other_programs_call_a_command_is_understood(octavo: Octavo, typed: str, meant: str) -> None:
    result = octavo(typed)
    assert (result.exit_code, f"Did you mean {meant}?" in result.stderr) == (Exit.USAGE, True)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("memory list", "octavo recall"),
        ("memory delete", "octavo forget"),
        ("memory serch", "search"),
        ("notes list", "octavo list --documents"),
        ("graph relate", "related"),
        ("projects create", "octavo --project NAME add FOLDER"),
    ],
)
def test_what_another_command_does_is_named_in_a_group_that_lacks_it(octavo: Octavo, typed: str, meant: str) -> None:
    result = octavo(*typed.split())
    assert (result.exit_code, f"Did you mean {meant}?" in result.stderr) == (Exit.USAGE, True), result.stderr


def test_an_option_that_is_not_there_is_no_query_where_none_is_an_argument(octavo: Octavo) -> None:
    assert "hint: see `octavo export --help`" in octavo("export", "-o", "copy").stderr
    assert "goes after `--`: octavo search -- -o" in octavo("search", "-o", "copy").stderr


def test_what_is_like_no_command_gets_no_suggestion(octavo: Octavo) -> None:
    assert octavo("xylophone").stderr == "error: There is no command xylophone.\nhint: see `octavo --help`\n"


def test_help_explains_a_command_as_its_own_help_does(octavo: Octavo) -> None:
    assert octavo("help").stdout == octavo("--help").stdout
    assert octavo("help", "mcp", "install").stdout == octavo("mcp", "install", "--help").stdout
    assert "Did you mean search?" in octavo("help", "serch").stderr


def test_an_operation_answers_to_its_name_and_to_its_aliases(octavo: Octavo) -> None:
    assert "Find commits by what they say" in octavo("search_git_history", "--help").stdout
    assert "Find code by name" in octavo("search_code", "--help").stdout


def test_an_unknown_setting_in_a_file_names_the_nearest(octavo: Octavo, tmp_path: Path) -> None:
    file = tmp_path / "home" / "config" / "octavo" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[retrieval]\nprofil = "hybrid"\n')
    result = octavo("config", "show")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "did you mean retrieval.profile?" in result.stderr


def test_a_file_that_is_no_library_is_refused(octavo: Octavo, tmp_path: Path) -> None:
    file = tmp_path / "library.db"
    file.write_text("this is not a database, it is a letter " * 200)
    result = octavo("search", "--library", file, "x")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "hint: " in result.stderr


def test_a_library_with_nothing_in_it_is_not_indexed(octavo: Octavo) -> None:
    octavo("init")
    assert octavo("index").exit_code == 4
    assert octavo("search", "x").exit_code == 4


def test_required_freshness_is_refused_until_vectors_are_there(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init")
    octavo("add", write_vault(tmp_path / "notes"))
    octavo("index", "--no-embed")
    stale = octavo("search", "--require-fresh", "apple")
    assert (stale.exit_code, stale.stdout) == (4, "")
    by_word = octavo("search", "apple")
    assert by_word.exit_code == 0
    assert "not learnt yet" in by_word.stdout
    octavo("index")
    assert octavo("search", "--require-fresh", "apple").exit_code == 0


def test_another_models_vectors_are_not_mixed_in(octavo: Octavo, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_EMBEDDING_PROVIDER", "hashing")
    assert octavo("index").exit_code == 3


def test_what_cannot_be_read_makes_the_run_partial(octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    # A path longer than the system takes cannot be listed by anybody, not even by root.
    here = os.open(folder, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("x" * 250, dir_fd=here)
        here, above = os.open("x" * 250, os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    octavo("init")
    octavo("add", folder)
    result = octavo("index")
    assert result.exit_code == 6
    assert "could not be looked at" in result.stdout
    assert json.loads(octavo("index", "--json").stdout)["collections"][0]["unreadable"]


def test_a_refused_file_is_listed_with_its_reason(octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    (folder / "broken.md").write_bytes(b"\x00\x01\x02" * 100)
    octavo("init")
    octavo("add", folder)
    assert octavo("index").exit_code == 0
    (problem,) = json.loads(octavo("status", "--problems", "--json").stdout)["problems"]
    assert (problem["uri"], problem["outcome"]) == ("broken.md", "skipped")
    assert problem["reason"]


def test_a_file_that_was_left_out_is_called_so_with_the_reason_when_it_is_asked_for(
    octavo: Octavo, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "secrets.md").write_text("# Accounts\n")
    (folder / "secret.md").write_text("# The secret garden\n")
    octavo("init")
    octavo("add", str(folder), "--name", "notes")
    octavo("index")
    for reference in ("secrets.md", "notes/secrets.md:1-2", "secrets.md#accounts"):
        refused = octavo("get", reference)
        assert refused.exit_code == 1
        assert "notes/secrets.md was not indexed: it may hold secrets: named like a file of secrets" in refused.stderr
        assert "`octavo status --problems` lists such files" in refused.stderr


def test_a_folder_that_is_away_keeps_what_it_held(octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    octavo("init")
    octavo("add", folder)
    octavo("index")
    folder.rename(tmp_path / "unmounted")
    result = octavo("index", "--json")
    assert result.exit_code == 6
    assert [one["collection"] for one in json.loads(result.stdout)["missing"]] == ["notes"]
    assert octavo("search", "apple").exit_code == 0
    assert octavo("doctor").exit_code == 6


@pytest.mark.one_engine
def test_a_busy_library_says_so(octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import apsw

    from octavo.stores.sqlite import database

    library = tmp_path / "home" / "data" / "octavo" / "library.db"
    octavo("init")
    defaults = database.SqliteDatabase.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "busy_timeout_ms", 10)
    holder = apsw.Connection(str(library))
    holder.execute("begin immediate")
    result = octavo("add", write_vault(tmp_path / "notes"))
    holder.close()
    assert (result.exit_code, result.stdout) == (5, "")


def test_a_defect_is_one_line_and_verbose_shows_where(octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("octavo.config.layered_config_loading.load", broken)
    result = octavo("config", "show", "--json")
    assert (result.exit_code, error_of(result.stdout)["code"]) == (70, "INTERNAL")
    assert result.stderr.count("\n") == 2
    assert "Traceback" in octavo("config", "show", "--verbose").stderr


@pytest.mark.one_engine
def test_a_reader_that_leaves_early_is_no_error(vault: Vault) -> None:
    command = [sys.executable, "-m", "octavo", "search", "--full", "apple"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


@pytest.mark.one_engine
def test_ctrl_c_says_that_the_next_run_goes_on(octavo: Octavo, tmp_path: Path) -> None:
    folder = write_vault(tmp_path / "notes")
    (folder / "long.md").write_text("words and words\n" * 50_000)
    octavo("init")
    octavo("add", folder)
    octavo("index")
    command = [sys.executable, "-m", "octavo", "get", "long.md"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        # More than a pipe holds: after its first byte the command waits for us to read the rest.
        assert process.stdout.read(1) == b"w"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"stopped; the next run continues where this one left off\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", [["search", "apple"], ["search", "apple", "--json"], ["--help"]])
@pytest.mark.usefixtures("vault")
@pytest.mark.one_engine
def test_an_answer_that_cannot_be_written_is_no_defect_of_octavo(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "octavo", *arguments], stdout=full, stderr=subprocess.PIPE, check=False, text=True
        )
    assert done.returncode == Exit.PARTIAL
    assert done.stderr.startswith("error: the answer could not be written: No space left on device\nhint: ")


@pytest.mark.skipif(os.name != "posix", reason="only a POSIX shell closes a stream with >&-")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["search", "apple"], Exit.PARTIAL, "error: the answer could not be written: Bad file descriptor\nhint: "),
        (["status", "--json"], Exit.PARTIAL, "error: the answer could not be written: Bad file descriptor\nhint: "),
        (["get", "nothing.md", "--json"], Exit.NO_MATCH, "error: nothing in the library is called nothing.md"),
    ],
)
@pytest.mark.usefixtures("vault")
@pytest.mark.one_engine
def test_a_closed_stdout_is_no_defect_of_octavo(arguments: list[str], code: int, said: str) -> None:
    command = ["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", "octavo", *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False, text=True)
    assert (done.returncode, done.stderr[: len(said)]) == (code, said)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["config"], ["jobs"]], ids=" ".join)
def test_a_group_without_a_command_shows_its_help_and_no_error(octavo: Octavo, command: list[str]) -> None:
    done = octavo(*command)
    assert (done.exit_code, done.stdout) == (Exit.USAGE, "")
    assert done.stderr.startswith("Usage: ")
    assert "error:" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["get", "bread.md:5000-6000"], "bread.md has 3 lines, not 5000", "ask for lines up to 3: bread.md:1-3"),
        (["get", ""], "the reference is blank", "give a uri, uri:from-to, uri#section, or a chunk id"),
        (
            ["remember", ""],
            "there is nothing to remember: the text is empty",
            'give a text: `octavo remember "what to keep"`',
        ),
        (
            ["search", "x", "-p", "/nope.toml"],
            "the profile /nope.toml cannot be read: No such file or directory",
            "give the path of a TOML file, or the name of a profile",
        ),
    ],
)
@pytest.mark.usefixtures("vault")
def test_an_error_says_what_to_do(octavo: Octavo, arguments: list[str], message: str, hint: str) -> None:
    done = octavo(*arguments)
    assert done.stderr == f"error: {message}\nhint: {hint}\n"
