"""Writes down what the whole pipeline would have reranked: the first candidates of each question of each data set.

    python scripts/rerank_candidates.py SETS OUT [NAME ...]

SETS holds the folders of the evaluation sets; OUT gets NAME.json.gz for each set. A file has the passages as the stage
`rerank` would see them, and for each question its judgements, its candidates with the score and the documents of each
and what every earlier stage gave it, and how the profile `hybrid` ranks documents in the end. With these files a
reranker is measured in seconds. The libraries are those of `octavo eval`, in the same cache.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from octavo.config.schema import Config
from octavo.engine.wiring import open_engine
from octavo.evaluation.dataset import Files, read_dataset
from octavo.evaluation.evaluate import (
    PROJECT,
    EngineContender,
    EvaluateRequest,
    cache_folder,
    evaluate_profiles,
    grouped,
    names_of,
)
from octavo.evaluation.measures import score_rankings
from octavo.model.result import Candidate
from octavo.retrieval.built_in.documents import HYBRID
from octavo.retrieval.built_in.reranked import before_shaping
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.rerank import passages

MOST, DEPTH = 50, 10


@dataclass(frozen=True)
class Plan:
    """A data set: its folder, the files that are not the usual ones, and the measure it is judged by."""

    folder: str
    files: Mapping[str, str] = field(default_factory=dict)
    scope: str | None = None
    measure: str = "ndcg@10"


SETS = {
    "ray": Plan("ray-docs-qa"),
    "hotpotqa": Plan("hotpotqa-200"),
    "stackfaq": Plan("stackfaq"),
    "django": Plan("django-git-history"),
    "cosqa": Plan("cosqa"),
    "scifact": Plan("scifact"),
    "locomo": Plan("locomo", scope="conversation", measure="recall@10"),
    "sessions": Plan(
        "locomo",
        {"corpus": "corpus.sessions.jsonl.gz", "qrels": "qrels.sessions.tsv.gz"},
        scope="conversation",
        measure="recall@10",
    ),
    "cosqa_dev": Plan("cosqa", {"qrels": "qrels.dev.tsv"}),
    "scifact_train": Plan("scifact", {"qrels": "qrels.train.tsv"}),
}


@dataclass(frozen=True)
class Written:
    """A stage that changes nothing and keeps what it was given."""

    kept: list[tuple[Candidate, str]] = field(default_factory=list)
    name: str = "written"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        # Evaluation asks once more, deeper, where few documents were found: the first answer is the profile's own.
        if not self.kept:
            first = candidates[:MOST]
            self.kept.extend(zip(first, passages(search, first), strict=True))
        return candidates


def written(name: str, sets: Path) -> dict[str, Any]:
    plan, stage = SETS[name], Written()
    files = Files(**{kind: Path(path) for kind, path in plan.files.items()})
    request = EvaluateRequest(sets / plan.folder, ("hybrid",), files, plan.scope, timed_queries=0)
    started = time.perf_counter()
    dataset = read_dataset(request.dataset, files)
    names = names_of(grouped(dataset, plan.scope))
    # Builds the library; what is asked of it takes no time.
    library = evaluate_profiles(Config(), request, [], cache_folder()).library
    profile = before_shaping(HYBRID, stage)
    numbers: dict[str, int] = {}
    questions, rankings = [], {}
    engine = open_engine(replace(Config(), library=library, project=PROJECT))
    contender = EngineContender(engine, profile, names, plan.scope)
    for question in dataset.questions:
        stage.kept.clear()
        ranked = [one.document for one in contender.rank(question, DEPTH)]
        rankings[question.id] = ranked
        listed = [
            {
                "passage": numbers.setdefault(passage, len(numbers)),
                "documents": [names.documents[place] for place in candidate.places],
                "score": candidate.score,
                "steps": {step.stage: step.score for step in candidate.steps},
                "ordinal": candidate.ordinal,
            }
            for candidate, passage in stage.kept
        ]
        asked = {"id": question.id, "text": question.text, "judged": dataset.qrels[question.id]}
        questions.append({**asked, "ranked": ranked, "found": listed})
    engine.close()
    scores = score_rankings(dataset.qrels, rankings)[plan.measure]
    figure = sum(scores.values()) / len(scores)
    print(f"{name}: {figure:.4f} in {time.perf_counter() - started:.0f} s", flush=True)
    return {"name": name, "measure": plan.measure, "hybrid": figure, "questions": questions, "passages": list(numbers)}


def main() -> int:
    sets, out = map(Path, sys.argv[1:3])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or SETS:
        with gzip.open(out / f"{name}.new", "wt", encoding="utf-8") as file:
            json.dump(written(name, sets), file, ensure_ascii=False)
        (out / f"{name}.new").replace(out / f"{name}.json.gz")
    return 0


if __name__ == "__main__":
    sys.exit(main())
