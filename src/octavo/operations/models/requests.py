"""What is asked about models."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field
from octavo.operations import fields

ModelName = Annotated[str, Field(min_length=1, max_length=100, argument="NAME", description="The model's name.")]


@dataclass(frozen=True, slots=True)
class ModelsListRequest:
    pass


@dataclass(frozen=True, slots=True)
class ModelsShowRequest:
    name: ModelName


@dataclass(frozen=True, slots=True)
class ModelsActivateRequest:
    """A model that finds less than what it was made from is only taken with `force`."""

    name: ModelName
    force: Annotated[bool, Field(description="Even if it is worse on a check.")] = False


@dataclass(frozen=True, slots=True)
class ModelsFetchRequest:
    """A manifest is a TOML file with the address, the sha256 and the size of each file of a model."""

    name: ModelName
    manifest: (
        Annotated[str, Field(metavar="FILE", description="Another manifest than your models.toml and what ships.")]
        | None
    ) = None


@dataclass(frozen=True, slots=True)
class ModelsFinetuneRequest:
    """`base` and `teacher` are a model's name or folder."""

    name: Annotated[str, Field(min_length=1, max_length=100, description="What to call the model.")] = "mine"
    collections: fields.Collections = ()
    static: Annotated[bool, Field(description="Fit a fast table in the encoder's space instead.")] = False
    reranker: Annotated[bool, Field(description="Train the reranker instead.")] = False
    base: Annotated[
        str, Field(metavar="NAME|FOLDER", description="Begin with this model; else with the one that answers now.")
    ] = ""
    teacher: Annotated[str, Field(metavar="NAME|FOLDER", description="Learn to find what this encoder finds, too.")] = (
        ""
    )
    pairs: (
        Annotated[
            str,
            Field(metavar="FILE", description='A file with more pairs, a line each: {"query": …, "positive": …}.'),
        ]
        | None
    ) = None
    epochs: Annotated[float, Field(gt=0, metavar="N", description="How often each pair is seen.")] | None = None
    batch: Annotated[int, Field(ge=2, metavar="N", description="Pairs in one step.")] | None = None
    rate: Annotated[float, Field(gt=0, metavar="R", description="The learning rate.")] | None = None
    seed: (
        Annotated[int, Field(metavar="N", description="The same seed gives the same model on the same CPU.")] | None
    ) = None
    device: Annotated[str, Field(choices=("cpu", "cuda"), description="A GPU is used where there is one.")] | None = (
        None
    )
    replace: Annotated[bool, Field(description="Take the place of a model of the same name.")] = False
    activate: Annotated[bool, Field(description="Let it answer if it is no worse on both checks.")] = False
    force: Annotated[bool, Field(description="With activate: even if it is worse.")] = False


ModelsRemoveRequest = ModelsShowRequest
