"""Keys and tokens in notes are shown redacted, and what is shown is never written in their place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Location
from secret_tokens import TOKENS

import octavo as package
from octavo.errors import InvalidArgument
from octavo.note_editing.note_redaction import WITHHELD_CHANGES, with_keys, without_keys
from octavo.sources.secret_redaction import MARK

TOKEN, OTHER = TOKENS["GitHub token"], TOKENS["GitHub token"][:-1] + "X"
PRIVATE_KEY = "-----BEGIN PRIVATE KEY-----\n" + f"{'Ab3/' * 16}\n" * 3 + "-----END PRIVATE KEY-----"
NOTE = f"---\napi: {TOKEN}\n---\n# A\n\nalpha\n\n## Keys\n\nThe key is {TOKEN} until May.\nProgress: {MARK * 8}\n"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "notes" / "note.md"
    path.parent.mkdir()
    path.write_bytes(NOTE.replace("\n", "\r\n").encode())
    return path


@pytest.fixture
def library(location: Location, note: Path) -> Iterator[package.Library]:
    with package.open(location, create=True) as library:
        library.add(note.parent, name="notes", writable=True)
        library.index()
        yield library


def test_a_section_that_was_read_redacted_is_not_written_back_over_its_key(
    library: package.Library, note: Path
) -> None:
    read = library.get("note.md#Keys").text
    body = read.partition("\n")[2].replace("May", "June")
    assert MARK * len(TOKEN) in body
    before, whole = note.read_bytes(), library.get("note.md").text
    calls = (
        lambda dry: library.doc.replace_section("note.md", ["A", "Keys"], body, dry_run=dry),
        lambda dry: library.doc.create("note.md", "A", content_md=whole, overwrite=True, dry_run=dry),
        lambda dry: library.doc.append_to_section("note.md", ["A"], f"Moved: {MARK * len(TOKEN)}", dry_run=dry),
        lambda dry: library.doc.set_property("note.md", "api", value=MARK * len(TOKEN), dry_run=dry),
        lambda dry: library.doc.replace_section("note.md", ["A", "Keys"], f"The key is {MARK * 3}.", dry_run=dry),
    )
    for call in calls:
        for dry_run in (True, False):
            with pytest.raises(InvalidArgument, match="holds a secret: GitHub token on line") as refused:
                call(dry_run)
            assert TOKEN not in str(refused.value.details)
    assert note.read_bytes() == before


def test_a_heading_that_holds_a_key_is_not_renamed_to_marks(library: package.Library, note: Path) -> None:
    note.write_text(f"# {TOKEN}\n\nx\n")
    with pytest.raises(InvalidArgument, match="GitHub token on line 1"):
        library.doc.rename("note.md", heading_path=[TOKEN], heading=f"Key {MARK * len(TOKEN)}")


def test_marks_are_text_where_no_key_is_lost(library: package.Library, note: Path) -> None:
    library.doc.append_to_section("note.md", ["A"], f"Done: {MARK * 5}")
    library.doc.replace_section("note.md", ["A", "Keys"], f"Progress: {MARK * 8}")  # the key goes on purpose
    assert TOKEN not in note.read_text().partition("# A")[2]
    library.doc.restore("note.md")
    library.add(note.parent, name="notes", allow_secrets=True)
    assert library.doc.replace_section("note.md", ["A", "Keys"], f"The key is {MARK * 40}").changed


def test_a_diff_says_where_a_withheld_line_changes(library: package.Library, note: Path) -> None:
    changed = library.doc.replace_section("note.md", ["A", "Keys"], f"The key is {OTHER} until May.", dry_run=True)
    line = f"The key is {MARK * len(TOKEN)} until May.\r\n{WITHHELD_CHANGES}\n"
    assert f"-{line}" in changed.diff and f"+{line}" in changed.diff
    assert "\0" not in changed.diff
    beside = library.doc.append_to_section("note.md", ["A", "Keys"], "More.", dry_run=True)
    assert f" The key is {MARK * len(TOKEN)} until May.\r\n" in beside.diff
    assert WITHHELD_CHANGES not in beside.diff


def test_a_restored_version_has_the_keys_that_it_had(library: package.Library, note: Path) -> None:
    before = note.read_bytes()
    first = library.doc.history("note.md").versions[0].version
    library.doc.replace_section("note.md", ["A", "Keys"], "None.")
    library.doc.append_to_section("note.md", ["A"], "more")
    answer = library.doc.restore("note.md", version=first)
    assert note.read_bytes() == before
    assert TOKEN not in answer.diff and WITHHELD_CHANGES in answer.diff
    assert not library.doc.restore("note.md", version=first).changed


def test_a_version_that_is_kept_without_its_keys_is_not_written(library: package.Library, note: Path) -> None:
    first = library.doc.history("note.md").versions[0].version
    note.write_text("# Mine\n")
    library.index()
    with pytest.raises(InvalidArgument, match="kept without its keys"):
        library.doc.restore("note.md", version=first)
    assert note.read_text() == "# Mine\n"


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda shown: shown.replace("one", "two"), lambda text: text.replace("one", "two")),
        (lambda shown: shown.replace("a: ", "A: "), lambda text: text.replace("a: ", "A: ")),
        (lambda shown: "\n".join(reversed(shown.split("\n"))), lambda text: "\n".join(reversed(text.split("\n")))),
        (lambda shown: shown.partition("\n")[2], lambda text: text.partition("\n")[2]),
        (lambda shown: f"{shown}\n{shown}", lambda text: f"{text}\n{text}"),
    ],
)
def test_keys_come_back_where_the_marks_that_stood_for_them_are(edit, expected) -> None:  # type: ignore[no-untyped-def]
    text = f"a: {TOKEN}\nb: {OTHER} one\nplain"
    assert with_keys(edit(without_keys(text)), text, without_keys(text)) == expected(text)


def test_a_key_does_not_come_back_where_it_would_be_shown() -> None:
    for text, edit in (
        (f"a: {TOKEN}", lambda shown: shown.replace(": ", ": b")),
        (f"x\n{PRIVATE_KEY}", lambda shown: shown.replace(f"{MARK}\n{MARK}", f"{MARK}\nx\n{MARK}", 1)),
    ):
        edited = edit(without_keys(text))
        assert with_keys(edited, text, without_keys(text)) == edited
    rotated = f"a: {OTHER}\nb: {MARK * len(TOKEN)}"
    assert with_keys(rotated, f"a: {TOKEN}x\nb: {TOKEN}", f"a: {MARK * 41}\nb: {MARK * 40}").endswith(f"b: {TOKEN}")


def test_marks_that_could_stand_for_two_keys_stay_marks() -> None:
    text = f"- {TOKEN}\n- {OTHER}\nplain"
    shown = without_keys(text)
    assert with_keys(shown, text, shown) == text
    for edited in (shown.partition("\n")[2], shown.replace("- ", "* ")):
        assert with_keys(edited, text, shown) == edited
