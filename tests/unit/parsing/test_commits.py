"""A commit's document says who, when, what and why, whatever its message holds, and reads back as what it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from octavo.model.document import BlockKind, Document, Kind, Source
from octavo.model.git_commit import ChangedFile, Commit, Person, commit_uri, is_commit, is_repository, repository_uri
from octavo.model.ids import DocumentId
from octavo.parsing.git_commit_parser import CommitParser, commit_document
from octavo.parsing.registry import parser_for

ANN, ZOE = Person("Ann Lee", "ann@example.org"), Person("Zoë Quill", "zoe@example.org")
HASH = "1a2b3c4d" * 5
ID = DocumentId("doc_x")
URI = commit_uri("", HASH)
DIFF = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+two\n"


def commit(message: str = "Subject\n\nBody.\n", **changes: object) -> Document:
    values: dict[str, object] = {
        "hash": HASH,
        "parents": ("f" * 40,),
        "author": ANN,
        "authored_at": 1_700_000_000.0,
        "committer": ANN,
        "committed_at": 1_700_000_100.0,
        "message": message,
        "files": (ChangedFile("a.py", "M"),),
        "diff": DIFF,
    }
    return commit_document(Commit(**(values | changes)), ID, URI, ("tagged",))  # type: ignore[arg-type]


def test_a_document_says_everything_about_its_commit() -> None:
    files = (
        ChangedFile("a.py", "M"),
        ChangedFile("new.py", "A"),
        ChangedFile("gone.py", "D"),
        ChangedFile("to.py", "R", "from.py"),
    )
    document = commit(committer=ZOE, files=files, omitted=1234)
    assert document.text == (
        f"commit {HASH}\nAuthor: Ann Lee <ann@example.org>\nCommitter: Zoë Quill <zoe@example.org>\n"
        "Date: 2023-11-14T22:15:00+00:00\n\nSubject\n\nBody.\n\n"
        "Changed files:\na.py\nnew.py (added)\ngone.py (deleted)\nto.py (was from.py)\n\n"
        f"Diff:\n{DIFF}\n… (1,234 more lines)\n"
    )
    assert (document.kind, document.title, document.modified_at) == (Kind.COMMIT, "Subject", 1_700_000_100.0)
    assert (document.keywords, document.tags) == (("Ann Lee", "Zoë Quill"), ("tagged",))
    assert document.metadata["renamed"] == {"to.py": "from.py"}
    assert [section.path for section in document.sections] == [(), ("Diff",)]
    assert [block.kind for block in document.blocks] == [
        BlockKind.FRONT_MATTER,
        BlockKind.PARAGRAPH,
        BlockKind.PARAGRAPH,
        BlockKind.CODE,
    ]


def test_a_merge_names_its_parents() -> None:
    assert "\nMerge: aaaaaaaaaaaa bbbbbbbbbbbb\n" in commit(parents=("a" * 40, "b" * 40), files=(), diff="").text


def test_a_subject_over_several_lines_is_one_title() -> None:
    assert commit("A subject\nthat goes on\n\nBody.\n").title == "A subject that goes on"


def test_a_commit_without_a_message_is_named_by_its_hash() -> None:
    document = commit("", files=(), diff="")
    assert document.title == f"Commit {HASH[:10]}"
    assert document.text.startswith(f"commit {HASH}\n")


def test_many_files_are_counted_and_a_long_message_is_cut() -> None:
    files = tuple(ChangedFile(f"file{number}.py", "M") for number in range(250))
    document = commit("Subject\n\n" + "word " * 100_000, files=files)
    assert "\n… and 150 more\n" in document.text and document.metadata["file_count"] == 250
    assert len(document.metadata["files"]) == 100
    assert len(document.text) < 60_000 and "more characters)" in document.text


def test_a_name_of_a_file_stays_on_its_line() -> None:
    assert "\nodd\\nname\n" in commit(files=(ChangedFile("odd\nname", "M"),)).text


@given(st.text(max_size=500), st.booleans())
def test_a_document_reads_back_as_what_it_was(message: str, with_diff: bool) -> None:
    document = commit(message.replace("\r", ""), diff=DIFF if with_diff else "")
    source = Source(ID, URI, document.text, document.modified_at, title=document.title)
    again = CommitParser().parse(source)
    assert (again.kind, again.title, again.text) == (document.kind, document.title, document.text)
    assert [block.start for block in again.blocks] == sorted(block.start for block in again.blocks)
    assert all(0 <= block.start < block.end <= len(document.text) for block in again.blocks)


def test_a_record_of_a_data_set_is_a_message_with_its_files() -> None:
    text = "It rains.\n\nChanged files:\ndome.py\n"
    source = Source(ID, HASH, text, 5.0, Kind.COMMIT, title="Close the dome", metadata={"author": "Ann"})
    document = CommitParser().parse(source)
    assert (document.kind, document.title, document.keywords) == (Kind.COMMIT, "Close the dome", ("Ann",))
    assert [text[block.start : block.end] for block in document.blocks] == [
        "It rains.\n",
        "Changed files:\ndome.py\n",
    ]


def test_a_uri_says_whether_it_is_a_commit_or_a_repository() -> None:
    assert f".git/commits/{HASH}" == URI and is_commit(URI) and isinstance(parser_for(URI), CommitParser)
    assert commit_uri("lib/x", HASH) == f"lib/x/.git/commits/{HASH}" and is_commit(commit_uri("lib/x", HASH))
    assert is_repository(repository_uri("")) and is_repository(repository_uri("lib/x"))
    assert not is_commit("docs/commits/a.md") and not is_repository("a.git") and not is_repository(URI)
