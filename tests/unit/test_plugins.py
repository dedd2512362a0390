"""Packages beside the core: declared as entry points, found by name, imported when used."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from octavo.plugins import OURS, load

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_list_of_our_own_plugins_is_what_the_project_declares() -> None:
    declared = {group: dict(entries) for group, entries in PROJECT["entry-points"].items()}
    assert declared == {group: dict(entries) for group, entries in OURS.items() if entries}


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, entries in OURS.items() for name in entries])
def test_every_plugin_of_ours_can_be_loaded(group: str, name: str) -> None:
    assert load(group, name) is not None
