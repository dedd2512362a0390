"""EdgeCoder §6.1: its tools by their arguments in camelCase, and what every result says of itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from seed_calls import SeedClient, talk_with

from octavo.engine.wiring import open_library
from octavo.interfaces.mcp.tool_aliases.aliased_tool import SeedCall
from octavo.interfaces.mcp.tool_aliases.edgecoder import TOOLS, reranks

FIELDS = {"filePath", "startLine", "endLine", "content", "score", "matchType", "contentType", "language"}


def test_6_1_every_result_has_its_place_score_and_types(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        calls = {
            "search_code": {"query": "how long to wait before a retry", "maxResults": 2, "useReranker": False},
            "search_docs": {"query": "tape", "max_results": 2},
            "find_similar": {"codeSnippet": "def wait(n):\n    return 2 ** n\n", "maxResults": 2},
        }
        for tool, arguments in calls.items():
            found = await client.ask(tool, arguments)
            assert 1 <= len(found) <= 2
            for row in found:
                assert row.keys() == FIELDS
                assert row["matchType"] in ("bm25", "vector", "hybrid")
                assert row["contentType"] in ("code", "comment", "docstring", "markdown", "config")
        assert {row["contentType"] for row in await client.ask("search_docs", calls["search_docs"])} == {"markdown"}
        (first, *_) = await client.ask("search_code", calls["search_code"])
        assert (first["filePath"], first["language"]) == ("src/retry.py", "python")

    talk_with(library, "edgecoder", talk)


def test_6_1_a_file_can_be_excluded_and_a_project_named(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        snippet = {"codeSnippet": "def backoff(attempt):\n    return 5", "excludeFile": "src/retry.py"}
        assert "src/retry.py" not in {row["filePath"] for row in await client.ask("find_similar", snippet)}
        assert (await client.refused("search_code", {"query": "x", "projectId": "nowhere"}))["code"] == "NOT_FOUND"
        assert await client.ask("search_code", {"query": "backoff", "projectId": "default"})

    talk_with(library, "edgecoder", talk)


def test_8_stats_count_vectors_and_name_the_last_build(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        stats = await client.ask("stats")
        assert stats["totalDocuments"] >= 4
        assert stats["totalVectors"] == stats["totalChunks"] > 0
        assert stats["indexSizeBytes"] > 10_000 and stats["embeddingModel"]
        assert {"lastFullBuildMs", "failed"} <= stats.keys()

    talk_with(library, "edgecoder", talk)


def test_6_1_a_list_of_results_is_structured_content_too(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        result = await client.mcp.call_tool("search_docs", {"query": "nightly backup"})
        assert result.structured_content == {"result": json.loads(result.content[0].text)}

    talk_with(library, "edgecoder,data", talk)


def test_5_2_the_reranker_is_used_where_one_is_configured_unless_the_call_says_otherwise(library: Path) -> None:
    settings = {"embedding.constrained": "off", "reranking.model": str(library.parent / "cross-encoder")}
    with open_library(library, settings=settings) as engine:
        asked: tuple[dict[str, bool], ...] = ({}, {"useReranker": True}, {"useReranker": False})
        assert [reranks(SeedCall(TOOLS[0], engine, given, {})) for given in asked] == [True, True, False]


@pytest.mark.parametrize(("mode", "expected"), [("off", [True, False, False]), ("on", [False, False, False])])
def test_9_1_a_constrained_machine_reranks_nothing(library: Path, mode: str, expected: list[bool]) -> None:
    with open_library(library, settings={"embedding.constrained": mode}) as engine:
        asked: tuple[dict[str, bool], ...] = ({"useReranker": True}, {"useReranker": False}, {})
        assert [reranks(SeedCall(TOOLS[0], engine, given, {})) for given in asked] == expected
