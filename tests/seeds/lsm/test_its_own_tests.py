"""What Local Second Mind's own tests promise beyond its plan.

After `tests/test_query/test_rrf_fusion.py`, `test_diversity.py` and `test_temporal.py` of
github.com/pulsence/local-second-mind. Its tests of agents, chats and prices are of a program around retrieval.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from seed_calls import SeedClient, talk_with


def test_the_fused_score_is_the_sum_of_weighted_reciprocal_ranks_and_a_missing_rank_is_none(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        asked = {"query": "pods network", "retrieval_profile": "hybrid_rrf", "k": 10}
        rows = (await client.ask("lsm.retrieve", asked))["candidates"]
        scores = [row["scores"] for row in rows]
        assert [each["fused_score"] for each in scores] == sorted(
            (each["fused_score"] for each in scores), reverse=True
        )
        both = [each for each in scores if each["dense_rank"] and each["sparse_rank"]]
        alone = [each for each in scores if each["sparse_rank"] is None]
        assert both and alone and all(each["sparse_score"] is None for each in alone)
        weights = {
            round(each["fused_score"] / (1 / (60 + each["dense_rank"]) + 1 / (60 + each["sparse_rank"])), 6)
            for each in both
            if each["dense_rank"] == each["sparse_rank"]
        }
        assert len(weights) <= 1
        assert min(each["fused_score"] for each in both) > max(each["fused_score"] for each in alone)

    talk_with(library, "lsm", talk)


@pytest.mark.parametrize(("k", "most"), [(1, 1), (1_000, 1_000)])
def test_no_more_candidates_than_asked_for_and_each_once(library: Path, k: int, most: int) -> None:
    async def talk(client: SeedClient) -> None:
        rows = (await client.ask("lsm.retrieve", {"query": "retry database pods", "k": k}))["candidates"]
        places = [
            (row["citation"]["source_path"], row["citation"]["heading"], row["citation"]["snippet"]) for row in rows
        ]
        assert 1 <= len(rows) <= most and len(places) == len(set(places))

    talk_with(library, "lsm", talk)
