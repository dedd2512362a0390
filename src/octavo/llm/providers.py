"""Every provider a configured model can name, and how each is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from octavo.dataclass import dataclass
from octavo.errors import ConfigurationError
from octavo.llm import Keys, anthropic, ollama, openai
from octavo.llm.chat import ChatModel, ChatWire
from octavo.llm.llama_cpp import GgufServer
from octavo.llm.rerank_services import RERANK_SERVICES, RerankService
from octavo.model.library_location import expand_user
from octavo.model.model_settings import LanguageModels, ModelSettings
from octavo.ports import LanguageModel, Reranker
from octavo.services.json_client import Endpoint, address_problem


@dataclass(frozen=True, slots=True)
class ChatService:
    """Where a service is and where its key is looked for, unless a model's table says otherwise."""

    url: str
    wire: Callable[[ModelSettings], ChatWire]
    key_variable: str = ""
    headers: Callable[[str | None], Mapping[str, str] | None] = lambda key: None
    """How it wants the key, if not as `Authorization: Bearer`."""


SERVICES: Mapping[str, ChatService] = {
    "ollama": ChatService(ollama.URL, lambda settings: ollama.OllamaChatWire(settings.model, settings.window)),
    "openai": ChatService(openai.URL, lambda settings: openai.OpenAIChatWire(settings.model), "OPENAI_API_KEY"),
    "anthropic": ChatService(
        anthropic.URL,
        lambda settings: anthropic.AnthropicWire(settings.model),
        "ANTHROPIC_API_KEY",
        anthropic.headers,
    ),
}


def model_named(name: str, configuration: LanguageModels, keys: Keys) -> LanguageModel:
    settings = settings_named(name, configuration)
    if settings.provider == "gguf":
        return _in_process(name, settings)
    if settings.provider in RERANK_SERVICES:
        raise ConfigurationError(
            f"the model {name} is a rerank service ({settings.provider}), which writes no text",
            hint=f"give it the role rerank alone; language models are of: {', '.join((*SERVICES, 'gguf'))}",
        )
    service = SERVICES[settings.provider]
    url, key = _reached(name, settings, service.url, service.key_variable, keys)
    endpoint = Endpoint(f"the model {name}", url, key, headers=service.headers(key))
    return ChatModel(name, settings, service.wire(settings), endpoint)


def rerank_service(name: str, configuration: LanguageModels, keys: Keys) -> Reranker:
    settings = settings_named(name, configuration)
    known = RERANK_SERVICES[settings.provider]
    url, key = _reached(name, settings, known.url, known.key_variable, keys)
    return RerankService(name, settings, Endpoint(f"the rerank service {name}", url, key))


def settings_named(name: str, configuration: LanguageModels) -> ModelSettings:
    if name not in configuration.models:
        known = ", ".join(configuration.models) or "none"
        raise ConfigurationError(
            f"there is no model {name}", hint=f"describe it in a table [llm.models.{name}]; there are: {known}"
        )
    return configuration.models[name]


def _in_process(name: str, settings: ModelSettings) -> LanguageModel:
    if settings.path is None:
        raise ConfigurationError(
            f"the model {name} runs in this process, but no file is named", hint=f"set llm.models.{name}.path"
        )
    path = expand_user(settings.path)
    server = GgufServer(name, path, settings.window, settings.concurrency, settings.threads)
    return ChatModel(name, settings, openai.OpenAIChatWire(settings.model), server)


def _reached(name: str, settings: ModelSettings, url: str, variable: str, keys: Keys) -> tuple[str, str | None]:
    """The address and the key. A key meant for one service is not sent to another address."""
    given = settings.url or url
    if problem := address_problem(given):
        raise ConfigurationError(f"llm.models.{name}.url {problem}")
    if not settings.model and given == url:
        raise ConfigurationError(
            f"the model {name} does not say which model it is", hint=f"set llm.models.{name}.model"
        )
    variable_name = settings.key_variable or (variable if given == url else "")
    key = keys(variable_name) if variable_name else None
    if variable_name and key is None:
        raise ConfigurationError(
            f"the model {name} wants its key in the environment variable {variable_name}, which is not set",
            hint=f"set {variable_name} where Octavo runs, or name another variable in llm.models.{name}.key_variable",
        )
    return given, key
