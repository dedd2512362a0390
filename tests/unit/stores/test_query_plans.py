"""What is asked for by key is looked up: its cost does not grow with the library."""

from __future__ import annotations

import re

import apsw
import pytest

from recto.stores.shared.queries import load_migrations, load_queries

SQLITE = "recto.stores.sqlite"
LOOK_UPS = (
    "candidates",
    "chunk_input_put",
    "chunk_inputs_remove",
    "chunk_key",
    "chunk_put",
    "document_at",
    "document_chunks",
    "document_get",
    "document_remove",
    "document_sections",
    "documents_find",
    "inputs_described",
    "inputs_known",
    "documents_at",
    "last_versions",
    "ledger_at",
    "ledger_put",
    "texts_known",
    "texts",
    "vector_put",
    "vectors_after",
    "version_mark_removed",
    "version_restore",
    "versions",
    "versions_rename",
)
GROWING = "chunks|documents|sections|inputs|chunk_inputs|vectors|texts|ledger|document_versions|document_tags"


@pytest.mark.parametrize("name", LOOK_UPS)
def test_a_look_up_reads_no_table_from_end_to_end(name: str) -> None:
    query = load_queries(SQLITE)[name]
    connection = apsw.Connection(":memory:")
    for _, script in load_migrations(SQLITE):
        connection.execute(script)
    parameters = dict.fromkeys(re.findall(r":([a-z_]+)", query))
    plan = [str(row[3]) for row in connection.execute(f"explain query plan {query}", parameters)]
    aliases = dict(re.findall(rf"\b({GROWING}) (c|d|s|i|ci|v|w|t)\b", query))
    names = "|".join([GROWING, *aliases.values()])
    whole = [step for step in plan if re.match(rf"SCAN ({names})\b|SEARCH ({names}) .*\(project=\?\)$", step)]
    assert whole == []
