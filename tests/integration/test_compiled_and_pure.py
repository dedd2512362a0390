"""A library indexed with the compiled words has the rows that Python alone gives it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from octavo.algorithms.compiled.library_loading import VARIABLE, compiled_library
from octavo.stores.sqlite.compressed_token_blocks import unpacked

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.one_engine,
    pytest.mark.skipif(compiled_library() is None, reason="no compiled library: there was no compiler"),
]
OF_THE_MOMENT = {"at", "created", "modified", "seconds", "value", "holder", "detail"}


def rows(library: Path) -> dict[str, list[object]]:
    """Every table's, but of jobs, without columns that say when and by whom."""
    connection = apsw.Connection(str(library))
    tables = connection.execute(
        "select name from sqlite_schema where type = 'table' and name <> 'jobs' and sql not like '%virtual%'"
    )
    content: dict[str, list[object]] = {}
    for (table,) in list(tables):
        names = [row[1] for row in connection.execute(f'pragma table_info("{table}")')]
        kept = [f'"{name}"' for name in names if name.split("_")[-1] not in OF_THE_MOMENT]
        if kept:
            content[table] = sorted(map(repr, connection.execute(f'select {", ".join(kept)} from "{table}"')))  # noqa: S608 (our own names)
    # How many chunks are in a block, or in a page of FTS5, depends on how long the run took.
    content = {table: found for table, found in content.items() if not table.startswith("lexical")}
    blocks = list(connection.execute("select chunks, data from lexical_blocks"))
    content["words"] = sorted(repr(row) for chunks, data in blocks for row in unpacked(chunks, data))
    connection.close()
    return content


def test_the_example_vault_is_indexed_alike_with_and_without_the_compiled_words(tmp_path: Path) -> None:
    libraries = []
    for compiled in ("", "0"):
        library = tmp_path / f"library{compiled}.db"
        environment = {**os.environ, VARIABLE: compiled, "HOME": str(tmp_path / f"home{compiled}")}
        for command in (["init"], ["add", str(ROOT / "examples/vault"), "--name", "vault"], ["index"]):
            octavo = [sys.executable, "-m", "octavo", "--library", str(library), *command]
            subprocess.run(octavo, check=True, capture_output=True, env=environment)
        libraries.append(rows(library))
    compiled_rows, pure_rows = libraries
    assert compiled_rows.keys() == pure_rows.keys()
    assert {table: len(found) for table, found in compiled_rows.items() if found}["chunks"] > 10
    assert [table for table, found in compiled_rows.items() if found != pure_rows[table]] == []
