"""Hints in answers name what their reader can call."""

from __future__ import annotations

from octavo.operations.error_hint_rewording import answer_for_model
from octavo.operations.library.results import Check, HealthAnswer
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
