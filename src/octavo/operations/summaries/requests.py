"""Requests of the summary operations: build, show and clear."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types

EXTRACT, MODEL = "extract", "model"


class SummariesBuildRequest(Value):
    by: Annotated[
        str,
        Field(
            "Sentences of the text itself, or what the model in llm.roles.summarise writes.", choices=(EXTRACT, MODEL)
        ),
    ] = EXTRACT
    sections: Annotated[bool, Field("Of sections too, not of whole files alone.")] = True
    budget: Annotated[
        int,
        Field(
            "How many tokens a model may read and write; needed with --by model.",
            ge=0,
            le=10_000_000_000,
            metavar="TOKENS",
        ),
    ] = 0
    dry_run: Annotated[bool, Field("Only say what it would take.")] = False
    wait: Annotated[bool, Field("Do it now rather than leave it to a worker.", option=None)] = False


class SummariesShowRequest(Value):
    reference: argument_types.DocumentReference
    collection: argument_types.InCollection | None = None


SummariesClearRequest = argument_types.NoArguments
