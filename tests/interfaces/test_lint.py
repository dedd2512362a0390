"""`octavo lint`: collections checked as they are on disk, mended where it is safe, told to hooks and code scanning."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Location, Octavo

import octavo as package
from octavo.errors import InvalidArgument, NotFound

JUMPING = "# A\n\n### Deep\n\n[[B]]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "A.md").write_text(JUMPING)
    (root / "B.md").write_text("# B\n\n[[A]] [[Elsewhere]]\n")
    return root


@pytest.fixture
def library(location: Location, folder: Path) -> Iterator[package.Library]:
    with package.open(location, create=True) as library:
        library.add(folder, name="notes", writable=True)
        yield library


def rules(answer: package.LintAnswer) -> list[tuple[str, str]]:
    return [(finding.uri, finding.rule) for finding in answer.findings]


def test_notes_are_checked_on_disk_whether_they_were_indexed_or_not(library: package.Library) -> None:
    answer = library.notes.lint()
    assert rules(answer) == [("A.md", "heading-jump"), ("B.md", "broken-wikilink")]
    assert (answer.ok, answer.notes, answer.total) == (False, 2, 2)
    assert answer.counts == {"heading-jump": 1, "broken-wikilink": 1}


def test_fix_closes_jumps_and_leaves_everything_else(library: package.Library, folder: Path) -> None:
    shown = library.notes.lint(fix=True, dry_run=True)
    assert [note.uri for note in shown.fixed] == ["A.md"]
    assert (folder / "A.md").read_text() == JUMPING
    fixed = library.notes.lint(fix=True)
    assert fixed.fixed == shown.fixed
    assert rules(fixed) == [("B.md", "broken-wikilink")]
    assert (folder / "A.md").read_text() == JUMPING.replace("### Deep", "## Deep")
    library.doc.restore("A.md")
    assert (folder / "A.md").read_text() == JUMPING


@pytest.mark.one_engine
def test_fix_needs_leave(library: package.Library, folder: Path) -> None:
    library.add(folder, name="notes", writable=False)
    with pytest.raises(InvalidArgument, match="not writable"):
        library.notes.lint(fix=True)
    assert (folder / "A.md").read_text() == JUMPING


def test_a_link_into_another_collection_of_the_library_is_not_broken(
    library: package.Library, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "Elsewhere.md").write_text("x\n")
    library.add(other, name="other")
    library.index()
    assert rules(library.notes.lint(files=["A.md", "B.md"])) == [("A.md", "heading-jump")]


@pytest.mark.one_engine
def test_files_are_named_by_uri_or_by_path_and_unknown_ones_are_not_found(
    library: package.Library, folder: Path
) -> None:
    assert (
        rules(library.notes.lint(files=["A.md"]))
        == rules(library.notes.lint(files=[str(folder / "A.md")]))
        == rules(library.notes.lint(files=["notes/A.md"]))
        == [("A.md", "heading-jump")]
    )
    with pytest.raises(NotFound):
        library.notes.lint(files=["nowhere.md"])


@pytest.mark.one_engine
def test_a_file_that_is_not_utf8_is_told(library: package.Library, folder: Path) -> None:
    (folder / "bad.md").write_bytes(b"\xff\xfe")
    answer = library.notes.lint(rules=["orphan-note"])
    assert (answer.unread, answer.ok) == (("notes/bad.md",), False)


@pytest.mark.one_engine
def test_rules_are_switched_off_and_on_in_the_configuration(location: Location, folder: Path) -> None:
    off = {"writing": {"lint_off": ["broken-wikilink", "heading-jump"], "single_h1": True}}
    (folder / "A.md").write_text(JUMPING + "\n# Again\n")
    with package.open(location, create=True, config=off) as library:
        library.add(folder, name="notes")
        assert rules(library.notes.lint()) == [("A.md", "single-h1")]
        assert rules(library.notes.lint(rules=["broken-wikilink"])) == [("B.md", "broken-wikilink")]


def test_the_command_line_has_an_exit_code_for_hooks_and_sarif_for_code_scanning(
    location: Location, octavo: Octavo, folder: Path
) -> None:
    assert octavo("init").exit_code == 0
    assert octavo("add", str(folder), "--name", "notes").exit_code == 0
    told = octavo("lint", "-c", "notes")
    assert told.exit_code == 6
    assert "notes/A.md\n  line 3  heading-jump  'Deep' has level 3" in told.stdout
    assert octavo("lint", "-c", "notes", "--rule", "orphan-note").exit_code == 0
    written = octavo("lint", "-c", "notes", "--format", "sarif")
    assert written.exit_code == 6
    run = json.loads(written.stdout)["runs"][0]
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [
        ("heading-jump", "warning"),
        ("broken-wikilink", "error"),
    ]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "A.md", "uriBaseId": "notes"},
        "region": {"startLine": 3, "endLine": 3},
    }
    assert json.loads(octavo("lint", "-c", "notes", "--json").stdout)["total"] == 2
