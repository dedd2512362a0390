"""What is asked about evaluation."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field
from octavo.operations import fields


@dataclass(frozen=True, slots=True)
class EvalRunRequest:
    """Without `profiles`, the default one is measured."""

    dataset: Annotated[
        str,
        Field(
            min_length=1,
            max_length=4_096,
            argument="DATASET",
            description="A folder with corpus.jsonl, queries.jsonl and qrels.tsv, or the name of a set that ships.",
        ),
    ]
    profiles: Annotated[
        tuple[fields.Name, ...],
        Field(max_length=20, option="-p/--profile", complete="profiles", description="The profile to measure."),
    ] = ()
    qrels: (
        Annotated[
            str, Field(max_length=4_096, metavar="FILE", description="Other judgements, such as a training split.")
        ]
        | None
    ) = None
    corpus: (
        Annotated[str, Field(max_length=4_096, metavar="FILE", description="Another corpus of the data set.")] | None
    ) = None
    queries: (
        Annotated[str, Field(max_length=4_096, metavar="FILE", description="Other queries of the data set.")] | None
    ) = None
    scope: (
        Annotated[
            str,
            Field(
                max_length=200, metavar="KEY", description="Confine each query to documents with the same metadata KEY."
            ),
        ]
        | None
    ) = None
    limit_queries: Annotated[int, Field(ge=1, description="Ask N queries, spread over all.")] | None = None
    timed_queries: Annotated[int, Field(ge=0, description="Take the time of N queries.")] | None = None
    rebuild: Annotated[
        bool, Field(description="Read the corpus anew; texts embedded before are not embedded again.")
    ] = False


@dataclass(frozen=True, slots=True)
class EvalFiguresRequest:
    """Everything that was measured on this machine."""
