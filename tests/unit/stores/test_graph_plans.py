"""What is asked of the graph about one document is looked up: its cost does not grow with the library."""

from __future__ import annotations

import re

import apsw
import pytest

from octavo.sql_repositories.named_sql_queries import load_migrations, load_queries

SQLITE = "octavo.stores.sqlite"
LOOK_UPS = (
    "graph_documents",
    "graph_names_of",
    "graph_names_remove",
    "graph_references_mark_stale",
    "graph_links_references",
    "graph_links_remove",
    "graph_references_remove_unused",
    "graph_references_known",
    "graph_candidates",
    "graph_reference_resolve",
    "graph_out",
    "graph_in",
    "graph_in_count",
    "graph_thematic_of",
    "graph_chunks_of",
    "graph_linked",
    "graph_walk",
)


@pytest.fixture(scope="module")
def connection() -> apsw.Connection:
    opened = apsw.Connection(":memory:")
    for _, script in load_migrations(SQLITE):
        opened.execute(script)
    return opened


@pytest.mark.parametrize("name", LOOK_UPS)
def test_a_look_up_reads_no_table_of_the_graph_from_end_to_end(name: str, connection: apsw.Connection) -> None:
    query = load_queries(SQLITE)[name]
    parameters = dict.fromkeys(re.findall(r":([a-z_]+)", query))
    plan = [str(row[3]) for row in connection.execute(f"explain query plan {query}", parameters)]
    aliases = dict(re.findall(r"\b((?:graph_\w+|documents|chunks)) (?!on\b|set\b|where\b)(\w+)\b", query))
    tables = "|".join(["graph_[a-z_]+", "documents", "chunks", *aliases.values()])
    whole = [step for step in plan if re.match(rf"SCAN ({tables})\b|SEARCH ({tables}) .*\(project=\?\)$", step)]
    assert whole == [], plan


def test_settling_looks_only_at_what_is_stale(connection: apsw.Connection) -> None:
    for name in ("graph_references_stale", "graph_references_mark_resolved"):
        query = load_queries(SQLITE)[name]
        plan = [str(row[3]) for row in connection.execute(f"explain query plan {query}", {"project": 1})]
        assert any("graph_references_stale" in step for step in plan), plan
