# /// script
# requires-python = ">=3.11"
# dependencies = ["pytrec-eval-terrier==0.5.11"]
# ///
"""Writes tests/golden/measures/trec_eval.json: rankings with what trec_eval itself says they are worth.

`uv run scripts/make_trec_eval_golden.py` fetches trec_eval 9 with its Python binding, which has wheels for a few
platforms only. The tests read the file alone.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytrec_eval

TARGET = Path(__file__).parents[1] / "tests" / "golden" / "measures" / "trec_eval.json"
MEASURES = {"ndcg_cut.10", "recall.10,100", "recip_rank", "map"}
DOCUMENTS = [f"d{number:03}" for number in range(160)]

Case = tuple[dict[str, int], dict[str, float]]

BY_HAND: dict[str, Case] = {
    "nothing ranked": ({"a": 1}, {}),
    "nothing relevant": ({"a": 0, "b": -1}, {"a": 2.0, "b": 1.0}),
    "nothing judged is ranked": ({"a": 1}, {"x": 2.0, "y": 1.0}),
    "equal scores: the later id first": ({"a": 1, "c": 2}, {"a": 1.0, "b": 1.0, "c": 1.0}),
    "scores equal in single precision": ({"a": 1}, {"a": 1.0 + 1e-9, "b": 1.0}),
    "a negative grade": ({"a": 1, "b": -2, "c": 3}, {"b": 3.0, "a": 2.0, "c": 1.0}),
    "relevant beyond rank ten": ({"z": 1}, {**{f"x{number:02}": 30.0 - number for number in range(10)}, "z": 1.0}),
    "more relevant than the cut-off": (
        {document: 1 + number % 3 for number, document in enumerate(DOCUMENTS[:25])},
        {document: -float(number) for number, document in enumerate(DOCUMENTS[5:40])},
    ),
}


def drawn(seed: int) -> Case:
    """Grades from -1 to 3; every other case has scores that often tie."""
    source = random.Random(seed)
    judged = {document: source.choice((-1, 0, 0, 1, 1, 2, 3)) for document in source.sample(DOCUMENTS, 25)}
    ranked = source.sample(DOCUMENTS, source.randint(5, 130))
    digits = 1 if seed % 2 else 4
    return judged, {document: round(source.uniform(0, 3), digits) for document in ranked}


def measured(judged: dict[str, int], scores: dict[str, float]) -> dict[str, float]:
    values = pytrec_eval.RelevanceEvaluator({"q": judged}, MEASURES).evaluate({"q": scores})["q"]
    return {name: value for name, value in sorted(values.items()) if name != "runid"}


def main() -> None:
    cases = {**BY_HAND, **{f"drawn with seed {seed}": drawn(seed) for seed in range(16)}}
    lines = [
        json.dumps({"name": name, "judged": judged, "scores": scores, "values": measured(judged, scores)})
        for name, (judged, scores) in cases.items()
    ]
    made = "scripts/make_trec_eval_golden.py, with trec_eval 9 as pytrec-eval-terrier 0.5.11 has it"
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(f'{{"made_by": {json.dumps(made)}, "cases": [\n' + ",\n".join(lines) + "\n]}\n", "utf-8")


if __name__ == "__main__":
    main()
