"""Lists embedding profiles, makes and changes one, fills it with vectors and lets it take over."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from octavo.embedding.installed_models import models_folder
from octavo.engine.engine import Engine
from octavo.errors import ConfigurationError, Conflict, InvalidArgument, ModelUnavailable, NotFound, ProviderFailed
from octavo.fast_dataclass import Value, replace
from octavo.ingest.embedding_profile_switch import (
    CONFIGURED,
    active_profile,
    checked_name,
    missing,
    profile_named,
    switch,
    switch_back,
)
from octavo.jobs.follow_up_job_queueing import queue_snapshot
from octavo.model.embedding_profile import (
    KEY_VARIABLES,
    LOCAL_PROVIDERS,
    USUAL_ADDRESSES,
    EmbeddingProfileSettings,
    EmbeddingProfileState,
    NamedEmbeddingProfile,
    Tuning,
)
from octavo.model.job import JobId, JobKind
from octavo.model.memory import MemoryStatus
from octavo.operations.answer_conversion import filled
from octavo.operations.embedding_profiles.requests import (
    MemoryReingestRequest,
    ProfilesActivateRequest,
    ProfilesListRequest,
    ProfilesReindexRequest,
    ProfilesSetRequest,
)
from octavo.operations.memory.named_memory_lookup import item_named
from octavo.path_resolution_and_private_folders import expand_user, real_path
from octavo.plugins import PROVIDERS, has
from octavo.ports import Embedder


class ProfileShown(Value):
    """`chunks` have all their vectors under it, of `total`. `configured` is the configuration's own embedder.
    `hnsw` and `query` tune the index that PostgreSQL has of its vectors, as far as they were set."""

    name: str
    provider: str
    model: str
    dimensions: int
    distance: str
    state: str
    chunks: int
    total: int
    url: str | None = None
    hnsw: Mapping[str, int] | None = None
    query: Mapping[str, float] | None = None


class ProfilesAnswer(Value):
    profiles: tuple[ProfileShown, ...]


class ProfileAnswer(Value):
    """The profile as it stands, and the job that fills it where there is one."""

    profile: ProfileShown
    job: int | None = None


class PromisedAnswer(Value):
    job: int
    kind: str


_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_OLLAMA = "http://127.0.0.1:11434"
_OWN_PATHS = ("", "/v1")
"""Where services have what they offer: nothing at all, or what those do that answer like OpenAI's."""


def profiles_list(engine: Engine, request: ProfilesListRequest) -> ProfilesAnswer:
    named = engine.store.profiles.named(engine.project.id)
    answering = any(profile.state is EmbeddingProfileState.ACTIVE for profile in named)
    return ProfilesAnswer((_configured(engine, active=not answering), *(_shown(engine, profile) for profile in named)))


def profiles_set(engine: Engine, request: ProfilesSetRequest, *, by_person: bool = False) -> ProfileAnswer:
    """Only a person at this machine names a service elsewhere: it is sent every text of the library."""
    flags = {name: True for name in ("contextual", "late_chunking", "shorten") if getattr(request, name)}
    known = {
        name: getattr(request, name) for name in EmbeddingProfileSettings.__dataclass_fields__ if name != "options"
    }
    tuning = _tuning(request)
    if problem := Tuning.of(tuning).problem():
        raise InvalidArgument(f"the index of {request.name} cannot be made: {problem}")
    profile = NamedEmbeddingProfile(
        engine.project.id, checked_name(request.name), EmbeddingProfileSettings(**known, options=flags | tuning)
    )
    if not by_person:
        _refuse_elsewhere(engine, request)
    try:
        # Whoever asks waits for this one question: it is not put off, and not asked again and again.
        tries = profile.settings.retries
        hurried = replace(profile.settings, retries=1 if tries is None else min(1, tries), requests_per_minute=None)
        embedder = engine.profile_embedder(replace(profile, settings=hurried))
        made = embedder.profile
    except (ConfigurationError, ModelUnavailable) as error:
        # Not a fault of this machine's settings: the request names no model, or one that is not there.
        raise NotFound(f"the model of {profile.name} is not there: {error.message}", hint="name its folder") from error
    except ProviderFailed as error:
        # What listens there may be anything, and what it replied is not for whoever made it reply.
        raise error if by_person else _no_embeddings(profile, error) from None
    most = engine.store.most_dimensions
    if most is not None and made.dimensions > most:
        raise InvalidArgument(
            f"{profile.name} has {made.dimensions:,} dimensions, and this library holds up to {most:,}",
            hint="ask for shorter vectors (--dimensions N --shorten), or keep the library in a file",
        )
    profile = replace(profile, settings=replace(profile.settings, dimensions=made.dimensions))
    before = _known(engine, profile.name)
    if before is not None:
        if before.state is not EmbeddingProfileState.IDLE and engine.profile_embedder(before).profile != made:
            raise Conflict(
                f"{profile.name} is {before.state.value}, and its vectors would no longer fit",
                hint="make a profile of another name and activate that",
            )
        profile = replace(profile, state=before.state)
    with engine.store.transaction():
        # The model was asked in between: somebody else may have changed the profile, or let it answer.
        if _known(engine, profile.name) != before:
            raise Conflict(f"{profile.name} was changed at the same time", hint="`octavo profiles list`, then again")
        engine.store.profiles.put(profile)
    if profile.state is EmbeddingProfileState.ACTIVE:
        _queue_index(engine)
    if request.activate and profile.state is EmbeddingProfileState.IDLE:
        return _filling(engine, profile, embedder)
    return ProfileAnswer(_shown(engine, profile, embedder))


def _known(engine: Engine, name: str) -> NamedEmbeddingProfile | None:
    return next((known for known in engine.store.profiles.named(engine.project.id) if known.name == name), None)


def _tuning(request: ProfilesSetRequest) -> dict[str, dict[str, float]]:
    """Of the profile's index on PostgreSQL, what was said."""
    built = {"m": request.hnsw_m, "ef_construction": request.hnsw_ef_construction}
    asked = {name: getattr(request, name) for name in ("ef_search_min", "ef_search_factor", "ef_search_max")}
    said = {
        part: {name: value for name, value in values.items() if value is not None}
        for part, values in (("hnsw", built), ("query", asked))
    }
    return {part: values for part, values in said.items() if values}


def profiles_activate(engine: Engine, request: ProfilesActivateRequest) -> ProfileAnswer:
    """At once, where every chunk has its vector; nothing is ever answered from half an index."""
    engine.follow_active_profile()
    if request.name == CONFIGURED:
        return _reactivate(engine)
    profile = profile_named(engine.store, engine.project.id, request.name)
    embedder = engine.profile_embedder(profile)
    if not switch(engine.store, profile, embedder, engine.recipe()):
        raise _not_filled(engine, profile.name, embedder)
    _queue_index(engine)
    return ProfileAnswer(_shown(engine, replace(profile, state=EmbeddingProfileState.ACTIVE), embedder))


def profiles_reindex(engine: Engine, request: ProfilesReindexRequest) -> ProfileAnswer:
    """Promises to fill the profile and to let it answer then; until that, the one that answers goes on."""
    if request.force:
        _remove_vectors(engine, request.name)
    if request.name == CONFIGURED:
        return _fill_configured(engine)
    profile = profile_named(engine.store, engine.project.id, request.name)
    embedder = engine.profile_embedder(profile)
    if profile.state is EmbeddingProfileState.ACTIVE:
        return ProfileAnswer(_shown(engine, profile, embedder), _embed_pending(engine))
    return _filling(engine, profile, embedder)


def _remove_vectors(engine: Engine, name: str) -> None:
    """What a service computed before it changed is not compared with what it computes now."""
    store, project = engine.store, engine.project.id
    named = name != CONFIGURED
    embedder = engine.profile_embedder(profile_named(store, project, name)) if named else engine.configured_embedder()
    with store.transaction():
        store.embeddings.remove(
            project, embedder.profile, sorted(set(store.embeddings.assignments(project)[:, 1].tolist()))
        )


def memory_reingest(engine: Engine, request: MemoryReingestRequest) -> PromisedAnswer:
    """Promises to cut, analyse and embed a memory's current version again."""
    item = item_named(engine, request.item)
    if item.status is not MemoryStatus.ACTIVE:
        raise Conflict(f"{item.id} is archived and in no index", hint="memory_restore brings it back")
    with engine.store.transaction():
        job = engine.store.outbox.enqueue(engine.project.id, JobKind.REINGEST, item.id, {"items": [item.id]})
    return PromisedAnswer(job, JobKind.REINGEST.value)


def profile_state(engine: Engine, name: str) -> ProfileAnswer:
    """A profile as it stands now."""
    if name == CONFIGURED:
        return ProfileAnswer(_configured(engine, active=_configured_answers(engine)))
    return ProfileAnswer(_shown(engine, profile_named(engine.store, engine.project.id, name)))


def _refuse_elsewhere(engine: Engine, request: ProfilesSetRequest) -> None:
    """A client's profile asks a service on this machine at its own address, or a model that is installed here."""
    local = request.provider in LOCAL_PROVIDERS
    problem = _local_problem(engine, request) if local else _service_problem(engine, request)
    usual = "" if request.url else KEY_VARIABLES.get(request.provider, "")
    if request.key_file or request.key_variable not in ("", usual):
        local, problem = False, "it would use a key"
    if problem:
        refused = NotFound if local else InvalidArgument
        raise refused(
            f"{request.name} may not be made by a client: {problem}",
            hint="a person can make it on the command line (octavo profiles set); it can then be activated from here",
        )


def _local_problem(engine: Engine, request: ProfilesSetRequest) -> str:
    """Naming any folder would tell a client what there is on the disk, and load what somebody put there."""
    if request.provider != "onnx" or not request.model:
        return ""
    config = engine.library.config
    configured = None if config is None else config.embedding.model
    folder = real_path(expand_user(request.model))
    known = real_path(models_folder()) in folder.parents or (
        configured and real_path(expand_user(configured)) == folder
    )
    return "" if known else "its model is neither installed nor configured"


def _service_problem(engine: Engine, request: ProfilesSetRequest) -> str:
    """Anything else on this machine that listens would be sent a request of a client's making."""
    if has(PROVIDERS, request.provider):
        return "a plugin decides where the library's texts are sent"
    config = engine.library.config
    hosts = () if config is None else config.embedding.client_hosts
    try:
        address = urlsplit(request.url or USUAL_ADDRESSES.get(request.provider, _OLLAMA))
        port = address.port or (443 if address.scheme == "https" else 80)
    except ValueError:
        return "its address cannot be read"
    if address.hostname in hosts and address.scheme == "https" and not address.username:
        return ""
    if address.hostname not in _LOOPBACK:
        return "it would send the library's texts to another machine"
    if address.path.rstrip("/") not in _OWN_PATHS or address.query or address.fragment or address.username:
        return "its address has more than a port, or `/v1`"
    allowed = {urlsplit(_OLLAMA).port, *(() if config is None else config.embedding.client_ports)}
    return "" if port in allowed else f"port {port} is not among those that `embedding.client_ports` allows"


def _no_embeddings(profile: NamedEmbeddingProfile, error: ProviderFailed) -> ProviderFailed:
    return ProviderFailed(
        f"the service of {profile.name} gave no vector",
        hint="a person can look with `octavo profiles set`, which says what it answered",
        details={"status": error.details.get("status"), "attempts": error.details.get("attempts")},
    )


def _filling(engine: Engine, profile: NamedEmbeddingProfile, embedder: Embedder) -> ProfileAnswer:
    filling = replace(profile, state=EmbeddingProfileState.FILLING)
    with engine.store.transaction():
        # The model was opened in between: somebody else may have changed the profile, or let it answer.
        now = profile_named(engine.store, engine.project.id, profile.name)
        if (now.settings, now.state) != (profile.settings, profile.state):
            raise Conflict(f"{profile.name} was changed at the same time", hint="`octavo profiles list`, then again")
        engine.store.profiles.put(filling)
        payload = {"profile": profile.name}
        job = engine.store.outbox.enqueue(engine.project.id, JobKind.REINDEX_PROFILE, profile.name, payload)
    return ProfileAnswer(_shown(engine, filling, embedder), job)


def _fill_configured(engine: Engine) -> ProfileAnswer:
    """Promises the missing vectors of the configuration's own embedder, which then answers."""
    engine.follow_active_profile()
    if _configured_answers(engine):
        return ProfileAnswer(_configured(engine, active=True), _embed_pending(engine))
    with engine.store.transaction():
        payload = {"profile": CONFIGURED}
        job = engine.store.outbox.enqueue(engine.project.id, JobKind.REINDEX_PROFILE, CONFIGURED, payload)
    return ProfileAnswer(_configured(engine, active=False), job)


def _configured_answers(engine: Engine) -> bool:
    """Whether no profile by name is active, and the library was made with what the configuration says now."""
    recorded = engine.store.catalog.recipe(engine.project.id)
    same = recorded is None or recorded.embedding == engine.configured_embedder().profile
    return same and active_profile(engine.store, engine.project.id) is None


def _embed_pending(engine: Engine) -> JobId:
    with engine.store.transaction():
        return engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "pending", {})


def _reactivate(engine: Engine) -> ProfileAnswer:
    """Back to the configuration's own embedder."""
    if _configured_answers(engine):
        return ProfileAnswer(_configured(engine, active=True))
    embedder = engine.configured_embedder()
    if not switch_back(engine.store, engine.project.id, embedder, engine.recipe()):
        raise _not_filled(engine, CONFIGURED, embedder)
    _queue_index(engine)
    return ProfileAnswer(_configured(engine, active=True))


def _queue_index(engine: Engine) -> None:
    """Of the profile that answers now, where a database server has one: built by a worker while searches go on."""
    engine.follow_active_profile()
    if engine.accelerator is None:
        queue_snapshot(engine.store, engine.project.id)


def _not_filled(engine: Engine, name: str, embedder: Embedder) -> Conflict:
    left = missing(engine.store, engine.project.id, embedder)
    return Conflict(
        f"{left} chunks have no vector under {name} yet",
        hint=f"`octavo profiles reindex {name}` fills it, then lets it answer",
        details={"missing": left},
    )


def _configured(engine: Engine, *, active: bool) -> ProfileShown:
    embedder = engine.configured_embedder()
    made = embedder.profile
    done, total = engine.store.embeddings.coverage(engine.project.id, made)
    state = EmbeddingProfileState.ACTIVE if active else EmbeddingProfileState.IDLE
    return ProfileShown(CONFIGURED, made.name, made.model, made.dimensions, made.distance, state.value, done, total)


def _shown(engine: Engine, profile: NamedEmbeddingProfile, embedder: Embedder | None = None) -> ProfileShown:
    settings = profile.settings
    made = (embedder or engine.profile_embedder(profile)).profile
    done, total = engine.store.embeddings.coverage(engine.project.id, made)
    return filled(
        ProfileShown,
        *(profile, made),
        provider=settings.provider,
        model=settings.model or made.model,
        chunks=done,
        total=total,
        url=settings.url or None,
        hnsw=settings.options.get("hnsw"),
        query=settings.options.get("query"),
    )
