"""Fills in the Homebrew formula and the conda-forge recipe of `packaging/` for a source distribution."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

from generated import ROOT

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?P<bounds>.*)")


def filled_recipes(version: str, sha256: str) -> Mapping[str, str]:
    """The files by name, for a source distribution with this hash."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    marks = {
        "VERSION": version,
        "SHA256": sha256,
        "PYTHON": project["requires-python"].removeprefix(">="),
        "SUMMARY": project["description"],
        "REQUIREMENTS": "\n".join(f"    - {conda_requirement(each)}" for each in project["dependencies"]),
    }
    return {
        name: re.sub("@([A-Z0-9]+)@", lambda mark: marks[mark[1]], (ROOT / "packaging" / name).read_text("utf-8"))
        for name in ("octavo.rb", "recipe.yaml")
    }


def conda_requirement(requirement: str) -> str:
    """
    >>> conda_requirement("PyStemmer>=3.1"), conda_requirement("tree-sitter-go~=0.25.0")
    ('pystemmer >=3.1', 'tree-sitter-go ~=0.25.0')
    """
    found = _REQUIREMENT.fullmatch(requirement)
    assert found is not None, requirement
    return f"{found['name'].lower()} {found['bounds']}".strip()
