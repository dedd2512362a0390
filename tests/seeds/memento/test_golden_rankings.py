"""Memento §Z: golden rankings of memories, the same on SQLite and on PostgreSQL; §G: links made and taken away on both.

A line of the golden file is a query and the titles that answer it, in order. OCTAVO_UPDATE_GOLDEN=1 writes it anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.operations.canonical_documents.requests import CanonicalUpsertRequest
from octavo.operations.canonical_documents.write_read_and_pack import canonical_upsert
from octavo.operations.memory.memory_reading_and_writing import memory_get, memory_link, memory_unlink, remember
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import (
    MemoryGetRequest,
    MemoryLinkRequest,
    MemoryUnlinkRequest,
    RecallRequest,
    RememberRequest,
)

if TYPE_CHECKING:
    from postgres_server import Server

GOLDEN = Path(__file__).parents[2] / "golden" / "memory" / "rankings.jsonl"
_MEMORIES = {
    "Retry policy": "Outbox jobs are retried with a wait that doubles, from five seconds up to ten minutes.",
    "Lease length": "A worker holds an outbox job for two minutes; then another may claim it.",
    "Dead letters": "After five attempts a job is dead, and only a person brings it back.",
    "Database": "We chose PostgreSQL with pgvector, because one server holds rows and vectors.",
    "Chunk offsets": "Chunks are slices of the original Markdown, so offsets never drift.",
    "Release day": "Releases go out on Tuesdays, never before a holiday.",
    "Ann's laptop": "Ann's laptop has 16 GB of memory and runs the nightly benchmarks.",
    "parse_config bug": "parse_config() dropped the last key of a TOML table; mended in commit 4f2a91c.",
    "Coffee": "The team drinks filter coffee; the machine is descaled on Fridays.",
    "Embedding model": "Contextual embeddings are used for specifications and plans alone.",
}
_PLAN = "# Plan\n\n## Retries\n\nBackoff of the outbox is bounded.\n\n## Search\n\nWords and meaning are fused.\n"


def _filled(engine: Engine) -> Engine:
    for title, text in _MEMORIES.items():
        remember(engine, RememberRequest(text, title=title, pin=title == "Release day"))
    canonical_upsert(engine, CanonicalUpsertRequest("implementation/plan", _PLAN, doc_class="implementation_plan"))
    engine.writer.embed(1_000, patience=None)
    return engine


def _rankings(engine: Engine) -> dict[str, list[str]]:
    rows = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    queries = [row["query"] for row in rows]
    return {query: [row.title for row in recall(engine, RecallRequest(query, limit=3)).memories] for query in queries}


def test_z_memories_are_ranked_as_they_always_were(tmp_path: Path) -> None:
    with _filled(open_library(tmp_path / "library.db", create=True)) as engine:
        found = _rankings(engine)
        _link_and_unlink(engine)
    if os.environ.get("OCTAVO_UPDATE_GOLDEN"):
        rows = (json.dumps({"query": query, "titles": titles}) for query, titles in found.items())
        GOLDEN.write_text("\n".join(rows) + "\n", "utf-8")
    golden = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    assert found == {row["query"]: row["titles"] for row in golden}


def test_z_memories_are_ranked_alike_in_postgresql(postgres: Server) -> None:
    url = postgres.database()
    try:
        with _filled(open_library(url.secret)) as engine:
            golden = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
            assert _rankings(engine) == {row["query"]: row["titles"] for row in golden}
            _link_and_unlink(engine)
    finally:
        postgres.drop(url)


def _link_and_unlink(engine: Engine) -> None:
    def links() -> tuple[str, ...]:
        return memory_get(engine, MemoryGetRequest("Retry policy")).links

    memory_link(engine, MemoryLinkRequest("Retry policy", "src/outbox.py", "implements"))
    assert links() == ("src/outbox.py",)
    memory_unlink(engine, MemoryUnlinkRequest("Retry policy", "src/outbox.py"))
    assert links() == ()
