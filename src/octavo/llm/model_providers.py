"""Every provider a configured model can name, how each is reached, and which models are smaller than others."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from octavo.errors import ConfigurationError, ProviderFailed
from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex
from octavo.llm.chat_model import ChatModel, ChatWire
from octavo.llm.llama_cpp import GgufServer
from octavo.llm.rerankers import RERANK_SERVICES, RerankService
from octavo.model.language_model_calls import Completion, CompletionRequest, Usage
from octavo.model.language_model_settings import LanguageModels, ModelSettings
from octavo.path_resolution_and_private_folders import expand_user
from octavo.ports import LanguageModel, Reranker
from octavo.services.json_client import Endpoint, address_problem

_SAID = regex(r"(?<![a-z\d.])(?:(\d+)x)?(\d+(?:\.\d+)?)([mb])(?![a-z\d])")  # 4b, 135m, 1.7b, 8x7b
_MILLIONS = {"m": 1.0, "b": 1_000.0}
_BYTES_PER_PARAMETER = 0.6  # of a file quantised to four bits, as most are
_UNKNOWN = float("inf")


def smallest_first(names: Sequence[str], configuration: LanguageModels) -> tuple[str, ...]:
    """Models by their size; those of which it is not known come last, in the order they were given."""
    return tuple(sorted(names, key=lambda name: millions_of_parameters(configuration.models[name])))


def millions_of_parameters(settings: ModelSettings) -> float:
    """What the settings say, else the model's name (`qwen3-4b`, `llama3.2:1b`), else what its file suggests."""
    path = settings.path
    for text in (settings.size, settings.model, path.name if path else ""):
        if match := _SAID.search(text.lower()):
            return float(match[1] or 1) * float(match[2]) * _MILLIONS[match[3]]
    try:
        return _UNKNOWN if path is None else expand_user(path).stat().st_size / _BYTES_PER_PARAMETER / 1e6
    except OSError:
        return _UNKNOWN


Keys = Callable[[str], str | None]
"""The name of an environment variable → the key in it."""
_ANSWER = "answer"


class ChatService(Value):
    """Where a service is and where its key is looked for, unless a model's table says otherwise."""

    url: str
    wire: Callable[[ModelSettings], ChatWire]
    key_variable: str = ""
    headers: Callable[[str | None], Mapping[str, str] | None] = lambda key: None
    """How it wants the key, if not as `Authorization: Bearer`."""


SERVICES: Mapping[str, ChatService] = {
    "ollama": ChatService("http://127.0.0.1:11434", lambda settings: OllamaChatWire(settings.model, settings.window)),
    "openai": ChatService(
        "https://api.openai.com/v1", lambda settings: OpenAIChatWire(settings.model), "OPENAI_API_KEY"
    ),
    "anthropic": ChatService(
        "https://api.anthropic.com/v1",
        lambda settings: AnthropicWire(settings.model),
        "ANTHROPIC_API_KEY",
        lambda key: {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {}),
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
    return ChatModel(name, settings, OpenAIChatWire(settings.model), server)


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


class OpenAIChatWire(Value):
    """The `/chat/completions` that OpenAI began and llama.cpp, LM Studio, vLLM and many others speak. The url ends
    where that begins, usually in `/v1`."""

    model: str

    def body(self, request: CompletionRequest) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.text} for message in request.prompt.messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": request.stream,
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if request.schema is not None:
            # Not strict: OpenAI takes few schemas as strict ones, others ignore it, and every reply is checked here.
            form = {"name": "answer", "schema": request.schema, "strict": False}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return "/chat/completions", body

    def read(self, answer: Any) -> Completion:
        choice, usage = answer["choices"][0], answer.get("usage") or {}
        text = _text(choice["message"].get("content") or "")
        counted = Usage(int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
        return Completion(text, counted, choice.get("finish_reason") == "length")

    def piece(self, line: str) -> str | None:
        """Of server-sent events only the data matters; `[DONE]` ends them."""
        name, _, data = line.partition(":")
        if name != "data":
            return ""
        if data.strip() == "[DONE]":
            return None
        chunk = json.loads(data)
        if chunk.get("error"):  # a server that fails after it has begun to answer has no other way to say so
            error = chunk["error"]
            reason = error.get("message") if isinstance(error, dict) else error
            raise ProviderFailed(f"{self.model} (openai) failed: {str(reason)[:300]}")
        choices = chunk.get("choices") or [{}]
        return _text((choices[0].get("delta") or {}).get("content") or "")


class OllamaChatWire(Value):
    """Ollama's `/api/chat`. The window is sent along, because Ollama cuts prompts to a short one unless told."""

    model: str
    window: int

    def body(self, request: CompletionRequest) -> tuple[str, dict[str, Any]]:
        options: dict[str, Any] = {
            "num_predict": request.max_tokens,
            "temperature": request.temperature,
            "num_ctx": self.window,
        }
        if request.stop:
            options["stop"] = list(request.stop)
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": message.text} for message in request.prompt.messages],
            "stream": request.stream,
            "options": options,
        }
        return "/api/chat", body | ({} if request.schema is None else {"format": request.schema})

    def read(self, answer: Any) -> Completion:
        usage = Usage(int(answer.get("prompt_eval_count") or 0), int(answer.get("eval_count") or 0))
        return Completion(_text(answer["message"]["content"]), usage, answer.get("done_reason") == "length")

    def piece(self, line: str) -> str | None:
        """A line of JSON for each piece; the last of them is done and has no text."""
        if not line.strip():
            return ""
        chunk = json.loads(line)
        if "error" in chunk:
            raise ProviderFailed(f"{self.model} (ollama) failed: {str(chunk['error'])[:300]}")
        return None if chunk.get("done") else _text(chunk["message"]["content"])


class AnthropicWire(Value):
    """Anthropic's `/messages`. Output by schema is the input of a tool that the model has to use."""

    model: str

    def body(self, request: CompletionRequest) -> tuple[str, dict[str, Any]]:
        messages = request.prompt.messages
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": each.role, "content": each.text} for each in messages if each.role != "system"],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stream": request.stream,
        }
        system = "\n\n".join(message.text for message in messages if message.role == "system")
        if system:
            body["system"] = system
        if request.stop:
            body["stop_sequences"] = list(request.stop)
        if request.schema is not None:
            body["tools"] = [{"name": _ANSWER, "description": "The answer.", "input_schema": request.schema}]
            body["tool_choice"] = {"type": "tool", "name": _ANSWER}
        return "/messages", body

    def read(self, answer: Any) -> Completion:
        parts = [_written(part) for part in answer["content"]]
        usage = answer.get("usage") or {}
        counted = Usage(int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0))
        return Completion("".join(parts), counted, answer.get("stop_reason") == "max_tokens")

    def piece(self, line: str) -> str | None:
        name, _, data = line.partition(":")
        if name != "data":
            return ""
        event = json.loads(data)
        match event["type"]:
            case "message_stop":
                return None
            case "content_block_delta":
                return str(event["delta"].get("text") or "")
            case "error":
                raise ProviderFailed(f"{self.model} (anthropic) failed: {str(event['error'].get('message'))[:300]}")
        return ""


def _written(part: Mapping[str, Any]) -> str:
    match part["type"]:
        case "text":
            return str(part["text"])
        case "tool_use":
            return json.dumps(part["input"], ensure_ascii=False)
    return ""


def _text(content: Any) -> str:
    if not isinstance(content, str):
        raise TypeError("the content is no text")
    return content
