"""The operations on embedding profiles, and those of whoever runs the library."""

from __future__ import annotations

from recto.operations import profiles_admin as admin
from recto.operations.operation import IN_MEMORY, WRITES, ErrorCase, Operation

_NO_PROFILE = ErrorCase({"name": "nowhere"}, "NOT_FOUND")

PROFILE_OPERATIONS = (
    Operation(
        name="embedding_profiles_list",
        summary="List the embedding profiles, and say which one answers.",
        description="Which embedders the project knows, which one answers, and how far each is filled.",
        function=admin.embedding_profiles_list,
        request=admin.ProfilesListRequest,
        answer=admin.ProfilesAnswer,
        text=admin.profiles_text,
        example={},
        errors=(ErrorCase({"name": "x"}, "INVALID_ARGUMENT"),),
        tool_sets=IN_MEMORY,
    ),
    Operation(
        name="embedding_profiles_upsert",
        summary="Make or change an embedding profile.",
        description=(
            "Name an embedder on this machine: bundled, an ONNX folder, Ollama or a local OpenAI-compatible server. "
            "Services elsewhere are named by a person, with `recto profiles set`."
        ),
        function=admin.embedding_profiles_upsert,
        request=admin.ProfileUpsertRequest,
        answer=admin.ProfileAnswer,
        text=admin.profile_text,
        example={"name": "small", "provider": "hashing", "dimensions": 32},
        errors=(
            ErrorCase({"name": "x", "provider": "nonsense"}, "INVALID_ARGUMENT"),
            ErrorCase({"name": "configured", "provider": "hashing"}, "INVALID_ARGUMENT"),
            ErrorCase({"name": "x", "provider": "ollama", "dimensions": 8}, "INVALID_ARGUMENT"),
            ErrorCase({"name": "x", "provider": "voyage", "model": "m", "dimensions": 8}, "INVALID_ARGUMENT"),
        ),
        annotations=WRITES,
        tool_sets=IN_MEMORY,
        unlisted=(
            "window",
            "query_prefix",
            "document_prefix",
            "batch",
            "concurrency",
            "timeout_seconds",
            "retries",
            "key_variable",
            "key_file",
            "requests_per_minute",
            "distance",
        ),
    ),
    Operation(
        name="embedding_profiles_activate",
        summary="Let an embedding profile answer.",
        description="Switch to a profile that has every vector; `configured` is the configuration's own embedder.",
        function=admin.embedding_profiles_activate,
        request=admin.ProfileRequest,
        answer=admin.ProfileAnswer,
        text=admin.profile_text,
        example={"name": "configured"},
        errors=(_NO_PROFILE,),
        annotations=WRITES,
        tool_sets=IN_MEMORY,
    ),
    Operation(
        name="admin_reindex_profile",
        summary="Fill an embedding profile in the background, then let it answer.",
        description="A worker gives every chunk its vector; the profile that answers now goes on until then.",
        function=admin.admin_reindex_profile,
        request=admin.ProfileRequest,
        answer=admin.ProfileAnswer,
        text=admin.profile_text,
        example={"name": "small"},
        errors=(_NO_PROFILE,),
        annotations=WRITES,
        tool_sets=IN_MEMORY,
    ),
    Operation(
        name="admin_reingest_version",
        summary="Cut, analyse and embed a memory again.",
        description="Promise to index a memory's current version again, in the background.",
        function=admin.admin_reingest_version,
        request=admin.ReingestRequest,
        answer=admin.PromisedAnswer,
        text=admin.promised_text,
        example={"item": "Dome and humidity"},
        errors=(ErrorCase({"item": "mem_nowhere"}, "NOT_FOUND"),),
        annotations=WRITES,
        tool_sets=IN_MEMORY,
    ),
)
