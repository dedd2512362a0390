"""Memento, Appendices G, I, K and U: its own client's calls, word for word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from seed_calls import SeedClient, talk_with

from octavo.interfaces.mcp.tool_aliases.memento import TOOLS
from octavo.operations.operation_lookup import chosen

NAMES = re.findall(
    r"\S+",
    """projects.resolve projects.list sessions.start sessions.end embedding_profiles.list embedding_profiles.upsert
embedding_profiles.activate memory.commit memory.get memory.search memory.restore memory.history memory.diff memory.pin
memory.unpin memory.archive memory.link canonical.upsert canonical.get canonical.outline canonical.get_section
canonical.context_pack admin.reindex_profile admin.reingest_version health.check""",
)
RESOLVE = {
    "workspace_name": "default",
    "cwd": "/home/user/memento",
    "repo_url": None,
    "create_if_missing": True,
    "display_name": "memento",
}
UPSERT_PROFILE: dict[str, Any] = {
    "idempotency_key": "0b9b0a6c-7d53-4a4e-9a4c-0f0f0d6d1a11",
    "name": "voyage-context",
    "provider": "voyage",
    "model": "voyage-context-3",
    "dims": 1024,
    "distance": "cosine",
    "provider_config": {
        "api_key": "${VOYAGE_API_KEY}",
        "hnsw": {"m": 16, "ef_construction": 64},
        "query": {"ef_search_min": 40, "ef_search_factor": 2, "ef_search_max": 400},
    },
    "set_active": True,
}
UPSERT_PLAN = {
    "idempotency_key": "6e5f2f7e-55a2-4b1b-8f5e-33bb54f4c2aa",
    "canonical_key": "implementation/plan",
    "doc_class": "implementation_plan",
    "title": "Implementation Plan",
    "content_markdown": "# Plan\n\n## Outbox\n\nA failed event waits longer before each retry: exponential backoff.\n",
    "tags": ["plan", "canonical"],
}
SEARCH = {
    "query": "How does outbox retry backoff work?",
    "limit": 20,
    "include_chunks": True,
    "filters": {"canonical_only": False},
}


def note(text: str, **more: Any) -> dict[str, Any]:
    return {"kind": "note", "title": text.split(".")[0], "content": {"format": "markdown", "text": text}, **more}


def commit(key: str, *entries: dict[str, Any]) -> dict[str, Any]:
    return {"idempotency_key": key, "entries": list(entries)}


@pytest.mark.parametrize("names", ["memento", "memento,dotted"])
def test_g_every_tool_is_listed_with_bounds_and_nothing_beyond_its_arguments(tmp_path: Path, names: str) -> None:
    async def talk(client: SeedClient) -> None:
        tools = {tool.name: tool.input_schema for tool in (await client.mcp.list_tools()).tools}
        assert set(tools) >= {name if "dotted" in names else name.replace(".", "_") for name in NAMES}
        assert all(schema["additionalProperties"] is False for schema in tools.values())
        for schema in tools.values():
            for argument in schema["properties"].values():
                bounded = {"maxLength", "maximum", "maxItems", "enum", "maxProperties", "additionalProperties"}
                assert argument["type"] == "boolean" or bounded & argument.keys(), argument

    talk_with(tmp_path / "library.db", names, talk)


def test_k_the_four_payloads_run_verbatim(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        project = await client.ask("projects.resolve", RESOLVE)
        assert (project["project_id"], project["display_name"], project["created"]) == ("memento", "memento", True)
        named = {"project_id": project["project_id"]}
        made = await client.ask("canonical.upsert", named | UPSERT_PLAN)
        assert (made["canonical_key"], made["version_num"]) == ("implementation/plan", 1)
        assert (await client.ask("canonical.upsert", named | UPSERT_PLAN))["version_num"] == 1  # the same key again
        found = await client.ask("memory.search", named | SEARCH)
        (hit,) = found["results"]
        assert (hit["canonical_key"], hit["doc_class"]) == ("implementation/plan", "implementation_plan")
        assert hit["resource_uri"] == f"memory://projects/memento/items/{made['item_id']}"
        assert hit["chunk_id"] == hit["best_chunks"][0]["chunk_id"]
        assert "exponential backoff" in hit["best_chunks"][0]["excerpt"]
        # The second payload sends every text to another company: its owner has to allow that host by name.
        refused = await client.refused("embedding_profiles.upsert", named | UPSERT_PROFILE)
        assert refused["code"] == "INVALID_ARGUMENT"
        assert "another machine" in refused["message"]

    talk_with(tmp_path / "library.db", "memento", talk)


def test_k_an_allowed_host_is_asked_with_its_usual_key_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", "voyage-key-of-this-test")

    async def talk(client: SeedClient) -> None:
        await client.ask("projects.resolve", RESOLVE)
        made = await client.ask("embedding_profiles.upsert", UPSERT_PROFILE | {"set_active": False})
        assert (made["embedding_profile_id"], made["dims"], made["created"]) == ("voyage-context", 1024, True)
        assert (made["hnsw"], made["query"]) == tuple(
            UPSERT_PROFILE["provider_config"][part] for part in ("hnsw", "query")
        )
        wrong = {"api_key": "${VOYAGE_API_KEY}", "query": {"ef_search": 3}}
        refused = await client.refused("embedding_profiles.upsert", UPSERT_PROFILE | {"provider_config": wrong})
        assert "provider_config.query has no ef_search" in refused["message"]
        for config in ({"api_key": "${AWS_SECRET_ACCESS_KEY}"}, {"api_key": "pa-written-out"}):
            refused = await client.refused("embedding_profiles.upsert", UPSERT_PROFILE | {"provider_config": config})
            assert "key" in refused["message"]

    talk_with(tmp_path / "library.db", "memento", talk, {"embedding.client_hosts": ["api.voyageai.com"]})


def test_g_the_resolved_project_is_that_of_the_conversation_and_resources_follow(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        await client.ask("memory_commit", commit("key-elsewhere", note("In the server's own project.")))
        await client.ask("projects_resolve", RESOLVE)
        written = await client.ask("memory_commit", commit("key-inside", note("Inside of memento.")))
        (item,) = written["results"]
        listed = [str(resource.uri) for resource in (await client.mcp.list_resources()).resources]
        uris = [uri for uri in listed if uri.startswith("memory://")]
        assert uris == [f"memory://projects/memento/items/{item['item_id']}"]
        assert [row["title"] for row in (await client.ask("memory_list"))["items"]] == ["Inside of memento"]
        other = await client.ask("memory_list", {"project_id": "default"})
        read = await client.mcp.read_resource(other["items"][0]["resource_uri"])  # of any project there is
        assert read.contents[0].text == "In the server's own project.\n"
        absent = await client.refused("memory_list", {"projectId": "nowhere"})
        assert (absent["code"], absent["hint"]) == ("NOT_FOUND", "projects_list shows the projects")

    talk_with(tmp_path / "library.db", "memento", talk)


def test_g_a_memory_has_typed_links_which_can_be_taken_away(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        await client.ask("canonical_upsert", UPSERT_PLAN)
        written = await client.ask(
            "memory_commit", commit("key-decision", note("We retry five times.", kind="decision"))
        )
        item = written["results"][0]["item_id"]
        link = {"from": {"item_id": item}, "to": {"canonical_key": "implementation/plan"}, "relation": "implements"}
        await client.ask("memory_link", link | {"idempotency_key": "key-of-the-link"})
        (kept,) = (await client.ask("memory_get", {"item_id": item}))["links"]
        assert kept["relation"] == "implements"
        await client.ask("memory_unlink", link)
        assert (await client.ask("memory_get", {"item_id": item}))["links"] == []

    talk_with(tmp_path / "library.db", "memento", talk)


def test_g_versions_differences_pins_and_archives(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        written = await client.ask("memory_commit", commit("key-first", note("The lease lasts 120 s.")))
        first = written["results"][0]
        again = await client.ask("memory_commit", commit("key-first", note("The lease lasts 120 s.")))
        assert (again["deduped"], again["results"]) == (True, written["results"])
        item = {"item_id": first["item_id"]}
        await client.ask("memory_commit", commit("key-second", note("The lease lasts 180 s.", **item)))
        versions = (await client.ask("memory_history", item))["versions"]
        assert sorted(row["version_num"] for row in versions) == [1, 2]
        diff = await client.ask("memory_diff", item | {"from_version_num": 1, "to_version_num": 2})
        assert "-The lease lasts 120 s." in diff["unified_diff"]
        assert (await client.ask("memory_pin", item))["pinned"] is True
        assert (await client.ask("memory_unpin", item))["pinned"] is False
        restored = await client.ask("memory_restore", item | {"version_num": 1})
        assert restored["version_num"] == 3
        reingested = await client.ask("admin_reingest_version", {"version_id": f"{first['item_id']}@3"})
        assert reingested["enqueued"] is True
        assert (
            "version 3"
            in (await client.refused("admin_reingest_version", {"version_id": first["version_id"]}))["message"]
        )
        assert (await client.ask("memory_archive", item))["status"] == "archived"
        assert (await client.ask("memory_search", {"query": "lease"}))["results"] == []

    talk_with(tmp_path / "library.db", "memento", talk)


def test_g_sections_of_canonical_documents_and_the_pack_for_a_goal(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        await client.ask("canonical_upsert", UPSERT_PLAN)
        key = {"canonical_key": "implementation/plan"}
        sections = (await client.ask("canonical_outline", key))["sections"]
        assert [row["section_anchor"] for row in sections] == ["plan", "outbox"]
        section = await client.ask("canonical_get_section", key | {"section_anchor": "outbox"})
        assert sections[1]["heading_path"] == section["heading_path"]
        text = (await client.ask("canonical_get", key))["version"]["content_text"]
        assert text[sections[1]["start_char"] : sections[1]["end_char"]] == section["text"]
        pack = await client.ask("canonical_context_pack", key | {"goal": "retries of the outbox"})
        assert any("exponential backoff" in row["excerpt"] for row in pack["sections"])
        bundle = await client.ask("memory_restore", {"goal": "retries", "include_context_pack": True})
        assert [row["canonical_key"] for row in bundle["items"]] == ["implementation/plan"]

    talk_with(tmp_path / "library.db", "memento", talk)


def test_g_sessions_profiles_and_health(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        session = (await client.ask("sessions_start", {"client_name": "codex-tui"}))["session_id"]
        await client.ask("memory_commit", commit("key-in-session", note("Found the cause.")) | {"session_id": session})
        snapshot = {"title": "Where we are", "content": {"text": "The cause is found."}}
        ended = {"session_id": session, "create_snapshot": True, "snapshot": snapshot}
        assert (await client.ask("sessions_end", ended))["snapshot_item_id"]
        profiles = (await client.ask("embedding_profiles_list"))["profiles"]
        assert [row["is_active"] for row in profiles] == [True]
        health = await client.ask("health_check")
        assert (health["database_ok"], health["active_embedding_profile_id"]) == (True, "configured")

    talk_with(tmp_path / "library.db", "memento", talk)


def test_u_filters_narrow_and_i_conventions_are_found_by_tags(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        conventions = {"environment": "dev", "memory_type": "decision", "source_client": "codex"}
        one = note("Backoff without jitter.", kind="decision", metadata=conventions)
        await client.ask("memory_commit", commit("key-of-two", one, note("Backoff with jitter.", tags=["later"])))
        for filters, expected in (
            ({"kinds": ["decision"]}, ["Backoff without jitter"]),
            ({"tagsAny": ["later"]}, ["Backoff with jitter"]),
            ({"tags_all": ["environment:dev"]}, ["Backoff without jitter"]),
            ({"canonical_only": True}, []),
            ({"created_after": "2020-01-01T00:00:00Z", "kinds": ["note"]}, ["Backoff with jitter"]),
        ):
            found = await client.ask("memory_search", {"query": "backoff jitter", "filters": filters})
            assert [row["item"]["title"] for row in found["results"]] == expected, filters

    talk_with(tmp_path / "library.db", "memento", talk)


def test_g_errors_are_json_and_name_what_is_wrong(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        unknown = await client.refused("memory_search", {"query": "x", "limt": 3})
        assert (unknown["code"], unknown["hint"]) == ("INVALID_ARGUMENT", "did you mean limit?")
        beyond = await client.refused("memory_search", {"query": "x", "limit": 201})
        assert beyond["details"]["reason"] == "it has to be from 1 to 200"
        assert (await client.refused("canonical_get", {"canonical_key": "no/such"}))["code"] == "NOT_FOUND"

    talk_with(tmp_path / "library.db", "memento", talk)


def test_g_the_set_stands_beside_the_default_one_and_costs_it_nothing(tmp_path: Path) -> None:
    async def talk(client: SeedClient) -> None:
        names = [tool.name for tool in (await client.mcp.list_tools()).tools]
        assert {*names} == {row.name for row in chosen("default")} | {alias.called(dotted=False) for alias in TOOLS}
        assert len(names) == len({*names})

    talk_with(tmp_path / "library.db", "default,memento", talk)
