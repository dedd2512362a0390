"""Every provider a configured model can name, and how each is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from octavo.errors import ConfigurationError
from octavo.llm import Keys, openai
from octavo.llm.remote import RemoteModel, Wire
from octavo.model.language_model import LanguageModels, ModelSettings
from octavo.ports import LanguageModel
from octavo.services.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class Service:
    """Where a service is and where its key is looked for, unless a model's table says otherwise."""

    url: str
    wire: Callable[[str], Wire]
    key_variable: str = ""
    headers: Callable[[str | None], Mapping[str, str] | None] = lambda key: None
    """How it wants the key, if not as `Authorization: Bearer`."""


SERVICES: Mapping[str, Service] = {
    "openai": Service(openai.URL, openai.OpenAIWire, "OPENAI_API_KEY"),
}


def model_named(name: str, configuration: LanguageModels, keys: Keys) -> LanguageModel:
    settings = settings_named(name, configuration)
    service = SERVICES.get(settings.provider)
    if service is None:
        raise ConfigurationError(
            f"the model {name} is a rerank service ({settings.provider}), which writes no text",
            hint=f"give it the role rerank alone; language models are of: {', '.join(SERVICES)}",
        )
    url, key = reached(name, settings, service.url, service.key_variable, keys)
    if not settings.model and url == service.url:
        raise ConfigurationError(
            f"the model {name} does not say which model it is", hint=f"set llm.models.{name}.model"
        )
    endpoint = Endpoint(f"the model {name}", url, key, headers=service.headers(key))
    return RemoteModel(name, replace(settings, url=url), service.wire(settings.model), endpoint)


def settings_named(name: str, configuration: LanguageModels) -> ModelSettings:
    if name not in configuration.models:
        known = ", ".join(configuration.models) or "none"
        raise ConfigurationError(
            f"there is no model {name}", hint=f"describe it in a table [llm.models.{name}]; there are: {known}"
        )
    return configuration.models[name]


def reached(name: str, settings: ModelSettings, url: str, variable: str, keys: Keys) -> tuple[str, str | None]:
    """The address and the key. A key meant for one service is not sent to another address."""
    given = settings.url or url
    if not given.startswith(("http://", "https://")):
        raise ConfigurationError(f"llm.models.{name}.url is {given}, which is not an http address")
    wanted = settings.key_variable or (variable if given == url else "")
    key = keys(wanted) if wanted else None
    if wanted and key is None:
        raise ConfigurationError(
            f"the model {name} wants its key in the environment variable {wanted}, which is not set",
            hint=f"set {wanted} where Octavo runs, or name another variable in llm.models.{name}.key_variable",
        )
    return given, key
