"""What is asked for by key is looked up: its cost does not grow with the library."""

from __future__ import annotations

import re

import apsw
import pytest

from octavo.sql_repositories.named_sql_queries import load_migrations, load_queries

SQLITE = "octavo.stores.sqlite"
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
    "ledger_stamps",
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


def plan_of(query: str) -> list[str]:
    connection = apsw.Connection(":memory:")
    for _, script in load_migrations(SQLITE):
        connection.execute(script)
    parameters = dict.fromkeys(re.findall(r":([a-z_]+)", query))
    return [str(row[3]) for row in connection.execute(f"explain query plan {query}", parameters)]


def test_what_filters_say_of_documents_is_not_looked_for_in_chunks() -> None:
    plan = plan_of(load_queries(SQLITE)["documents_admitted"])
    assert [step for step in plan if re.match(r"(SCAN|SEARCH) chunks\b", step)] == []


@pytest.mark.parametrize("name", LOOK_UPS)
def test_a_look_up_reads_no_table_from_end_to_end(name: str) -> None:
    query = load_queries(SQLITE)[name]
    plan = plan_of(query)
    aliases = dict(re.findall(rf"\b({GROWING}) (c|d|s|i|ci|v|w|t)\b", query))
    names = "|".join([GROWING, *aliases.values()])
    whole = [step for step in plan if re.match(rf"SCAN ({names})\b|SEARCH ({names}) .*\(project=\?\)$", step)]
    assert whole == []


@pytest.mark.parametrize("name", ["lexical_top_admitted", "lexical_contains", "lexical_matching"])
def test_words_are_asked_of_their_index_once_and_not_for_every_chunk(name: str) -> None:
    assert plan_of(load_queries(SQLITE)[name])[0].startswith("SCAN l VIRTUAL TABLE INDEX")
