"""What is asked about embedding profiles."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.embedding_profile import providers
from octavo.model.limits import Field
from octavo.operations.memory.requests import ItemName

DISTANCES = ("cosine", "dot", "l2")
ELSEWHERE = ("openai", "voyage", "jina")
"""Providers that send texts to another machine."""

ProfileName = Annotated[str, Field(min_length=1, max_length=100, argument="NAME", description="The profile's name.")]


@dataclass(frozen=True, slots=True)
class ProfilesListRequest:
    pass


@dataclass(frozen=True, slots=True)
class ProfilesSetRequest:
    """Keys of services are named, never given: `key_variable` of the environment, or a file."""

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100,
            pattern=r"^[^/\\\x00\n]*[^/\\\x00\s][^/\\\x00\n]*$",
            argument="NAME",
            description="The profile's name.",
        ),
    ]
    provider: Annotated[str, Field(description="Where vectors come from.", choices=providers)]
    model: Annotated[str, Field(max_length=500, description="The model's name, or its folder.")] = ""
    dimensions: Annotated[int, Field(ge=1, le=65_536, description="Asked of the service when left out.")] | None = None
    distance: Annotated[
        str,
        Field(description="Vectors are of length one, so all order alike.", choices=DISTANCES),
    ] = "cosine"
    window: Annotated[int, Field(ge=16, le=10_000_000, description="Tokens the model reads.")] | None = None
    url: Annotated[str, Field(max_length=2_000, description="Where the service is, if not at its usual place.")] = ""
    key_variable: Annotated[
        str, Field(max_length=200, metavar="NAME", description="The environment variable with the key.")
    ] = ""
    key_file: Annotated[str, Field(max_length=4_096, metavar="FILE", description="The file with the key.")] = ""
    query_prefix: Annotated[str, Field(max_length=1_000, metavar="TEXT", description="Put before every query.")] = ""
    document_prefix: Annotated[
        str, Field(max_length=1_000, metavar="TEXT", description="Put before every passage.")
    ] = ""
    batch: Annotated[int, Field(ge=1, le=10_000, description="Texts in one request.")] | None = None
    concurrency: Annotated[int, Field(ge=1, le=64, description="Requests at once.")] | None = None
    timeout_seconds: (
        Annotated[float, Field(gt=0, le=3_600, option="--timeout", metavar="SECONDS", description="For one answer.")]
        | None
    ) = None
    retries: Annotated[int, Field(ge=0, le=20, description="How often to ask again.")] | None = None
    requests_per_minute: (
        Annotated[float, Field(gt=0, option="--rate", metavar="N", description="No more requests a minute than that.")]
        | None
    ) = None
    contextual: Annotated[bool, Field(description="Voyage: embed a document's chunks together.")] = False
    late_chunking: Annotated[bool, Field(description="Jina: embed a document's chunks together.")] = False
    shorten: Annotated[bool, Field(description="Ask Ollama or OpenAI for so many dimensions.")] = False
    activate: Annotated[bool, Field(description="Fill it in the background, then search with it.")] = False


@dataclass(frozen=True, slots=True)
class ProfilesActivateRequest:
    name: ProfileName


@dataclass(frozen=True, slots=True)
class MemoryReingestRequest:
    item: ItemName


ProfilesReindexRequest = ProfilesActivateRequest
