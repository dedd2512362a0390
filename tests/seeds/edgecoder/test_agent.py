"""EdgeCoder §6.2: a scripted agent plans with what the library says of a task; without it, it knows no place."""

from __future__ import annotations

import re
from pathlib import Path

from octavo.engine.wiring import open_library
from octavo.operations.code.code_search import augment
from octavo.operations.code.requests import AugmentRequest

_TASKS = {
    "Double the seconds to wait before a retry": ("src/retry.py", "backoff"),
    "Allow seven retries instead of five": ("settings.yaml", "retries"),
}


def _plan(prompt: str) -> set[str]:
    """What an agent that only reads its prompt can name: files and identifiers that stand in it."""
    return {*re.findall(r"[\w/]+\.(?:py|yaml|md)\b", prompt), *re.findall(r"\w+", prompt)}


def test_6_2_a_plan_names_the_place_with_retrieval_and_not_without(library: Path) -> None:
    with open_library(library) as engine:
        for task, (file, name) in _TASKS.items():
            assert file not in _plan(task)
            plan = _plan(augment(engine, AugmentRequest(task)).text)
            assert any(place.endswith(file) for place in plan) and name in plan, task
