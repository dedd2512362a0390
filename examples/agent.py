"""An agent that answers from a library: a loop with tools, against any OpenAI-compatible endpoint.

    python examples/agent.py notes.db "What did we decide?" --base-url http://localhost:11434/v1 --model qwen3

The endpoint is asked for chat completions with tools, as vLLM, llama.cpp, Ollama, LM Studio and most services offer
them. Without arguments the base URL, the model and the key are read from OPENAI_BASE_URL, OPENAI_MODEL and
OPENAI_API_KEY. Everything here but Octavo is Python's standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.error
import urllib.request
from typing import Any

import octavo

SYSTEM = (
    "Answer from the library alone. Search it first, read on where a passage is cut, and cite every statement as "
    "uri:line. Say so when the library does not hold the answer."
)
MOST_ROUNDS = 10


class Endpoint:
    """Chat completions of one model."""

    def __init__(self, base_url: str, model: str, key: str) -> None:
        self.url = f"{base_url.rstrip('/')}/chat/completions"
        self.model = model
        self.key = key

    def complete(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> dict[str, Any]:
        """The model's next message."""
        body = {"model": self.model, "messages": messages, "tools": tools}
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        request = urllib.request.Request(self.url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=300) as response:
                message: dict[str, Any] = json.load(response)["choices"][0]["message"]
                return message
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{self.url} answered {error.code}: {error.read().decode(errors='replace')}") from None
        except urllib.error.URLError as error:
            raise SystemExit(f"{self.url} cannot be reached: {error.reason}") from None


def answer(question: str, tools: octavo.Tools, endpoint: Endpoint) -> str:
    """Lets the model call tools until it answers."""
    functions = [{"type": "function", "function": tool} for tool in tools.definitions("parameters")]
    messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    for _ in range(MOST_ROUNDS):
        message = endpoint.complete(messages, functions)
        messages.append(message)
        calls = message.get("tool_calls") or []
        if not calls:
            return str(message.get("content") or "")
        for call in calls:
            function = call["function"]
            print(f"→ {function['name']} {function['arguments']}", file=sys.stderr)
            result = tools.call(function["name"], function["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result.text})
    return f"No answer after {MOST_ROUNDS} rounds."


def main() -> None:
    environ = os.environ.get
    parser = argparse.ArgumentParser(description="Ask a model that searches a library.")
    parser.add_argument("library", help="the library's file")
    parser.add_argument("question")
    parser.add_argument("--base-url", default=environ("OPENAI_BASE_URL", "http://localhost:11434/v1"))
    parser.add_argument("--model", default=environ("OPENAI_MODEL"), required=environ("OPENAI_MODEL") is None)
    parser.add_argument("--key", default=environ("OPENAI_API_KEY", ""))
    parser.add_argument("--tools", default="search,get,recall", help="a set of tools, or tools by name")
    given = parser.parse_args()
    try:
        with octavo.open(given.library) as library:
            print(answer(given.question, library.tools(given.tools), Endpoint(given.base_url, given.model, given.key)))
    except octavo.OctavoError as error:
        raise SystemExit(f"{error.message}\n{error.hint or ''}".rstrip()) from None


if __name__ == "__main__":
    main()
