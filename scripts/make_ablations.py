"""Writes docs/research/ablations.md: what the default profile gains or loses with each stage, on known answers.

    python scripts/make_ablations.py DATASET... [--limit N] [--only NAME,...]

A DATASET is written as for `octavo eval table`. Each variant is the default profile with one thing added, left out or
exchanged; its difference to the default stands beside it, with a star where it is significant.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from octavo.config.load import load
from octavo.evaluation.baselines import Outcome
from octavo.evaluation.compare import compare
from octavo.evaluation.evaluate import cache_folder, evaluate_profiles, outcomes, request_of
from octavo.evaluation.report import markdown_table, replaced
from octavo.interfaces.cli.progress import progress
from octavo.retrieval.profiles import DEFAULT_PROFILE, PROFILES
from octavo.retrieval.stage import Expand, Recall, Refine, RetrievalProfile
from octavo.retrieval.stages.balanced_fusion import Balance, BalancedFusion
from octavo.retrieval.stages.confidence_floor import ConfidenceFloor
from octavo.retrieval.stages.copies import ExactDuplicates
from octavo.retrieval.stages.corrected_spelling import TypoRecall
from octavo.retrieval.stages.duplicates import SemanticDuplicates
from octavo.retrieval.stages.fuse import RankFusion, ScoreFusion
from octavo.retrieval.stages.joined_fusion import JoinedFusion
from octavo.retrieval.stages.recall import DenseRecall, LexicalRecall
from octavo.retrieval.stages.refine import CapPerDocument, MergeSpans
from octavo_stages.caps import CapPerSection
from octavo_stages.diversity import MarginalRelevance
from octavo_stages.duplicates import MinHashDuplicates, NgramDuplicates
from octavo_stages.lexical_channels import PhraseRecall, TitleRecall
from octavo_stages.parents import ParentExpansion
from octavo_stages.query_expansion import ConceptExpansion, FeedbackRecall, QueryIntent
from octavo_stages.recency import RecencyDecay, RecencyTiers

TARGET = Path(__file__).parents[1] / "docs" / "research" / "ablations.md"
DEFAULT = PROFILES[DEFAULT_PROFILE]
Change = Callable[[RetrievalProfile], RetrievalProfile]


def without(name: str) -> Change:
    return lambda profile: replace(profile, refine=tuple(one for one in profile.refine if one.name != name))


def also(*stages: Refine) -> Change:
    return lambda profile: replace(profile, refine=(*profile.refine, *stages))


def first(*stages: Refine) -> Change:
    return lambda profile: replace(profile, refine=(*stages, *profile.refine))


def expanded(*stages: Expand) -> Change:
    return lambda profile: replace(profile, expand=(*profile.expand, *stages))


def joined(stage: Recall, weight: float) -> Change:
    """One channel more, that adds to what words found."""
    return lambda profile: replace(
        profile, recall=(*profile.recall, stage), fuse=JoinedFusion(((stage.name, weight),), profile.fuse)
    )


def recalled(*stages: Recall) -> Change:
    return lambda profile: replace(profile, recall=stages)


def fused(stage: BalancedFusion | ScoreFusion | RankFusion) -> Change:
    return lambda profile: replace(profile, fuse=stage)


VARIANTS: Sequence[tuple[str, Change]] = (
    ("words only", lambda _: PROFILES["lexical_only"]),
    ("meaning only", lambda _: PROFILES["dense_only"]),
    ("recall 50 deep", recalled(LexicalRecall(depth=50), DenseRecall(depth=50))),
    ("recall 200 deep", recalled(LexicalRecall(depth=200), DenseRecall(depth=200))),
    ("+ phrase channel", joined(PhraseRecall(), 0.5)),
    ("+ title channel", joined(TitleRecall(), 0.5)),
    ("+ typos channel", joined(TypoRecall(), 0.5)),
    ("dense with feedback", recalled(LexicalRecall(), FeedbackRecall())),
    ("+ concepts", expanded(ConceptExpansion())),
    ("+ intent", expanded(QueryIntent())),
    ("fused: fixed 0.6 of z-scores", fused(ScoreFusion())),
    ("fused: 0.75 of min-max", fused(ScoreFusion(0.75, 0.25, "min_max"))),
    ("fused: equal ranks", fused(RankFusion())),
    ("fused: ranks 0.7/0.3", fused(RankFusion(dense=0.7, lexical=0.3))),
    ("balance without standout", fused(BalancedFusion(Balance(standout=0.0)))),
    ("balance without doubt", fused(BalancedFusion(Balance(doubt=0.0)))),
    ("balance without series", fused(BalancedFusion(Balance(series=0.0)))),
    ("balance without brevity", fused(BalancedFusion(Balance(long_query=10_000)))),
    ("- context", without("context")),
    ("- links", without("neighbour_boost")),
    ("recall as deep in small scopes", recalled(LexicalRecall(in_small=0), DenseRecall(in_small=0))),
    ("+ recency tiers", first(RecencyTiers())),
    ("+ recency decay", first(RecencyDecay())),
    ("+ floor at 0.3 of the best", also(ConfidenceFloor(share=0.3))),
    ("+ exact duplicates", also(ExactDuplicates())),
    ("+ n-gram duplicates", also(NgramDuplicates())),
    ("+ MinHash duplicates", also(MinHashDuplicates())),
    ("+ semantic duplicates", also(SemanticDuplicates())),
    ("+ MMR by meaning", also(MarginalRelevance())),
    ("- cap per document", without(CapPerDocument().name)),
    ("+ cap per section", also(CapPerSection())),
    ("+ parent expansion", also(ParentExpansion())),
    ("- merged spans", without(MergeSpans().name)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("datasets", nargs="+", metavar="DATASET")
    parser.add_argument("--limit", type=int, help="questions of each data set at most, evenly chosen")
    parser.add_argument("--only", default="", help="variants to run, with commas between them")
    asked = parser.parse_args()
    wanted = [name.strip() for name in asked.only.split(",") if name.strip()]
    chosen = [(name, change) for name, change in VARIANTS if not wanted or name in wanted]
    profiles = [DEFAULT, *(replace(change(DEFAULT), name=name) for name, change in chosen)]
    config = load({}).config
    columns: list[list[str]] = []
    heads: list[str] = []
    for text in asked.datasets:
        request, measure = request_of(text, (), "ndcg@10")
        request = replace(request, limit_queries=asked.limit, timed_queries=0)
        evaluation = evaluate_profiles(config, request, profiles, cache_folder(), progress(quiet=False))
        columns.append(list(_column(outcomes(evaluation), measure)))
        heads.append(f"{evaluation.dataset.name} {measure}")
    names = [f"`{DEFAULT.name}`", *(name for name, _ in chosen)]
    rows = [[name, *cells] for name, *cells in zip(names, *columns, strict=True)]
    table = "\n".join(markdown_table(["variant", *heads], rows)) + "\n"
    TARGET.write_text(replaced(TARGET.read_text("utf-8"), table, str(TARGET)), "utf-8")
    sys.stdout.write(table)


def _column(kept: Sequence[Outcome], measure: str) -> Iterable[str]:
    base = kept[0]
    yield f"{base.metrics[measure]:.3f}"
    for one in kept[1:]:
        change = next((found for found in compare(base.scores, one.scores) if found.measure == measure), None)
        difference = one.metrics[measure] - base.metrics[measure]
        star = "*" if change is not None and change.p < 0.05 else ""
        yield f"{difference:+.3f}{star}"


if __name__ == "__main__":
    main()
