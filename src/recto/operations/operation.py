"""What an operation is: a function of an engine and a request, with all that an interface needs to offer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recto.engine.engine import Engine
from recto.observability.progress import NoProgress, Progress

DEFAULT, MEMORY, CODE, FULL = "default", "memory", "code", "full"


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a careful client wants to know before it calls."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class ErrorCase:
    """A request that goes wrong on purpose, and the code it gets."""

    arguments: Mapping[str, Any]
    code: str


@dataclass(frozen=True, slots=True)
class Operation:
    """`function` takes an engine and a request, and with `watched` a progress too; `text` renders its answer whole.

    `summary` is a line; `description` says when to use it. `unlisted` arguments are taken but left out of a tool's
    listing. `example` and `errors` are held true by tests, over the vault in `examples/`.
    """

    name: str
    summary: str
    description: str
    function: Callable[..., Any]
    request: type
    answer: type
    text: Callable[[Any], str]
    example: Mapping[str, Any]
    errors: tuple[ErrorCase, ...]
    annotations: Annotations = Annotations()
    tool_sets: frozenset[str] = frozenset()
    unlisted: tuple[str, ...] = ()
    watched: bool = False

    def run(self, engine: Engine, request: Any, progress: Progress | None = None) -> Any:
        if self.watched:
            return self.function(engine, request, progress or NoProgress())
        return self.function(engine, request)


IN_DEFAULT = frozenset({DEFAULT})
IN_MEMORY = frozenset({MEMORY})
IN_BOTH = IN_DEFAULT | IN_MEMORY
IN_CODE = frozenset({CODE})
WRITES = Annotations(read_only=False)
