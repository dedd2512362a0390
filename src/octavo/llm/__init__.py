"""Language models by the roles that a configuration gives them. Each provider is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from octavo.model.language_model_settings import LanguageModels, Role

if TYPE_CHECKING:
    from octavo.ports import LanguageModel

Keys = Callable[[str], str | None]
"""The name of an environment variable → the key in it."""


def model_for(
    role: Role, configuration: LanguageModels, keys: Keys = lambda variable: None, name: str | None = None
) -> LanguageModel | None:
    """The model that has a role, or the one named; None where no model has the role."""
    chosen = name or configuration.named_for(role)
    if chosen is None:
        return None
    model: LanguageModel = import_module("octavo.llm.model_providers").model_named(chosen, configuration, keys)
    return model
