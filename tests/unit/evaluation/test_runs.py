"""Asking questions, keeping rankings, writing TREC files, keeping results under a name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from struct import pack, unpack

import pytest

from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.evaluation.beir_dataset import CorpusRecord, Dataset, Question
from octavo.evaluation.measured_query_run import (
    MEASURES,
    EvaluationRun,
    Ranked,
    best_per_document,
    run_dataset,
    write_trec,
)
from octavo.evaluation.stored_results import Outcome, Results, matching, outcome


class Scripted:
    """Answers from a table, and writes down what it was asked."""

    def __init__(self, rankings: dict[str, list[str]]) -> None:
        self.rankings = rankings
        self.asked: list[str] = []

    def rank(self, question: Question, depth: int) -> Sequence[Ranked]:
        self.asked.append(f"rank {question.id} {depth}")
        return [Ranked(name, 1.0 / place) for place, name in enumerate(self.rankings[question.id], 1)]

    def answer(self, question: Question) -> Sequence[str]:
        self.asked.append(f"answer {question.id}")
        return [f"{name} text" for name in self.rankings[question.id]]


def dataset(questions: int = 2) -> Dataset:
    asked = tuple(Question(f"q{number}", "?") for number in range(questions))
    qrels = {question.id: {"a": 1} for question in asked}
    return Dataset(
        "drinks", "drinks", (CorpusRecord("a", "", "x"), CorpusRecord("b", "", "y")), asked, qrels, "corpus", "whole"
    )


def kept(name: str = "drinks", profile: str = "hybrid", digest: str = "whole") -> Outcome:
    return Outcome(name, digest, profile, 1, {"map": 0.5}, {"map": {"q0": 0.5}})


def test_a_run_holds_every_ranking_and_its_figures() -> None:
    ticks = iter(range(100))
    contender = Scripted({"q0": ["a", "b"], "q1": ["b", "a"]})
    run = run_dataset(dataset(), "hybrid", contender, clock=lambda: next(ticks) / 1000)
    assert [[one.document for one in ranking] for ranking in run.rankings.values()] == [["a", "b"], ["b", "a"]]
    assert run.metrics == pytest.approx(
        {
            "ndcg@10": (1 + 0.6309297535714575) / 2,
            "recall@10": 1.0,
            "recall@100": 1.0,
            "mrr@10": 0.75,
            "map": 0.75,
            "diversity@10": 2 / 3,
            "latency_ms_p50": 1.0,
            "latency_ms_p95": 1.0,
        }
    )
    assert tuple(run.metrics) == MEASURES


def test_an_answer_is_timed_before_the_deep_ranking_of_the_same_question() -> None:
    contender = Scripted({"q0": ["a"], "q1": ["a"]})
    run_dataset(dataset(), "hybrid", contender)
    assert contender.asked == ["answer q0", "answer q0", "rank q0 100", "answer q1", "rank q1 100"]


def test_only_a_sample_of_the_answers_is_timed_and_every_question_is_ranked() -> None:
    contender = Scripted({f"q{number}": ["a"] for number in range(6)})
    run = run_dataset(dataset(6), "hybrid", contender, timed=2)
    assert [one for one in contender.asked if one.startswith("answer")] == ["answer q0", "answer q0", "answer q3"]
    assert len(run.latencies_ms) == 2
    assert run.questions == 6
    untimed = run_dataset(dataset(6), "hybrid", contender, timed=0)
    assert untimed.latencies_ms == ()


def test_a_document_stands_where_its_best_chunk_stood() -> None:
    chunks = [Ranked("a", 3.0), Ranked("b", 2.0), Ranked("a", 1.0), Ranked("c", 0.5)]
    assert best_per_document(chunks) == (Ranked("a", 3.0), Ranked("b", 2.0), Ranked("c", 0.5))


def test_a_trec_file_has_six_columns_and_scores_that_fall(tmp_path: Path) -> None:
    ranking = (Ranked("a doc", 0.5), Ranked("b", 0.5), Ranked("c", 0.9))
    run = EvaluationRun("drinks", "whole", "hybrid", {"q 1": ranking}, {}, ())
    write_trec(tmp_path / "deep" / "run.txt", run)
    assert (tmp_path / "deep" / "run.txt").read_text("utf-8") == (
        "q_1 Q0 a_doc 1 0.500000 hybrid\nq_1 Q0 b 2 0.499999 hybrid\nq_1 Q0 c 3 0.499998 hybrid\n"
    )


@pytest.mark.parametrize("score", [0.0, 0.03, 7.9, 8.0, 25.0, 1_000.5])
def test_scores_in_a_trec_file_fall_in_single_precision_too(tmp_path: Path, score: float) -> None:
    ranking = tuple(Ranked(f"d{number}", score) for number in range(100))
    write_trec(tmp_path / "run.txt", EvaluationRun("drinks", "whole", "hybrid", {"q": ranking}, {}, ()))
    columns = [line.split() for line in (tmp_path / "run.txt").read_text("utf-8").splitlines()]
    read = [unpack("f", pack("f", float(column[4])))[0] for column in columns]
    assert [column[2] for column in columns] == [ranked.document for ranked in ranking]
    assert all(better > worse for better, worse in pairwise(read))


def test_the_last_run_the_latest_of_each_and_baselines_are_kept_apart(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.record([kept("drinks"), kept("drinks", "dense_only")])
    results.record([kept("cakes")])
    assert [one.dataset for one in results.last()] == ["cakes"]
    assert [(one.dataset, one.profile) for one in results.latest()] == [
        ("cakes", "hybrid"),
        ("drinks", "dense_only"),
        ("drinks", "hybrid"),
    ]
    results.save_baseline("first", results.last())
    results.save_baseline("first", [kept("drinks")])
    assert {name: [one.dataset for one in held] for name, held in results.baselines().items()} == {
        "first": ["cakes", "drinks"]
    }
    assert results.baseline("first") == (kept("cakes"), kept("drinks"))


def test_what_is_kept_of_a_run_comes_back_equal(tmp_path: Path) -> None:
    run = run_dataset(dataset(), "hybrid", Scripted({"q0": ["b", "a"], "q1": ["b"]}))
    saved = outcome(run, recipe="rec_1", measured_at="2024-05-01")
    results = Results(tmp_path)
    results.record([saved])
    assert results.last() == (saved,)
    assert saved.as_json().keys() == {"dataset", "profile", "queries", "metrics"}
    assert tuple(saved.as_json()["metrics"]) == MEASURES


def test_baselines_may_live_in_a_folder_of_their_own(tmp_path: Path) -> None:
    results = Results(tmp_path / "data", tmp_path / "mine")
    assert results.save_baseline("v1", [kept()]) == tmp_path / "mine" / "v1.json"


def test_what_is_not_there_is_said_with_what_is(tmp_path: Path) -> None:
    results = Results(tmp_path)
    with pytest.raises(NotFound, match="nothing has been measured"):
        results.last()
    results.save_baseline("v1", [kept()])
    with pytest.raises(NotFound) as caught:
        results.baseline("v2")
    assert caught.value.hint == "there are: v1"
    for name in ("../v1", "", "a/b", ".hidden"):
        with pytest.raises(InvalidArgument):
            results.baseline(name)


def test_a_comparison_takes_the_same_profile_else_the_only_one() -> None:
    dense, hybrid = kept(profile="dense_only"), kept()
    assert matching([dense, hybrid], "v1", hybrid) is hybrid
    assert matching([dense], "v1", hybrid) is dense
    with pytest.raises(Conflict):
        matching([dense, kept(profile="lexical_only")], "v1", hybrid)


def test_other_questions_are_never_compared() -> None:
    with pytest.raises(NotFound) as caught:
        matching([kept(digest="other")], "v1", kept())
    assert caught.value.hint is not None
    assert "save the baseline again" in caught.value.hint
    with pytest.raises(NotFound) as caught:
        matching([kept("cakes", digest="other")], "v1", kept())
    assert caught.value.hint == "it holds: cakes"


def test_results_of_another_format_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for content in (json.dumps({"format": 99, "outcomes": []}), "{", "[]"):
        (tmp_path / "last.json").write_text(content, "utf-8")
        with pytest.raises(InvalidArgument):
            results.last()
