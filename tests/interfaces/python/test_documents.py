"""What is written about the Python API is true: its guide, its docstrings and its examples."""

from __future__ import annotations

import doctest
import shutil
from pathlib import Path

import pytest
from python_calls import VAULT

from octavo.interfaces.python import progress_callbacks
from octavo.operations import names_and_hints_by_interface

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "guides" / "python.md"
OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def without_fences(text: str) -> str:
    """A fence that ends an example would be taken for its output."""
    return "\n".join("" if line.startswith("```") else line for line in text.splitlines())


def test_the_examples_of_the_guide_are_true(environment: Path) -> None:
    (environment / "examples").mkdir()
    shutil.copytree(VAULT, environment / "examples" / "vault")
    test = doctest.DocTestParser().get_doctest(
        without_fences(GUIDE.read_text("utf-8")), {}, "guide", str(GUIDE), lineno=0
    )
    assert len(test.examples) > 20
    outcome = doctest.DocTestRunner(optionflags=OPTIONS).run(test)
    assert outcome.failed == 0


@pytest.mark.parametrize("module", [progress_callbacks, names_and_hints_by_interface])
def test_the_examples_of_docstrings_are_true(module: object) -> None:
    assert doctest.testmod(module, raise_on_error=True).attempted > 0  # type: ignore[arg-type]
