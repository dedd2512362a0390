"""LSM §6.1: its settings by its names change the profile that answers, and a name it had is answered with ours."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from octavo.config.layered_config_loading import load
from octavo.engine.wiring import open_library
from octavo.errors import ConfigurationError
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search
from octavo.retrieval.stage import RetrievalProfile

_LSM = {
    "retrieval.profile": "hybrid_rrf",
    "retrieval.k_dense": 40,
    "retrieval.k_sparse": 60,
    "retrieval.rrf_k": 10,
    "retrieval.rrf_dense_weight": 0.6,
    "retrieval.rrf_sparse_weight": 0.4,
    "retrieval.max_per_section": 1,
    "retrieval.temporal_boost_enabled": True,
    "retrieval.temporal_boost_days": 14,
    "retrieval.temporal_boost_factor": 2,
    "retrieval.diversity_strategy": "minhash",
}


def _profile(library: Path, name: str, settings: dict[str, Any]) -> RetrievalProfile:
    with open_library(library, create=True, settings=settings) as engine:
        return engine.retrieval_profile(name)


def test_6_1_settings_by_its_names_change_the_profile(tmp_path: Path) -> None:
    profile = _profile(tmp_path / "library.db", "hybrid_rrf", _LSM)
    stages: dict[str, Any] = {stage.name: stage for stage in (*profile.recall, *profile.refine)}
    assert (stages["dense"].depth, stages["lexical"].depth) == (40, 60)
    assert (profile.fuse.k, profile.fuse.dense, profile.fuse.lexical) == (10, 0.6, 0.4)  # type: ignore[attr-defined]
    assert stages["cap_per_section"].limit == 1
    assert stages["recency_tiers"].tiers == ((14.0, 2.0),)
    assert "mmr" in stages and stages.keys() & {"minhash_duplicates", "ngram_duplicates"}


def test_6_1_without_such_settings_a_profile_is_what_it_was(tmp_path: Path) -> None:
    from octavo.retrieval.profiles_by_name import PROFILES

    assert _profile(tmp_path / "library.db", "hybrid", {}) == PROFILES["hybrid"]


def test_6_1_weights_of_ranks_are_refused_where_the_configured_profile_has_none(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"retrieval\.rrf_k") as refused:
        _profile(tmp_path / "library.db", "hybrid", {"retrieval.rrf_k": 10})
    assert "hybrid_rrf" in (refused.value.hint or "")
    named = _profile(tmp_path / "library.db", "lexical_only", {"retrieval.rrf_k": 10})
    assert named.name == "lexical_only"


def test_6_1_search_obeys_the_cap_for_each_section(library: Path) -> None:
    def sections(**settings: Any) -> list[str]:
        with open_library(library, settings={"retrieval.profile": "hybrid_rrf", **settings}) as engine:
            found = search(engine, SearchRequest("servers pods network tape retry", show_all=True))
        return [f"{hit.uri} {hit.heading_path[:2]}" for hit in found.hits]

    assert len(sections(**{"retrieval.max_per_section": 1})) == len({*sections()})


def test_4_4_3_clusters_are_a_switch(library: Path) -> None:
    with open_library(library, settings={"retrieval.cluster_enabled": True, "retrieval.cluster_top_n": 2}) as engine:
        found = search(engine, SearchRequest("pods network", explain=True))
        advised = [stage for stage in found.trace or () if "clusters" in str(stage.detail)]
    assert found.hits and "octavo cluster build" in str(advised)


@pytest.mark.parametrize(
    ("written", "here"),
    [
        ("query.k_dense = 5", "retrieval.k_dense"),
        ('retrieval_profile = "hybrid_rrf"', "retrieval.profile"),
        ('vectordb.provider = "sqlite"', "library"),
        ("ingest.chunk_size = 1800", "chunking.target_max_tokens"),
        ('embed_model = "x"', "embedding.model"),
        ("chunking.targetMinTokens = 5", "chunking.target_min_tokens"),
        ("lifecycle.maxRetainedSnapshots = 5", "snapshots.keep"),
        ("retrieval.defaultTopK = 5", "retrieval.limit"),
    ],
)
def test_6_1_a_name_of_another_program_is_answered_with_ours(tmp_path: Path, written: str, here: str) -> None:
    (tmp_path / "config.toml").write_text(written, "utf-8")
    with pytest.raises(ConfigurationError) as refused:
        load(environ={**os.environ, "OCTAVO_CONFIG": str(tmp_path / "config.toml")}, directory=tmp_path)
    assert here in (refused.value.hint or "")


def test_7_3_every_search_leaves_its_trace_in_a_folder(library: Path, tmp_path: Path) -> None:
    with open_library(library, settings={"log.traces": str(tmp_path / "traces")}) as engine:
        for query in ("pods", "tape"):
            search(engine, SearchRequest(query))
    traces = [json.loads(file.read_text("utf-8")) for file in sorted((tmp_path / "traces").iterdir())]
    assert [trace["query"] for trace in traces] == ["pods", "tape"]
    assert all(trace["stages"] and trace["recording"] for trace in traces)
