"""Makes each configured language model once for all its roles, and the rerankers and writers that use it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from octavo.algorithms.model_inputs.prompt_file_parsing import PromptFile
from octavo.config.api_keys import api_key
from octavo.errors import ConfigurationError
from octavo.llm.generation_tasks import ModelEntityFinder, ModelQueryWriter, ModelSummariser
from octavo.llm.model_providers import model_named, rerank_service, smallest_first
from octavo.llm.prompt_files import prompt_named
from octavo.llm.reply_cache import CachedModel
from octavo.llm.rerankers import AbsentJudge, ListwiseJudge, PointwiseJudge
from octavo.model.ids import ProjectId
from octavo.model.language_model_settings import LanguageModels, Role
from octavo.ports import EntityFinder, LanguageModel, QueryWriter, Reranker, Summariser
from octavo.sql_repositories.llm_completion_cache import CompletionRepository

_JUDGES = {"pointwise": (PointwiseJudge, "judge_passage"), "listwise": (ListwiseJudge, "rank_passages")}


class ConfiguredModels:
    """Prompts of the user's own lie in `folders`."""

    def __init__(self, settings: LanguageModels, folders: Sequence[Path]) -> None:
        self._settings = settings
        self._folders = folders
        self._lock = threading.Lock()
        self._made: dict[str, LanguageModel] = {}

    def model(self, role: Role, name: str | None = None) -> LanguageModel | None:
        """The model of a role, or one by its name; None where none has the role."""
        chosen = name or self._settings.named_for(role)
        return None if chosen is None else self._named(chosen)

    def _named(self, name: str) -> LanguageModel:
        with self._lock:
            if name not in self._made:
                self._made[name] = model_named(name, self._settings, _key)
            return self._made[name]

    def cached(self, model: LanguageModel, completions: CompletionRepository, project: ProjectId) -> LanguageModel:
        """A model that answers from the library what it has answered before."""
        keep = self._settings.cache_mb * 1_000_000
        return CachedModel(model, completions, project, keep) if keep else model

    def query_writer(self, model: LanguageModel) -> QueryWriter:
        return ModelQueryWriter(model, self._prompt)

    def summariser(self, model: LanguageModel) -> Summariser:
        return ModelSummariser(model, self._prompt("summarise"))

    def entity_finder(self, model: LanguageModel) -> EntityFinder:
        return ModelEntityFinder(model, self._prompt("entities"))

    def judges(self, style: str, prompt: str, deadline: float) -> tuple[tuple[Reranker, int], ...]:
        """The language models that have the role of reranking, the smallest first, each with how many calls it takes
        at once; without a name the prompt is that of the style. A call may take `deadline` seconds."""
        settings = self._settings
        if not settings.reranks_by_model:
            return ()
        kind, usual = _JUDGES[style]
        make = partial(kind, prompt=self._prompt(prompt or usual), deadline=deadline)
        names = smallest_first(settings.all_named_for("rerank"), settings)

        def made(name: str) -> Reranker:
            try:
                return make(self._named(name))
            except ConfigurationError as error:
                if len(names) == 1:
                    raise
                return AbsentJudge(name, error)

        return tuple((made(name), settings.models[name].concurrency) for name in names)

    def _prompt(self, name: str) -> PromptFile:
        return prompt_named(name, folders=self._folders)


def service_reranker(name: str, settings: LanguageModels) -> Reranker:
    return rerank_service(name, settings, _key)


def _key(variable: str) -> str | None:
    return api_key(variable, "")
