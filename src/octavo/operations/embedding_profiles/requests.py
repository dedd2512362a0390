"""Requests of the embedding profile operations: list, set, activate, reindex, and reingest of memories."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.embedding_profile import providers
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types
from octavo.operations.memory.requests import ItemName

DISTANCES = ("cosine", "dot", "l2")

ProfileName = Annotated[str, Field("The profile's name.", min_length=1, max_length=100, argument="NAME")]


class ProfilesSetRequest(Value):
    name: Annotated[
        str,
        Field(
            "The profile's name.",
            min_length=1,
            max_length=100,
            pattern=r"^[^/\\\x00\n]*[^/\\\x00\s][^/\\\x00\n]*$",
            argument="NAME",
        ),
    ]
    provider: Annotated[str, Field("Where vectors come from.", choices=providers)]
    model: Annotated[str, Field("The model's name, or its folder.", max_length=500)] = ""
    dimensions: Annotated[int | None, Field("Asked of the service when left out.", ge=1, le=65_536)] = None
    distance: Annotated[str, Field("Vectors are of length one, so all order alike.", choices=DISTANCES)] = "cosine"
    window: Annotated[int | None, Field("Tokens the model reads.", ge=16, le=10_000_000)] = None
    url: Annotated[str, Field("Where the service is, if not at its usual place.", max_length=2_000)] = ""
    key_variable: Annotated[str, Field("The environment variable with the key.", max_length=200, metavar="NAME")] = ""
    key_file: Annotated[str, Field("The file with the key.", max_length=4_096, metavar="FILE")] = ""
    query_prefix: Annotated[str, Field("Put before every query.", max_length=1_000, metavar="TEXT")] = ""
    document_prefix: Annotated[str, Field("Put before every passage.", max_length=1_000, metavar="TEXT")] = ""
    batch: Annotated[int | None, Field("Texts in one request.", ge=1, le=10_000)] = None
    concurrency: Annotated[int | None, Field("Requests at once.", ge=1, le=64)] = None
    timeout_seconds: Annotated[
        float | None, Field("For one answer.", gt=0, le=3_600, option="--timeout", metavar="SECONDS")
    ] = None
    retries: Annotated[int | None, Field("How often to ask again.", ge=0, le=20)] = None
    requests_per_minute: Annotated[
        float | None, Field("No more requests a minute than that.", gt=0, option="--rate", metavar="N")
    ] = None
    contextual: Annotated[bool, Field("Voyage: embed a document's chunks together.")] = False
    late_chunking: Annotated[bool, Field("Jina: embed a document's chunks together.")] = False
    shorten: Annotated[bool, Field("Ask Ollama or OpenAI for so many dimensions.")] = False
    hnsw_m: Annotated[int | None, Field("PostgreSQL: links of a node in the index.", ge=2, le=100)] = None
    hnsw_ef_construction: Annotated[int | None, Field("PostgreSQL: care taken when it is built.", ge=4, le=1_000)] = (
        None
    )
    ef_search_min: Annotated[int | None, Field("PostgreSQL: candidates of a search at least.", ge=1, le=1_000)] = None
    ef_search_factor: Annotated[float | None, Field("PostgreSQL: candidates for each hit.", gt=0, le=100)] = None
    ef_search_max: Annotated[int | None, Field("PostgreSQL: candidates at most.", ge=1, le=1_000)] = None
    activate: Annotated[bool, Field("Fill it in the background, then search with it.")] = False


class ProfilesActivateRequest(Value):
    name: ProfileName


class MemoryReingestRequest(Value):
    item: ItemName


class ProfilesReindexRequest(Value):
    name: ProfileName
    force: Annotated[bool, Field("Compute the vectors there are again, too; words find what waits for one.")] = False


ProfilesListRequest = argument_types.NoArguments
