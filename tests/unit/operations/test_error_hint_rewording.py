"""Hints in answers name what their reader can call."""

from __future__ import annotations

import pytest

from octavo.model.maintenance_advisory import Advisory
from octavo.operations.library.results import Check, HealthAnswer
from octavo.operations.names_and_hints_by_interface import answer_for_model, for_model
from octavo.operations.operation_lookup import chosen


def test_hints_of_a_health_check_name_tools_that_are_offered() -> None:
    checks = (
        Check("jobs", False, "3 chunks have no vector", "run `octavo index`, or `octavo db repair`"),
        Check("model", True, "`octavo index` stays in a message"),
    )
    offered = {operation.name for operation in chosen("full")}
    told = answer_for_model(HealthAnswer(False, checks), offered)
    assert [(check.message, check.hint) for check in told.checks] == [
        ("3 chunks have no vector", "run reindex, or `octavo db repair`"),
        ("`octavo index` stays in a message", None),
    ]
    assert answer_for_model("`octavo index`", offered) == "`octavo index`"


@pytest.mark.parametrize(
    ("command", "tool"),
    [("octavo index", "reindex"), ("octavo graph build", "graph_build"), ("octavo db repair", "octavo db repair")],
)
def test_advice_names_a_tool_that_is_offered_as_text_and_as_data(command: str, tool: str) -> None:
    offered = {operation.name for operation in chosen("full")}
    (advisory,) = answer_for_model(
        HealthAnswer(True, (), (Advisory("warn", "notes has not been read yet", command),)), offered
    ).advisories
    assert (advisory.command, str(advisory)) == (tool, f"notes has not been read yet; run `{tool}`")


def test_a_command_with_an_option_that_the_tool_lacks_stays_a_command() -> None:
    assert for_model("run `octavo index --wait-full`", {"reindex"}) == "run `octavo index --wait-full`"
    assert for_model("`octavo index --wait` goes after it", {"reindex"}) == "reindex with wait goes after it"
