"""Memento, Appendix T: its smoke test from a database to resources, with a worker and a server as processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from seed_calls import SeedClient

if TYPE_CHECKING:
    from postgres_server import Server

OCTAVO = [sys.executable, "-m", "octavo"]
PLAN = """\
# Plan

## Outbox

A failed event waits longer before each retry: exponential backoff.

## Search

Words and meaning are fused.
"""
TUNED = {
    "hnsw": {"m": 24, "ef_construction": 96},
    "query": {"ef_search_min": 40, "ef_search_factor": 2, "ef_search_max": 400},
}
PROFILE = {"name": "offline", "provider": "hashing", "model": "hashing", "dims": 64, "distance": "cosine"}
NOTES = {
    "Coffee": "The team drinks filter coffee; the machine is descaled on Fridays.",
    "parse_config bug": "parse_config() dropped the last key of a TOML table when a retry reread it.",
}


def test_t_the_playbook_from_an_empty_database_to_resources(postgres: Server, tmp_path: Path) -> None:
    database = postgres.database(empty=True)  # 1. the database; 3. is nothing to build
    environment = {**os.environ, "HOME": str(tmp_path), "OCTAVO_LIBRARY": database.secret}
    environment |= {"WORKER_ID": "dev-worker-1", "OCTAVO_DAEMON_ENABLED": "false"}
    subprocess.run([*OCTAVO, "init"], env=environment, check=True, capture_output=True)  # 2. migrations
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*OCTAVO, "worker"], env=environment, **quiet) as worker:  # 4.
        try:
            anyio.run(_playbook, environment, database.secret)
        finally:
            worker.terminate()
    assert worker.returncode == 0  # drained
    postgres.drop(database)


async def _playbook(environment: dict[str, str], database: str) -> None:
    import psycopg

    command = StdioServerParameters(
        command=OCTAVO[0], args=[*OCTAVO[1:], "mcp", "--tools", "memento", "--names", "dotted"], env=environment
    )
    with anyio.fail_after(300), psycopg.connect(database, autocommit=True) as sql:

        def value(query: bytes, *parameters: Any) -> Any:
            return sql.execute(query, parameters).fetchall()[0][0]

        columns = {
            name for (name,) in sql.execute("select attname from pg_attribute where attrelid = 'jobs'::regclass")
        }
        assert columns >= {"lease_expires_at", "attempts", "run_after", "locked_by"}
        async with Client(command) as mcp:  # 5. the server, 6. a client
            client = SeedClient(mcp)
            project = (await client.ask("projects.resolve", {"cwd": "/home/user/memento", "create_if_missing": True}))[
                "project_id"
            ]
            session = (await client.ask("sessions.start", {"client_name": "smoke"}))["session_id"]
            made = await client.ask("embedding_profiles.upsert", {**PROFILE, "provider_config": TUNED})
            assert {part: made[part] for part in TUNED} == TUNED
            plan = {"canonical_key": "plan", "doc_class": "implementation_plan", "title": "Plan"}
            canonical = await client.ask("canonical.upsert", {**plan, "content_markdown": PLAN})
            entries = [{"kind": "note", "title": title, "content": {"text": text}} for title, text in NOTES.items()]
            committed = {"idempotency_key": "smoke-notes", "session_id": session, "entries": entries}
            await client.ask("memory.commit", committed)

            while value(b"select count(*) from jobs where finished_at is null"):  # 7. the worker empties it
                await client.ask("health.check")
            assert value(b"select count(*) from jobs where state = 'dead'") == 0
            chunks = value(b"select count(*) from chunks join projects p on p.key = project where p.name = %s", project)
            assert chunks >= 1 + len(NOTES)
            assert (
                value(
                    b"select count(*) from chunk_inputs i where not exists (select 1 from vectors v "
                    b"where v.project = i.project and v.input = i.input)"
                )
                == 0
            )

            async def first(query: str) -> str:  # 8. searches, in words and like code
                found = await client.ask("memory.search", {"query": query, "limit": 5})
                return str(found["results"][0]["item"]["title"])

            assert await first("How does the outbox wait before it retries?") == "Plan"
            assert await first("parse_config()") == "parse_config bug"
            assert await first("what do people drink") == "Coffee"  # what is canonical does not crowd it out

            uri = f"memory://projects/{project}/items/{canonical['item_id']}"  # 9. resources
            assert uri in {str(resource.uri) for resource in (await mcp.list_resources()).resources}
            for part, text in (
                ("", PLAN),
                ("/versions/1", PLAN),
                ("/sections/search", PLAN[PLAN.index("## Search") :]),
            ):
                assert (await mcp.read_resource(uri + part)).contents[0].text == text
            assert (await client.ask("sessions.end", {"session_id": session}))["session_id"] == session
