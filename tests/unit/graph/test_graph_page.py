"""docs/graph.md says what is: every edge type, every command, a profile that can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recto.interfaces.cli.commands.graph import graph
from recto.model.graph import WEIGHTS, EdgeType
from recto.operations.graph_operations import GRAPH_OPERATIONS

PAGE = (Path(__file__).parents[3] / "docs" / "graph.md").read_text("utf-8")


@pytest.mark.parametrize("kind", EdgeType)
def test_an_edge_type_has_its_row_with_its_weight(kind: EdgeType) -> None:
    row = re.search(rf"^\| `{kind.value}` \|.*\| (.*) \|$", PAGE, re.MULTILINE)
    assert row
    if kind in WEIGHTS:
        assert float(row[1]) == WEIGHTS[kind]


def test_every_command_and_operation_is_told_of() -> None:
    assert {name for name in graph.commands if f"recto graph {name}" not in PAGE} == set()
    assert {one.name for one in GRAPH_OPERATIONS if f"`{one.name}`" not in PAGE} == set()
