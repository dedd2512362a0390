"""How much is read: parent expansion and token budgets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from stage_samples import asking, details, library, listed, note, uris

from octavo.errors import NotFound
from octavo.model.search_result import StageTrace
from octavo.retrieval.pipeline import run
from octavo.retrieval.stage import RetrievalProfile, SkipStage
from octavo.retrieval.stages.lexical_and_dense_recall import LexicalRecall
from octavo.retrieval.stages.score_and_rank_fusion import SingleChannel
from octavo.retrieval.stages.token_budget_cutoff import TokenBudget, check_cursor, next_cursor
from octavo_stages.section_stages import ParentExpansion


def test_a_hit_grows_to_its_small_section_and_knows_its_lines() -> None:
    held = library(note("a.md", "# Top", "## One", "first", "second", "## Two", "third"))
    hit = listed(held)[3]
    (grown,) = ParentExpansion(most=30).refine(asking(held), (hit,))
    text = held.store.documents.texts(held.project, [hit.text_hash])[hit.text_hash]
    assert grown.span.of(text) == "## One\n\nfirst\n\nsecond"
    assert (grown.lines.first, grown.lines.last) == (3, 7)
    assert grown.heading_path == ("Top", "One")
    assert details((grown,), "parent_expansion") == {"a.md": "from 6 to 21 characters"}
    (whole,) = ParentExpansion(most=1000).refine(asking(held), (hit,))
    assert whole.heading_path == ("Top",)
    assert whole.span.of(text) == text.rstrip()


def test_a_hit_in_a_large_section_stays_as_it_is() -> None:
    held = library(note("a.md", "# Top", "word " * 100))
    given = listed(held)[1:]
    assert ParentExpansion(most=100).refine(asking(held), given) == given


def test_hits_that_grow_into_the_same_place_become_one_and_others_stay() -> None:
    held = library(note("a.md", "# One", "first", "second"), note("b.md", "other"))
    given = listed(held)
    search = asking(held, limit=3)
    refined = ParentExpansion().refine(search, (given[2], given[1], *given[3:]))
    assert [(one.uri, one.key) for one in refined] == [("a.md", given[2].key), ("b.md", given[3].key)]
    assert search.notes == {"grown": 1, "absorbed": 1}


def test_so_many_candidates_grow_whatever_the_limit() -> None:
    held = library(note("a.md", "# One", "first"), note("b.md", "# Two", "second"))
    given = listed(held)
    for limit in (1, 2):
        refined = ParentExpansion(among=1).refine(asking(held, limit=limit), (given[1], given[3]))
        assert refined[0] != given[1] and refined[1] == given[3]


def pages(budget: int | None, limit: int) -> list[list[str]]:
    held = library(*(note(f"{number}.md", "word " + "x" * 35) for number in range(5)))
    profile = RetrievalProfile("paged", (LexicalRecall(),), SingleChannel(), (TokenBudget(),))
    query = replace(asking(held, "word").query, budget=budget, limit=limit)
    seen: list[list[str]] = []
    while True:
        candidates, trace = run(profile, query, held)
        seen.append(uris(candidates))
        cursor = next_cursor(trace)
        if cursor is None:
            return seen
        query = replace(query, cursor=cursor)
        check_cursor(query)


def test_pages_within_a_budget_together_give_every_candidate_once() -> None:
    assert pages(budget=25, limit=10) == [["0.md", "1.md"], ["2.md", "3.md"], ["4.md"]]
    assert pages(budget=10_000, limit=2) == [["0.md", "1.md"], ["2.md", "3.md"], ["4.md"]]
    assert pages(budget=1, limit=10) == [[f"{number}.md"] for number in range(5)]
    assert pages(budget=None, limit=10) == [[f"{number}.md" for number in range(5)]]


def test_a_truncated_excerpt_costs_what_is_shown_of_it() -> None:
    held = library(*(note(f"{number}.md", "x" * 400) for number in range(3)))
    assert len(TokenBudget(tokens=10).refine(asking(held, max_excerpt_chars=20), listed(held))) == 2


def test_paging_goes_on_behind_the_last_one_given_although_others_left() -> None:
    held = library(*(note(f"{number}.md", "word") for number in range(5)))
    given = listed(held)
    first = asking(held, budget=2)
    page = TokenBudget().refine(first, given)
    assert uris(page) == ["0.md", "1.md"]
    entry = StageTrace("token_budget", "refine", 5, 2, 0.0, detail=first.notes)
    following = asking(held, budget=2, cursor=next_cursor([entry]))
    assert uris(TokenBudget().refine(following, given[1:])) == ["2.md", "3.md"]
    assert uris(TokenBudget().refine(following, given[2:])) == ["4.md"]


@pytest.mark.parametrize("cursor", ["", "nonsense", "ü", "AAAA"])
def test_a_cursor_of_another_question_is_refused(cursor: str) -> None:
    held = library(note("a.md", "a"))
    with pytest.raises(NotFound, match="does not belong"):
        check_cursor(asking(held, cursor=cursor).query)


def test_without_a_budget_the_list_is_left_alone() -> None:
    held = library(note("a.md", "a"))
    with pytest.raises(SkipStage):
        TokenBudget().refine(asking(held), listed(held))
    check_cursor(asking(held).query)
