"""Notes written through every door: where they may be, who may write, what is answered, and that nothing else moves."""

from __future__ import annotations

import hashlib
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cli_calls import Location, Octavo, Shell
from http_calls import in_process
from mcp import Client, types
from mcp_calls import in_memory
from secret_tokens import TOKENS

import octavo as package
from octavo.errors import Conflict, InvalidArgument, NotFound, OctavoError, StorageError
from octavo.operations.operation_lookup import chosen
from octavo.sources.secret_redaction import MARK

NOTE = "# A\n\nalpha\n\n## B\n\nbeta\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "note.md").write_bytes(NOTE.encode())
    return root


@pytest.fixture
def library(location: Location, folder: Path) -> Iterator[package.Library]:
    with package.open(location, create=True) as library:
        library.add(folder, name="notes", writable=True)
        yield library


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def tree(folder: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(folder)): path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


WRITES: dict[str, Callable[[package.Library, str], Any]] = {
    "auto_fix": lambda library, uri: library.doc.auto_fix(uri),
    "insert": lambda library, uri: library.doc.insert_section(uri, [], "N", "x"),
    "replace": lambda library, uri: library.doc.replace_section(uri, ["A"], "x"),
    "append": lambda library, uri: library.doc.append_to_section(uri, ["A"], "x"),
    "move": lambda library, uri: library.doc.move_section(uri, ["A", "B"], []),
}


def test_a_write_answers_with_the_new_hash_the_lines_and_a_diff(library: package.Library, folder: Path) -> None:
    answer = library.doc.replace_section("note.md", ["A", "B"], "one\ntwo")
    assert (folder / "note.md").read_text() == "# A\n\nalpha\n\n## B\n\none\ntwo\n"
    assert answer.hash == sha(folder / "note.md")
    assert (answer.collection, answer.uri, answer.changed, answer.indexed) == ("notes", "note.md", True, True)
    assert (answer.start_line, answer.end_line) == (5, 8)
    assert answer.diff == ("--- note.md\n+++ note.md\n@@ -4,4 +4,5 @@\n \n ## B\n \n-beta\n+one\n+two\n")


def test_a_search_finds_what_was_written_at_once_and_no_run_indexes_it_again(
    library: package.Library, folder: Path
) -> None:
    library.index()
    library.doc.append_to_section("note.md", ["A"], "A quokka was seen.")
    assert library.search("quokka").hits[0].uri == "note.md"
    report = library.index()
    assert [(collection.added, collection.changed, collection.unchanged) for collection in report.collections] == [
        (0, 0, 1)
    ]


@pytest.mark.one_engine
@pytest.mark.parametrize("name", WRITES)
def test_nothing_is_written_without_leave(name: str, location: Location, folder: Path) -> None:
    with package.open(location, create=True) as library:
        library.add(folder, name="notes")
        with pytest.raises(InvalidArgument, match="not writable"):
            WRITES[name](library, "note.md")
        assert library.doc.validate("note.md").ok
    assert (folder / "note.md").read_text() == NOTE
    config = {"writing": {"collections": ["notes"]}}
    with package.open(location, config=config) as library:
        WRITES[name](library, "note.md")


def test_leave_is_given_and_taken_back_by_adding_again(library: package.Library, folder: Path) -> None:
    library.add(folder, name="notes")
    library.doc.append_to_section("note.md", ["A"], "x")
    library.add(folder, name="notes", writable=False)
    with pytest.raises(InvalidArgument, match="not writable"):
        library.doc.append_to_section("note.md", ["A"], "x")


BAD = ["/etc/x.md", "../x.md", "a/../note.md", "no\0te.md", "note.txt", "note", "", "note.md/", "sub/", ".md", "x.py"]


@pytest.mark.one_engine
def test_a_uri_that_is_no_markdown_path_below_the_folder_is_refused(library: package.Library, folder: Path) -> None:
    calls = WRITES | {
        "validate": lambda library, uri: library.doc.validate(uri),
        "create": lambda library, uri: library.doc.create(uri, "T"),
        "template": lambda library, uri: library.doc.create("new.md", "T", template=uri),
    }
    before = tree(folder)
    taken = []
    for uri in BAD:
        for name, call in calls.items():
            try:
                call(library, uri)
                taken.append((name, uri))
            except InvalidArgument:
                pass
    assert (taken, tree(folder)) == ([], before)


def test_a_uri_is_taken_literally(library: package.Library, folder: Path) -> None:
    for name in ("a%20b.md", " lead.md", "~x.md", "ü.md", "A.MD", "x.markdown"):
        library.doc.create(name, "T")
        assert (folder / name).read_text() == "# T\n"


def test_a_note_is_taken_by_the_name_that_answers_show(library: package.Library, folder: Path) -> None:
    assert library.doc.append_to_section("notes/note.md", ["A", "B"], "more").uri == "note.md"
    assert "more" in (folder / "note.md").read_text("utf-8")
    (folder / "notes").mkdir()
    (folder / "notes" / "note.md").write_bytes(NOTE.encode())
    assert library.doc.append_to_section("notes/note.md", ["A", "B"], "again").uri == "notes/note.md"


def test_a_note_is_made_at_its_literal_uri_also_in_a_folder_that_is_called_as_the_collection(
    library: package.Library, folder: Path
) -> None:
    library.doc.create("notes/note.md", "T", overwrite=True)
    assert (folder / "notes" / "note.md").read_text("utf-8") == "# T\n"
    assert (folder / "note.md").read_bytes() == NOTE.encode()


@pytest.mark.one_engine
@pytest.mark.parametrize(
    ("value", "written"), [("b", "a: b\n"), (3, "a: 3\n"), (True, "a: true\n"), (["x", 2], "a:\n  - x\n  - 2\n")]
)
def test_a_property_has_the_type_that_was_given(
    value: Any, written: str, library: package.Library, folder: Path
) -> None:
    library.doc.create("own.md", "Own", content_md="---\na: 1\n---\n")
    library.doc.set_property("own.md", "a", value=value)
    assert (folder / "own.md").read_text("utf-8") == f"---\n{written}---\n\n# Own\n"


def test_in_a_named_collection_a_uri_is_literal(library: package.Library, folder: Path) -> None:
    with pytest.raises(NotFound):
        library.doc.append_to_section("notes/note.md", ["A", "B"], "more", collection="notes")
    assert (folder / "note.md").read_bytes() == NOTE.encode()


@pytest.mark.one_engine
@pytest.mark.parametrize("name", [*WRITES, "create"])
def test_links_that_lead_out_of_the_folder_are_refused(
    name: str, library: package.Library, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "note.md").write_text(NOTE)
    (folder / "file.md").symlink_to(outside / "note.md")
    (folder / "dir").symlink_to(outside)
    (folder / "nowhere.md").symlink_to(outside / "gone.md")
    (folder / "up.md").symlink_to("../outside/note.md")
    (folder / "loop.md").symlink_to("loop.md")
    calls = WRITES | {"create": lambda library, uri: library.doc.create(uri, "T", overwrite=True)}
    for uri in ("file.md", "dir/note.md", "dir/new.md", "nowhere.md", "up.md", "loop.md"):
        with pytest.raises(InvalidArgument):
            calls[name](library, uri)
    assert tree(outside) == {"note.md": NOTE.encode()}


@pytest.mark.one_engine
def test_a_link_that_stays_inside_is_followed_and_stays_a_link(library: package.Library, folder: Path) -> None:
    (folder / "alias.md").symlink_to("note.md")
    (folder / "sub").mkdir()
    (folder / "way").symlink_to("sub")
    library.doc.replace_section("alias.md", ["A", "B"], "new")
    library.doc.create("way/made.md", "T")
    assert (folder / "alias.md").readlink() == Path("note.md")
    assert (folder / "note.md").read_text() == NOTE.replace("beta", "new")
    assert (folder / "sub" / "made.md").read_text() == "# T\n"


@pytest.mark.one_engine
@pytest.mark.parametrize("name", [*WRITES, "validate"])
def test_a_file_that_is_not_there_is_not_found_and_one_that_is_not_utf8_is_refused(
    name: str, library: package.Library, folder: Path
) -> None:
    calls = WRITES | {"validate": lambda library, uri: library.doc.validate(uri)}
    (folder / "folder.md").mkdir()
    (folder / "bad.md").write_bytes(b"# A\n\n\xff\n\n## B\n")
    for uri in ("gone.md", "no/such.md", "note.md/x.md", "folder.md"):
        with pytest.raises(NotFound):
            calls[name](library, uri)
    with pytest.raises(InvalidArgument):
        calls[name](library, "bad.md")


@pytest.mark.one_engine
@pytest.mark.parametrize("name", [*WRITES, "create"])
def test_a_file_with_another_hash_is_a_conflict_and_nothing_changes(
    name: str, library: package.Library, folder: Path
) -> None:
    calls: dict[str, Callable[..., Any]] = {
        "auto_fix": lambda **given: library.doc.auto_fix("note.md", **given),
        "insert": lambda **given: library.doc.insert_section("note.md", ["Nowhere"], "N", "x", **given),
        "replace": lambda **given: library.doc.replace_section("note.md", ["Nowhere"], "x", **given),
        "append": lambda **given: library.doc.append_to_section("note.md", ["Nowhere"], "x", **given),
        "move": lambda **given: library.doc.move_section("note.md", ["Nowhere"], [], **given),
        "create": lambda **given: library.doc.create("note.md", "T", overwrite=True, **given),
    }
    for wrong in ("", "0" * 64, sha(folder / "note.md").upper()):
        with pytest.raises(Conflict):
            calls[name](expected_hash=wrong)
    with pytest.raises(Conflict):
        library.doc.create("new.md", "T", expected_hash="0" * 64)
    assert tree(folder) == {"note.md": NOTE.encode()}
    assert library.doc.auto_fix("note.md", expected_hash=sha(folder / "note.md")).hash == sha(folder / "note.md")


@pytest.mark.one_engine
def test_arguments_are_checked_before_the_uri_the_uri_before_the_file_and_headings_last(
    library: package.Library, folder: Path
) -> None:
    def code(call: Callable[[], Any]) -> str:
        with pytest.raises(OctavoError) as raised:
            call()
        return raised.value.code

    assert code(lambda: library.doc.append_to_section("gone.md", ["A"], " ")) == "INVALID_ARGUMENT"
    assert code(lambda: library.doc.replace_section("gone.md", [], "x")) == "INVALID_ARGUMENT"
    assert code(lambda: library.doc.insert_section("gone.md", [], "# x", "")) == "INVALID_ARGUMENT"
    assert code(lambda: library.doc.insert_section("gone.md", [], "x", "", level=7)) == "INVALID_ARGUMENT"
    assert code(lambda: library.doc.insert_section("gone.md", [], "x", "", position="up")) == "INVALID_ARGUMENT"
    assert code(lambda: library.doc.move_section("gone.md", [], ["A"])) == "INVALID_ARGUMENT"
    assert code(lambda: library.doc.create("note.md", "")) == "INVALID_ARGUMENT"
    assert code(lambda: library.doc.replace_section("../gone.md", ["A"], "x")) == "INVALID_ARGUMENT"
    assert code(lambda: library.doc.replace_section("gone.md", ["A"], "x", expected_hash="x")) == "NOT_FOUND"
    assert code(lambda: library.doc.replace_section("note.md", ["X"], "x", expected_hash="x")) == "CONFLICT"
    assert code(lambda: library.doc.replace_section("note.md", ["X"], "x")) == "NOT_FOUND"


@pytest.mark.one_engine
@pytest.mark.parametrize("name", [*WRITES, "create"])
def test_a_dry_run_says_what_is_then_written_and_writes_nothing(
    name: str, library: package.Library, folder: Path
) -> None:
    calls: dict[str, Callable[..., Any]] = {
        "auto_fix": lambda **given: library.doc.auto_fix("note.md", **given),
        "insert": lambda **given: library.doc.insert_section("note.md", ["A"], "N", "x", **given),
        "replace": lambda **given: library.doc.replace_section("note.md", ["A"], "x", **given),
        "append": lambda **given: library.doc.append_to_section("note.md", ["A"], "x", **given),
        "move": lambda **given: library.doc.move_section("note.md", ["A", "B"], [], **given),
        "create": lambda **given: library.doc.create("deep/er/new.md", "T", content_md="x", **given),
    }
    if name == "auto_fix":
        (folder / "note.md").write_text(NOTE.replace("## B", "#### B"))
    before = tree(folder)
    dry = calls[name](dry_run=True)
    assert tree(folder) == before
    wet = calls[name]()
    written = folder / ("deep/er/new.md" if name == "create" else "note.md")
    assert dry.hash == wet.hash == sha(written)
    assert (dry.diff, dry.start_line, dry.end_line) == (wet.diff, wet.start_line, wet.end_line)
    assert (dry.dry_run, wet.dry_run, dry.changed, wet.changed) == (True, False, True, True)


@pytest.mark.one_engine
def test_a_write_keeps_the_files_mode_and_leaves_no_other_file(library: package.Library, folder: Path) -> None:
    (folder / "note.md").chmod(0o640)
    for call in WRITES.values():
        call(library, "note.md")
    assert stat.S_IMODE((folder / "note.md").stat().st_mode) == 0o640
    assert [path.name for path in folder.iterdir()] == ["note.md"]


@pytest.mark.one_engine
def test_a_read_only_file_stays_as_it_is(library: package.Library, folder: Path) -> None:
    (folder / "note.md").chmod(0o444)
    for dry_run in (True, False):
        with pytest.raises(StorageError, match="read-only"):
            library.doc.append_to_section("note.md", ["A"], "x", dry_run=dry_run)
    assert tree(folder) == {"note.md": NOTE.encode()}


def test_create_makes_folders_refuses_what_is_there_and_overwrites_whole(
    library: package.Library, folder: Path
) -> None:
    library.doc.create("a/b/c.md", "T", content_md="x")
    assert (folder / "a/b/c.md").read_bytes() == b"# T\n\nx\n"
    with pytest.raises(Conflict):
        library.doc.create("note.md", "T")
    (folder / "note.md").write_bytes(b"\xef\xbb\xbf\xff\r\n")
    library.doc.create("note.md", "T", overwrite=True)
    assert (folder / "note.md").read_bytes() == b"# T\n"
    for title in ("", " \t", "a\nb"):
        with pytest.raises(InvalidArgument):
            library.doc.create("x.md", title)
    assert not (folder / "x.md").exists()


def test_a_template_is_a_note_of_the_same_collection(library: package.Library, folder: Path) -> None:
    (folder / "t.md").write_text("# {{title}}\n\n> {{content}}\n")
    library.doc.create("x.md", "T", template="t.md", content_md="c")
    assert (folder / "x.md").read_text() == "# T\n\n> c\n"
    with pytest.raises(NotFound):
        library.doc.create("y.md", "T", template="gone.md")
    assert not (folder / "y.md").exists()


@pytest.mark.one_engine
def test_generated_files_and_files_over_the_limit_are_not_edited(location: Location, folder: Path) -> None:
    (folder / "made.md").write_text("<!-- Code generated by docgen. DO NOT EDIT. -->\n# A\n")
    config = {"writing": {"max_file_bytes": 100}}
    with package.open(location, create=True, config=config) as library:
        library.add(folder, name="notes", writable=True)
        with pytest.raises(InvalidArgument, match="generated"):
            library.doc.append_to_section("made.md", ["A"], "x")
        (folder / "large.md").write_text("# A\n" + "x" * 100)
        with pytest.raises(InvalidArgument, match="bytes"):
            library.doc.append_to_section("large.md", ["A"], "x")


@pytest.mark.one_engine
def test_validate_and_auto_fix_answer_with_violations(library: package.Library, folder: Path) -> None:
    (folder / "note.md").write_text("# A\n### B\n### B\n")
    answer = library.doc.validate("note.md")
    assert [(one.rule, one.start_line) for one in answer.violations] == [("heading-jump", 2), ("duplicate-sibling", 3)]
    assert (answer.ok, answer.hash) == (False, sha(folder / "note.md"))
    fixed = library.doc.auto_fix("note.md")
    assert [one.rule for one in fixed.violations] == ["duplicate-sibling"]
    assert (folder / "note.md").read_text() == "# A\n## B\n## B\n"


def test_with_several_collections_the_one_that_has_the_note_is_meant(
    library: package.Library, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "note.md").write_text("# Other\n")
    library.add(other, name="other", writable=True)
    with pytest.raises(InvalidArgument, match="several collections"):
        library.doc.append_to_section("note.md", ["A"], "x")
    library.doc.append_to_section("note.md", ["Other"], "x", collection="other")
    assert (other / "note.md").read_text() == "# Other\n\nx\n"
    (other / "only.md").write_text("# Only\n")
    assert library.doc.append_to_section("only.md", ["Only"], "x").collection == "other"


def test_the_command_line_edits_by_paths_as_outlines_show_them_and_from_stdin(
    octavo: Octavo, shell: Shell, folder: Path
) -> None:
    octavo("init")
    octavo("add", folder, "--name", "notes", "--writable")
    assert shell("doc", "append-to-section", "note.md", "-s", "A → B", input="from stdin\n").returncode == 0
    assert (
        octavo("doc", "insert-section", "note.md", "C", "c", "-u", "A", "--position", '{"after": ["A", "B"]}').exit_code
        == 0
    )
    assert (folder / "note.md").read_text() == NOTE + "\nfrom stdin\n\n## C\n\nc\n"
    refused = octavo("doc", "replace-section", "note.md", "x", "-s", "Nowhere")
    assert (refused.exit_code != 0, "there is no section Nowhere" in refused.stderr) == (True, True)


def test_a_property_set_on_the_command_line_keeps_the_type_its_value_is_written_as(
    octavo: Octavo, folder: Path
) -> None:
    octavo("init")
    octavo("add", folder, "--name", "notes", "--writable")
    for key, value, *options in (
        ("rating", "5"),
        ("done", "true"),
        ("tags", "[a, b]"),
        ("began", "2026-03-02"),
        ("code", "007"),
        ("quoted", '"5"'),
        ("forced", "5", "--text"),
    ):
        assert octavo("doc", "set-property", "note.md", key, value, *options).exit_code == 0
    front = (folder / "note.md").read_text().split("---\n")[1]
    assert front == (
        'rating: 5\ndone: true\ntags:\n  - a\n  - b\nbegan: 2026-03-02\ncode: "007"\nquoted: "5"\nforced: "5"\n'
    )


def test_http_writes_only_on_a_server_with_a_token(library: package.Library, folder: Path, location: Location) -> None:
    given = {"uri": "note.md", "heading_path": ["A"], "content_md": "x"}
    library.close()

    async def without(client: httpx2.AsyncClient) -> None:
        assert (await client.post("/v1/doc_append_to_section", json=given)).status_code == 403
        assert (await client.post("/v1/doc_validate", json={"uri": "note.md"})).json()["ok"]

    async def with_token(client: httpx2.AsyncClient) -> None:
        assert (await client.post("/v1/doc_append_to_section", json=given)).status_code == 401
        answer = await client.post("/v1/doc_append_to_section", json=given, headers={"authorization": "Bearer key"})
        assert answer.json()["hash"] == sha(folder / "note.md")

    in_process(location, without)
    in_process(location, with_token, token="key")
    assert (folder / "note.md").read_text() == NOTE.replace("alpha\n", "alpha\n\nx\n")


def test_an_agent_finds_edits_and_goes_on_by_the_text_of_answers_alone(
    library: package.Library, folder: Path, location: Location
) -> None:
    library.index()
    library.close()

    async def talk(client: Client) -> None:
        async def call(name: str, **given: Any) -> str:
            (block,) = (await client.call_tool(name, given)).content
            assert isinstance(block, types.TextContent)
            return block.text

        assert "note.md" in await call("search", query="beta")
        assert "## B" in await call("get", reference="note.md")
        assert "B" in await call("outline", reference="note.md")
        replaced = await call("doc_replace_section", uri="note.md", heading_path=["A", "B"], content_md="gamma")
        assert "\n-beta" in replaced
        assert "\n+gamma" in replaced
        known = re.findall(r"hash (\w{64})", replaced)[0]
        appended = await call(
            "doc_append_to_section", uri="note.md", heading_path=["A", "B"], content_md="delta", expected_hash=known
        )
        assert "lines 5-9" in appended
        stale = await call("doc_auto_fix", uri="note.md", expected_hash=known)
        assert stale.startswith("CONFLICT")
        moved = await call("doc_move_section", uri="note.md", from_heading_path=["A", "B"], to_parent_heading_path=[])
        assert "\n+# B" in moved
        assert "delta" in await call("search", query="delta")
        assert "\n-# B" in await call("doc_restore", uri="note.md")
        assert "\n-delta" in await call("doc_restore", uri="note.md")

    in_memory(location, talk, chosen("default,writing,outline"))
    assert (folder / "note.md").read_text() == NOTE.replace("beta", "gamma")


def test_writes_are_undone_one_after_the_other_to_the_byte(library: package.Library, folder: Path) -> None:
    odd = b"\xef\xbb\xbf# A\r\n\n\nalpha\r\n## B\n\nbeta"
    (folder / "note.md").write_bytes(odd)
    states = [odd]
    for call in (WRITES["replace"], WRITES["append"], WRITES["move"]):
        call(library, "note.md")
        states.append((folder / "note.md").read_bytes())
    for state in reversed(states[:-1]):
        library.doc.restore("note.md")
        assert (folder / "note.md").read_bytes() == state
    with pytest.raises(NotFound):
        library.doc.restore("note.md")
    library.doc.append_to_section("note.md", ["A"], "again")
    library.doc.restore("note.md")
    assert (folder / "note.md").read_bytes() == odd


def test_an_undo_does_not_lose_what_somebody_else_wrote(library: package.Library, folder: Path) -> None:
    library.doc.append_to_section("note.md", ["A"], "x")
    (folder / "note.md").write_text("# Mine\n")
    with pytest.raises(Conflict):
        library.doc.restore("note.md")
    assert (folder / "note.md").read_text() == "# Mine\n"


def test_a_version_of_the_history_is_written_back_and_the_history_says_who_wrote_and_why(
    library: package.Library, folder: Path
) -> None:
    (folder / "note.md").write_bytes(NOTE.replace("\n", "\r\n").encode())
    library.index()
    library.doc.replace_section("note.md", ["A", "B"], "new", author="ann", reason="it was wrong")
    past = library.doc.history("note.md")
    assert [(write.operation, write.author, write.reason) for write in past.writes] == [
        ("doc_replace_section", "ann", "it was wrong")
    ]
    answer = library.doc.restore("note.md", version=past.versions[0].version)
    assert (folder / "note.md").read_bytes() == NOTE.replace("\n", "\r\n").encode()
    assert answer.hash == sha(folder / "note.md")
    with pytest.raises(NotFound):
        library.doc.restore("note.md", version=99)


@pytest.mark.one_engine
def test_a_note_cannot_be_made_below_a_file_or_in_the_place_of_a_folder(library: package.Library, folder: Path) -> None:
    (folder / "folder.md").mkdir()
    for dry_run in (True, False):
        with pytest.raises(InvalidArgument):
            library.doc.create("note.md/new.md", "T", dry_run=dry_run)
        with pytest.raises(Conflict):
            library.doc.create("folder.md", "T", overwrite=True, dry_run=dry_run)
    assert tree(folder) == {"folder.md": False, "note.md": NOTE.encode()}


def test_two_writers_at_once_lose_nothing(library: package.Library, folder: Path) -> None:
    def write(name: str) -> None:
        for number in range(10):
            library.doc.append_to_section("note.md", ["A", "B"], f"- {name}{number}")

    threads = [threading.Thread(target=write, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = (folder / "note.md").read_text().splitlines()
    assert sorted(line for line in lines if line.startswith("- ")) == sorted(
        f"- {name}{number}" for name in "xyz" for number in range(10)
    )
    assert [path.name for path in folder.iterdir()] == ["note.md"]


_APPENDING = """
import sys
from pathlib import Path
from octavo.note_editing.section_edits import append
from octavo.note_editing.note_files import encoded, overwrite, read
from octavo.note_editing.note_heading_outline import NoteOutline
path = Path(sys.argv[1])
print("begun", flush=True)
while True:
    file = read(path, "note.md", 10**9)
    overwrite(file, encoded(append(NoteOutline(file.text), ["A", "B"], "- " + "x" * 60).text))
"""


@pytest.mark.one_engine
def test_a_killed_writer_leaves_the_old_file_or_the_new_one(folder: Path) -> None:
    note = folder / "note.md"
    for number in range(5):
        writer = subprocess.Popen([sys.executable, "-c", _APPENDING, str(note)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"begun\n"
        size = note.stat().st_size
        while note.stat().st_size < size + 100 * (number + 1):
            assert writer.poll() is None
        writer.kill()
        writer.wait()
        writer.stdout.close()
        text = note.read_text()
        assert re.fullmatch(re.escape(NOTE) + r"(?:\n(?:- x{60}\n)+)?", text)
    assert {path.name for path in folder.iterdir() if not path.name.startswith(".octavo-")} == {"note.md"}


TOKEN = TOKENS["GitHub token"]


def test_what_is_told_of_a_note_on_disk_holds_no_token(library: package.Library, folder: Path) -> None:
    """A client that may edit sees no more of a file than one that may search."""
    note = f"# A {TOKEN}\n\nalpha\n[[{TOKEN}]]\n\n### B {TOKEN}\n\n{TOKEN}\n"
    (folder / "note.md").write_text(note)
    (folder / "other.md").write_text(f"# O\n\n[[note#A {TOKEN}]] [x](note.md)\n")
    told = [
        library.doc.replace_section("note.md", [f"A {TOKEN}"], "x", dry_run=True),
        library.doc.rename("note.md", heading_path=[f"A {TOKEN}"], heading="C", dry_run=True),
        library.doc.auto_fix("note.md", dry_run=True),
        library.doc.create("new.md", "N", template="note.md", dry_run=True),
        library.doc.validate("note.md"),
        library.notes.lint(),
    ]
    with pytest.raises(NotFound) as refused:
        library.doc.replace_section("note.md", ["Z"], "x")
    told += [refused.value.message, refused.value.hint, refused.value.details]
    written = library.doc.append_to_section("note.md", [f"A {TOKEN}"], f"And {TOKEN}", reason=TOKEN, author=TOKEN)
    told += [written, library.doc.history("note.md"), library.doc.restore("note.md")]
    assert [answer for answer in told if TOKEN in str(answer)] == []
    assert MARK * len(TOKEN) in written.diff
    assert (folder / "note.md").read_text() == note
    library.add(folder, name="notes", allow_secrets=True)
    assert TOKEN in library.doc.append_to_section("note.md", [f"A {TOKEN}"], "More").diff


def test_a_file_that_no_search_reads_is_not_read_by_an_edit(library: package.Library, folder: Path) -> None:
    left_out = ("passwords.md", "private/diary.md", ".ssh/notes.md")
    for uri in left_out:
        (folder / uri).parent.mkdir(exist_ok=True)
        (folder / uri).write_text("# A\n\nhunter2\n")
    (folder / "link.md").symlink_to("passwords.md")
    (folder / ".octavoignore").write_text("private/\ntemplates/\n")
    (folder / "templates").mkdir()
    (folder / "templates" / "t.md").write_text("# {{title}}\n")
    before = tree(folder)
    for uri in (*left_out, "link.md"):
        for write in WRITES.values():
            with pytest.raises((InvalidArgument, Conflict)) as refused:
                write(library, uri)
            assert "hunter2" not in str(refused.value)
        with pytest.raises(InvalidArgument, match="left out"):
            library.doc.create("new.md", "N", template=uri, dry_run=True)
        with pytest.raises(InvalidArgument, match="left out"):
            library.doc.validate(uri)
    assert tree(folder) == before
    assert library.doc.create("new.md", "N", template="templates/t.md").changed


def test_a_new_note_is_refused_where_no_search_would_read_it(library: package.Library, folder: Path) -> None:
    (folder / ".gitignore").write_text("private/\n")
    (folder / "git").symlink_to(".git")
    (folder / ".git").mkdir()
    library.add(folder, name="notes", writable=True, ignore=("drafts/**",))
    before = tree(folder)
    for uri in (
        *(".claude/commands/x.md", ".github/x.md", ".git/hooks/x.md", ".trash/a.md", ".hidden.md", "git/x.md"),
        *("secrets/credentials.md", "passwords.md", ".ssh/x.md", "private/x.md", "drafts/x.md", "node_modules/x.md"),
        *("templates/.git/x.md", "deep/.obsidian/x.md", "a\nb.md", "a\\..\\.git\\x.md"),
    ):
        for write in (
            lambda uri: library.doc.create(uri, "T"),
            lambda uri: library.doc.rename("note.md", to=uri),
            lambda uri: library.doc.rename("note.md", to=uri, dry_run=True),
        ):
            with pytest.raises(InvalidArgument, match=f"{re.escape(uri)} would be left out of notes: ") as refused:
                write(uri)
            assert refused.value.hint == "choose another name or folder"
    with pytest.raises(InvalidArgument, match="would be left out"):
        library.notes.new("x", folder="private")
    assert tree(folder) == before


def test_a_version_is_not_written_back_to_where_no_search_reads_it_any_more(
    library: package.Library, folder: Path
) -> None:
    library.index()
    (folder / "note.md").unlink()
    (folder / ".gitignore").write_text("note.md\n")
    with pytest.raises(InvalidArgument, match=r"note\.md would be left out"):
        library.doc.restore("note.md", version=1)
    assert not (folder / "note.md").exists()
