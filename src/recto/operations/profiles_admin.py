"""Embedding profiles: which there are, which one answers, and how another is filled and takes over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import urlsplit

from recto.engine.engine import Engine
from recto.engine.wiring import PROVIDERS
from recto.errors import ConfigurationError, Conflict, InvalidArgument, ModelUnavailable, NotFound
from recto.ingest.profiles import CONFIGURED, active_profile, checked_name, missing, profile_named, switch
from recto.model.job import JobKind
from recto.model.limits import Field
from recto.model.memory import MemoryStatus
from recto.model.profile import NamedProfile, ProfileSettings, ProfileState
from recto.operations.memories import ItemName, item_named
from recto.operations.quoting import one_line
from recto.ports import Embedder

ProfileName = Annotated[str, Field(min_length=1, max_length=100, description="The profile's name.")]
_LOCAL = ("bundled", "onnx", "hashing")
_ELSEWHERE = ("openai", "voyage", "jina")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_OLLAMA = "http://127.0.0.1:11434"
_DISTANCES = ("cosine", "dot", "l2")


@dataclass(frozen=True, slots=True)
class ProfilesListRequest:
    pass


@dataclass(frozen=True, slots=True)
class ProfileShown:
    """`chunks` have all their vectors under it, of `total`. `configured` is the configuration's own embedder."""

    name: str
    provider: str
    model: str
    dimensions: int
    distance: str
    state: str
    chunks: int
    total: int
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ProfilesAnswer:
    profiles: tuple[ProfileShown, ...]


@dataclass(frozen=True, slots=True)
class ProfileUpsertRequest:
    """Keys of services are named, never given: `key_variable` of the environment, or a file."""

    # What sends texts elsewhere or uses a key is a person's to decide: the document does not offer it to clients.
    __pydantic_config__ = {  # noqa: RUF012
        "json_schema_extra": {
            "not": {
                "anyOf": [
                    {"properties": {"provider": {"enum": list(_ELSEWHERE)}}, "required": ["provider"]},
                    *({"required": [name]} for name in ("url", "key_variable", "key_file")),
                ]
            },
            "if": {"properties": {"provider": {"const": "ollama"}}, "required": ["provider"]},
            "then": {
                "required": ["model"],
                "properties": {
                    "model": {"minLength": 1},
                    "contextual": {"const": False},
                    "late_chunking": {"const": False},
                },
            },
        }
    }

    name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100,
            pattern=r"^[^/\\\x00\n]*[^/\\\x00\s][^/\\\x00\n]*$",
            description="The profile's name.",
            json_schema_extra={"not": {"const": "configured"}},
        ),
    ]
    provider: Annotated[str, Field(description="Where vectors come from.", json_schema_extra={"enum": list(PROVIDERS)})]
    model: Annotated[str, Field(max_length=500, description="The model's name, or its folder.")] = ""
    dimensions: Annotated[int, Field(ge=1, le=65_536, description="Asked of the service when left out.")] | None = None
    distance: Annotated[
        str,
        Field(description="Vectors are of length one, so all order alike.", json_schema_extra={"enum": [*_DISTANCES]}),
    ] = "cosine"
    window: Annotated[int, Field(ge=16, le=10_000_000, description="Tokens the model reads.")] | None = None
    url: Annotated[str, Field(max_length=2_000, description="Where the service is, if not at its usual place.")] = ""
    key_variable: Annotated[str, Field(max_length=200, description="The environment variable with the key.")] = ""
    key_file: Annotated[str, Field(max_length=4_096, description="The file with the key.")] = ""
    query_prefix: Annotated[str, Field(max_length=1_000, description="Put before every query.")] = ""
    document_prefix: Annotated[str, Field(max_length=1_000, description="Put before every passage.")] = ""
    batch: Annotated[int, Field(ge=1, le=10_000, description="Texts in one request.")] | None = None
    concurrency: Annotated[int, Field(ge=1, le=64, description="Requests at once.")] | None = None
    timeout_seconds: Annotated[float, Field(gt=0, le=3_600, description="For one answer.")] | None = None
    retries: Annotated[int, Field(ge=0, le=20, description="How often to ask again.")] | None = None
    requests_per_minute: Annotated[float, Field(gt=0, description="No more requests than that.")] | None = None
    contextual: Annotated[bool, Field(description="Voyage: embed a document's chunks together.")] = False
    late_chunking: Annotated[bool, Field(description="Jina: embed a document's chunks together.")] = False
    shorten: Annotated[bool, Field(description="Ask Ollama or OpenAI for so many dimensions.")] = False
    activate: Annotated[bool, Field(description="Fill it in the background, then let it answer.")] = False


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    name: ProfileName


@dataclass(frozen=True, slots=True)
class ProfileAnswer:
    """The profile as it stands, and the job that fills it where there is one."""

    profile: ProfileShown
    job: int | None = None


@dataclass(frozen=True, slots=True)
class ReingestRequest:
    item: ItemName


@dataclass(frozen=True, slots=True)
class PromisedAnswer:
    job: int
    kind: str


def embedding_profiles_list(engine: Engine, request: ProfilesListRequest) -> ProfilesAnswer:
    named = engine.store.profiles.named(engine.project.id)
    answering = any(one.state is ProfileState.ACTIVE for one in named)
    return ProfilesAnswer((_configured(engine, active=not answering), *(_shown(engine, one) for one in named)))


def profiles_text(answer: ProfilesAnswer) -> str:
    return "\n".join(_line(one) for one in answer.profiles)


def embedding_profiles_upsert(
    engine: Engine, request: ProfileUpsertRequest, *, by_person: bool = False
) -> ProfileAnswer:
    """Only a person at this machine names a service elsewhere: it is sent every text of the library."""
    if request.provider not in PROVIDERS:
        raise InvalidArgument(f"there is no provider {request.provider}", hint=f"choose one of: {', '.join(PROVIDERS)}")
    if request.distance not in _DISTANCES:
        raise InvalidArgument(
            f"there is no distance {request.distance}", hint=f"choose one of: {', '.join(_DISTANCES)}"
        )
    flags = {name: True for name in ("contextual", "late_chunking", "shorten") if getattr(request, name)}
    known = {name: getattr(request, name) for name in ProfileSettings.__dataclass_fields__ if name != "options"}
    profile = NamedProfile(engine.project.id, checked_name(request.name), ProfileSettings(**known, options=flags))
    if not by_person:
        _refuse_elsewhere(request)
    try:
        # Whoever asks waits for this one question: it is not put off, and not asked again and again.
        tries = profile.settings.retries
        hurried = replace(profile.settings, retries=1 if tries is None else min(1, tries), requests_per_minute=None)
        embedder = engine.profile_embedder(replace(profile, settings=hurried))
        made = embedder.profile
    except (ConfigurationError, ModelUnavailable) as error:
        # Not a fault of this machine's settings: the request names no model, or one that is not there.
        raise NotFound(f"the model of {profile.name} is not there: {error.message}", hint="name its folder") from error
    profile = replace(profile, settings=replace(profile.settings, dimensions=made.dimensions))
    before = {one.name: one for one in engine.store.profiles.named(engine.project.id)}.get(profile.name)
    if before is not None:
        if before.state is not ProfileState.IDLE and engine.profile_embedder(before).profile != made:
            raise Conflict(
                f"{profile.name} is {before.state.value}, and its vectors would no longer fit",
                hint="make a profile of another name and activate that",
            )
        profile = replace(profile, state=before.state)
    with engine.store.transaction():
        engine.store.profiles.put(profile)
    if request.activate and profile.state is ProfileState.IDLE:
        return _filling(engine, profile, embedder)
    return ProfileAnswer(_shown(engine, profile, embedder))


def embedding_profiles_activate(engine: Engine, request: ProfileRequest) -> ProfileAnswer:
    """At once, where every chunk has its vector; nothing is ever answered from half an index."""
    engine.follow_profile()
    if request.name == CONFIGURED:
        return _reactivate(engine)
    profile = profile_named(engine.store, engine.project.id, request.name)
    embedder = engine.profile_embedder(profile)
    if not switch(engine.store, profile, embedder, engine.recipe()):
        raise _not_filled(engine, profile.name, embedder)
    engine.follow_profile()
    return ProfileAnswer(_shown(engine, replace(profile, state=ProfileState.ACTIVE), embedder))


def admin_reindex_profile(engine: Engine, request: ProfileRequest) -> ProfileAnswer:
    """Promises to fill the profile and to let it answer then; until that, the one that answers goes on."""
    profile = profile_named(engine.store, engine.project.id, request.name)
    embedder = engine.profile_embedder(profile)
    if profile.state is ProfileState.ACTIVE:
        with engine.store.transaction():
            job = engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "pending", {})
        return ProfileAnswer(_shown(engine, profile, embedder), job)
    return _filling(engine, profile, embedder)


def profile_text(answer: ProfileAnswer) -> str:
    return _line(answer.profile) + (f" (job {answer.job})" if answer.job else "")


def admin_reingest_version(engine: Engine, request: ReingestRequest) -> PromisedAnswer:
    """Promises to cut, analyse and embed a memory's current version again."""
    item = item_named(engine, request.item)
    if item.status is not MemoryStatus.ACTIVE:
        raise Conflict(f"{item.id} is archived and in no index", hint="memory_restore brings it back")
    with engine.store.transaction():
        job = engine.store.outbox.enqueue(engine.project.id, JobKind.REINGEST, item.id, {"items": [item.id]})
    return PromisedAnswer(job, JobKind.REINGEST.value)


def promised_text(answer: PromisedAnswer) -> str:
    return f"Job {answer.job} ({answer.kind}) waits for a worker."


def _refuse_elsewhere(request: ProfileUpsertRequest) -> None:
    local = request.provider in _LOCAL or urlsplit(request.url or _OLLAMA).hostname in _LOOPBACK
    if request.provider in _ELSEWHERE and not request.url:
        local = False
    if not local or request.key_file or request.key_variable:
        raise InvalidArgument(
            f"{request.name} would send the library's texts to a service, or use a key",
            hint="a person can make such a profile with `recto profiles set`; it can then be activated from here",
        )


def _filling(engine: Engine, profile: NamedProfile, embedder: Embedder) -> ProfileAnswer:
    filling = replace(profile, state=ProfileState.FILLING)
    with engine.store.transaction():
        engine.store.profiles.put(filling)
        payload = {"profile": profile.name}
        job = engine.store.outbox.enqueue(engine.project.id, JobKind.REINDEX_PROFILE, profile.name, payload)
    return ProfileAnswer(_shown(engine, filling, embedder), job)


def _reactivate(engine: Engine) -> ProfileAnswer:
    """Back to the configuration's own embedder."""
    embedder = engine.configured_embedder()
    if active_profile(engine.store, engine.project.id) is None:
        return ProfileAnswer(_configured(engine, active=True))
    with engine.store.transaction():
        ready = not missing(engine.store, engine.project.id, embedder)
        if ready:
            engine.store.profiles.retire(engine.project.id)
            engine.store.catalog.record_recipe(engine.project.id, replace(engine.recipe(), embedding=embedder.profile))
    if not ready:
        raise _not_filled(engine, CONFIGURED, embedder)
    engine.follow_profile()
    return ProfileAnswer(_configured(engine, active=True))


def _not_filled(engine: Engine, name: str, embedder: Embedder) -> Conflict:
    left = missing(engine.store, engine.project.id, embedder)
    return Conflict(
        f"{left} chunks have no vector under {name} yet",
        hint=f"`recto profiles reindex {name}` fills it, then lets it answer",
        details={"missing": left},
    )


def _configured(engine: Engine, *, active: bool) -> ProfileShown:
    embedder = engine.configured_embedder()
    made = embedder.profile
    done, total = engine.store.embeddings.coverage(engine.project.id, made)
    state = ProfileState.ACTIVE if active else ProfileState.IDLE
    return ProfileShown(CONFIGURED, made.name, made.model, made.dimensions, made.distance, state.value, done, total)


def _shown(engine: Engine, profile: NamedProfile, embedder: Embedder | None = None) -> ProfileShown:
    settings = profile.settings
    made = (embedder or engine.profile_embedder(profile)).profile
    done, total = engine.store.embeddings.coverage(engine.project.id, made)
    return ProfileShown(
        name=profile.name,
        provider=settings.provider,
        model=settings.model or made.model,
        dimensions=made.dimensions,
        distance=made.distance,
        state=profile.state.value,
        chunks=done,
        total=total,
        url=settings.url or None,
    )


def _line(one: ProfileShown) -> str:
    return one_line(
        f"- {one.name}: {one.state}, {one.provider} {one.model}, {one.dimensions} dimensions, "
        f"{one.chunks} of {one.total} chunks"
    )
