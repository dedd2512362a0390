"""What Memento's own tests promise beyond its document.

After `packages/core/test/golden/tools`, `mcp-server/test/integrationFlow.test.ts`, `embeddingProfiles.test.ts` and
`projectsSessions.test.ts` of github.com/bgconley/memento. Ids are Octavo's own, not UUIDs, and the key of a project
is its name, not a hash: clients take both as they come.
"""

from __future__ import annotations

from pathlib import Path

from seed_calls import SeedClient, talk_with

_TEXT = "# MyApp\n\n## Overview\n\nIt lends books.\n\n## Auth\n\nTokens are refreshed; ECONNRESET is met in dev.\n"


def test_golden_answers_have_these_fields_and_memento_s_own_kinds(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        asked = {"workspace_name": "acme", "repo_url": "https://example.org/acme/myapp.git", "display_name": "myapp"}
        project = await client.ask("projects_resolve", asked)
        assert project.keys() >= {"workspace_id", "project_id", "project_key", "display_name", "repo_url"}
        assert (project["display_name"], project["repo_url"]) == ("myapp", asked["repo_url"])
        spec = {"canonical_key": "app", "doc_class": "app_spec", "title": "MyApp", "idempotency_key": "k-1"}
        made = await client.ask("canonical_upsert", {**spec, "content": {"format": "markdown", "text": _TEXT}})
        assert (made["version_num"], made["canonical_key"]) == (1, "app")
        goal = {"goal": "refresh tokens, ECONNRESET", "include_context_pack": True}
        bundle = await client.ask("memory_restore", goal)
        assert bundle["bundle_id"] and bundle["bundle_summary"]
        (item,) = bundle["items"]
        assert (item["item_id"], item["kind"], item["canonical_key"]) == (made["item_id"], "spec", "app")
        passage = bundle["context_pack"]["sections"][0]
        assert passage["heading_path"] == ["MyApp", "Auth"] and "ECONNRESET" in passage["excerpt"]
        assert await client.ask("memory_restore", goal) == bundle

    talk_with(tmp_path / "library.db", "memento", talk)


def test_a_troubleshooting_entry_is_found_by_its_code_and_is_still_one(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        text = "Encountered ECONNRESET_42 while testing token refresh."
        entry = {"kind": "troubleshooting", "scope": "project", "title": "Reset", "content": {"text": text}}
        await client.ask("memory_commit", {"idempotency_key": "t-1", "entries": [entry]})
        search = {"query": "ECONNRESET_42", "lexical_top_k": 10, "semantic_top_k": 5}
        (hit,) = (await client.ask("memory_search", search))["results"]
        assert hit["item"]["kind"] == "troubleshooting"
        assert "ECONNRESET_42" in hit["best_chunks"][0]["excerpt"]
        assert (await client.ask("memory_get", {"item_id": hit["item_id"]}))["item"]["kind"] == "troubleshooting"

    talk_with(tmp_path / "library.db", "memento", talk)


def test_a_session_that_ends_with_a_snapshot_leaves_a_session_snapshot(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        session = (await client.ask("sessions_start", {"client_name": "editor"}))["session_id"]
        snapshot = {"title": "Where we are", "content": {"text": "The parser is half done."}}
        ended = await client.ask("sessions_end", {"session_id": session, "create_snapshot": True, "snapshot": snapshot})
        assert ended["session_id"] == session and ended["ended_at"]
        kept = await client.ask("memory_get", {"item_id": ended["snapshot_item_id"]})
        assert (kept["item"]["kind"], kept["item"]["title"]) == ("session_snapshot", "Where we are")

    talk_with(tmp_path / "library.db", "memento", talk)


def test_projects_are_listed_by_workspace_and_page(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        for name in ("one", "two"):
            await client.ask("projects_resolve", {"workspace_name": "acme", "project_key": name})
        first = await client.ask("projects_list", {"workspace_name": "acme", "limit": 1})
        assert [row["project_key"] for row in first["projects"]] == ["acme/one"]
        rest = await client.ask("projects_list", {"workspace_name": "acme", "offset": first["next_offset"]})
        assert [row["display_name"] for row in rest["projects"]] == ["two"]

    talk_with(tmp_path / "library.db", "memento", talk)


def test_one_profile_is_active_and_its_tuning_is_shown(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        tuning = {
            "base_url": "https://models.example.org/v1",
            "hnsw": {"m": 24, "ef_construction": 128},
            "query": {"ef_search_min": 80},
        }
        profile = {"name": "small", "provider": "openai_compat", "model": "m", "dims": 64, "distance": "cosine"}
        made = await client.ask("embedding_profiles_upsert", {**profile, "provider_config": tuning})
        assert made["hnsw"]["m"] == 24 and made["query"]["ef_search_min"] == 80
        assert made["created"] is True and made["is_active"] is False
        assert (await client.ask("embedding_profiles_upsert", {**profile, "provider_config": tuning}))[
            "created"
        ] is False
        listed = (await client.ask("embedding_profiles_list", {"include_inactive": True}))["profiles"]
        assert sum(row["is_active"] for row in listed) <= 1

    talk_with(tmp_path / "library.db", "memento", talk, {"embedding.client_hosts": ["models.example.org"]})
