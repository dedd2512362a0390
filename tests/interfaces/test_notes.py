"""`octavo notes`: notes from templates, lines added to them, a note for each day."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from cli_calls import Location, Octavo, Shell

import octavo as package
from octavo.errors import Conflict, InvalidArgument, NotFound

MEETING = "---\ntags: [meeting]\n---\n# {{title}}\n\nOn {{date}} at {{time}}, {{other}}.\n\n{{content}}\n"
RULES = {"writing": {"note_folders": ["meeting=meetings/{{year}}"], "note_folder": "inbox"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    (root / "templates").mkdir(parents=True)
    (root / "templates" / "meeting.md").write_text(MEETING)
    return root


@pytest.fixture
def library(location: Location, folder: Path) -> Iterator[package.Library]:
    with package.open(location, create=True, config=RULES) as library:
        library.add(folder, name="notes", writable=True)
        yield library


def today() -> datetime:
    return datetime.now().astimezone()


def test_a_note_is_made_from_a_template_in_the_folder_that_the_rules_say(
    library: package.Library, folder: Path
) -> None:
    before = today()
    answer = library.notes.new("Ann: plans?", template="meeting", content_md="We met.")
    after = today()
    assert answer.uri in {f"meetings/{when:%Y}/Ann plans.md" for when in (before, after)}
    assert (folder / answer.uri).read_text() in {
        MEETING.replace("{{title}}", "Ann: plans?")
        .replace("{{date}}", f"{when:%Y-%m-%d}")
        .replace("{{time}}", f"{when:%H:%M}")
        .replace("{{content}}", "We met.")
        for when in (before, after)
    }
    assert library.search("plans").hits[0].uri == answer.uri


@pytest.mark.one_engine
def test_without_a_template_a_note_is_its_title_and_its_text_and_a_folder_may_be_given(
    library: package.Library, folder: Path
) -> None:
    assert library.notes.new("Pond", content_md="Dig.").uri == "inbox/Pond.md"
    assert (folder / "inbox" / "Pond.md").read_text() == "# Pond\n\nDig.\n"
    assert library.notes.new("Pond", folder="garden/water").uri == "garden/water/Pond.md"
    assert library.notes.new("Top", folder="").uri == "Top.md"
    with pytest.raises(InvalidArgument, match="leads out"):
        library.notes.new("Pond", folder="../elsewhere")


@pytest.mark.one_engine
def test_a_note_that_some_system_takes_for_the_same_is_a_conflict(library: package.Library) -> None:
    library.notes.new("Pond")
    for title in ("Pond", "POND", "pond?"):
        with pytest.raises(Conflict):
            library.notes.new(title)


@pytest.mark.one_engine
def test_an_unknown_template_is_not_found_and_those_there_are_are_named(library: package.Library) -> None:
    with pytest.raises(NotFound, match="no template nope") as raised:
        library.notes.new("A", template="nope")
    assert "meeting" in str(raised.value.hint)


def test_a_text_is_added_at_the_end_of_a_note_found_by_its_name(library: package.Library, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "Inbox.md").write_text("# Inbox\n\n- one\n\n## Later\n\ntext")
    assert library.notes.append("inbox", "- two").uri == "sub/Inbox.md"
    library.notes.append("Inbox", "- three")
    assert library.notes.append("notes/sub/Inbox.md", "- first", heading_path=["Inbox"]).uri == "sub/Inbox.md"
    assert (folder / "sub" / "Inbox.md").read_text() == (
        "# Inbox\n\n- one\n- first\n\n## Later\n\ntext\n\n- two\n- three\n"
    )
    library.doc.restore("sub/Inbox.md")
    assert "- first" not in (folder / "sub" / "Inbox.md").read_text()


@pytest.mark.one_engine
def test_a_note_without_headings_is_added_to_as_well(library: package.Library, folder: Path) -> None:
    (folder / "plain.md").write_bytes(b"\xef\xbb\xbf---\r\na: 1\r\n---\r\n- x\r\n\r\n\r\n")
    library.notes.append("plain", "- y")
    library.notes.append("plain", "# Heading\n\ntext")
    assert (folder / "plain.md").read_bytes() == (
        b"\xef\xbb\xbf---\r\na: 1\r\n---\r\n- x\r\n- y\r\n\r\n# Heading\r\n\r\ntext\r\n"
    )


@pytest.mark.one_engine
def test_a_missing_note_is_made_by_its_first_line_and_two_of_a_name_are_refused(
    library: package.Library, folder: Path
) -> None:
    answer = library.notes.append("Inbox", "- one")
    assert (answer.uri, answer.note) == ("inbox/Inbox.md", "there was no note Inbox: it is new")
    assert (folder / "inbox" / "Inbox.md").read_text() == "# Inbox\n\n- one\n"
    library.notes.new("Inbox", folder="other")
    with pytest.raises(InvalidArgument, match="2 notes are called Inbox"):
        library.notes.append("Inbox", "- two")


def test_todays_note_is_made_once_and_added_to(library: package.Library, folder: Path) -> None:
    (folder / "templates" / "daily.md").write_text("# {{title}}\n\n## Log\n")
    answer = library.notes.today()
    assert library.notes.today().changed is False
    assert library.notes.today("- woke up").uri == answer.uri
    title = Path(answer.uri).stem
    assert answer.uri == f"daily/{title}.md"
    assert (folder / answer.uri).read_text() == f"# {title}\n\n## Log\n\n- woke up\n"


def test_the_collection_is_the_only_writable_one_or_the_configured_one(
    location: Location, library: package.Library, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "more").mkdir()
    library.add(tmp_path / "more", name="more")
    assert library.notes.new("A", dry_run=True).collection == "notes"
    with pytest.raises(InvalidArgument, match="not writable"):
        library.notes.new("A", collection="more")
    library.add(tmp_path / "more", name="more", writable=True)
    with pytest.raises(InvalidArgument, match="several"):
        library.notes.new("A")
    config = {"writing": {"note_collection": "more"}}
    with package.open(location, config=config) as other:
        assert other.notes.new("A", dry_run=True).collection == "more"
    library.add(tmp_path / "more", name="more", writable=False)
    library.add(folder, name="notes", writable=False)
    with pytest.raises(InvalidArgument, match="no collection may be written"):
        library.notes.today()


@pytest.mark.one_engine
def test_the_command_line_takes_text_from_stdin_and_opens_an_editor(
    octavo: Octavo, shell: Shell, folder: Path, tmp_path: Path
) -> None:
    editor = tmp_path / "editor.py"
    editor.write_text("import sys, pathlib; pathlib.Path(sys.argv[1]).write_text('# Edited capybara\\n')")
    octavo("init")
    octavo("add", str(folder), "--name", "notes")
    refused = octavo("notes", "today").stderr
    assert f"allow it with `octavo add {folder} --name notes --writable`" in refused
    octavo("add", str(folder), "--name", "notes", "--writable")
    shell("notes", "append", "Inbox", input="- piped\n")
    assert (folder / "Inbox.md").read_text() == "# Inbox\n\n- piped\n"
    octavo("notes", "append", "Inbox", "- typed", "--dry-run")
    octavo("notes", "append", "Inbox", "- typed")
    assert (folder / "Inbox.md").read_text() == "# Inbox\n\n- piped\n- typed\n"
    shell("notes", "new", "Draft", "--edit", env={**os.environ, "EDITOR": f"{sys.executable} {editor}"})
    assert (folder / "Draft.md").read_text() == "# Edited capybara\n"
    assert "Draft.md" in octavo("search", "capybara").stdout
