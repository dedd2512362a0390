"""Declares the operations on embedding profiles, and the one that re-embeds a memory."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import IN_MEMORY, READS, WRITES, Operation

_COLUMNS = ("name", "state", "provider", "model", "dimensions", "chunks", "total")
_SHOWN = (
    *("{name}|title", "{state}|state", "{provider} {model}", "{dimensions!s} dimensions|dim"),
    "{chunks} of {total} chunks|dim",
)
_FILLS = "Job {job} fills it; `octavo worker --once` does it now.|dim"
_ONE = Listing(rows="profile", columns=_COLUMNS, confirms=True, shown=_SHOWN, notes=(_FILLS,))

_embedders = partial(
    Operation,
    module="octavo.operations.embedding_profiles.list_set_fill_and_activate",
    annotations=WRITES,
    tool_sets=IN_MEMORY,
    listing=_ONE,
)

_RARE = """
    window query_prefix document_prefix batch concurrency timeout_seconds retries key_variable key_file
    requests_per_minute distance
"""
PROFILES = (
    _embedders(
        name="profiles_list",
        summary="List the embedding profiles, and say which one searches use.",
        description="Which embedders the project knows, which one answers, and how far each is filled.",
        listing=Listing(rows="profiles", columns=_COLUMNS, shown=_SHOWN),
        aliases=("embedding_profiles_list",),
        examples=("octavo profiles list",),
        annotations=READS,
    ),
    _embedders(
        name="profiles_set",
        summary="Make or change an embedding profile.",
        description=(
            "Name an embedder on this machine: bundled, an ONNX folder, Ollama or a local OpenAI-compatible server. "
            "Services elsewhere are named by a person, with `octavo profiles set`."
        ),
        help=(
            "A key is named, never given: it is read from the environment or a file when it is needed, and kept "
            "nowhere. A service elsewhere is sent every text of the library."
        ),
        aliases=("embedding_profiles_upsert",),
        examples=("octavo profiles set small --provider hashing --dimensions 32",),
        example={"name": "small", "provider": "hashing", "dimensions": 32},
        unlisted=tuple(_RARE.split()),
    ),
    _embedders(
        name="profiles_activate",
        summary="Search with an embedding profile from now on.",
        description="Switch to a profile that has every vector; `configured` is the configuration's own embedder.",
        help="Every chunk must have its vector; `configured` is the configuration's own embedder.",
        aliases=("embedding_profiles_activate",),
        examples=("octavo profiles activate configured",),
        example={"name": "configured"},
    ),
    _embedders(
        name="profiles_reindex",
        summary="Fill an embedding profile in the background, then search with it.",
        description="A worker gives every chunk its vector; the profile that answers now goes on until then.",
        help="Until then the profile that answers now goes on.",
        aliases=("admin_reindex_profile",),
        examples=(
            "octavo profiles set small --provider hashing --dimensions 32",
            "octavo profiles reindex small --wait",
        ),
        example={"name": "small"},
    ),
    _embedders(
        name="memory_reingest",
        aliases=("admin_reingest_version",),
        summary="Cut, analyse and embed a memory again.",
        description="Queue indexing a memory's current version again, in the background.",
        listing=Listing(columns=("job", "kind"), shown=("Job {job} ({kind}) waits for a worker.",)),
        example={"item": "Dome and humidity"},
        typed="",
    ),
)
