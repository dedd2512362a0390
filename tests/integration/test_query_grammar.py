"""Queries drawn by the grammar find what a reader of every paragraph finds: a small round of the campaign."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from workbench import ENGINES, Bench, bench_on

from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES

ROOT = Path(__file__).parents[2]
CAMPAIGN = ROOT / "benchmarks" / "query_syntax.py"
PAGE = ROOT / "docs" / "reference" / "queries.md"
_NOTE = re.compile(r"^\| `(?P<uri>[\w/]+\.md)` \| (?P<text>.+) \|$", re.MULTILINE)
_EXAMPLE = re.compile(r"^\| `(?P<typed>[^`]+)` \| (?P<meaning>[^|]*)\| (?P<uris>[^|]*) \|$", re.MULTILINE)


@pytest.mark.parametrize("engine_name", ENGINES)
def test_no_answer_differs_from_a_readers(engine_name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    spec = importlib.util.spec_from_file_location("query_syntax", CAMPAIGN)
    assert spec is not None and spec.loader is not None
    campaign = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(campaign)
    bench, settings = bench_on(engine_name, tmp_path, request)
    campaign.write(bench.folder)
    bench.index(**settings)
    with bench.opened(**settings) as engine:
        assert list(campaign.wrong_answers(engine, queries=160, seed=5)) == []


def documented_notes() -> dict[str, str]:
    return {note["uri"]: note["text"] for note in _NOTE.finditer(PAGE.read_text("utf-8"))}


def documented_answers() -> dict[str, set[str]]:
    examples = _EXAMPLE.finditer(PAGE.read_text("utf-8"))
    return {found["typed"]: {*re.findall(r"`([^`]+)`", found["uris"])} for found in examples}


def test_every_example_of_the_reference_finds_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "home").mkdir()
    bench = Bench(tmp_path / "notes", tmp_path / "library.db", tmp_path / "home")
    bench.write({uri: f"{text}\n" for uri, text in documented_notes().items()})
    bench.index()
    expected = documented_answers()
    with bench.opened() as engine:
        found = {
            typed: {hit.citation.uri for hit in engine.search(Query(typed, limit=50), PROFILES["lexical_only"]).hits}
            for typed in expected
        }
    assert len(expected) > 20
    assert found == expected
