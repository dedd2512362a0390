"""Measures the default profile with other constants of its fusion: what a point of BM25 is worth beside a cosine.

    python scripts/fit_fusion.py SET... [--base .01 .014] [--usual-best .65 .75] [--questions N]

A SET is written as for `octavo eval table`; its library is made where `octavo eval` keeps it. Constants are chosen on
train and dev splits; the row of each pair has nDCG@10 of every set, and their mean.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import product

from octavo.config.layered_config_loading import load
from octavo.evaluation.dataset_evaluation import cache_folder, evaluate_profiles, request_of
from octavo.interfaces.cli.progress import progress
from octavo.retrieval.profiles_by_name import DEFAULT_PROFILE, PROFILES
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.query_weighted_fusion import Balance, BalancedFusion


def variants(bases: list[float], usual: list[float], doubts: list[float]) -> dict[str, RetrievalProfile]:
    found = {}
    for base, best, doubt in product(bases, usual, doubts):
        name = f"base {base} usual_best {best} doubt {doubt}"
        fuse = BalancedFusion(replace(Balance(), base=base, usual_best=best, doubt=doubt))
        found[name] = replace(PROFILES[DEFAULT_PROFILE], name=name, fuse=fuse)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--base", type=float, nargs="+", default=[Balance().base])
    parser.add_argument("--usual-best", type=float, nargs="+", default=[Balance().usual_best])
    parser.add_argument("--doubt", type=float, nargs="+", default=[Balance().doubt])
    parser.add_argument("--questions", type=int)
    options = parser.parse_args()
    profiles = variants(options.base, options.usual_best, options.doubt)
    table: dict[str, list[float]] = {name: [] for name in profiles}
    for given in options.sets:
        request, measure = request_of(given, (), "ndcg@10")
        request = replace(request, limit_queries=options.questions, timed_queries=0)
        config = load().config
        done = evaluate_profiles(config, request, [*profiles.values()], cache_folder(), progress(quiet=False))
        for run in done.runs:
            table[run.profile].append(run.metrics[measure])
    for name, means in sorted(table.items(), key=lambda row: -sum(row[1])):
        print(" ".join(f"{mean:.4f}" for mean in (*means, sum(means) / len(means))), name, sep="  ")


if __name__ == "__main__":
    main()
