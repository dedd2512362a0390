"""Ragdocs' HTTP server, its commands, and its pipeline as a profile."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from starlette.testclient import TestClient

from octavo.config.schema import Serve
from octavo.engine.wiring import open_library
from octavo.interfaces.cli.main import cli
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.serving.asgi_app import make_app
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search
from octavo.retrieval.profiles_by_name import PROFILES, reranked

_TOKEN = "a-token-that-is-long-enough-to-be-one"


def _client(calls: Calls, tools: str) -> TestClient:
    app = make_app(calls, Serve(), _TOKEN, tools)
    return TestClient(app, base_url="http://127.0.0.1:7411", headers={"Authorization": f"Bearer {_TOKEN}"})


def test_routes_of_the_set_answer_in_its_shape_and_only_where_it_is_chosen(library: Path) -> None:
    calls = Calls(lambda: open_library(library), threads=2)
    try:
        with _client(calls, "default,ragdocs") as client:
            found = client.post("/query_documents", json={"query": "how do pods talk", "top_n": 2}).json()
            assert found["results"][0]["file_path"] == "N2.md"
            short = client.post("/query_documents_compressed", json={"query": "pods", "min_score": 0.0}).json()
            assert short["results"][0]["header_path"].endswith("Kubernetes")
            asked = {"query": "retry", "after": 1_600_000_000, "before": 1_800_000_000}
            assert client.post("/search_git_history", json=asked).json()["results"][0]["author"].startswith("Ann")
            refused = client.post("/query_documents_compressed", json={"query": "pods", "top_n": 101})
            assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_ARGUMENT")
        with _client(calls, "default") as client:
            assert client.post("/query_documents_compressed", json={"query": "pods"}).status_code == 404
            assert "hits" in client.post("/query_documents", json={"query": "pods"}).json()
    finally:
        assert calls.close(timeout=60)


def test_status_lists_problems_where_it_is_asked_to(library: Path) -> None:
    (library.parent / "vault" / "broken.md").write_bytes(bytes(range(256)) * 40)
    with open_library(library) as engine:
        engine.index()
    calls = Calls(lambda: open_library(library), threads=1)
    try:
        with _client(calls, "default") as client:
            assert "broken.md" not in client.get("/status").text
            assert "broken.md" in client.get("/status?problems=true").text
    finally:
        assert calls.close(timeout=60)


def test_run_and_rebuild_index_are_understood(library: Path) -> None:
    done = CliRunner().invoke(cli, ["--library", str(library), "--json", "rebuild-index"])
    assert done.exit_code == 0 and '"scope": "full"' in done.stdout
    helped = CliRunner().invoke(cli, ["run", "--help"])
    assert helped.exit_code == 0 and "--port" in helped.stdout
    assert "rebuild-index" not in CliRunner().invoke(cli, ["--help"]).stdout


def test_the_profile_has_its_stages_in_its_order(library: Path) -> None:
    profile = PROFILES["ragdocs"]
    stages = [stage.name for stage in (*profile.expand, *profile.recall, profile.fuse, *profile.refine)]
    order = ["concepts", "lexical", "dense", "graph", "rank_fusion", "recency_tiers", "confidence_floor"]
    order += ["exact_duplicates", "ngram_duplicates", "semantic_duplicates", "cap_per_document", "parent_expansion"]
    assert [name for name in stages if name in order] == order
    assert [stage.name for stage in reranked(profile).refine][-2:] == ["rerank", "parent_expansion"]
    with open_library(library) as engine:
        found = search(engine, SearchRequest("how do pods talk", profile="ragdocs", explain=True))
    assert found.hits[0].uri == "N2.md"
    assert {"lexical", "dense", "graph"} <= {stage.stage for stage in found.trace or ()}


def test_a_linked_note_joins_with_less_than_what_it_is_linked_from(library: Path) -> None:
    with open_library(library) as engine:
        found = search(engine, SearchRequest("nightly database tape", profile="ragdocs", show_all=True))
    uris = [hit.uri for hit in found.hits]
    assert uris[0] == "guide/backup.md" and "N2.md" in uris
