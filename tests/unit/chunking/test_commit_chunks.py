"""A commit's message and files make the same chunks with and without its diff; a diff is cut between files."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.chunking.embedding_inputs import inputs
from octavo.chunking.git_commit_chunker import CommitChunker
from octavo.chunking.section_chunker import SectionChunker
from octavo.embedding.hashing_embedder import WhitespaceCounter
from octavo.model.chunk import ContentType
from octavo.model.document import Document
from octavo.model.git_commit import ChangedFile, Commit, Person
from octavo.model.ids import DocumentId
from octavo.model.index_recipe import default_sizes
from octavo.parsing.git_commit_parser import commit_document

WINDOW = 256
SIZES = default_sizes(WINDOW)
COUNTER = WhitespaceCounter()
PROSE = SectionChunker(SIZES, COUNTER)
CHUNKER = CommitChunker(PROSE, COUNTER, SIZES.target_max)
ANN = Person("Ann Lee", "ann@example.org")
FILES = (ChangedFile("src/dome.py", "M"), ChangedFile("docs/dome.md", "A"))


def commit(message: str, *, files: tuple[ChangedFile, ...] = FILES, diff: str | None = None) -> Document:
    told = Commit("a" * 40, ("b" * 40,), ANN, 0.0, ANN, 0.0, message, files, diff)
    return commit_document(told, DocumentId("doc_x"), f".git/commits/{'a' * 40}")


def diff_of(*names: str, lines: int = 3) -> str:
    return "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n" + "+line of code\n" * lines
        for name in names
    )


def test_a_short_commit_is_one_chunk_that_leaves_out_what_its_fields_say() -> None:
    (chunk,) = CHUNKER.chunk(commit("Close the dome\n\nIt rains.\n"))
    assert chunk.text == "It rains.\n\nChanged files:\nsrc/dome.py\ndocs/dome.md (added)"
    assert (chunk.lines.first, chunk.content_type, chunk.heading_path) == (7, ContentType.PROSE, ())


def test_a_commit_with_nothing_but_a_subject_is_found_by_it() -> None:
    (chunk,) = CHUNKER.chunk(commit("Nothing changed\n", files=()))
    assert chunk.text == "Nothing changed"


@pytest.mark.parametrize("words", [1, 30, 170, 400, 2_000])
def test_a_message_is_cut_as_prose_is(words: int) -> None:
    document = commit("Subject\n\n" + "A sentence of five words. " * (words // 5) + "\n\nEnd.\n")
    assert CHUNKER.chunk(document) == PROSE.chunk(document)


@given(st.text(max_size=2_000), st.booleans())
def test_a_diff_changes_nothing_about_the_message(message: str, with_files: bool) -> None:
    files = FILES if with_files else ()
    brief = CHUNKER.chunk(commit(message, files=files))
    whole = commit(message, files=files, diff=diff_of("src/dome.py"))
    chunks = CHUNKER.chunk(whole)
    assert chunks[: len(brief)] == brief
    assert [chunk.content_type for chunk in chunks[len(brief) :]] == [ContentType.DIFF]
    assert all(chunk.text == chunk.span.of(whole.text) for chunk in chunks)
    assert [inputs(whole, chunk, COUNTER, WINDOW) for chunk in chunks[: len(brief)]] == [
        inputs(whole, one, COUNTER, WINDOW) for one in brief
    ]


def test_a_long_diff_is_cut_between_files() -> None:
    document = commit("Subject\n", diff=diff_of("a.py", "b.py", "c.py", lines=200))
    parts = [one for one in CHUNKER.chunk(document) if one.content_type is ContentType.DIFF]
    assert len(parts) == 3
    assert [part.text.count("diff --git") for part in parts] == [1, 1, 1]
    assert parts[0].text.startswith("Diff:\ndiff --git a/a.py")
    assert [part.lines.first for part in parts] == [document.text.count("\n", 0, part.span.start) + 1 for part in parts]


def test_a_file_too_long_for_one_chunk_is_cut_between_lines() -> None:
    document = commit("Subject\n", diff=diff_of("a.py", lines=900))
    parts = [one for one in CHUNKER.chunk(document) if one.content_type is ContentType.DIFF]
    assert len(parts) > 2 and len({part.id for part in parts}) == len(parts)
    assert all(len(part.text) <= 4_000 and part.text.endswith("+line of code") for part in parts)


def test_other_documents_are_left_to_the_other_chunker() -> None:
    document = replace(commit("Subject\n"), kind="note")
    assert CHUNKER.chunk(document) == PROSE.chunk(document)
