"""What MSRL's own tests promise beyond its specification.

After `retrieval-pipeline.test.ts`, `engine.test.ts`, `markdown-parser.test.ts` and `fence-detector.test.ts` of
github.com/ostanlabs/md_structured_retrieval. Its weights of .7 and .3 and its hashes of nodes are inner matters; that
an empty `docUris` filters nothing contradicts the specification, whose schema wants one at least: it is refused.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from seed_calls import SeedClient, talk_with

from octavo.engine.wiring import open_library
from octavo.operations.library.collections import add
from octavo.operations.library.requests import AddRequest

_PLAN = "# Q1 Planning\n\n## Milestone: Launch\n\nThe harbour opens.\n"
_STORIES = "# Q1 Planning\n\n## Story: Login\n\nThe harbour has a door.\n"  # spans of one note would be merged
_FENCED = "# Läden\n\n```sh\n# no heading, but a harbour\n```\n\n## Café\n\nA harbour café.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "plan.md").write_bytes(b"\xef\xbb\xbf" + _PLAN.replace("\n", "\r\n").encode())
    (folder / "stories.md").write_text(_STORIES, "utf-8")
    (folder / "läden.md").write_text(_FENCED, "utf-8")
    with open_library(tmp_path / "library.db", create=True) as engine:
        add(engine, AddRequest(str(folder)))
        engine.index()
    return tmp_path / "library.db"


def test_filters_of_heading_paths_and_documents(vault: Path) -> None:
    async def talk(client: SeedClient) -> None:
        async def paths(**filters: object) -> set[str]:
            found = await client.ask("msrl_query", {"query": "harbour", "filters": filters})
            assert found["meta"]["took_ms"] >= 0
            return {row["heading_path"] for row in found["results"]}

        milestone, story = "Q1 Planning → Milestone: Launch", "Q1 Planning → Story: Login"
        assert await paths(heading_path_contains="Milestone") == {milestone}
        assert await paths(heading_path_contains="milestone") == {milestone}  # in any case
        assert await paths(heading_path_contains="stone: L") == {milestone}  # anywhere
        assert await paths(heading_path_contains="ng → Story") == {story}
        assert await paths(heading_path_prefix="Q1 Planning") == {milestone, story}
        assert await paths(heading_path_prefix="Story") == await paths(heading_path_prefix="q1") == set()
        assert await paths(heading_path_prefix="Q1", heading_path_contains="login") == {story}
        assert await paths(doc_uri_prefix="lan.md") == set()
        assert await paths(doc_uris=["plan"]) == set()
        assert await paths(doc_uris=["stories.md"], heading_path_contains="Story") == {story}
        assert await paths(doc_uri_prefix="läden", heading_path_contains="café") == {"Läden → Café"}
        assert await paths(doc_uris=["plan.md"], heading_path_contains="café") == set()

    talk_with(vault, "msrl", talk)


def test_an_empty_query_is_refused_and_fences_hold_no_headings(vault: Path) -> None:
    async def talk(client: SeedClient) -> None:
        for query in ("", "   "):
            assert (await client.refused("msrl_query", {"query": query}))["code"] == "INVALID_ARGUMENT"
        found = await client.ask("msrl_query", {"query": "harbour", "top_k": 50})
        assert not [row for row in found["results"] if "no heading" in row["heading_path"]]
        assert not [row for row in found["results"] if "\r" in row["excerpt"] or "\ufeff" in row["excerpt"]]

    talk_with(vault, "msrl", talk)
