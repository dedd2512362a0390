"""docs/reference/stages.md knows every stage and every field of it."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from octavo.retrieval.profile_toml_files import read_profile
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.stages.registry import SHAPES, stages

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "stages.md").read_text("utf-8")
ROWS = dict(re.findall(r"^\| `(\w+)` \|(.*)$", PAGE, re.MULTILINE))


STAGES = {name: kind for shape in SHAPES for name, kind in stages(shape).items()}


@pytest.mark.parametrize("name", STAGES)
def test_a_stage_has_its_row_with_all_its_fields(name: str) -> None:
    missing = [
        field.name for field in fields(STAGES[name]) if field.name != "name" and f"`{field.name}`" not in ROWS[name]
    ]
    assert missing == []


def test_no_row_is_about_a_stage_that_is_gone() -> None:
    assert set(ROWS) == set(STAGES)


def test_every_built_in_profile_is_listed() -> None:
    listed = re.search(r"## Built-in profiles\n(.*?)\n## ", PAGE, re.DOTALL)
    assert listed and {name for name in PROFILES if f"`{name}`" not in listed[1]} == set()


def test_the_example_is_a_profile() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert read_profile(example).name == "notes"
