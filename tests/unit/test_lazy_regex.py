"""Expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import octavo
from octavo.lazy_regex import regex

SOURCES = Path(octavo.__file__).parent.parent
USING = sorted(path for path in SOURCES.rglob("*.py") if " = regex(" in path.read_text("utf-8"))


def test_a_pattern_is_that_of_the_standard_library_once_it_is_used() -> None:
    lazy, compiled = regex(r"(?P<word>[a-z]+)", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)", re.IGNORECASE)
    assert lazy.pattern == compiled.pattern
    assert lazy.sub("x", "Two words") == "x x"
    assert (lazy.flags, lazy.groupindex, lazy.findall("A b")) == (compiled.flags, compiled.groupindex, ["A", "b"])


def test_a_pattern_has_no_attributes_of_its_own() -> None:
    with pytest.raises(AttributeError, match="found"):
        regex("a").found  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("path", USING, ids=lambda path: path.relative_to(SOURCES).as_posix())
def test_every_expression_can_be_compiled(path: Path) -> None:
    module = import_module(".".join(path.relative_to(SOURCES).with_suffix("").parts))
    assert all(value.groups >= 0 for value in vars(module).values() if type(value) is type(regex("")))
