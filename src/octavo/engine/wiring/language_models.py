"""The configured language models, each made once for all its roles: they share a limit on calls and what is known
of a service that does not answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from octavo.config.api_keys import api_key
from octavo.model.language_model import LanguageModels, Role

if TYPE_CHECKING:
    from octavo.ports import LanguageModel

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
                made[chosen] = make(role, configured, lambda variable: api_key(variable, ""), chosen)
            return made[chosen]

    return model_for
