"""LSM §4.2.8 and §7.2: no change of retrieval passes unmeasured, so a comparison with a baseline can fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from octavo.evaluation.measured_query_run import RANKED
from octavo.interfaces.cli.main import cli

_CROPS = ["apple", "barley", "cherry", "date", "elder", "fig", "grape", "hazel", "iris", "juniper", "kale", "leek"]


@pytest.fixture
def octavo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    for variable, folder in {"XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"}.items():
        monkeypatch.setenv(variable, str(tmp_path / folder))
    return lambda *arguments: CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "garden"
    folder.mkdir()
    corpus = [{"_id": crop, "title": crop, "text": f"The {crop} is sown in spring."} for crop in _CROPS]
    queries = [{"_id": f"q{crop}", "text": crop} for crop in _CROPS]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)) + "\n", "utf-8")
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)) + "\n", "utf-8")
    (folder / "qrels.tsv").write_text("".join(f"q{crop}\t{crop}\t1\n" for crop in _CROPS), "utf-8")
    return folder


def _lower(baseline: Path, measure: str, by: float) -> None:
    """A baseline of a time when every question was answered better, by so much."""
    kept: dict[str, Any] = json.loads(baseline.read_text("utf-8"))
    for outcome in kept["outcomes"]:
        outcome["scores"][measure] = {question: value + by for question, value in outcome["scores"][measure].items()}
    baseline.write_text(json.dumps(kept), "utf-8")


def test_7_2_a_significant_fall_below_the_baseline_fails_and_the_measures_can_be_chosen(
    octavo: Callable[..., Result], dataset: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "baselines"
    run = ("eval", "run", dataset, "-p", "lexical_only", "--baselines", kept)
    assert octavo(*run).exit_code == 0
    assert octavo("eval", "save-baseline", "--name", "before", "--baselines", kept).exit_code == 0
    assert octavo(*run, "--compare", "before").exit_code == 0  # nothing changed
    _lower(kept / "before.json", "ndcg@10", 0.12)
    fallen = octavo(*run, "--compare", "before")
    assert fallen.exit_code == 6
    assert "ndcg@10 fell: exit code 6" in fallen.stdout
    told = octavo(*run, "--compare", "before", "--json")
    assert json.loads(told.stdout)["gate"] == {"measures": ["ndcg@10"], "failed": ["ndcg@10"]}
    assert octavo(*run, "--compare", "before", "--gate", "recall@10,mrr@10").exit_code == 0
    assert octavo(*run, "--compare", "before", "--gate", "none").exit_code == 0


def test_7_2_a_rise_passes_the_gate(octavo: Callable[..., Result], dataset: Path, tmp_path: Path) -> None:
    kept = tmp_path / "baselines"
    run = ("eval", "run", dataset, "-p", "lexical_only", "--baselines", kept)
    octavo(*run)
    octavo("eval", "save-baseline", "--name", "before", "--baselines", kept)
    _lower(kept / "before.json", "ndcg@10", -0.2)
    assert octavo(*run, "--compare", "before").exit_code == 0


def test_7_2_a_measure_that_does_not_exist_is_refused_before_anything_is_measured(
    octavo: Callable[..., Result], dataset: Path
) -> None:
    refused = octavo("eval", "run", dataset, "--gate", "ndgc@10")
    assert refused.exit_code == 2
    assert all(measure in refused.stderr for measure in RANKED)
