"""The `/chat/completions` that OpenAI began and llama.cpp, LM Studio, vLLM and many others speak."""

from __future__ import annotations

import json
from typing import Any

from octavo.dataclass import dataclass
from octavo.errors import ProviderFailed
from octavo.model.language_model import Completion, CompletionRequest, Usage

URL = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class OpenAIChatWire:
    """Fits `chat.Wire`. The url ends where `/chat/completions` begins, usually in `/v1`."""

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
        text = choice["message"].get("content") or ""
        if not isinstance(text, str):
            raise TypeError("the content is no text")
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
        text = (choices[0].get("delta") or {}).get("content") or ""
        if not isinstance(text, str):
            raise TypeError("the content is no text")
        return text
