"""Requests to embed texts, and to list, show, activate, fetch and fine-tune models."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types

ModelName = Annotated[str, Field("The model's name.", min_length=1, max_length=100, argument="NAME")]


class EmbedRequest(Value):
    texts: Annotated[
        tuple[Annotated[str, Field(max_length=200_000)], ...],
        Field(
            "The texts; on a command line, lines of stdin where there are none.", max_length=2_048, argument="TEXT..."
        ),
    ]
    queries: Annotated[bool, Field("As questions, where the model tells these from passages.")] = False


class ModelsShowRequest(Value):
    name: ModelName


class ModelsActivateRequest(Value):
    name: ModelName
    force: Annotated[bool, Field("Even if it is worse on a check.")] = False


class ModelsFetchRequest(Value):
    name: ModelName
    manifest: Annotated[str | None, Field("Another manifest than your models.toml and what ships.", metavar="FILE")] = (
        None
    )


class ModelsFinetuneRequest(Value):
    """`base` and `teacher` are a model's name or folder."""

    name: Annotated[str, Field("What to call the model.", min_length=1, max_length=100)] = "mine"
    collections: argument_types.Collections = ()
    static: Annotated[bool, Field("Fit a fast table in the encoder's space instead.")] = False
    reranker: Annotated[bool, Field("Train the reranker instead.")] = False
    base: Annotated[str, Field("Begin with this model; else with the one that answers now.", metavar="NAME|FOLDER")] = (
        ""
    )
    teacher: Annotated[str, Field("Learn to find what this encoder finds, too.", metavar="NAME|FOLDER")] = ""
    pairs: Annotated[
        str | None, Field('A file with more pairs, a line each: {"query": …, "positive": …}.', metavar="FILE")
    ] = None
    epochs: Annotated[float | None, Field("How often each pair is seen.", gt=0, metavar="N")] = None
    batch: Annotated[int | None, Field("Pairs in one step.", ge=2, metavar="N")] = None
    rate: Annotated[float | None, Field("The learning rate.", gt=0, metavar="R")] = None
    seed: Annotated[int | None, Field("The same seed gives the same model on the same CPU.", metavar="N")] = None
    device: Annotated[str | None, Field("A GPU is used where there is one.", choices=("cpu", "cuda"))] = None
    replace: Annotated[bool, Field("Take the place of a model of the same name.")] = False
    activate: Annotated[bool, Field("Let it answer if it is no worse on both checks.")] = False
    force: Annotated[bool, Field("With activate: even if it is worse.")] = False


ModelsRemoveRequest = ModelsShowRequest


ModelsListRequest = argument_types.NoArguments
