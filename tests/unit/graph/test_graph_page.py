"""docs/guides/graph.md says what is: every edge type, every command, a profile that can be read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from octavo.model.link_graph import WEIGHTS, EdgeType
from octavo.operations.graph.operation_declarations import GRAPH

PAGE = (Path(__file__).parents[3] / "docs" / "guides" / "graph.md").read_text("utf-8")


@pytest.mark.parametrize("kind", EdgeType)
def test_an_edge_type_has_its_row_with_its_weight(kind: EdgeType) -> None:
    row = re.search(rf"^\| `{kind.value}` \|.*\| (.*) \|$", PAGE, re.MULTILINE)
    assert row
    if kind in WEIGHTS:
        assert float(row[1]) == WEIGHTS[kind]


def test_every_command_and_operation_is_told_of() -> None:
    commands = [row.command for row in GRAPH if row.command.startswith("graph ")]
    assert [command for command in commands if f"octavo {command}" not in PAGE] == []
    assert {row.name for row in GRAPH if row.remote and f"`{row.name}`" not in PAGE} == set()
