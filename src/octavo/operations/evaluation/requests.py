"""Requests to measure profiles on a data set, and to list all figures measured on this machine."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types


class EvalRunRequest(Value):
    dataset: Annotated[
        argument_types.Place,
        Field(
            "A folder with corpus.jsonl, queries.jsonl and qrels.tsv, or the name of a set that ships.",
            argument="DATASET",
        ),
    ]
    profiles: Annotated[
        tuple[argument_types.Name, ...],
        Field("The profile to measure.", max_length=20, option="-p/--profile", complete="profiles"),
    ] = ()
    qrels: Annotated[
        str | None, Field("Other judgements, such as a training split.", max_length=4_096, metavar="FILE")
    ] = None
    corpus: Annotated[str | None, Field("Another corpus of the data set.", max_length=4_096, metavar="FILE")] = None
    queries: Annotated[str | None, Field("Other queries of the data set.", max_length=4_096, metavar="FILE")] = None
    scope: Annotated[
        str | None, Field("Confine each query to documents with the same metadata KEY.", max_length=200, metavar="KEY")
    ] = None
    limit_queries: Annotated[int | None, Field("Ask N queries, spread over all.", ge=1)] = None
    timed_queries: Annotated[int | None, Field("Take the time of N queries.", ge=0)] = None
    rebuild: Annotated[bool, Field("Read the corpus anew; texts embedded before are not embedded again.")] = False


EvalFiguresRequest = argument_types.NoArguments
