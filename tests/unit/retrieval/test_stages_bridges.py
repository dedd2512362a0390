"""The second hop by names: what the best passage names is raised, or fetched."""

from __future__ import annotations

import pytest
from stage_samples import asking, library, listed, note

from octavo.retrieval.stage import SkipStage
from octavo.retrieval.stages.second_hop_search import Bridges, names_in


def test_names_are_found_with_their_small_words_and_without_the_words_that_begin_sentences() -> None:
    text = "The film stars Ada Lovelace, Duke of York, and Oskar. Then it rains on [[Home page|home]]. Perhaps."
    assert names_in(text) == ("Home page", "Ada Lovelace", "Duke of York", "Oskar")


def test_a_candidate_that_the_best_names_is_raised_above_one_that_it_does_not() -> None:
    held = library(
        note("a.md", "The film was made by Ada Stone in Lisbon.", title="The film"),
        note("b.md", "Somebody was born in 1920.", title="Someone Else"),
        note("c.md", "She was born in 1930.", title="Ada Stone (director)"),
    )
    refined = Bridges(fetched=0).refine(asking(held), listed(held, 1.0, 0.6, 0.5))
    assert [candidate.uri for candidate in refined] == ["a.md", "c.md", "b.md"]
    assert refined[1].steps[-1].detail == "+0.200, named by The film"


def test_a_candidate_that_names_the_best_gains_less() -> None:
    held = library(
        note("a.md", "Nothing is named here.", title="Ada Stone"),
        note("b.md", "Somebody else.", title="Someone Else"),
        note("c.md", "It was made by Ada Stone.", title="The film"),
    )
    refined = Bridges(seeds=1, fetched=0).refine(asking(held), listed(held, 1.0, 0.55, 0.5))
    assert [candidate.uri for candidate in refined] == ["a.md", "c.md", "b.md"]


def test_a_title_of_one_word_is_named_with_its_capitals_only() -> None:
    held = library(note("a.md", "She went home at night.", title="X"), note("b.md", "Text.", title="Home"))
    with pytest.raises(SkipStage, match="no passage names another"):
        Bridges(fetched=0).refine(asking(held), listed(held, 1.0, 0.5))


def test_what_is_named_and_was_not_found_is_fetched_by_its_title() -> None:
    held = library(
        note("a.md", "The film was made by Ada Stone in Lisbon.", title="The film"),
        note("c.md", "She was born in 1930.", title="Ada Stone"),
    )
    refined = Bridges().refine(asking(held), listed(held, 1.0, 0.5)[:1])
    assert [candidate.uri for candidate in refined] == ["a.md", "c.md"]


def test_a_title_that_many_candidates_name_leads_nowhere() -> None:
    pages = [note(f"{place}.md", "Every page speaks of Ray Actors.", title=f"Page {place}") for place in range(3)]
    held = library(*pages, note("actors.md", "What they are.", title="Ray Actors"))
    candidates = listed(held, 1.0, 0.9, 0.8, 0.5)
    raised = Bridges(fetched=0, common=3).refine(asking(held), candidates)
    assert raised[-1].score > 0.5
    with pytest.raises(SkipStage, match="no passage names another"):
        Bridges(fetched=0, common=2).refine(asking(held), candidates)
