"""LSM §3.3 and §5.1: files read again by a pattern, fixed chunks, and headings that Markdown does not know."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from click.testing import CliRunner

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.interfaces.cli.main import cli
from octavo.operations.library.collections import add
from octavo.operations.library.requests import AddRequest
from octavo.operations.reading.passage_reading import outline
from octavo.operations.reading.requests import OutlineRequest

_NOTE = """# Garden

**Tools**

A spade and a rake.

<h2 class="part">Beds &amp; rows</h2>

Peas go into the first bed.

**Water:**
Every evening.

This is **bold** text, and no heading.
"""


def _library(tmp_path: Path, settings: dict[str, Any]) -> Engine:
    folder = tmp_path / "notes"
    folder.mkdir(exist_ok=True)
    (folder / "garden.md").write_text(_NOTE, "utf-8")
    engine = open_library(tmp_path / "library.db", create=True, settings=settings)
    add(engine, AddRequest(str(folder), name="notes"))
    engine.index()
    return engine


def _headings(engine: Engine, note: str = "garden.md") -> list[tuple[int, str]]:
    return [(row.level, row.title) for row in outline(engine, OutlineRequest(f"notes/{note}")).sections if row.level]


def test_5_1_bold_lines_and_html_headings_are_headings_where_asked_for(tmp_path: Path) -> None:
    with _library(tmp_path, {}) as engine:
        assert _headings(engine) == [(1, "Garden")]
    with _library(tmp_path, {"chunking.loose_headings": True}) as engine:  # the same file, read again by itself
        assert _headings(engine) == [(1, "Garden"), (2, "Tools"), (2, "Beds & rows"), (3, "Water")]


def test_5_1_fixed_chunks_are_divided_by_no_heading(tmp_path: Path) -> None:
    sizes = {
        "chunking.target_min_tokens": 20,
        "chunking.target_max_tokens": 30,
        "chunking.hard_max_tokens": 40,
        "chunking.min_preferred_tokens": 0,
        "chunking.overlap_tokens": 0,
    }
    note = "".join(f"## Part {number}\n\nThe lamp stands on the table number {number}.\n\n" for number in range(8))
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "lamps.md").write_text(note, "utf-8")

    def chunks(strategy: str) -> int:
        with _library(tmp_path, {**sizes, "chunking.strategy": strategy}) as engine:
            return engine.store.counts(engine.project.id).chunks

    assert chunks("fixed") < chunks("structure")


def test_3_3_files_that_match_a_pattern_are_read_again(tmp_path: Path) -> None:
    with _library(tmp_path, {}) as engine:
        engine.index()

    def index(*options: str) -> str:
        done = CliRunner().invoke(cli, ["--library", str(tmp_path / "library.db"), "--json", "index", *options])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert '"unchanged": 1' in index()
    assert '"changed": 1' in index("--reread", "*.md")
    assert '"changed": 1' in index("--force-file-pattern", "g*.md")
    assert '"unchanged": 1' in index("--reread", "other/*.md")


def test_parsers_are_chosen_by_pattern(tmp_path: Path) -> None:
    """Also ragdocs' `parsers`, and MSRL's."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "log.txt").write_text("# Monday\n\nRain.\n", "utf-8")
    with _library(tmp_path, {"ingest.parsers": ["log*.txt=markdown"]}) as engine:
        assert _headings(engine, "log.txt") == [(1, "Monday")]
