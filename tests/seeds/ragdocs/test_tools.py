"""Ragdocs, server layer: its tools by their arguments, defaults and limits."""

from __future__ import annotations

from pathlib import Path

from seed_calls import SeedClient, talk_with


def test_query_documents_ranks_chunks_five_by_default_and_a_hundred_at_most(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        found = (await client.ask("query_documents", {"query": "nightly copies of the database"}))["results"]
        assert (found[0]["file_path"], found[0]["header_path"]) == ("guide/backup.md", "Backup")
        assert 1 <= len(found) <= 5
        assert all(0 <= row["score"] <= 1 for row in found)
        assert "from 1 to 100" in (await client.refused("query_documents", {"query": "x", "top_n": 101}))["message"]
        less = {"query": "nightly copies of the database", "min_score": 0.3, "similarity_threshold": 0.85}
        assert (await client.ask("query_documents_compressed", less))["results"][0]["file_path"] == "guide/backup.md"
        assert (await client.refused("query_documents_compressed", {"query": "x", "min_score": 1.5}))["details"]

    talk_with(library, "ragdocs", talk)


def test_documents_are_found_in_their_own_lane_beside_commits_and_memories(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        await client.mcp.call_tool("remember", {"text": "The nightly job copies every database to tape, since May."})
        asked = {
            "query_documents": "query",
            "query_documents_compressed": "query",
            "search_with_hypothesis": "hypothesis",
        }
        for tool, argument in asked.items():
            found = await client.ask(tool, {argument: "The nightly job copies every database to tape.", "top_n": 100})
            paths = {row["file_path"] for row in found["results"]}
            assert paths and not any(path.startswith((".git/", "mem_")) for path in paths)

    talk_with(library, "default,ragdocs", talk)


def test_search_git_history_takes_whole_unix_times(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        found = await client.ask(
            "search_git_history", {"query": "retry", "after": 1_699_999_999, "before": 1_700_000_001}
        )
        assert [row["title"] for row in found["results"]] == ["Wait longer before each retry"]
        assert (await client.ask("search_git_history", {"query": "retry", "before": 1_600_000_000}))["results"] == []
        assert (await client.refused("search_git_history", {"query": "retry", "after": "last week"}))["code"]

    talk_with(library, "ragdocs", talk)


def test_hypotheses_and_memories_linked_to_a_document(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        found = await client.ask("search_with_hypothesis", {"hypothesis": "Databases are copied to tape at night."})
        assert found["results"][0]["file_path"] == "guide/backup.md"
        await client.mcp.call_tool("remember", {"text": "We will refactor [[src/retry.py]] next week."})
        linked = await client.ask("search_linked_memories", {"target_document": "src/retry.py"})
        assert [row["type"] for row in linked["links"]] == ["refactors"]
        assert len(linked["results"]) == 1

    talk_with(library, "default,ragdocs", talk)
