"""LSM §4.2: retrieval by profile with score breakdowns and citations, grounded answers, ingest and status as tools."""

from __future__ import annotations

from pathlib import Path

from seed_calls import SeedClient, talk_with


def test_4_2_1_candidates_have_score_breakdowns_and_citations(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        asked = {"query": "how do pods talk", "retrieval_profile": "hybrid_rrf", "k": 3, "trace": True}
        found = await client.ask("lsm.retrieve", asked)
        first = found["candidates"][0]
        assert found["retrieval_profile"] == "hybrid_rrf"
        assert (first["citation"]["source_path"], first["citation"]["heading"]) == ("N2.md", "Kubernetes")
        assert first["citation"]["heading_path"] == ["N2", "Infra", "Kubernetes"]
        scores = first["scores"]
        assert (scores["dense_rank"], scores["sparse_rank"]) == (1, 1)
        assert scores["fused_score"] > 0 and 0 < scores["dense_score"] <= 1 and scores["rerank_score"] is None
        assert {"dense", "lexical", "rank_fusion"} <= {stage["stage"] for stage in found["retrieval_trace"]}

    talk_with(library, "lsm", talk)


def test_4_2_1_a_score_breakdown_has_the_multiplier_of_recency(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        found = await client.ask("lsm_retrieve", {"query": "pods network", "retrieval_profile": "hybrid_rrf"})
        boosts = {row["citation"]["source_path"]: row["scores"]["temporal_boost"] for row in found["candidates"]}
        assert boosts.pop("N2.md") == 1.5 and set(boosts.values()) <= {1.5, None}  # a commit of 2023 has none

    talk_with(library, "lsm", talk, {"retrieval.profile": "hybrid_rrf", "retrieval.temporal_boost_enabled": True})


def test_4_2_2_answers_ingest_and_status(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        answer = await client.ask("lsm_query", {"query": "Where are databases copied to?", "mode": "grounded"})
        assert "tape" in str(answer)
        (library.parent / "vault" / "new.md").write_text("# New\n\nZeppelins land at noon.\n", "utf-8")
        assert (await client.ask("lsm_ingest", {"wait": True}))["added"] == 1
        assert (await client.ask("lsm_status"))["documents"] > 4
        refused = await client.refused("lsm_retrieve", {"query": "x", "retrieval_profile": "colbert"})
        assert refused["code"] == "INVALID_ARGUMENT" and "hybrid_rrf" in refused["message"]

    talk_with(library, "lsm", talk)


def test_4_2_2_every_profile_of_the_plan_answers_by_its_name(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        for profile in ("dense_only", "hybrid_rrf", "hyde_hybrid", "dense_cross_rerank", "llm_rerank"):
            found = await client.ask("lsm_retrieve", {"query": "how do pods talk", "retrieval_profile": profile})
            assert found["retrieval_profile"] == profile
            assert found["candidates"][0]["citation"]["source_path"] == "N2.md"
        asked = {"query": "Where are databases copied to?", "mode": "insight", "retrieval_profile": "dense_only"}
        assert "tape" in str(await client.ask("lsm_query", asked))

    talk_with(library, "lsm", talk)
