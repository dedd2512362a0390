"""Whether an agent finds again what was said: LoCoMo, each turn committed as a memory through the real operations.

    ./dev bench locomo_memory ../shared/data/locomo

Every conversation is a scope, every session a session; each turn is a `memory_commit`, each question a `memory_search`
within its conversation, and a `sessions_list` of it too. Recall@10 of turns and of sessions; what an answer takes in
time and tokens. Conversations fall into two halves: the settings of the profile `memory` were chosen on the first, and
the second was seen while the depth was chosen by the first. Prints JSON.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import mean
from typing import Any

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.memory import MemoryId
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.memory.memory_reading_and_writing import memory_commit
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import MemoryCommitRequest, RecallRequest
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.projects.projects_and_sessions import sessions_list, sessions_start
from octavo.operations.projects.requests import SessionsListRequest, SessionsStartRequest
from octavo.operations.token_counts_and_page_cursor import tokens

TOP = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="LoCoMo as a BEIR folder with qrels for turns and for sessions")
    parser.add_argument("--library", type=Path, help="keep the library here, and use it again if it is there")
    parser.add_argument("--profile", default="memory")
    parser.add_argument("--half", choices=["first", "second", "both"], default="both")
    parser.add_argument("--every", type=int, default=1, help="ask only every so many questions")
    parser.add_argument("--provider", default="bundled", help="the embedding provider")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as aside:
        path = chosen.library or Path(aside) / "library.db"
        with open_library(path, create=True, settings={"embedding.provider": chosen.provider}) as engine:
            written = write(engine, chosen.folder)
            print(json.dumps(report(engine, chosen, written), indent=2))


def write(engine: Engine, folder: Path) -> dict[str, Any]:
    """Commits what is not there yet; what an earlier run committed is answered from its idempotency keys."""
    started, wall = time.process_time(), time.perf_counter()
    sessions: dict[str, str] = {}
    commits, took = 0, []
    for record in lines(folder / "corpus.jsonl.gz"):
        about = record["metadata"]
        talk = f"{about['conversation']}/S{about['session']}"
        if engine.store.memories.commit_under(engine.project.id, record["_id"]) is not None:
            continue
        if talk not in sessions:
            sessions[talk] = sessions_start(engine, SessionsStartRequest(talk)).session
        request = MemoryCommitRequest(
            text=record["text"],
            kind="observation",
            scope=about["conversation"],
            title=record["title"],
            session=sessions[talk],
            idempotency_key=record["_id"],
            force=True,
        )
        begun = time.perf_counter()
        memory_commit(engine, request)
        took.append(time.perf_counter() - begun)
        commits += 1
    committed = time.perf_counter() - wall
    work(engine, Jobs())
    return {
        "commits": commits,
        "commits_per_second": round(commits / committed, 1) if commits else None,
        "commit_p95_ms": round(sorted(took)[len(took) * 95 // 100] * 1e3, 2) if took else None,
        "write_and_embed_cpu_seconds": round(time.process_time() - started, 1),
    }


def report(engine: Engine, chosen: argparse.Namespace, written: dict[str, Any]) -> dict[str, Any]:
    folder, profile, half = chosen.folder, chosen.profile, chosen.half
    names: dict[MemoryId, str] = {}
    for record in lines(folder / "corpus.jsonl.gz"):
        commit = engine.store.memories.commit_under(engine.project.id, record["_id"])
        assert commit is not None
        names[commit.item_id] = record["_id"]
    turns, talks = judged(folder / "qrels.tsv.gz"), judged(folder / "qrels.sessions.tsv.gz")
    conversations = sorted({name.partition("/")[0] for name in names.values()})
    first = set(conversations[::2])
    rows = []
    for question in lines(folder / "queries.jsonl.gz")[:: chosen.every]:
        scope = question["metadata"]["conversation"]
        if question["_id"] not in turns or (half != "both" and (scope in first) != (half == "first")):
            continue
        rows.append(asked(engine, question, scope, profile, names, turns, talks))
    groups = {
        "first half": [row for row in rows if row["scope"] in first],
        "second half": [row for row in rows if row["scope"] not in first],
        "all": rows,
    }
    categories = sorted({row["category"] for row in rows})
    return {
        "profile": profile,
        "memories": len(names),
        **written,
        **{name: scores(found) for name, found in groups.items() if found},
        "categories": {str(one): scores([row for row in rows if row["category"] == one]) for one in categories},
        "latency": latency(engine, rows, profile),
    }


def asked(
    engine: Engine,
    question: dict[str, Any],
    scope: str,
    profile: str,
    names: dict[MemoryId, str],
    turns: dict[str, set[str]],
    talks: dict[str, set[str]],
) -> dict[str, Any]:
    request = RecallRequest(question["text"], TOP, scopes=(scope,), profile=profile)
    found = [names[MemoryId(memory.item)] for memory in recall(engine, request).memories]
    about = SessionsListRequest(question["text"], TOP, (scope,))
    sessions = [session.title for session in sessions_list(engine, about).sessions]
    wanted, where = turns[question["_id"]], talks.get(question["_id"], set())
    return {
        "text": question["text"],
        "scope": scope,
        "category": question["metadata"]["category"],
        "turns": len(wanted & set(found[:TOP])) / len(wanted),
        "sessions": len(where & set(sessions[:TOP])) / len(where) if where else None,
    }


def scores(rows: list[dict[str, Any]]) -> dict[str, Any]:
    sessions = [row["sessions"] for row in rows if row["sessions"] is not None]
    return {
        "questions": len(rows),
        "turns_recall@10": round(mean(row["turns"] for row in rows), 4),
        "sessions_recall@10": round(mean(sessions), 4) if sessions else None,
    }


def latency(engine: Engine, rows: list[dict[str, Any]], profile: str) -> dict[str, Any]:
    """Of a question that was not asked before, with an answer of ten memories."""
    took, sizes = [], []
    for row in rows[:: max(1, len(rows) // 50)]:
        request = RecallRequest(f"{row['text']} ", TOP, scopes=(row["scope"],), profile=profile)
        begun = time.perf_counter()
        answer = recall(engine, request)
        took.append(time.perf_counter() - begun)
        sizes.append(tokens(OPERATIONS["recall"].written(answer)))
    took.sort()
    return {
        "p50_ms": round(took[len(took) // 2] * 1e3, 1),
        "p95_ms": round(took[len(took) * 95 // 100] * 1e3, 1),
        "tokens_per_answer": round(mean(sizes)),
    }


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def judged(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in list(file)[1:]:
            question, document, score = line.rstrip("\n").split("\t")
            if float(score) > 0:
                found[question].add(document)
    return found


if __name__ == "__main__":
    main()
