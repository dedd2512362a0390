"""The operation that measures retrieval."""

from __future__ import annotations

from octavo.operations.operation import WRITES, ErrorCase, Listing, Operation

EVALUATION = (
    Operation(
        at="octavo.operations.evaluation",
        name="eval_run",
        summary="Measure one or several profiles on a data set.",
        description=(
            "Index the corpus of a data set with known answers as documents are indexed, ask its queries, and say how "
            "good each profile's rankings are: nDCG, recall, MRR, MAP, diversity and latency."
        ),
        function="measuring:evaluate_dataset",
        request="EvaluationRequest",
        answer="EvaluationAnswer",
        lines="evaluation_lines",
        listing=Listing(rows="runs", columns=("profile", "queries")),
        command="eval run",
        aliases=("evaluate",),
        examples=(
            "octavo eval run questions",
            "octavo eval run questions --profile hybrid --profile lexical_only",
        ),
        example=None,
        errors=(ErrorCase({"dataset": "nowhere"}, "IO_ERROR"),),
        annotations=WRITES,
        watched=True,
        remote=False,
    ),
    Operation(
        at="octavo.operations.evaluation",
        name="eval_figures",
        summary="The latest figures of every data set and profile that was measured.",
        description="What `eval_run` has kept of its latest run of each data set with each profile.",
        function="measuring:eval_figures",
        request="FiguresRequest",
        answer="FiguresAnswer",
        lines="figures_lines",
        listing=Listing(rows="figures", columns=("dataset", "profile", "queries", "measured_at")),
        example={},
        errors=(ErrorCase({"nonsense": 1}, "INVALID_ARGUMENT"),),
        remote=False,
    ),
)
