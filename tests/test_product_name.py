"""The product has one name, and what its hints tell people to install exists."""

from __future__ import annotations

import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FORMER = b"rec" + b"to"
# As a word or the beginning of an identifier, but not in "director", "rectory" and their like.
FORMER_NAME = re.compile(rb"(?<![a-z])%b(?!r)|(?-i:(?<=[a-z])%b(?!r))" % (FORMER, FORMER.title()), re.IGNORECASE)
EXTRAS = re.compile(rb"\boctavo\[([^\]\s'\"`]+)\]")


@cache
def tracked() -> dict[str, bytes]:
    """Every file that is part of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("the files of the repository are known where git has them")
    names = [name for name in listed.stdout.decode("utf-8").split("\0") if name]
    return {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}


def test_no_file_has_the_name_the_product_had_before_but_the_line_that_says_so() -> None:
    suspect = {name: data for name, data in tracked().items() if FORMER in data.lower()}  # an expression takes a minute
    found = {name: len(FORMER_NAME.findall(data)) for name, data in suspect.items() if FORMER_NAME.search(data)}
    assert found == {"CHANGELOG.md": 1, "src/octavo/retrieval/word_translations/fr.tsv": 1}  # a word of French
    assert not [name for name in tracked() if FORMER_NAME.search(name.encode())]


@pytest.mark.parametrize("text", [FORMER, FORMER.upper() + b"_HOME", b"." + FORMER + b"ignore", b"my" + FORMER.title()])
def test_the_name_is_found_wherever_it_begins(text: bytes) -> None:
    assert FORMER_NAME.search(b"in " + text + b" it")


@pytest.mark.parametrize("text", [b"directory", b"Directories", b"rectory", b"corrector"])
def test_words_that_only_contain_it_are_none(text: bytes) -> None:
    assert not FORMER_NAME.search(text)


def test_every_extra_that_is_named_anywhere_exists() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    texts = {name: data for name, data in tracked().items() if b"\0" not in data[:1024]}
    named = {
        (name, extra)
        for name, data in texts.items()
        for several in EXTRAS.findall(data)
        for extra in several.decode().split(",")
        if extra.isidentifier()
    }
    assert len({extra for _, extra in named}) >= 5
    assert sorted((name, extra) for name, extra in named if extra not in declared) == []
