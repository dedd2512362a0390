"""What a start imports: heavy libraries are paid for by those who use them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import recto

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

UNASKED = {
    "asyncio",
    "concurrent.futures",
    "csv",
    "difflib",
    "email",
    "http",
    "importlib.resources",
    "logging",
    "numpy.ma",
    "pydantic",
    "rich",
    "socket",
    "subprocess",
    "tokenizers",
    "tomllib",
    "yaml",
    "zipfile",
}
"""What one question on the command line has no use for, and what would come along by accident."""

OTHER_DOINGS = {
    "recto.engine.indexing",
    "recto.engine.recipes",
    "recto.engine.watching",
    "recto.engine.working",
    "recto.graph",
    "recto.interfaces.daemon.client",
    "recto.jobs",
    "recto.memory",
    "recto.model.history",
    "recto.model.job",
    "recto.model.memory",
    "recto.model.snapshot",
    "recto.observability",
    "recto.operations.hits",
    "recto.operations.search",
    "recto.operations.table",
    "recto.retrieval.stages.code",
    "recto.retrieval.stages.memory",
    "recto.retrieval.stages.registry",
    "recto.snapshots.lexical",
    "recto.snapshots.opened",
    "recto.snapshots.vectors",
    "recto.stores.postgres",
    "recto.stores.shared.history",
    "recto.stores.shared.memories",
}


def left_behind(program: str, *arguments: str) -> list[str]:
    """The modules of a process that ran a program, in the order in which they came."""
    told = "\nimport sys\nsys.stderr.write('\\n' + ' '.join(sys.modules))\n"
    command = [sys.executable, "-c", program + told, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr.rpartition("\n")[2].split()


def imported_by(program: str, *arguments: str) -> set[str]:
    """The modules a program leaves behind; those the interpreter itself brings along are left out."""
    return set(left_behind(program, *arguments)) - set(left_behind(""))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One note, indexed with what ships."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "notes").mkdir()
    (folder / "notes" / "a.md").write_text("# Pumps\n\nBleed the pump before winter.\n", "utf-8")
    with recto.open_library(folder / "library.db", create=True) as made:
        made.add_collection("notes", folder / "notes")
        made.index()
    return folder / "library.db"


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


def test_a_search_on_the_command_line_imports_only_what_it_uses(library: Path) -> None:
    loaded = imported_by(COMMAND, "search", "winter pump", "--library", str(library))
    assert {"onnxruntime", "recto.retrieval.pipeline", "recto.vectors.exact"} <= loaded
    assert loaded.isdisjoint(UNASKED | OTHER_DOINGS | WRITING)


def test_a_search_by_words_on_the_command_line_loads_no_model(library: Path) -> None:
    loaded = imported_by(COMMAND, "search", "pump", "--profile", "lexical_only", "--library", str(library))
    assert "recto.retrieval.pipeline" in loaded
    assert "onnxruntime" not in loaded


def test_a_model_begins_to_load_before_the_rest_of_a_search_is_imported(library: Path) -> None:
    loaded = left_behind(COMMAND, "search", "winter pump", "--library", str(library))
    later = (
        "recto.engine.engine",
        "recto.retrieval.pipeline",
        "recto.operations.finding",
        "recto.interfaces.cli.results",
    )
    assert all(loaded.index("onnxruntime") < loaded.index(name) for name in later)


def test_a_search_on_the_command_line_starts_no_threads_of_numpy(library: Path) -> None:
    told = "\nimport os\nprint(os.environ['OPENBLAS_NUM_THREADS'])\n"
    command = [sys.executable, "-c", COMMAND + told, "search", "winter pump", "--library", str(library)]
    environ = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "1"
