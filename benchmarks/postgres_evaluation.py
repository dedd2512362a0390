"""The same data sets on both engines: is the answer as good, and is it the same answer?

Each corpus is indexed once, in SQLite, or taken from where `octavo eval` keeps it. That library is copied to a server
with everything in it, so both engines search the same chunks by the same vectors, and every question is asked of both.
Data sets are named as for `octavo eval table`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "postgres"))

from postgres_server import Server, running

from octavo.config.layered_config_loading import load
from octavo.evaluation.dataset_evaluation import EvaluateRequest, Evaluation, cache_folder, evaluate, request_of
from octavo.evaluation.measured_query_run import EvaluationRun
from octavo.operations.database.copy_backup_and_restore import migrate
from octavo.retrieval.profiles_by_name import DEFAULT_PROFILE
from octavo_postgres.hnsw import ensure_index
from octavo_postgres.store import PostgresStore

MOST_APART = 0.005
SHOWN = ("ndcg@10", "recall@10")


def asked(request: EvaluateRequest, library: Any = None) -> tuple[Evaluation, float]:
    config = replace(load({}).config, library=library)
    started = time.process_time()
    done = evaluate(config, request, cache_folder())
    return done, round(time.process_time() - started, 1)


def same_first_ten(one: EvaluationRun, other: EvaluationRun) -> int:
    """Questions whose first ten documents are the same in the same order."""
    return sum(
        [a.document for a in one.rankings[question][:10]] == [b.document for b in other.rankings[question][:10]]
        for question in one.rankings
    )


def measure(server: Server, text: str, profiles: Sequence[str], limit: int | None, *, hnsw: bool) -> dict[str, Any]:
    request, _ = request_of(text, tuple(profiles), "ndcg@10")
    request = replace(request, limit_queries=limit, timed_queries=0)
    here, here_s = asked(request)
    url = server.database(empty=True)
    assert isinstance(here.library, Path)
    rows = migrate(here.library, url).transfer.rows
    if hnsw:
        make_indexes(PostgresStore(url))
    there, there_s = asked(request, url)
    server.drop(url)
    pairs = list(zip(here.runs, there.runs, strict=True))
    return {
        "dataset": here.dataset.name,
        "questions": len(here.dataset.questions),
        "rows": rows,
        "client_cpu_s": {"sqlite": here_s, "postgres": there_s},
        "profiles": {one.profile: compared(one, other) for one, other in pairs},
    }


def compared(one: EvaluationRun, other: EvaluationRun) -> dict[str, Any]:
    figures = {name: [round(one.metrics[name], 4), round(other.metrics[name], 4)] for name in SHOWN}
    apart = max(abs(one.metrics[name] - other.metrics[name]) for name in SHOWN)
    return {**figures, "apart": round(apart, 5), "same_first_ten": same_first_ten(one, other)}


def make_indexes(store: PostgresStore) -> None:
    """The HNSW index that a library of this size would not have: small ones are compared vector by vector."""
    for project in store.catalog.projects():
        recipe = store.catalog.recipe(project.id)
        if recipe is not None:
            ensure_index(store.database, store.keys, project.id, recipe.embedding, exact_below=1)
    store.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+", metavar="DATASET", help="FOLDER, or FOLDER:scope=KEY,corpus=FILE,…")
    parser.add_argument(
        "--profile", action="append", default=[], help=f"may be repeated; {DEFAULT_PROFILE} unless said"
    )
    parser.add_argument("--limit-queries", type=int, help="ask so many, spread over all")
    parser.add_argument("--hnsw", action="store_true", help="make an HNSW index even for a small corpus")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    results, worst = [], 0.0
    with running(("shared_buffers=256MB",)) as server:
        for text in given.datasets:
            one = measure(server, text, given.profile or [DEFAULT_PROFILE], given.limit_queries, hnsw=given.hnsw)
            results.append(one)
            worst = max(worst, *(profile["apart"] for profile in one["profiles"].values()))
            print(json.dumps(one), flush=True)
            if given.out:
                given.out.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    print(json.dumps({"worst": worst, "allowed": MOST_APART}))
    return 0 if worst <= MOST_APART else 1


if __name__ == "__main__":
    sys.exit(main())
