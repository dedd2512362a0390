"""What ragdocs' own tests promise beyond its document.

After `tests/integration/test_compressed_query_integration.py`, `test_git_search.py`, `test_search_overhaul.py` and
`tests/unit/test_manifest_corruption.py` of github.com/andnp/ragdocs-mcp (before its index became a library of its own).
Counts of what compression left out are in Octavo's trace, not in the answer.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from seed_calls import SeedClient, talk_with

from octavo.errors import NotALibrary
from octavo.operations.database.importer_choice import open_source


def test_compression_leaves_out_what_is_below_the_score_and_keeps_to_the_limit(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        async def found(**more: float) -> list[float]:
            asked = {"query": "nightly copies of the database", **more}
            return [row["score"] for row in (await client.ask("query_documents_compressed", asked))["results"]]

        every = await found(min_score=0.0, top_n=100)
        assert len(every) > 1 and every == sorted(every, reverse=True)
        assert [score for score in every if score >= 0.99] == await found(min_score=0.99, top_n=100)
        assert await found(min_score=0.0, top_n=1) == every[:1]

    talk_with(library, "ragdocs", talk)


def test_commits_are_narrowed_by_a_glob_and_an_empty_hypothesis_is_refused(library: Path) -> None:
    async def talk(client: SeedClient) -> None:
        async def titles(pattern: str) -> list[str]:
            asked = {"query": "retry", "file_pattern": pattern}
            return [row["title"] for row in (await client.ask("search_git_history", asked))["results"]]

        assert await titles("src/**/*.py") == ["Wait longer before each retry"]
        assert await titles("tests/**") == []
        assert (await client.refused("search_with_hypothesis", {"hypothesis": ""}))["code"] == "INVALID_ARGUMENT"

    talk_with(library, "ragdocs", talk)


@pytest.mark.parametrize("written", ["{", "null", '{"indexed_files": ["a"]}', '{"indexed_files": {"a": null}}'])
def test_a_damaged_manifest_stops_no_import(tmp_path: Path, written: str) -> None:
    (tmp_path / "docs" / ".index_data").mkdir(parents=True)
    (tmp_path / "docs" / "a.md").write_text("# A\n", "utf-8")
    (tmp_path / "docs" / ".index_data" / "index.manifest.json").write_text(written, "utf-8")
    with open_source(tmp_path / "docs") as source:
        (counted,) = source.preview().collections
    assert counted.name == "docs"
    with pytest.raises(NotALibrary):
        open_source(tmp_path)
