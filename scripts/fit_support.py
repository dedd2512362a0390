"""Chooses the citation checker's threshold on SciFact's training claims, and measures it on its validation claims.

    python scripts/fit_support.py DIR CORPUS --cache features.json

DIR holds claims_train.jsonl and claims_dev.jsonl as SciFact releases them, CORPUS is its corpus.jsonl.gz in BEIR's
layout. A pair is a claim and an abstract: supported or contradicted as the annotators say, or unrelated, the abstract
being that of another claim.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from octavo.algorithms.analysis import Analyzer
from octavo.answering.passages import Passage
from octavo.answering.support import CitationChecker, Evidence, Support, Weights
from octavo.embedding.bundled import bundled_embedder
from octavo.model.document import Kind
from octavo.model.ids import ChunkId, DocumentId
from octavo.model.result import Citation, Hit
from octavo.model.text import Lines, Span

_THRESHOLDS = (0.2, 0.25, 0.3, 0.35)
_LABELS = {"SUPPORT": "supported", "CONTRADICT": "contradicted", "REFUTE": "contradicted"}
_TEST = {"supported": 80, "contradicted": 60, "unrelated": 60}
_TRAIN = {"supported": 60, "contradicted": 60, "unrelated": 30}


class Pair(NamedTuple):
    claim: str
    text: str
    label: str


def pairs(claims: Path, corpus: Mapping[str, str], wanted: dict[str, int]) -> list[Pair]:
    found: dict[str, list[Pair]] = {"supported": [], "contradicted": [], "unrelated": []}
    cited = []
    for line in claims.read_text("utf-8").splitlines():
        claim = json.loads(line)
        for document, evidence in claim["evidence"].items():
            if document in corpus and evidence:
                label = _LABELS[evidence[0]["label"]]
                found[label].append(Pair(claim["claim"], corpus[document], label))
                cited.append((claim["claim"], document, {str(own) for own in claim["cited_doc_ids"]}))
    for at, (text, _, own) in enumerate(cited):
        other = next(document for _, document, _ in cited[at + 1 :] + cited[:at] if document not in own)
        found["unrelated"].append(Pair(text, corpus[other], "unrelated"))
    chosen = random.Random(7)
    return [pair for label, each in found.items() for pair in chosen.sample(each, wanted[label])]


def abstracts(corpus: Path) -> dict[str, str]:
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        return {str(row["_id"]): row["text"] for row in map(json.loads, lines)}


def evidence_of(pair: Pair, embedder: object, tokenise: object) -> Evidence:
    citation = Citation("a.md", (), Span(0, len(pair.text)), Lines(1, 1 + pair.text.count("\n")))
    hit = Hit(1, 0.5, "c", Kind.DOC, "", citation, pair.text, False, ChunkId("c"), DocumentId("d"), 0.0)
    checker = CitationChecker([Passage(1, hit)], lambda: embedder, tokenise)  # type: ignore[arg-type, return-value]
    return checker.check(pair.claim, [1]).evidence


def features(folder: Path, corpus: Path, cache: Path) -> dict[str, list[tuple[str, list[float]]]]:
    """Of every pair; those in the cache are not computed again."""
    known = dict(json.loads(cache.read_text())) if cache.is_file() else {}
    embedder, tokenise = bundled_embedder(), Analyzer().query_tokens
    made: dict[str, list[tuple[str, list[float]]]] = {}
    texts = abstracts(corpus)
    for split, name, wanted in (("test", "claims_dev.jsonl", _TEST), ("train", "claims_train.jsonl", _TRAIN)):
        made[split] = []
        for number, pair in enumerate(pairs(folder / name, texts, wanted)):
            key = f"{split} {number} {pair.label}"
            if key not in known:
                known[key] = list(evidence_of(pair, embedder, tokenise))
                cache.write_text(json.dumps(known))
            made[split].append((pair.label, known[key]))
    return made


def report(name: str, rows: list[tuple[str, list[float]]], weights: Weights) -> None:
    said = [(label, weights.support(weights.score(Evidence(*row)))) for label, row in rows]
    print(f"{name}: {len(rows)} pairs")
    for label in _TEST:
        of = [support for one, support in said if one == label]
        print(f"  {label:13}" + "".join(f"{each.value} {of.count(each) / len(of):.2f}  " for each in Support))
    flagged = [label for label, support in said if support is Support.UNSUPPORTED]
    wrong = [label for label, _ in said if label != "supported"]
    right = sum(label != "supported" for label in flagged)
    print(f"  unsupported: precision {right / max(1, len(flagged)):.3f}, recall {right / len(wrong):.3f}")
    loose = sum(label != "supported" and support is not Support.SUPPORTED for label, support in said)
    doubted = sum(support is not Support.SUPPORTED for _, support in said)
    print(f"  not supported: precision {loose / max(1, doubted):.3f}, recall {loose / len(wrong):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("features.json"))
    asked = parser.parse_args()
    made = features(asked.folder, asked.corpus, asked.cache)
    for threshold in _THRESHOLDS:
        figures = (_unsupported(made[split], threshold) for split in ("train", "test"))
        print(f"{threshold:.2f}  " + "  ".join(f"precision {right:.3f} recall {found:.3f}" for right, found in figures))
    # Of what is called unsupported, as much as possible is to be so: to leave out what is true costs more than a doubt.
    chosen = max(_THRESHOLDS, key=lambda each: _unsupported(made["train"], each)[0])
    print(f"threshold chosen on the training pairs: {chosen:.2f}; shipped: {Weights().partly:.2f}")
    for split, rows in made.items():
        report(split, rows, Weights(partly=chosen))


def _unsupported(rows: list[tuple[str, list[float]]], threshold: float) -> tuple[float, float]:
    """Precision and recall of calling a pair unsupported below a threshold."""
    weights = Weights(partly=threshold)
    flagged = [(label, weights.score(Evidence(*row)) < threshold) for label, row in rows]
    right = sum(label != "supported" for label, flag in flagged if flag)
    said, wrong = sum(flag for _, flag in flagged), sum(label != "supported" for label, _ in flagged)
    return right / max(1, said), right / wrong


if __name__ == "__main__":
    main()
