"""The same library has the same scores on either engine, those of every stage included."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.engine.wiring import open_library
from octavo.model.library_location import DatabaseUrl
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_execution import find

VAULT = Path(__file__).parents[2] / "examples" / "vault"
QUESTIONS = ("how is the mirror cleaned", "dome humidity", "mirror -dome", "keys tag:howto", "Collimation.md")


@pytest.mark.parametrize("profile", ["hybrid", "code", "hybrid_rrf", "memory"])
def test_every_stage_gives_a_hit_the_same_score_on_both_engines(tmp_path: Path, url: DatabaseUrl, profile: str) -> None:
    told = []
    for place in (str(tmp_path / "library.db"), url.secret):
        with open_library(place, create=True) as engine:
            engine.add_collection("observatory", VAULT)
            engine.index()
            engine.writer.embed(10_000)
            results = [find(engine, SearchRequest(question, profile=profile)) for question in QUESTIONS]
        told.append(
            [
                (hit.citation, hit.score, [(step.stage, step.score, step.rank, step.detail) for step in hit.steps])
                for result in results
                for hit in result.hits
            ]
        )
    assert told[0] == told[1] and told[0]
