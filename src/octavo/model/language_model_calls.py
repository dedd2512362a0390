"""What is asked of a language model, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from octavo.fast_dataclass import Value


class Message(Value):
    """One turn of a conversation: `system` says how to answer, `user` asks, `assistant` has answered."""

    role: Literal["system", "user", "assistant"]
    text: str


class Prompt(Value):
    """Messages, and which prompt file in which version made them: what an answer is stored under."""

    messages: tuple[Message, ...]
    name: str = ""
    version: str = ""

    @classmethod
    def of(cls, text: str, system: str = "") -> Prompt:
        """One question, with instructions where there are any."""
        instructions = (Message("system", system),) if system else ()
        return cls((*instructions, Message("user", text)))

    @property
    def text(self) -> str:
        """Everything the model is to read, for counting tokens and for showing."""
        return "\n\n".join(message.text for message in self.messages)


class CompletionRequest(Value):
    """One call of a language model, in nobody's wire format yet. The deadline is in seconds from now.

    With a `schema` the answer is to be JSON that it allows.
    """

    prompt: Prompt
    max_tokens: int = 512
    temperature: float = 0.0
    stop: tuple[str, ...] = ()
    deadline: float | None = None
    schema: Mapping[str, Any] | None = None
    stream: bool = False


class Usage(Value):
    """What a call took. `cost` is in whatever currency the model's prices are; `cached` where nobody was asked."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    cached: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
            self.cost + other.cost,
            self.cached and other.cached,
        )


class Completion(Value):
    """What a model wrote. `truncated` where it had more to say; `value` is what structured output stands for."""

    text: str
    usage: Usage = Usage()
    truncated: bool = False
    value: Any = None


class Hypotheses(Value):
    """Passages that might answer a question, as a model wrote them; `cached` of the calls were known already."""

    texts: tuple[str, ...]
    model: str
    usage: Usage = Usage()
    cached: int = 0


class Subqueries(Value):
    """What else to look for: by word (`lex`), by meaning (`vec`), and what a passage might say (`hyde`)."""

    lex: tuple[str, ...]
    vec: tuple[str, ...]
    hyde: tuple[str, ...]
    model: str
    usage: Usage = Usage()
