"""Floors, caps, duplicates and variety."""

from __future__ import annotations

import sys

import pytest
from stage_samples import asking, details, library, listed, note, uris

from octavo.model.search_result import ScoreStep
from octavo.retrieval.stage import Refine, SkipStage, in_order
from octavo.retrieval.stages.confidence_floor import ConfidenceFloor
from octavo.retrieval.stages.exact_duplicate_removal import ExactDuplicates
from octavo.retrieval.stages.near_copy_demotion import NearCopies
from octavo.retrieval.stages.semantic_duplicate_removal import SemanticDuplicates
from octavo_stages.diversity_and_duplicates import MarginalRelevance, MinHashDuplicates, NgramDuplicates
from octavo_stages.section_stages import CapPerSection

SENTENCE = "the quick brown fox jumps over the lazy dog while nobody in the whole garden looks at it"


def test_a_floor_is_absolute_or_a_share_of_the_best() -> None:
    held = library(note("a.md", "a"), note("b.md", "b"), note("c.md", "c"))
    given = listed(held, 2.0, 1.0, 0.2)
    assert uris(ConfidenceFloor(least=0.5).refine(asking(held), given)) == ["a.md", "b.md"]
    assert uris(ConfidenceFloor(share=0.6).refine(asking(held), given)) == ["a.md"]
    assert uris(ConfidenceFloor(share=0.5).refine(asking(held), listed(held, 1.0, 0.0, -1.0))) == ["a.md", "b.md"]
    assert ConfidenceFloor(share=0.5).refine(asking(held), ()) == ()
    with pytest.raises(SkipStage):
        ConfidenceFloor().refine(asking(held), given)


def test_a_floor_of_one_channel_looks_at_its_own_score_and_computes_a_missing_cosine() -> None:
    held = library(note("a.md", "aaaa", title=""), note("z.md", "zzzz", title=""))
    first, second = listed(held)
    given = (first._replace(steps=(ScoreStep("lexical", 7.0, 1),)), second)
    assert uris(ConfidenceFloor(least=5.0, channel="lexical").refine(asking(held), given)) == ["a.md"]
    assert uris(ConfidenceFloor(least=0.5, channel="dense").refine(asking(held, "zzz"), given)) == ["z.md"]


def test_a_section_takes_no_more_places_than_its_cap() -> None:
    held = library(note("a.md", "# Top", "## One", "x", "y", "## Two", "z"), note("b.md", "# Top", "## One"))
    kept = CapPerSection(limit=2, depth=2).refine(asking(held), listed(held))
    assert [(one.uri, *one.heading_path) for one in kept] == [
        ("a.md", "Top"), ("a.md", "Top", "One"), ("a.md", "Top", "One"), ("a.md", "Top", "Two"),
        ("a.md", "Top", "Two"), ("b.md", "Top"), ("b.md", "Top", "One"),
    ]  # fmt: skip
    assert len(CapPerSection(limit=1, depth=1).refine(asking(held), listed(held))) == 2
    with pytest.raises(SkipStage):
        CapPerSection(limit=None).refine(asking(held), listed(held))


@pytest.mark.parametrize(
    "stage", [ExactDuplicates(), NgramDuplicates(), MinHashDuplicates(), SemanticDuplicates(threshold=0.999)], ids=str
)
def test_of_two_that_say_the_same_the_better_stays_and_says_so(stage: Refine) -> None:
    if isinstance(stage, MinHashDuplicates):
        pytest.importorskip("rensa")
    held = library(
        note("a.md", SENTENCE, title=""), note("b.md", "zebra zoo", title=""), note("c.md", SENTENCE, title="")
    )
    search = asking(held)
    refined = stage.refine(search, listed(held))
    assert uris(refined) == ["a.md", "b.md"]
    assert details(refined, stage.name) == {"a.md": "stands for c.md:1"}
    assert search.notes["dropped"] == 1


def test_the_same_words_below_another_title_are_no_copy_where_they_begin_the_document() -> None:
    files = "Changed files: docs/ref/paginator.txt, tests/pagination/tests.py and the notes of the release."
    held = library(
        note("1f", files, title="Made the paginator iterable."),
        note("2e", files, title="Fixed page numbers in an example."),
        note("notes/3.md", files, title="3"),
        note("notes/4.md", files, title="4"),
    )
    refined = ExactDuplicates().refine(asking(held), listed(held))
    assert uris(refined) == ["1f", "2e", "notes/3.md"]  # the name of a file is no title
    with pytest.raises(SkipStage, match="no passage nearly repeats"):
        NearCopies().refine(asking(held), refined[:2])


def test_nearly_the_same_words_are_a_duplicate_by_n_grams_only() -> None:
    pytest.importorskip("rensa")
    held = library(note("a.md", SENTENCE), note("b.md", SENTENCE + " again"))
    assert len(ExactDuplicates().refine(asking(held), listed(held))) == 2
    assert len(NgramDuplicates().refine(asking(held), listed(held))) == 1
    assert len(MinHashDuplicates().refine(asking(held), listed(held))) == 1


def test_candidates_beyond_those_looked_at_stay() -> None:
    held = library(*(note(f"{number}.md", "same") for number in range(4)))
    assert uris(ExactDuplicates(among=2).refine(asking(held), listed(held))) == ["0.md", "2.md", "3.md"]


def test_many_repeats_are_counted_and_few_are_named() -> None:
    held = library(*(note(f"{number}.md", "same") for number in range(6)))
    (only,) = ExactDuplicates().refine(asking(held), listed(held))
    assert only.steps[-1].detail == "stands for 1.md:1, 2.md:1, 3.md:1 and 2 more"


def test_without_vectors_semantic_stages_are_skipped() -> None:
    held = library(note("a.md", "a"), embedded=False)
    for stage in (SemanticDuplicates(), MarginalRelevance()):
        with pytest.raises(SkipStage, match="no candidate has a vector"):
            stage.refine(asking(held), listed(held))


def test_without_its_library_minhash_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rensa", None)
    held = library(note("a.md", "a"))
    with pytest.raises(SkipStage, match="rensa is not installed"):
        MinHashDuplicates().refine(asking(held), listed(held))


@pytest.mark.parametrize("by", ["meaning", "words"])
def test_variety_puts_something_else_before_a_repetition(by: str) -> None:
    held = library(note("a.md", "aa bb", title=""), note("b.md", "aa bb cc", title=""), note("z.md", "zz yy", title=""))
    stage = MarginalRelevance(balance=0.5, by=by)  # type: ignore[arg-type]
    refined = stage.refine(asking(held), listed(held, 1.0, 0.95, 0.9))
    assert uris(refined) == ["a.md", "z.md", "b.md"]
    assert refined == in_order(list(refined))
    assert details(refined, "mmr") == {"z.md": "from place 3", "b.md": "from place 2"}


def test_relevance_alone_keeps_the_order() -> None:
    held = library(*(note(f"{number}.md", "same") for number in range(4)))
    assert uris(MarginalRelevance(balance=1.0).refine(asking(held), listed(held))) == ["0.md", "1.md", "2.md", "3.md"]
    assert MarginalRelevance().refine(asking(held), ()) == ()
