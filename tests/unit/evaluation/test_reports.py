"""Reports: the tables people read, the page, and the README's table between its marks."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from octavo.errors import InvalidArgument
from octavo.evaluation.measured_query_run import RANKED
from octavo.evaluation.report import (
    BEGIN,
    END,
    by_dataset,
    figures,
    markdown,
    markdown_table,
    overview,
    page,
    replaced,
)
from octavo.evaluation.stored_results import Outcome


def outcome(profile: str, value: float, dataset: str = "drinks", digest: str = "whole") -> Outcome:
    scores = {name: {f"q{number}": value for number in range(20)} for name in RANKED}
    metrics = dict.fromkeys(RANKED, value) | {"latency_ms_p50": 2.0, "latency_ms_p95": 4.25}
    return Outcome(dataset, digest, profile, 20, metrics, scores)


BOTH = [outcome("hybrid", 0.75), outcome("dense_only", 0.5)]


def test_figures_have_one_row_per_outcome_and_leave_what_was_not_measured_empty() -> None:
    header, first, _ = figures(BOTH)
    assert header[:5] == ["dataset", "profile", "queries", "nDCG@10", "Recall@10"]
    assert first == ["drinks", "hybrid", "20", *["0.750"] * 5, "", "2.0", "4.2"]


def test_markdown_compares_every_profile_with_the_reference() -> None:
    text = markdown(BOTH, "hybrid")
    assert "| drinks | hybrid | 20 | 0.750 |" in text
    assert "Against `hybrid`:" in text
    assert "| dense_only | nDCG@10 | 0.750 → 0.500 | -0.250 | -0.250 to -0.250 | 0.0001 * |" in text
    assert "Against" not in markdown(BOTH, "lexical_only")


def test_an_overview_has_a_row_per_data_set_with_its_measure_and_marks_the_best() -> None:
    cakes = [outcome("hybrid", 0.25, "cakes", "other")]
    rows = overview([(BOTH, "ndcg@10"), (cakes, "recall@10")], ["dense_only", "hybrid"])
    assert rows == [
        ["data set", "queries", "measure", "`dense_only`", "`hybrid`"],
        ["drinks", "20", "nDCG@10", "0.500", "**0.750**"],
        ["cakes", "20", "Recall@10", "", "**0.250**"],
    ]


def test_the_fastest_is_the_best_of_a_time() -> None:
    slow = Outcome("drinks", "whole", "slow", 1, {"latency_ms_p50": 10.0}, {})
    fast = Outcome("drinks", "whole", "fast", 1, {"latency_ms_p50": 9.0}, {})
    assert overview([([slow, fast], "latency_ms_p50")], ["slow", "fast"])[1][3:] == ["10.0", "**9.0**"]


def test_another_sample_of_the_same_data_set_is_not_mixed_with_it() -> None:
    groups = by_dataset([outcome("hybrid", 0.75), outcome("dense_only", 0.5, digest="whole:5")])
    assert {name: len(held) for name, held in groups.items()} == {"drinks": 1, "drinks (20 queries)": 1}


def test_cells_cannot_break_a_markdown_table() -> None:
    assert markdown_table(["a"], [["x | y"]]) == ["| a |", "| --- |", "| x \\| y |"]


def test_a_new_table_replaces_the_old_one_and_nothing_else() -> None:
    text = f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n"
    once = replaced(text, "| new |\n", "README.md")
    assert once == f"before\n\n{BEGIN}\n| new |\n{END}\n\nafter\n"
    assert replaced(once, "| new |\n", "README.md") == once
    with pytest.raises(InvalidArgument, match=r"README.md does not hold"):
        replaced("no marks", "| new |", "README.md")


class _Balance(HTMLParser):
    """Every tag that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


def test_the_page_is_well_formed_draws_its_plots_and_fetches_nothing() -> None:
    text = page([*BOTH, outcome("<b>odd</b>", 0.1)], "hybrid")
    balance = _Balance()
    balance.feed(text)
    assert balance.open == []
    assert {"svg", "rect", "polyline", "table"} <= balance.tags
    assert balance.tags.isdisjoint({"script", "link", "img"})
    assert "http" not in text
    assert "&lt;b&gt;odd&lt;/b&gt;" in text
    assert "<b>odd" not in text


def test_a_page_without_timings_or_without_the_reference_is_still_a_page() -> None:
    bare = Outcome("drinks", "d", "hybrid", 1, {"ndcg@10": 1.0}, {"ndcg@10": {"q": 1.0}})
    assert "nDCG@10 of every question" in page([bare], "dense_only")
