"""Anthropic's `/messages`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from octavo.dataclass import dataclass
from octavo.errors import ProviderFailed
from octavo.model.language_model import Completion, CompletionRequest, Usage

URL = "https://api.anthropic.com/v1"
_ANSWER = "answer"


def headers(key: str | None) -> Mapping[str, str]:
    return {"anthropic-version": "2023-06-01"} | ({"x-api-key": key} if key else {})


@dataclass(frozen=True, slots=True)
class AnthropicWire:
    """Fits `chat.Wire`. Output by schema is the input of a tool that the model has to use."""

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
        parts = [_text(part) for part in answer["content"]]
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


def _text(part: Mapping[str, Any]) -> str:
    match part["type"]:
        case "text":
            return str(part["text"])
        case "tool_use":
            return json.dumps(part["input"], ensure_ascii=False)
    return ""
