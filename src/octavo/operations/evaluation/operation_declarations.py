"""Declares the operation that measures retrieval."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import WRITES, Operation

_measuring = partial(Operation, module="octavo.operations.evaluation.evaluate", remote=False)

EVALUATION = (
    _measuring(
        name="eval_run",
        summary="Measure one or several profiles on a data set.",
        description=(
            "Index the corpus of a data set with known answers as documents are indexed, ask its queries, and say how "
            "good each profile's rankings are: nDCG, recall, MRR, MAP, diversity and latency."
        ),
        listing=Listing(rows="runs", columns=("profile", "queries")),
        examples=("octavo eval run questions", "octavo eval run questions --profile hybrid --profile lexical_only"),
        example=None,
        annotations=WRITES,
        watched=True,
    ),
    _measuring(
        name="eval_figures",
        summary="The latest figures of every data set and profile that was measured.",
        description="What `eval_run` has kept of its latest run of each data set with each profile.",
        listing=Listing(rows="figures", columns=("dataset", "profile", "queries", "measured_at")),
        typed="",
    ),
)
