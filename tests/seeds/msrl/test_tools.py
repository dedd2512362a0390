"""MSRL §10 and §11: its tools with their limits, shapes and heading paths."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from seed_calls import SeedClient, talk_with


def test_10_2_a_query_answers_with_exact_spans_heading_paths_and_scores_from_0_to_1(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        debug = {"include_shards_searched": True}
        found = await client.ask("msrl.query", {"query": "how do pods talk", "top_k": 3, "debug": debug})
        first = found["results"][0]
        assert (first["doc_uri"], first["heading_path"]) == ("N2.md", "N2 → Infra → Kubernetes")
        text = (library.parent / "vault" / "N2.md").read_text("utf-8")
        assert first["excerpt"] == text[first["start_char"] : first["end_char"]]
        assert first["excerpt_truncated"] is False
        for row in found["results"]:
            assert all(0 <= row[name] <= 1 for name in ("score", "vector_score", "bm25_score"))
            assert row["score"] == pytest.approx(0.75 * row["vector_score"] + 0.25 * row["bm25_score"], abs=1e-4)
        assert max(row["bm25_score"] for row in found["results"]) == pytest.approx(1, abs=1e-4)
        assert all(0 <= shard < 128 for shard in found["meta"]["shards_searched"])
        assert found["meta"]["took_ms"] > 0

    talk_with(library, "msrl", talk)


def test_10_2_filters_narrow_and_limits_hold(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        async def uris(**filters: object) -> set[str]:
            found = await client.ask("msrl_query", {"query": "database network", "filters": filters})
            return {row["doc_uri"] for row in found["results"]}

        assert await uris(doc_uri_prefix="guide/") == {"guide/backup.md"}
        assert await uris(docUris=["N2.md"]) <= {"N2.md"}
        assert await uris(heading_path_contains="Kubernetes") == {"N2.md"}
        for limits in ({"top_k": 51}, {"top_k": 0}, {"max_excerpt_chars": 199}, {"max_excerpt_chars": 20_001}):
            assert (await client.refused("msrl_query", {"query": "x", **limits}))["code"] == "INVALID_ARGUMENT"
        refused = await client.refused("msrl_query", {"query": "x", "filters": {"doc_uris": []}})
        assert refused["details"] == {"field": "filters.doc_uris", "value": "[]", "reason": "it is empty"}
        schema = next(tool for tool in (await client.mcp.list_tools()).tools if tool.name == "msrl_query").input_schema
        assert schema["properties"]["filters"]["properties"]["doc_uris"]["minItems"] == 1
        assert schema["properties"]["top_k"] == {"type": "integer", "minimum": 1, "maximum": 50, "default": 8}

    talk_with(library, "msrl", talk)


def test_10_1_an_empty_vault_is_ready_and_answers_nothing(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        status = await client.ask("msrl_status")
        assert (status["state"], status["snapshot_id"]) == ("ready", None)
        assert status["stats"] == {"docs": 0, "nodes": 0, "leaves": 0, "shards": 0}
        assert (await client.ask("msrl_query", {"query": "anything"}))["results"] == []

    talk_with(tmp_path / "library.db", "msrl", talk)


def test_10_2_reindex_and_watch(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        (library.parent / "vault" / "new.md").write_text("# New\n\nZeppelins land at noon.\n", "utf-8")
        done = await client.ask("msrl_reindex", {"scope": "changed", "wait": True})
        assert (done["completed"], done["snapshot_id"], done["job"]["added"]) == (True, None, 1)
        counted = {name: done["stats"][name] for name in ("docs_added", "docs_modified", "docs_deleted")}
        assert counted == {"docs_added": 1, "docs_modified": 0, "docs_deleted": 0}
        full = await client.ask("msrl_reindex", {"scope": "full", "wait": True})
        assert (full["ok"], full["job"]["added"]) == (True, 0)
        below = await client.ask("msrl_reindex", {"scope": "prefix", "doc_uri_prefix": "guide/", "wait": True})
        assert below["ok"] is True
        watching = await client.ask("msrl_watch", {"enabled": True, "debounceMs": 250})
        assert watching == {"enabled": True, "debounce_ms": 250}
        assert (await client.ask("msrl_watch", {"enabled": False}))["enabled"] is False
        assert (await client.refused("msrl_reindex", {"scope": "prefix"}))["code"] == "INVALID_ARGUMENT"
        watcher = (await client.ask("msrl_status"))["watcher"]
        assert watcher == {"enabled": False, "debounce_ms": 2_000, "queue_depth": 0, "last_event_utc": None}
        refused = await client.mcp.call_tool("msrl_reindex", {"scope": "sideways"})
        error = json.loads(refused.content[0].text)
        choices = ["changed", "full", "prefix"]
        assert error["code"] == "INVALID_ARGUMENT" and error["message"].startswith("msrl.reindex.scope: ")
        assert error["details"] == {
            "field": "scope",
            "value": "sideways",
            "reason": f"it has to be one of {', '.join(choices)}",
            "validOptions": choices,
        }

    talk_with(library, "msrl", talk)


def test_11_3_every_write_takes_the_heading_path_that_is_shown(library: Path) -> None:
    note = library.parent / "vault" / "N2.md"

    async def talk(client: SeedClient) -> None:
        place = {"doc_uri": "N2.md", "heading_path": "N2 → Infra"}
        await client.ask("msrl_doc_append_to_section", {**place, "content_md": "And in the attic."})
        assert "cellar.\n\nAnd in the attic.\n\n### Kubernetes" in note.read_text("utf-8")
        new = {"doc_uri": "N2.md", "parent_heading_path": "N2 → Infra", "heading": "Power", "content_md": "Two lines."}
        await client.ask("msrl_doc_insert_section", new)
        assert "### Power\n\nTwo lines." in note.read_text("utf-8")
        moved = {"from_heading_path": "N2 → Infra → Power", "to_parent_heading_path": "N2"}
        await client.ask("msrl_doc_move_section", {"doc_uri": "N2.md", **moved})
        assert "\n## Power\n" in note.read_text("utf-8")
        refused = await client.refused(
            "msrl_doc_replace_section", {**place, "heading_path": "N2 → Infras", "content_md": "x"}
        )
        assert refused["code"] == "NOT_FOUND"
        assert '"N2 → Infra"' in refused["hint"]
        assert refused["details"]["headingPath"] == "N2 → Infras"
        absent = {"doc_uri": "none.md", "heading_path": "N2", "content_md": "x"}
        assert (await client.refused("msrl_doc_replace_section", absent))["details"] == {"docUri": "none.md"}
        assert (await client.ask("msrl_doc_validate", {"doc_uri": "N2.md"}))["ok"] is True

    talk_with(library, "msrl", talk)


def test_11_3_octavos_own_tools_take_that_path_too(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        arguments = {"uri": "N2.md", "heading_path": "N2 → Infra", "content_md": "Gone."}
        result = await client.mcp.call_tool("doc_replace_section", arguments)
        assert not result.is_error, result.content[0].text
        assert "## Infra\n\nGone.\n" in (library.parent / "vault" / "N2.md").read_text("utf-8")

    talk_with(library, "writing", talk)
