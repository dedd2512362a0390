"""Models made here: which there are, how good each is, which one answers for this project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import Conflict, InvalidArgument
from recto.ingest.profiles import CONFIGURED
from recto.model.limits import Field
from recto.model.profile import ProfileState
from recto.operations.profiles_admin import (
    ProfileAnswer,
    ProfileRequest,
    ProfileShown,
    ProfilesListRequest,
    ProfileUpsertRequest,
    embedding_profiles_activate,
    embedding_profiles_list,
    embedding_profiles_upsert,
)
from recto.operations.quoting import one_line
from recto.training.installed import (
    Installed,
    bundled,
    bundled_table,
    card_of,
    installed,
    model_named,
    models_folder,
    remove,
)
from recto.training.tables import table_folder

ModelName = Annotated[str, Field(min_length=1, max_length=100, description="The model's name.")]


@dataclass(frozen=True, slots=True)
class ModelsListRequest:
    pass


@dataclass(frozen=True, slots=True)
class ModelRequest:
    name: ModelName


@dataclass(frozen=True, slots=True)
class ModelActivateRequest:
    """A model that finds less than what it was made from is only taken with `force`."""

    name: ModelName
    force: Annotated[bool, Field(description="Even if it is worse on a check.")] = False


@dataclass(frozen=True, slots=True)
class ModelShown:
    """`state` is for this project: active, filling or idle; `figures` are nDCG@10 before and after, by check."""

    name: str
    form: str
    state: str
    revision: str
    dimensions: int
    bytes: int
    base: str
    made_at: str
    figures: Mapping[str, Mapping[str, float]]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelsAnswer:
    models: tuple[ModelShown, ...]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """`card` is what was written down when it was made; `job` fills it in the background."""

    model: ModelShown
    card: str = ""
    job: int | None = None


def models_list(engine: Engine, request: ModelsListRequest) -> ModelsAnswer:
    """The bundled encoder and its table first; then what was made here, by name."""
    states = _states(engine)
    others = tuple(_shown(one, states.get(one.name, "")) for one in (bundled_table(), *installed(models_folder())))
    return ModelsAnswer((_bundled(engine), *others))


def models_show(engine: Engine, request: ModelRequest) -> ModelAnswer:
    own = bundled()
    if request.name == own.name:
        return ModelAnswer(_bundled(engine), card_of(own))
    model = _named(request.name)
    return ModelAnswer(_shown(model, _states(engine).get(model.name, "")), card_of(model))


def models_activate(engine: Engine, request: ModelActivateRequest) -> ModelAnswer:
    """Re-embeds in the background while the model that answers goes on; the new one takes over when it is complete."""
    if request.name == bundled().name:
        return _activate_bundled(engine, request.name)
    model = _named(request.name)
    if model.form != "encoder":
        raise InvalidArgument(
            f"{model.name} is a table: it serves the encoder it was made for, and is taken with it",
            hint="`recto models list` shows the encoders",
        )
    if model.damage:
        raise Conflict(f"{model.name} is damaged: {model.damage[0]}", hint="make it again with `recto finetune`")
    if model.worse and not request.force:
        raise Conflict(
            f"{model.name} finds less than {model.base} on: {', '.join(model.worse)}",
            hint=f"`recto models activate {model.name} --force` takes it nevertheless",
            details={"figures": model.figures},
        )
    done = _filled(engine, model)
    return ModelAnswer(_shown(model, done.profile.state), job=done.job)


def models_remove(engine: Engine, name: str) -> ModelShown:
    """Deletes a model's folder, if no profile of this library's projects stands for it."""
    if name in (bundled().name, bundled_table().name):
        raise InvalidArgument(f"{name} is part of Recto and cannot be removed")
    model = model_named(models_folder(), name)
    for project in engine.store.catalog.projects():
        for one in engine.store.profiles.named(project.id):
            if one.settings.model == str(model.path) and one.state is not ProfileState.IDLE:
                raise Conflict(
                    f"{name} is {one.state.value} in project {project.name}",
                    hint="activate another model there first: `recto models activate NAME`",
                )
    shown = _shown(model, "")
    remove(model)
    return shown


def models_text(answer: ModelsAnswer) -> str:
    return "\n".join(one_line(line_of(one)) for one in answer.models)


def model_text(answer: ModelAnswer) -> str:
    told = one_line(line_of(answer.model)) + (f" (job {answer.job} fills it)" if answer.job else "")
    return f"{told}\n\n{answer.card}".strip() if answer.card else told


def line_of(one: ModelShown) -> str:
    figures = "; ".join(f"{name} {pair['before']:.3f} to {pair['after']:.3f}" for name, pair in one.figures.items())
    state = f", {one.state}" if one.state else ""
    return f"- {one.name}: {one.form}{state}, {one.dimensions} dimensions" + (f"; {figures}" if figures else "")


def _named(name: str) -> Installed:
    table = bundled_table()
    return table if name == table.name else model_named(models_folder(), name)


def _activate_bundled(engine: Engine, name: str) -> ModelAnswer:
    """The configuration's own embedder where that is the bundled one; else a profile that stands for it.

    A library that another model made, such as an earlier Recto's, gets such a profile too: it is filled, then answers.
    """
    own, recorded = bundled().profile, engine.store.catalog.recipe(engine.project.id)
    made_with_it = recorded is None or recorded.embedding == own or engine.embedder.profile != own
    if engine.configured_embedder().profile == own and made_with_it:
        done = embedding_profiles_activate(engine, ProfileRequest(CONFIGURED))
    else:
        done = embedding_profiles_upsert(engine, ProfileUpsertRequest(name=name, provider="bundled", activate=True))
    return ModelAnswer(_bundled(engine), job=done.job)


def _filled(engine: Engine, model: Installed) -> ProfileAnswer:
    known = {one.name: one for one in embedding_profiles_list(engine, ProfilesListRequest()).profiles}
    request = ProfileUpsertRequest(name=model.name, provider="onnx", model=str(model.path), activate=True)
    there = known.get(model.name)
    if there is not None and there.state == ProfileState.ACTIVE.value:
        return ProfileAnswer(there)
    if there is not None and there.provider == "onnx" and there.chunks == there.total:
        return embedding_profiles_activate(engine, ProfileRequest(model.name))
    return embedding_profiles_upsert(engine, request)


def _states(engine: Engine) -> dict[str, str]:
    """Of encoders by their profiles; a table is active while it is the one that serves the encoder that answers."""
    shown: tuple[ProfileShown, ...] = embedding_profiles_list(engine, ProfilesListRequest()).profiles
    states = {one.name: one.state for one in shown}
    table = table_folder(engine.embedder.profile.revision)
    return states if table is None else states | {table.name: ProfileState.ACTIVE.value}


def _bundled(engine: Engine) -> ModelShown:
    """Active where it answers: not in a library that another model made and that was not upgraded to it yet."""
    own, recorded = bundled(), engine.store.catalog.recipe(engine.project.id)
    answers = engine.embedder.profile == own.profile and (recorded is None or recorded.embedding == own.profile)
    return _shown(own, "active" if answers else "idle")


def _shown(model: Installed, state: str) -> ModelShown:
    return ModelShown(
        name=model.name,
        form=model.form,
        state=state or ProfileState.IDLE.value,
        revision=model.profile.revision,
        dimensions=model.profile.dimensions,
        bytes=model.bytes,
        base=model.base,
        made_at=model.made_at,
        figures=model.figures,
        problems=model.damage,
    )
