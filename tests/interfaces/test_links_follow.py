"""Links follow a heading or a file that is renamed or moved: listed, and written when asked, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Location, Octavo

import octavo as package
from octavo.errors import Conflict, InvalidArgument, OctavoError
from octavo.operations.note_editing.results import linked_write_lines

GARDEN = "# Garden\n\n## Plans\n\nSee [[#Plans]] and [own](#plans).\n\n### Spring\n\nSow.\n\n## Archive\n"
LINKS = (
    "[[Garden]] [[garden#Plans|the plans]] ![[Garden#Plans#Spring]] [[Other]]\r\n"
    '[md](sub/Garden.md#plans) [angle](<sub/Garden.md#Plans> "title") [ref][g] [x](https://example.org/Garden)\r\n'
    "`[[Garden#Plans]]`\r\n\r\n[g]: sub/Garden.md#spring\r\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "Garden.md").write_bytes(GARDEN.encode())
    (root / "Links.md").write_bytes(LINKS.encode())
    (root / "Other.md").write_bytes(b'---\nup: "[[Garden#Plans]]"\n---\nno link\n')
    return root


@pytest.fixture
def library(location: Location, folder: Path) -> Iterator[package.Library]:
    with package.open(location, create=True) as library:
        library.add(folder, name="notes", writable=True)
        yield library


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_links_follow_a_renamed_heading_in_the_way_they_were_written(library: package.Library, folder: Path) -> None:
    before = files(folder)
    shown = library.doc.rename(
        "sub/Garden.md", heading_path=["Garden", "Plans"], heading="New Plans", update_links=True, dry_run=True
    )
    assert files(folder) == before
    done = library.doc.rename("sub/Garden.md", heading_path=["Garden", "Plans"], heading="New Plans", update_links=True)
    assert (done.links, done.diff, done.hash) == (shown.links, shown.diff, shown.hash)
    assert (folder / "Links.md").read_bytes().decode() == (
        LINKS.replace("[[garden#Plans|", "[[garden#New Plans|")
        .replace("Garden#Plans#Spring", "Garden#New Plans#Spring")
        .replace("sub/Garden.md#plans", "sub/Garden.md#new-plans")
        .replace("<sub/Garden.md#Plans>", "<sub/Garden.md#New Plans>")
    )
    assert (folder / "Other.md").read_bytes() == b'---\nup: "[[Garden#New Plans]]"\n---\nno link\n'
    assert (folder / "sub" / "Garden.md").read_text() == (
        GARDEN.replace("## Plans", "## New Plans")
        .replace("[[#Plans]]", "[[#New Plans]]")
        .replace("#plans", "#new-plans")
    )
    assert [(link.uri, link.line, link.before, link.after) for link in done.links if link.uri == "Other.md"] == [
        ("Other.md", 2, "[[Garden#Plans]]", "[[Garden#New Plans]]")
    ]
    assert library.notes.lint(rules=["missing-anchor", "broken-link"]).ok


@pytest.mark.one_engine
def test_links_are_listed_in_a_dry_run_and_written_only_when_asked(library: package.Library, folder: Path) -> None:
    shown = library.doc.rename("sub/Garden.md", heading_path=["Garden", "Plans"], heading="X", dry_run=True)
    assert (len(shown.links), shown.links_updated) == (7, False)
    before = files(folder)
    done = library.doc.rename("sub/Garden.md", heading_path=["Garden", "Plans"], heading="X")
    assert (len(done.links), done.links_updated) == (7, False)
    assert "7 links lead elsewhere now" in "".join(part.text for line in linked_write_lines(done) for part in line)
    after = files(folder)
    assert {name for name in before if before[name] != after[name]} == {"sub/Garden.md"}


@pytest.mark.one_engine
def test_the_lines_of_a_section_are_right_where_links_before_it_become_longer(
    library: package.Library, folder: Path
) -> None:
    (folder / "Own.md").write_bytes(b"[[#S]]\n[[#S]]\n[[#S]]\n\n# S\n\nText.\n")
    done = library.doc.rename("Own.md", heading_path=["S"], heading="A much longer name", update_links=True)
    lines = (folder / "Own.md").read_text("utf-8").split("\n")
    assert lines[0] == "[[#A much longer name]]"
    assert (done.start_line, done.end_line) == (lines.index("# A much longer name") + 1, lines.index("Text.") + 1)


def test_links_follow_a_renamed_file_and_its_own_links_still_lead_where_they_did(
    library: package.Library, folder: Path
) -> None:
    (folder / "sub" / "Garden.md").write_text(GARDEN + "\n[near](near.md) [up](../Other.md) [[Other]]\n")
    (folder / "sub" / "near.md").write_text("[g](Garden.md) [[sub/Garden]]\n")
    library.index()
    done = library.doc.rename("sub/Garden.md", to="deep/er/My (Plot).md", update_links=True)
    assert done.uri == "deep/er/My (Plot).md"
    assert not (folder / "sub" / "Garden.md").exists()
    assert (folder / "deep" / "er" / "My (Plot).md").read_text() == (
        GARDEN + "\n[near](../../sub/near.md) [up](../../Other.md) [[Other]]\n"
    )
    assert (folder / "sub" / "near.md").read_text() == ("[g](../deep/er/My%20%28Plot%29.md) [[deep/er/My (Plot)]]\n")
    assert (folder / "Links.md").read_bytes().decode() == (
        LINKS.replace("[[Garden]]", "[[My (Plot)]]")
        .replace("[[garden#", "[[My (Plot)#")
        .replace("![[Garden#", "![[My (Plot)#")
        .replace("(sub/Garden.md#plans)", "(deep/er/My%20%28Plot%29.md#plans)")
        .replace("<sub/Garden.md#Plans>", "<deep/er/My (Plot).md#Plans>")
        .replace("[g]: sub/Garden.md", "[g]: deep/er/My%20%28Plot%29.md")
    )
    assert library.notes.lint(rules=["missing-anchor", "broken-link", "broken-wikilink"]).ok
    assert library.search("Sow").hits[0].uri == "deep/er/My (Plot).md"


def test_links_follow_a_moved_section(library: package.Library, folder: Path) -> None:
    shown = library.doc.move_section(
        "sub/Garden.md", ["Garden", "Plans", "Spring"], ["Garden", "Archive"], dry_run=True
    )
    assert [(link.before, link.after) for link in shown.links] == [
        ("![[Garden#Plans#Spring]]", "![[Garden#Archive#Spring]]")
    ]
    library.doc.move_section("sub/Garden.md", ["Garden", "Plans", "Spring"], ["Garden", "Archive"], update_links=True)
    assert "![[Garden#Archive#Spring]]" in (folder / "Links.md").read_text()
    library.doc.restore("Links.md")
    assert (folder / "Links.md").read_bytes() == LINKS.encode()


@pytest.mark.one_engine
def test_all_files_are_written_or_none(library: package.Library, folder: Path) -> None:
    (folder / "Links.md").chmod(0o444)
    before = files(folder)
    for change in ({"to": "New.md"}, {"heading_path": ["Garden", "Plans"], "heading": "X"}):
        with pytest.raises(OctavoError, match="read-only"):
            library.doc.rename("sub/Garden.md", update_links=True, **change)
        assert files(folder) == before


def test_a_failure_half_way_takes_every_file_back(
    library: package.Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from octavo.note_editing import note_files as module

    replace, calls = module.StagedFile.replace, []

    def failing(draft: module.StagedFile, expected: tuple[int, int, int] | None = None) -> None:
        calls.append(draft.path.name)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        replace(draft, expected)

    monkeypatch.setattr(module.StagedFile, "replace", failing)
    before = files(folder)
    with pytest.raises(OctavoError, match="No space left"):
        library.doc.rename("sub/Garden.md", to="new/New.md", update_links=True)
    assert files(folder) == before
    assert not (folder / "new").exists()


def test_a_file_named_with_its_collection_is_renamed_within_it(library: package.Library, folder: Path) -> None:
    library.index()
    assert library.doc.rename("notes/Other.md", to="notes/Another.md").uri == "Another.md"
    assert (folder / "Another.md").exists()
    assert not (folder / "notes").exists()
    assert library.doc.rename("Another.md", to="notes/Deeper.md").uri == "notes/Deeper.md"


@pytest.mark.one_engine
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"to": "a.md", "heading": "X"},
        {"heading": "X"},
        {"heading_path": ["Garden"]},
        {"to": "x.txt"},
        {"to": "/x.md"},
    ],
)
def test_a_rename_needs_a_place_or_a_section_with_its_heading(
    library: package.Library, change: dict[str, object]
) -> None:
    with pytest.raises(InvalidArgument):
        library.doc.rename("sub/Garden.md", **change)  # type: ignore[arg-type]


@pytest.mark.one_engine
def test_the_hint_of_an_incomplete_rename_names_options_to_a_person_and_arguments_to_a_program(
    library: package.Library, octavo: Octavo
) -> None:
    octavo("init")
    assert "give --to, or --section and --heading" in octavo("doc", "rename", "sub/Garden.md").stderr
    with pytest.raises(InvalidArgument) as called:
        library.doc.rename("sub/Garden.md")
    assert called.value.hint == "give to=…, or heading_path=… and heading=…"


@pytest.mark.one_engine
def test_a_name_that_is_taken_is_a_conflict(library: package.Library, folder: Path) -> None:
    with pytest.raises(Conflict):
        library.doc.rename("sub/Garden.md", to="Other.md")
    with pytest.raises(Conflict):
        library.doc.rename("sub/Garden.md", heading_path=["Garden", "Plans"], heading="Archive")
    with pytest.raises(Conflict):
        library.doc.rename("sub/Garden.md", to="New.md", expected_hash="0")


@pytest.mark.one_engine
def test_a_link_that_would_come_to_mean_another_note_follows_too(library: package.Library, folder: Path) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "Pond.md").write_text("x\n")
    (folder / "Links.md").write_text("[[Pond]]\n")
    library.doc.rename("sub/Garden.md", to="Pond.md", update_links=True)
    assert (folder / "Links.md").read_text() == "[[a/Pond]]\n"


def renamed(library: package.Library, change: str) -> None:
    if change == "heading":
        library.doc.rename("sub/Garden.md", heading_path=["Garden", "Plans"], heading="New", update_links=True)
    else:
        library.doc.rename("sub/Garden.md", to="new/Plot.md", update_links=change == "file")


@pytest.mark.parametrize(
    ("change", "uri"),
    [
        ("heading", "sub/Garden.md"),
        ("heading", "Links.md"),
        ("file", "new/Plot.md"),
        ("file", "Links.md"),
        ("file alone", "new/Plot.md"),
    ],
)
def test_an_undo_is_of_the_whole_operation(library: package.Library, folder: Path, change: str, uri: str) -> None:
    before = files(folder)
    renamed(library, change)
    after = files(folder)
    assert (before["Links.md"] == after["Links.md"]) == (change == "file alone")
    shown = library.doc.restore(uri, dry_run=True)
    assert (files(folder), shown.changed) == (after, True)
    answer = library.doc.restore(uri)
    assert files(folder) == before
    assert answer.note is not None and "sub/Garden.md" in answer.note
    assert not [finding for finding in library.notes.lint().findings if finding.rule == "missing-anchor"]
    with pytest.raises(OctavoError):
        library.doc.restore("sub/Garden.md")
    renamed(library, change)
    assert files(folder) == after


@pytest.mark.one_engine
def test_an_undone_rename_removes_the_folders_that_it_made_while_nothing_else_is_in_them(
    library: package.Library, folder: Path
) -> None:
    def left(target: str, *others: str) -> list[str]:
        library.doc.rename("sub/Garden.md", to=target)
        for other in others:
            (folder / other).write_text("mine")
        library.doc.restore(target)
        return [name for name in ("new/deep", "new", "kept") if (folder / name).is_dir()]

    (folder / "kept").mkdir()
    assert left("kept/Plot.md") == ["kept"]
    assert left("new/deep/Plot.md") == ["kept"]
    assert left("new/deep/Plot.md", "new/mine.txt") == ["new", "kept"]
    assert left("new/Plot.md") == ["new", "kept"]


def test_an_undo_of_several_files_waits_for_what_was_written_since(library: package.Library, folder: Path) -> None:
    renamed(library, "heading")
    library.notes.append("Other.md", "More.")
    after = files(folder)
    with pytest.raises(Conflict, match=r"Other\.md was written to since, by notes_append"):
        library.doc.restore("sub/Garden.md")
    assert files(folder) == after
    library.doc.restore("Other.md")
    (folder / "Links.md").write_text("mine")
    with pytest.raises(Conflict, match=r"Links\.md changed since"):
        library.doc.restore("sub/Garden.md")
    (folder / "Links.md").unlink()
    with pytest.raises(Conflict, match=r"Links\.md .* is gone"):
        library.doc.restore("sub/Garden.md")
    assert (folder / "sub" / "Garden.md").read_bytes() == after["sub/Garden.md"]


@pytest.mark.one_engine
def test_a_file_is_not_renamed_back_over_another(library: package.Library, folder: Path) -> None:
    renamed(library, "file")
    (folder / "sub" / "Garden.md").write_text("theirs")
    after = files(folder)
    with pytest.raises(Conflict, match="there is a file") as refused:
        library.doc.restore("new/Plot.md")
    assert refused.value.hint == "move or rename sub/Garden.md first; nothing changed"
    assert files(folder) == after
