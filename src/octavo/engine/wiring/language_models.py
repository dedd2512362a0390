"""The configured language models, each made once for all its roles: they share a limit on calls and what is known
of a service that does not answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo.config.api_keys import api_key
from octavo.errors import ConfigurationError
from octavo.model.model_settings import LanguageModels, Role

if TYPE_CHECKING:
    from octavo.algorithms.prompts import PromptFile
    from octavo.model.ids import ProjectId
    from octavo.ports import Completions, EntityFinder, LanguageModel, QueryWriter, Reranker, Summariser

ModelFor = Callable[[Role, str | None], "LanguageModel | None"]


def language_models(configured: LanguageModels) -> ModelFor | None:
    """The model of a role, or one by its name; None where no model is configured: then nothing is imported."""
    if not configured.models:
        return None
    lock = threading.Lock()
    made: dict[str, LanguageModel] = {}

    def model_for(role: Role, name: str | None = None) -> LanguageModel | None:
        chosen = name or configured.named_for(role)
        if chosen is None:
            return None
        with lock:
            if chosen not in made:
                make = import_module("octavo.llm").model_for
                made[chosen] = make(role, configured, _key, chosen)
            return made[chosen]

    return model_for


def service_reranker(configured: LanguageModels) -> Callable[[], Reranker] | None:
    """The rerank service that has the role of reranking, where one has."""
    name = configured.named_for("rerank")
    if name is None or configured.reranks_by_model:
        return None

    def make() -> Reranker:
        providers = import_module("octavo.llm.providers")
        reranker: Reranker = providers.rerank_service(name, configured, _key)
        return reranker

    return make


def cached_model(keep_mb: int, model: LanguageModel, completions: Completions, project: ProjectId) -> LanguageModel:
    if not keep_mb:
        return model
    cached: LanguageModel = import_module("octavo.llm.cached").CachedModel(
        model, completions, project, keep_mb * 1_000_000
    )
    return cached


def query_writer(folders: Sequence[Path], model: LanguageModel) -> QueryWriter:
    writer: QueryWriter = import_module("octavo.llm.query_writer").ModelQueryWriter(model, _prompts(folders))
    return writer


def summariser(folders: Sequence[Path], model: LanguageModel) -> Summariser:
    made: Summariser = import_module("octavo.llm.summariser").ModelSummariser(model, _prompts(folders)("summarise"))
    return made


def entity_finder(folders: Sequence[Path], model: LanguageModel) -> EntityFinder:
    made: EntityFinder = import_module("octavo.llm.entity_finder").ModelEntityFinder(
        model, _prompts(folders)("entities")
    )
    return made


def judges(
    folders: Sequence[Path], configured: LanguageModels, model_for: ModelFor, style: str, prompt: str, deadline: float
) -> tuple[tuple[Reranker, int], ...]:
    """The language models that have the role of reranking, the smallest first, each with how many calls it takes at
    once; without a name the prompt is that of the style."""
    if not configured.reranks_by_model:
        return ()
    judging = import_module("octavo.llm.judging")
    kind, usual = {
        "pointwise": (judging.PointwiseJudge, "judge_passage"),
        "listwise": (judging.ListwiseJudge, "rank_passages"),
    }[style]
    text = _prompts(folders)(prompt or usual)
    names = import_module("octavo.llm.sizes").smallest_first(configured.all_named_for("rerank"), configured)

    def made(name: str) -> Reranker:
        try:
            judge: Reranker = kind(model_for("rerank", name), text, deadline)
        except ConfigurationError as error:
            if len(names) == 1:
                raise
            judge = judging.AbsentJudge(name, error)
        return judge

    return tuple((made(name), configured.models[name].concurrency) for name in names)


def own_prompts(folders: Sequence[Path], profile: str) -> Callable[[str], PromptFile | None]:
    files = import_module("octavo.llm.prompt_files")
    if not folders:
        return lambda name: None
    own: Callable[[str], PromptFile | None] = partial(
        files.own_prompt, folders=files.prompts_for(folders[0].parent / "prompts", profile)
    )
    return own


def _prompts(folders: Sequence[Path]) -> Callable[[str], Any]:
    """Prompts of the user's own lie next to the profiles in the configuration folder, never in a project's."""
    return partial(
        import_module("octavo.llm.prompt_files").prompt_named, folders=[each.parent / "prompts" for each in folders[:1]]
    )


def _key(variable: str) -> str | None:
    return api_key(variable, "")
