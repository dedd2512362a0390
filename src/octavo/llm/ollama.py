"""Ollama's `/api/chat`."""

from __future__ import annotations

import json
from typing import Any

from octavo.dataclass import dataclass
from octavo.errors import ProviderFailed
from octavo.model.language_model import Completion, CompletionRequest, Usage

URL = "http://127.0.0.1:11434"


@dataclass(frozen=True, slots=True)
class OllamaChatWire:
    """Fits `chat.Wire`. The window is sent along, because Ollama cuts prompts to a short one unless told."""

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
        return Completion(_content(answer), usage, answer.get("done_reason") == "length")

    def piece(self, line: str) -> str | None:
        """A line of JSON for each piece; the last of them is done and has no text."""
        if not line.strip():
            return ""
        chunk = json.loads(line)
        if "error" in chunk:
            raise ProviderFailed(f"{self.model} (ollama) failed: {str(chunk['error'])[:300]}")
        return None if chunk.get("done") else _content(chunk)


def _content(answer: Any) -> str:
    text = answer["message"]["content"]
    if not isinstance(text, str):
        raise TypeError("the content is no text")
    return text
