"""What an operation is: a function of an engine and a request, with all that an interface needs to offer it.

A row of the table names its function, request, answer and lines, and imports none of them: `octavo --help`, a list of
tools and the reference are made from the rows, and what a row names is imported when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from octavo.dataclass import dataclass
from octavo.observability.progress import NoProgress, Progress
from octavo.operations.lines import Block
from octavo.operations.model_text import written

if TYPE_CHECKING:
    from octavo.engine.engine import Engine

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
class Listing:
    """Where an answer has its rows, for CSV, JSON lines and tables.

    `rows` is the field of the answer that holds them, or the only one; without it, the answer itself is that row.
    `columns` are the fields of a row that are shown, `path` the one that names a file. With `matches`, an answer
    without rows, or else without exact text, is "no match" to a command line; `succeeds` is what is false of an answer
    if part of the work failed. An answer that only `confirms` is left out with `--quiet`. `exact` is the field whose
    very characters go into a pipe.
    """

    rows: str = ""
    columns: tuple[str, ...] = ()
    path: str = ""
    matches: bool = False
    succeeds: str = ""
    confirms: bool = False
    exact: str = ""


@dataclass(frozen=True)
class Operation:
    """One row of the table.

    In the package `at`, `function` is `module:name` of what takes an engine and a request, and with `watched` a
    progress too; `request` is a class in `requests`, `answer` one in `answers`, and `lines` a function in `lines` that
    renders an answer whole. What another subject has is named in full: `package.module:name`.

    `summary` is a line; `description` says to a model when to use it; `help` is what the command line adds. `command`
    is how the command line calls it, `shortcuts` are other words it takes there; `aliases` are names that the operation
    also answers to. What `enqueues` jobs has them done at the end of a command. `unlisted` arguments are taken but left
    out of a tool's listing. Not `remote` is what neither MCP nor HTTP offers; `served_as` is the operation they offer
    instead. `example`, `examples` (command lines) and `errors` are held true by tests, over the vault in `examples/`;
    what a test cannot do has no example.
    """

    name: str
    summary: str
    description: str
    function: Callable[..., Any] | str
    request: type | str
    answer: type | str
    example: Mapping[str, Any] | None
    errors: tuple[ErrorCase, ...]
    text: Callable[[Any], str] | None = None
    lines: str = ""
    at: str = ""
    annotations: Annotations = Annotations()
    tool_sets: frozenset[str] = frozenset()
    unlisted: tuple[str, ...] = ()
    watched: bool = False
    command: str = ""
    shortcuts: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    help: str = ""
    listing: Listing = Listing()
    creates: bool = False
    enqueues: bool = False
    remote: bool = True
    served_as: str = ""

    @cached_property
    def takes(self) -> type:
        """The class of its requests."""
        found: type = self._named("requests", self.request) if isinstance(self.request, str) else self.request
        return found

    @cached_property
    def gives(self) -> type:
        """The class of its answers."""
        found: type = self._named("answers", self.answer) if isinstance(self.answer, str) else self.answer
        return found

    @property
    def writes_files(self) -> bool:
        """Whether it changes what only its owner may: over HTTP it needs a token."""
        return self.annotations.destructive

    def run(self, engine: Engine, request: Any, progress: Progress | None = None) -> Any:
        """An error that nobody raises on purpose is the library's, where that is damaged: rows may then be anything."""
        try:
            if self.watched:
                return self.called(engine, request, progress or NoProgress())
            return self.called(engine, request)
        except (ValueError, LookupError, TypeError, ArithmeticError) as error:
            if found := engine.damage_behind():
                raise found from error
            raise

    def rendered(self, answer: Any) -> Iterable[Block]:
        """The answer as lines, for any writer."""
        found: Iterable[Block] = self._named("lines", self.lines)(answer)
        return found

    def written(self, answer: Any) -> str:
        """The answer as a model reads it."""
        if self.text is not None:
            return self.text(answer)
        return written(self.rendered(answer))

    @cached_property
    def called(self) -> Callable[..., Any]:
        """The function that does it."""
        if not isinstance(self.function, str):
            return self.function
        module, _, name = self.function.partition(":")
        found: Callable[..., Any] = self._named(module, name)
        return found

    def _named(self, module: str, name: str) -> Any:
        """What a row names: in a module of its package, or wherever `package.module:name` says."""
        if ":" in name:
            place, _, name = name.partition(":")
        else:
            place = f"{self.at}.{module}"
        return getattr(import_module(place), name)


IN_DEFAULT = frozenset({DEFAULT})
IN_MEMORY = frozenset({MEMORY})
IN_BOTH = IN_DEFAULT | IN_MEMORY
IN_CODE = frozenset({CODE})
WRITES = Annotations(read_only=False)
