"""Operations on embedders, rerankers and language models: list, show, fetch, fine-tune, activate, remove."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from octavo.config.layered_config_loading import user_file
from octavo.embedding.installed_models import (
    NO_RERANKER,
    RERANKER_HINT,
    InstalledModel,
    ModelShown,
    bundled,
    bundled_table,
    card_of,
    installed,
    model_named,
    models_folder,
    remove,
    shown,
)
from octavo.embedding.model_download import (
    FetchedModel,
    card_of_language_model,
    fetch_model,
    fetched_language_models,
    language_model,
    refuse_activation,
    remove_language_model,
)
from octavo.embedding.static_token_table_choice import table_folder
from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, ModelUnavailable
from octavo.fast_dataclass import replace
from octavo.ingest.embedding_profile_switch import CONFIGURED
from octavo.model.embedding_profile import EmbeddingProfileState
from octavo.observability.progress import Progress
from octavo.operations.embedding_profiles.list_set_fill_and_activate import (
    ProfileAnswer,
    profile_state,
    profiles_activate,
    profiles_list,
    profiles_reindex,
    profiles_set,
)
from octavo.operations.embedding_profiles.requests import (
    ProfilesActivateRequest,
    ProfilesListRequest,
    ProfilesReindexRequest,
    ProfilesSetRequest,
)
from octavo.operations.models.requests import (
    ModelsActivateRequest,
    ModelsFetchRequest,
    ModelsFinetuneRequest,
    ModelsListRequest,
    ModelsShowRequest,
)
from octavo.operations.models.results import FinetuneAnswer, ModelAnswer, ModelRemoved, ModelsAnswer
from octavo.path_resolution_and_private_folders import expand_user
from octavo.plugins import TRAINERS, load


def models_list(engine: Engine, request: ModelsListRequest) -> ModelsAnswer:
    """The bundled encoder and its table first; then what was made or fetched here, by name."""
    states = _states(engine)
    others = tuple(_stated(engine, model, states) for model in (bundled_table(), *installed(models_folder())))
    return ModelsAnswer((_bundled(engine), *others, *fetched_language_models(engine.library.config.llm)))


def models_show(engine: Engine, request: ModelsShowRequest) -> ModelAnswer:
    if (fetched := language_model(engine.library.config.llm, request.name)) is not None:
        return ModelAnswer(fetched, card=card_of_language_model(request.name))
    own = bundled()
    model = own if request.name == own.name else _named(request.name)
    return replace(model_state(engine, request.name), card=card_of(model))


def model_state(engine: Engine, name: str) -> ModelAnswer:
    """A model as it stands now."""
    if name == bundled().name:
        return ModelAnswer(_bundled(engine))
    if name == engine.configured_embedder().profile.name:
        return ModelAnswer(_configured(engine))
    return ModelAnswer(_stated(engine, _named(name), _states(engine)))


def models_activate(engine: Engine, request: ModelsActivateRequest) -> ModelAnswer:
    """Re-embeds in the background while the model that answers goes on; the new one takes over when it is complete. A
    reranker takes over at once."""
    if request.name == NO_RERANKER:
        return ModelAnswer(activate_none(engine))
    if request.name == bundled().name:
        return _activate_bundled(engine, request.name)
    if request.name == engine.configured_embedder().profile.name:
        return _activate_configured(engine)
    if language_model(engine.library.config.llm, request.name) is not None:
        refuse_activation(request.name)
    model = _named(request.name)
    if model.form == "table":
        raise InvalidArgument(
            f"{model.name} is a table: it serves the encoder it was made for, and is taken with it",
            hint="`octavo models list` shows the encoders",
        )
    if model.damage:
        raise Conflict(
            f"{model.name} is damaged: {model.damage[0]}", hint="make it again with `octavo models finetune`"
        )
    if model.worse and not request.force:
        raise Conflict(
            f"{model.name} finds less than {model.base} on: {', '.join(model.worse)}",
            hint=f"`octavo models activate {model.name} --force` takes it nevertheless",
            details={"figures": model.figures},
        )
    if model.form == "reranker":
        activate_reranker(engine, model.name)
        return model_state(engine, model.name)
    done = _filled(engine, model)
    return ModelAnswer(shown(model, done.profile.state), job=done.job)


def models_remove(engine: Engine, request: ModelsShowRequest) -> ModelRemoved:
    """Deletes a model's folder, if no profile of this library's projects stands for it."""
    name = request.name
    if name in (bundled().name, bundled_table().name):
        raise InvalidArgument(f"{name} is part of Octavo and cannot be removed")
    if (fetched := language_model(engine.library.config.llm, name)) is not None:
        remove_language_model(engine.library.config.llm, fetched)
        return ModelRemoved(fetched)
    model = model_named(models_folder(), name)
    for project in engine.store.catalog.projects():
        for profile in engine.store.profiles.named(project.id):
            if profile.settings.model == str(model.path) and profile.state is not EmbeddingProfileState.IDLE:
                raise Conflict(
                    f"{name} is {profile.state.value} in project {project.name}",
                    hint="activate another model there first: `octavo models activate NAME`",
                )
    for user in users_of(engine, name) if model.form == "reranker" else ():
        raise Conflict(
            f"{name} is active in project {user}",
            hint=f"activate another reranker there first: `octavo models activate {NO_RERANKER}`",
        )
    gone = shown(model, "")
    remove(model)
    return ModelRemoved(gone)


def _named(name: str) -> InstalledModel:
    table = bundled_table()
    return table if name == table.name else model_named(models_folder(), name)


def _activate_configured(engine: Engine) -> ModelAnswer:
    """What the configuration names, installed or not: a folder of its own, a service, the one of tests."""
    done = profiles_reindex(engine, ProfilesReindexRequest(CONFIGURED))
    return ModelAnswer(_configured(engine), job=done.job)


def _configured(engine: Engine) -> ModelShown:
    made, state = engine.configured_embedder().profile, profile_state(engine, CONFIGURED).profile.state
    return ModelShown(made.name, "encoder", state, made.revision, made.dimensions, 0, "", "", {})


def _activate_bundled(engine: Engine, name: str) -> ModelAnswer:
    """The configuration's own embedder where that is the bundled one; else a profile that stands for it.

    A library that another model made, such as an earlier Octavo's, gets such a profile too: it is filled, then answers.
    """
    own, recorded = bundled().profile, engine.store.catalog.recipe(engine.project.id)
    made_with_it = recorded is None or recorded.embedding == own or engine.embedder.profile != own
    if engine.configured_embedder().profile == own and made_with_it:
        done = profiles_activate(engine, ProfilesActivateRequest(CONFIGURED))
    else:
        done = profiles_set(engine, ProfilesSetRequest(name=name, provider="bundled", activate=True))
    return ModelAnswer(_bundled(engine), job=done.job)


def _filled(engine: Engine, model: InstalledModel) -> ProfileAnswer:
    known = {profile.name: profile for profile in profiles_list(engine, ProfilesListRequest()).profiles}
    request = ProfilesSetRequest(name=model.name, provider="onnx", model=str(model.path), activate=True)
    there = known.get(model.name)
    if there is not None and there.state == EmbeddingProfileState.ACTIVE.value:
        return ProfileAnswer(there)
    if there is not None and there.provider == "onnx" and there.chunks == there.total:
        return profiles_activate(engine, ProfilesActivateRequest(model.name))
    return profiles_set(engine, request)


def _states(engine: Engine) -> dict[str, str]:
    """Of encoders by their profiles; a table is active while it is the one that serves the encoder that answers."""
    profiles = profiles_list(engine, ProfilesListRequest()).profiles
    states = {profile.name: profile.state for profile in profiles}
    table = table_folder(engine.embedder.profile.revision)
    return states if table is None else states | {table.name: EmbeddingProfileState.ACTIVE.value}


def _stated(engine: Engine, model: InstalledModel, states: Mapping[str, str]) -> ModelShown:
    if model.form == "reranker":
        return shown(model, EmbeddingProfileState.ACTIVE.value if is_active(engine, model) else "")
    return shown(model, states.get(model.name, ""))


def _bundled(engine: Engine) -> ModelShown:
    """Active where it answers: not in a library that another model made and that was not upgraded to it yet."""
    own, recorded = bundled(), engine.store.catalog.recipe(engine.project.id)
    answers = engine.embedder.profile == own.profile and (recorded is None or recorded.embedding == own.profile)
    return shown(own, "active" if answers else "idle")


def models_fetch(engine: Engine, request: ModelsFetchRequest, progress: Progress | None = None) -> FetchedModel:
    # Next to the user's configuration: what is fetched is the user's own choice, never a project's.
    manifest = user_file(os.environ).parent / "models.toml"
    return fetch_model(request.name, manifest, expand_user(request.manifest) if request.manifest else None, progress)


def models_finetune(engine: Engine, request: ModelsFinetuneRequest, progress: Progress) -> FinetuneAnswer:
    """Trains, measures and registers a model; activates it on request, if it is no worse."""
    names = ("epochs", "batch", "rate", "seed")
    settings = {name: value for name in names if (value := getattr(request, name)) is not None}
    if request.static and request.epochs is not None:
        settings["epochs"] = max(1, round(request.epochs))
    done: FinetuneAnswer = load(TRAINERS, "finetune")(engine, request, settings, progress)
    if not request.activate or request.static:
        return done
    if not done.better and not request.force:
        return replace(done, refused=True)
    activated = models_activate(engine, ModelsActivateRequest(done.name, request.force))
    return replace(done, job=activated.job, activated=done.form == "reranker")


def activate_reranker(engine: Engine, name: str | None) -> None:
    """At once: nothing has to be embedded anew. None leaves the choice to the configuration."""
    with engine.store.transaction():
        engine.store.catalog.choose_reranker(engine.project.id, name)


def activate_none(engine: Engine) -> ModelShown:
    activate_reranker(engine, None)
    return ModelShown(NO_RERANKER, "reranker", "active", "", 1, 0, "", "", {})


def chosen_reranker(engine: Engine) -> str:
    """The name of the one that was activated; empty where the configuration decides."""
    return engine.store.catalog.reranker(engine.project.id) or ""


def reranker_folder(engine: Engine, name: str) -> Path:
    """Of a reranker by its name; without one, of the configuration's."""
    if name:
        return model_named(models_folder(), name).path
    if (configured := _configured_reranker(engine)) is None:
        raise ModelUnavailable("no reranker is configured", hint=RERANKER_HINT)
    return configured


def is_active(engine: Engine, model: InstalledModel) -> bool:
    chosen = chosen_reranker(engine)
    return model.name == chosen or (not chosen and _configured_reranker(engine) == model.path)


def _configured_reranker(engine: Engine) -> Path | None:
    config = engine.library.config
    return None if config is None or config.reranking.model is None else expand_user(config.reranking.model)


def users_of(engine: Engine, name: str) -> list[str]:
    """The projects of the library that have a reranker activated."""
    catalog = engine.store.catalog
    return [project.name for project in catalog.projects() if catalog.reranker(project.id) == name]
