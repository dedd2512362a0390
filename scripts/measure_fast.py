"""Measures a library that has fast vectors alone: documents by the table, questions by the encoder, joined with words.

    octavo eval table DATA/scifact …
    python scripts/measure_fast.py DATA/scifact DATA/locomo:scope=conversation,measure=recall@10 …

Takes copies of the libraries that `octavo eval` left in its cache (or in `--cache`), takes their full vectors away, has
the table make its own, and runs each profile. Data sets are said as for `octavo eval table`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from octavo.config.layered_config_loading import load, profile_folders
from octavo.config.schema import Config
from octavo.engine.wiring import open_engine
from octavo.engine.wiring.configured_index_recipe import recipe_of
from octavo.evaluation.beir_dataset import read_dataset
from octavo.evaluation.dataset_evaluation import (
    PROJECT,
    EngineContender,
    EvaluateRequest,
    cache_folder,
    grouped,
    names_of,
    place_of,
    request_of,
)
from octavo.evaluation.measured_query_run import run_dataset
from octavo.ingest.provisional_fast_vectors import embed_fast
from octavo.observability.progress import NoProgress
from octavo.retrieval.profile_toml_files import find_profile

PROFILES = ("lexical_only", "dense_only", "hybrid")


def measured(config: Config, cache: Path, aside: Path, request: EvaluateRequest, measure: str) -> dict[str, float]:
    dataset = read_dataset(request.dataset, request.files)
    names = names_of(grouped(dataset, request.scope))
    folder, name = place_of(cache, dataset, request.scope, recipe_of(config))
    library = aside / "library.db"
    library.unlink(missing_ok=True)
    shutil.copyfile(folder / f"{name}.db", library)
    config = replace(config, library=library, project=PROJECT)
    found = {}
    engine = open_engine(config)
    try:
        full, fast = engine.embedder, engine.library.active.fast
        if fast is None:
            raise SystemExit(f"there is no table for {full.profile.name}")
        store, project = engine.store, engine.project.id
        keys = sorted({key for _, key in store.embeddings.assignments(project).tolist()})
        with store.transaction():
            store.embeddings.remove(project, full.profile, keys)
        made = embed_fast(store, project, fast, full.profile, NoProgress())
        assert made == len(keys), f"{made} of {len(keys)} have a fast vector"
    finally:
        engine.close()
    for profile in (find_profile(one, profile_folders()) for one in PROFILES):
        engine = open_engine(config)
        try:
            run = run_dataset(dataset, profile.name, EngineContender(engine, profile, names, request.scope), timed=0)
        finally:
            engine.close()
        found[profile.name] = run.metrics[measure]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure libraries that have fast vectors alone.")
    parser.add_argument("datasets", nargs="+", metavar="DATASET")
    parser.add_argument("--cache", type=Path, default=cache_folder())
    arguments = parser.parse_args()
    config = load().config
    for said in arguments.datasets:
        request, measure = request_of(said, PROFILES, "ndcg@10")
        with tempfile.TemporaryDirectory() as aside:
            found = measured(config, arguments.cache, Path(aside), request, measure)
        print(said, measure, *(f"{name} {value:.4f}" for name, value in found.items()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
