"""Documents as files for other programs, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from documents import pdf
from workbench import Bench, found

from octavo.errors import InvalidArgument
from octavo.operations.library.library_export import export
from octavo.operations.library.requests import ExportRequest
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest

NOTE = "---\ntags: [kitchen]\n---\n# Bread\n\nThe dough rests overnight.\n"


def test_a_library_becomes_a_folder_of_markdown_with_notes_as_they_are(bench: Bench, tmp_path: Path) -> None:
    bench.write({"bread.md": NOTE, "a/tool.py": "def knead():\n    return 'dough'\n"})
    bench.write({"paper.pdf": pdf([["The mites were counted in August."]])})
    bench.index()
    with bench.opened() as engine:
        answer = export(engine, ExportRequest(str(tmp_path / "out")))
        with pytest.raises(InvalidArgument):
            export(engine, ExportRequest(str(tmp_path / "out")))
    (collection,) = (tmp_path / "out").iterdir()
    assert answer.documents == 3
    assert (collection / "bread.md").read_text("utf-8") == NOTE
    assert "```python\ndef knead():" in (collection / "a" / "tool.py.md").read_text("utf-8")
    paper = (collection / "paper.pdf.md").read_text("utf-8")
    assert paper.startswith("---\ntitle: ") and "counted in August" in paper


def test_an_export_of_everything_says_how_many_memories_are_not_in_it(bench: Bench, tmp_path: Path) -> None:
    bench.write({"bread.md": NOTE})
    bench.index()
    with bench.opened() as engine:
        remember(engine, RememberRequest("The key is behind the door."))
        left_out = [
            export(engine, ExportRequest(str(tmp_path / name), **options)).memories_left_out
            for name, options in (("all", {}), ("memories", {"kinds": ("memory",)}), ("some", {"query": "dough"}))
        ]
    assert left_out == [1, 0, 0]


def test_lines_of_json_are_documents_again_when_they_are_added(bench: Bench, tmp_path: Path) -> None:
    bench.write({"bread.md": NOTE, "paper.pdf": pdf([["The mites were counted in August."]])})
    bench.index()
    place = bench.folder / "copy.jsonl"
    with bench.opened() as engine:
        assert export(engine, ExportRequest(str(place))).documents == 2
    rows = [json.loads(line) for line in place.read_text("utf-8").splitlines()]
    assert {row["uri"] for row in rows} == {"bread.md", "paper.pdf"} and rows[0]["octavo"] == "document"
    for name in ("bread.md", "paper.pdf"):
        (bench.folder / name).unlink()
    bench.index()
    with bench.opened() as engine:
        hit = found(engine, "counted August", "lexical_only")[0]
        assert hit.citation.uri.startswith("copy.jsonl/") and hit.citation.uri.endswith("/paper.pdf.md")
        assert found(engine, "dough overnight", "lexical_only")[0].title == "Bread"


@pytest.mark.parametrize("minute", [13, 12])
def test_a_conversation_in_lines_of_json_is_one_again(bench: Bench, tmp_path: Path, minute: int) -> None:
    turns = [
        {
            "speaker": "Ada, Countess",
            "time": "2026-03-02T10:12:05+00:00",
            "text": "Where is the dough?\n\n## Here?\n\n- or there",
        },
        {
            "speaker": "Ben",
            "time": f"2026-03-02T10:{minute}:37+00:00",
            "text": "```sh\nls cellar\n```\n\nIn the cellar.",
        },
        {"speaker": "Ada, Countess", "text": "Thanks, Ben"},
    ]
    about = {"octavo": "conversation", "title": "Dough", "source": "Phone", "key": "k1", "folder": "/home"}
    bench.write({"chat.json": json.dumps(about | {"turns": turns}), "cats.csv": "name,age\nTom,3\n"})
    bench.write({"n.ipynb": json.dumps({"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "# Plot"}]})})
    bench.index()
    with bench.opened() as engine:
        export(engine, ExportRequest(str(tmp_path / "copy.jsonl")))
    for name in ("chat.json", "cats.csv", "n.ipynb"):
        (bench.folder / name).unlink()
    (tmp_path / "copy.jsonl").rename(bench.folder / "copy.jsonl")
    bench.index()
    with bench.opened() as engine:
        export(engine, ExportRequest(str(tmp_path / "again.jsonl")))
    files = (bench.folder / "copy.jsonl", tmp_path / "again.jsonl")
    first, again = ([json.loads(line) for line in file.read_text("utf-8").splitlines()] for file in files)
    first, again = ({row["uri"].rpartition("/")[2]: row for row in rows} for rows in (first, again))
    assert {name: row["title"] for name, row in again.items()} == {
        "chat.json": "Dough",
        "cats.csv.md": "cats",
        "n.ipynb.md": "Plot",
    }
    for fact in ("kind", "title", "modified_at", "metadata", "text"):
        assert again["chat.json"][fact] == first["chat.json"][fact]


def test_a_search_is_exported_as_the_documents_it_finds(bench: Bench, tmp_path: Path) -> None:
    bench.write({"bread.md": NOTE, "pond.md": "# The pond\n\nLilies.\n"})
    bench.index()
    with bench.opened() as engine:
        answer = export(engine, ExportRequest(str(tmp_path / "x.jsonl"), query='"dough rests"'))
    assert answer.documents == 1


STRANGE_NAMES = (
    *("README", "README.md", "readme.md", "inside.md", "inside.md/attached.md", "a/../../b.md", "half \ud83d.md"),
    *(f"{'a' * 400}.md", f"{'a' * 401}.md", f"{'deep/' * 300}x.md", "two\nlines.md"),
)


@pytest.mark.parametrize("to", ["markdown", "site"])
def test_every_document_has_a_file_of_its_own_whatever_it_is_called(bench: Bench, tmp_path: Path, to: str) -> None:
    rows = [
        {"octavo": "document", "collection": "c", "uri": uri, "kind": "note", "title": "", "metadata": {}, "text": text}
        for uri, text in ((uri, f"# Note {number}\n\nWords.\n") for number, uri in enumerate(STRANGE_NAMES))
    ]
    bench.write({"strange.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows), "plain.md": "# Plain\n\nText.\n"})
    bench.index()
    with bench.opened() as engine:
        answer = export(engine, ExportRequest(str(tmp_path / "out"), to=None if to == "markdown" else to))
    written = list((tmp_path / "out").rglob("*.md" if to == "markdown" else "documents/**/*.html"))
    assert answer.documents == len(written) == len({str(path).lower() for path in written}) >= len(STRANGE_NAMES)
    assert all(path.resolve().is_relative_to(tmp_path / "out") for path in written)
