"""What a start imports: heavy libraries are paid for by those who use them."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "apsw",
    "numpy",
    "onnxruntime",
    "platformdirs",
    "pydantic",
    "rich",
    "Stemmer",
    "tokenizers",
    "tomllib",
    "yaml",
    "zstandard",
}
WRITING = {"recto.ingest.pipeline", "recto.parsing.markdown", "recto.chunking.sections", "recto.sources.files"}

COMMAND = """
import sys
from recto.interfaces.cli.main import cli
try:
    cli.main(sys.argv[1:])
except SystemExit as stop:
    code = stop.code
"""

LIBRARY = """
import sys, tempfile
from pathlib import Path
import recto
aside = tempfile.TemporaryDirectory()
folder = Path(aside.name)
(folder / "notes").mkdir()
(folder / "notes" / "a.md").write_text("# A note")
"""


def imported_by(program: str, *arguments: str) -> set[str]:
    """The modules a program leaves behind; those the interpreter itself brings along are left out."""
    told = "\nimport sys\nsys.stderr.write('\\n' + ' '.join(sys.modules))\n"
    loaded = []
    for script in ("", program):
        command = [sys.executable, "-c", script + told, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        loaded.append(set(done.stderr.rpartition("\n")[2].split()))
    return loaded[1] - loaded[0]


def test_importing_recto_imports_nothing_heavy() -> None:
    loaded = imported_by("import recto")
    assert HEAVY.isdisjoint(loaded)
    assert {name for name in loaded if name.startswith("recto")} == {"recto"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["index", "--help"], ["nonsense"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    loaded = imported_by(COMMAND, *arguments)
    assert "recto.interfaces.cli.main" in loaded
    assert HEAVY.isdisjoint(loaded)


def test_asking_for_an_error_imports_nothing_heavy() -> None:
    loaded = imported_by("import recto\nrecto.RectoError, recto.Query, recto.Filters, recto.Result, recto.Span")
    assert HEAVY.isdisjoint(loaded)


def test_opening_a_library_imports_neither_the_writing_flow_nor_a_model() -> None:
    opening = (
        "recto.open_library(folder / 'library.db', create=True, settings={'embedding.provider': 'hashing'}).close()"
    )
    loaded = imported_by(LIBRARY + opening)
    assert "apsw" in loaded
    assert loaded.isdisjoint({"numpy", "onnxruntime", "tokenizers", "yaml", "rich"} | WRITING)


def test_a_search_by_words_loads_no_model() -> None:
    searching = """
path = folder / "library.db"
with recto.open_library(path, create=True, settings={"embedding.provider": "hashing"}) as library:
    library.add_collection("notes", folder / "notes")
    library.index()
before = set(sys.modules)
with recto.open_library(path) as library:
    assert library.search(recto.Query("note"), recto.PROFILES["lexical_only"]).hits
assert not {"onnxruntime", "tokenizers"} & set(sys.modules), "a model was loaded"
"""
    assert "recto.ingest.pipeline" in imported_by(LIBRARY + searching)


def test_indexing_notes_loads_no_grammar_and_indexing_code_only_those_it_needs() -> None:
    indexing = """
with recto.open_library(folder / "library.db", create=True, settings={"embedding.provider": "hashing"}) as library:
    library.add_collection("notes", folder / "notes")
    library.index()
    assert not {name for name in sys.modules if name.startswith("tree_sitter")}, "a grammar was loaded"
    (folder / "notes" / "a.go").write_text("package a")
    library.index()
"""
    loaded = imported_by(LIBRARY + indexing)
    assert {name for name in loaded if name.startswith("tree_sitter") and "." not in name} == {
        "tree_sitter",
        "tree_sitter_go",
    }
