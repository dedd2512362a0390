"""What a start imports: heavy libraries are paid for by those who use them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.engine.wiring import open_library

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
WRITING = {
    "octavo.ingest.collection_indexing",
    "octavo.parsing.markdown",
    "octavo.chunking.section_chunker",
    "octavo.sources.folder_scan",
}

COMMAND = """
import sys
from octavo.interfaces.cli.main import cli
try:
    cli.main(sys.argv[1:])
except SystemExit as stop:
    code = stop.code
"""

LIBRARY = """
import sys, tempfile
from pathlib import Path
from octavo.engine.wiring import open_library
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
    "pypdfium2",
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
    "octavo.engine.indexing.folder_and_change_indexing",
    "octavo.engine.indexing.recorded_index_recipe",
    "octavo.engine.indexing.folder_watcher",
    "octavo.engine.processes.job_threads",
    "octavo.graph",
    "octavo.interfaces.daemon.client",
    "octavo.jobs",
    "octavo.llm",
    "octavo.services",
    "octavo.retrieval.stages.language_model_stages",
    "octavo.memory",
    "octavo.model.indexed_commit",
    "octavo.model.job",
    "octavo.model.language_model_calls",
    "octavo.model.memory",
    "octavo.model.query_log",
    "octavo.model.search_snapshot",
    "octavo.model.summary",
    "octavo.observability",
    "octavo.operations.operation_lookup",
    "octavo.operations.search.search_handlers",
    "octavo.retrieval.stages.code_query_stages",
    "octavo.retrieval.stages.memory_stages",
    "octavo.retrieval.stages.registry",
    "octavo.search_snapshots.lexical_search",
    "octavo.search_snapshots.reader",
    "octavo.search_snapshots.vector_search",
    "octavo_postgres",
    "octavo.sql_repositories.git_commit_index",
    "octavo.sql_repositories.memories",
}


def left_behind(program: str, *arguments: str) -> list[str]:
    """The modules of a process that ran a program, in the order in which they came."""
    told = "\nimport sys\nsys.stderr.write('\\n' + ' '.join(sys.modules))\n"
    command = [sys.executable, "-c", program + told, *arguments]
    # What a shell sets for Octavo, a misspelt name included, is read and changes what is imported.
    environ = {name: value for name, value in os.environ.items() if not name.startswith("OCTAVO_")}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
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
    with open_library(folder / "library.db", create=True) as made:
        made.add_collection("notes", folder / "notes")
        made.index()
    return folder / "library.db"


def test_importing_octavo_imports_nothing_heavy() -> None:
    loaded = imported_by("import octavo")
    assert HEAVY.isdisjoint(loaded)
    assert {name for name in loaded if name.startswith("octavo")} == {"octavo", "octavo.version"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["index", "--help"], ["nonsense"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    loaded = imported_by(COMMAND, *arguments)
    assert "octavo.interfaces.cli.main" in loaded
    assert HEAVY.isdisjoint(loaded)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_the_list_of_commands_is_shown_without_the_table_of_operations(arguments: list[str]) -> None:
    loaded = imported_by(COMMAND, *arguments)
    assert "octavo.model.search_result" not in loaded
    assert {name for name in loaded if name.startswith("octavo.operations")} == {
        "octavo.operations",
        "octavo.operations.styled_answer_lines",
    }


def test_naming_an_error_or_the_library_imports_nothing_heavy() -> None:
    loaded = imported_by("import octavo\noctavo.OctavoError, octavo.Library, octavo.ProgressUpdate")
    assert loaded & HEAVY == set()


def test_opening_a_library_imports_neither_the_writing_flow_nor_a_model() -> None:
    loaded = imported_by(LIBRARY + "import octavo\noctavo.open(folder / 'library.db', create=True).close()")
    assert "apsw" in loaded
    assert loaded & ({"numpy", "onnxruntime", "tokenizers", "yaml", "rich"} | WRITING) == set()


def test_a_search_by_words_loads_no_model() -> None:
    searching = """
path = folder / "library.db"
with open_library(path, create=True, settings={"embedding.provider": "hashing"}) as library:
    library.add_collection("notes", folder / "notes")
    library.index()
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES
with open_library(path) as library:
    assert library.search(Query("note"), PROFILES["lexical_only"]).hits
assert not {"onnxruntime", "tokenizers"} & set(sys.modules), "a model was loaded"
"""
    assert "octavo.ingest.collection_indexing" in imported_by(LIBRARY + searching)


def test_indexing_notes_loads_no_grammar_and_indexing_code_only_those_it_needs() -> None:
    indexing = """
with open_library(folder / "library.db", create=True, settings={"embedding.provider": "hashing"}) as library:
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


def test_indexing_what_did_not_change_imports_neither_arrays_nor_a_model(library: Path) -> None:
    loaded = imported_by(COMMAND, "index", "--library", str(library))
    assert "octavo.ingest.collection_indexing" in loaded
    assert loaded & {"numpy", "onnxruntime", "octavo.stores.sqlite.fts5_repair"} == set()


def test_a_search_looks_at_no_installed_package_for_plugins(library: Path) -> None:
    asked = (
        "from octavo.plugins import installed\nassert installed.cache_info().currsize == 0, 'packages were looked at'\n"
    )
    loaded = imported_by(COMMAND + asked, "search", "winter pump", "--library", str(library))
    assert "octavo.plugins" in loaded


def test_a_search_on_the_command_line_imports_only_what_it_uses(library: Path) -> None:
    loaded = imported_by(COMMAND, "search", "winter pump", "--library", str(library))
    assert {"onnxruntime", "octavo.retrieval.pipeline", "octavo.vectors.exact_vector_search"} <= loaded
    assert loaded & (UNASKED | OTHER_DOINGS | WRITING) == set()


def test_a_search_by_words_on_the_command_line_loads_no_model(library: Path) -> None:
    loaded = imported_by(COMMAND, "search", "pump", "--profile", "lexical_only", "--library", str(library))
    assert "octavo.retrieval.pipeline" in loaded
    assert "onnxruntime" not in loaded


def test_a_model_begins_to_load_before_the_rest_of_a_search_is_imported(library: Path) -> None:
    loaded = left_behind(COMMAND, "search", "winter pump", "--library", str(library))
    later = (
        "octavo.engine.engine",
        "octavo.retrieval.pipeline",
        "octavo.operations.search.search_execution",
        "octavo.interfaces.presenting.operation_answer_in_every_format",
    )
    assert all(loaded.index("onnxruntime") < loaded.index(name) for name in later)


def test_a_search_on_the_command_line_starts_no_threads_of_numpy(library: Path) -> None:
    told = "\nimport os\nprint(os.environ['OPENBLAS_NUM_THREADS'])\n"
    command = [sys.executable, "-c", COMMAND + told, "search", "winter pump", "--library", str(library)]
    environ = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "1"
