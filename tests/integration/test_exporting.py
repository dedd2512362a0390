"""Documents as files for other programs, and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from documents import pdf
from workbench import Bench, found

from octavo.errors import InvalidArgument
from octavo.operations.library.exporting import export
from octavo.operations.library.requests import ExportRequest

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


def test_a_search_is_exported_as_the_documents_it_finds(bench: Bench, tmp_path: Path) -> None:
    bench.write({"bread.md": NOTE, "pond.md": "# The pond\n\nLilies.\n"})
    bench.index()
    with bench.opened() as engine:
        answer = export(engine, ExportRequest(str(tmp_path / "x.jsonl"), query='"dough rests"'))
    assert answer.documents == 1
