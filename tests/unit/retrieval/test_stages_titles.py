"""Documents whose title the query says."""

from __future__ import annotations

import pytest
from stage_samples import asking, details, library, listed, note, uris

from octavo.retrieval.stage import SkipStage
from octavo.retrieval.stages.title_match_boost import TitleWords


def test_a_document_gains_where_the_query_says_its_whole_title_in_any_form() -> None:
    held = library(
        note("dome.md", "x", title="Dome and shutter"),
        note("collimation.md", "y", title="Collimation"),
        note("laser.md", "z", title="Collimation by laser"),
    )
    search = asking(held, "how do I collimate the telescope")
    raised = TitleWords(share=0.2).refine(search, listed(held, 1.0, 0.9, 0.9))
    assert [(each.uri, round(each.score, 6)) for each in raised] == [
        ("collimation.md", 1.1),
        ("dome.md", 1.0),
        ("laser.md", 0.9),
    ]
    assert details(raised, "title_words") == {"collimation.md": "the query says its title"}
    assert search.notes["raised"] == 1


def test_words_that_only_frame_a_question_say_no_title() -> None:
    held = library(note("how.md", "x", title="How"), note("find.md", "y", title="Find"), note("b.md", "z", title=""))
    for text in ("how do I find the telescope", ""):
        with pytest.raises(SkipStage):
            TitleWords().refine(asking(held, text), listed(held))
    assert uris(TitleWords().refine(asking(held, "find"), listed(held, 1.0, 0.95, 0.9)))[0] == "find.md"
