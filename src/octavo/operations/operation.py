"""What an operation is: a function of an engine and a request, with all that an interface needs to offer it.

A row of the table imports neither its function nor its request, answer and lines: `octavo --help`, a list of tools and
the reference are made from the rows. All four follow from the row's name, and are imported when they are used.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from octavo.fast_dataclass import Value, dataclass
from octavo.model.access_token import AccessScope
from octavo.observability.progress import NoProgress, Progress
from octavo.operations.answer_table_rendering import Listing, listed
from octavo.operations.styled_answer_lines import Block, written

if TYPE_CHECKING:
    from octavo.engine.engine import Engine

_VERBS = frozenset({"find", "get", "list", "search"})
"""First words of names that are no group of commands."""
DEFAULT, MEMORY, CODE, FULL = "default", "memory", "code", "full"
_SETTING_UP = frozenset({"database", "evaluation", "graph", "jobs", "library", "models", "profiles", "queries"})
_SETTING_UP |= {"snapshots", "summaries", "tokens"}
"""Subjects whose writes change the library's folders, models and indexes, not what people wrote."""
_SUBJECT_OF = {
    "access_tokens": "tokens",
    "canonical_documents": "canonical",
    "embedding_profiles": "profiles",
    "note_editing": "writing",
    "query_log": "queries",
    "search_snapshots": "snapshots",
}
_OF_ROWS = frozenset({DEFAULT, MEMORY, CODE, "history", "graph", "writing"})
DATA = "data"
"""Named among sets of tools: answers are structured data, in place of text."""


class Annotations(Value):
    """What a careful client wants to know before it calls."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True)
class Operation:
    """One row of the table.

    The operation `notes_new` is the function `notes_new` of `module`, which takes an engine and a request, and with
    `watched` a progress too. Its request is the class `NotesNewRequest` of `requests` in the same package, its answer
    what the function is annotated to return. An answer `WriteAnswer` is rendered by `write_lines` of that module, or of
    `results` or `rendering` beside it or the answer; `notes_new_lines` comes before that, and where there is neither,
    the `listing` says how.

    `summary` is a line; `description` says to a model when to use it; `help` is what the command line adds. Its command
    follows from its name too, unless it is `typed` otherwise, or by an empty text not at all. `aliases` are names by
    which other programs' clients call the tool.
    A `lengthy` one may take hours: its progress is written in lines. What `enqueues` jobs has them done at the end of a
    command. `unlisted` arguments are taken but left out of a
    tool's listing. Not `remote` is what neither MCP nor HTTP offers; `served_as` is the operation they offer
    instead. `example` and `examples` (command lines) are held true by tests, over the vault in `examples/`; what a
    test cannot do has None.
    """

    name: str
    summary: str
    description: str
    module: str
    example: Mapping[str, Any] | None = field(default_factory=dict)
    annotations: Annotations = Annotations()
    tool_sets: frozenset[str] = frozenset()
    unlisted: tuple[str, ...] = ()
    watched: bool = False
    lengthy: bool = False
    typed: str | None = None
    aliases: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    help: str = ""
    listing: Listing = Listing()
    creates: bool = False
    enqueues: bool = False
    remote: bool = True
    served_as: str = ""

    @cached_property
    def function(self) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return function

    @cached_property
    def takes(self) -> type:
        """The class of its requests."""
        request_class: type = getattr(
            import_module(f"{self._package}.requests"), f"{self.name.title().replace('_', '')}Request"
        )
        return request_class

    @cached_property
    def gives(self) -> type:
        """The class of its answers."""
        answer_class: type = self.function.__globals__[self.function.__annotations__["return"]]
        return answer_class

    @property
    def command(self) -> str:
        """The words by which the command line calls it: `memory get` below a noun, `find-similar` for a verb."""
        if self.typed is not None:
            return self.typed
        first, below, rest = self.name.partition("_")
        group = f"{first} " if below and first not in _VERBS else f"{first}-" if below else first
        return group + rest.replace("_", "-")

    @property
    def sets(self) -> frozenset[str]:
        """The sets of tools it is in: those of its row, and its subject, which is the first word of its name or its
        package, unless that is a set which rows make up themselves."""
        subjects = {self.name.partition("_")[0], self.subject} - {self.name, *_VERBS, *_OF_ROWS}
        return self.tool_sets | subjects

    @property
    def subject(self) -> str:
        """What clients call its package."""
        package = self._package.rpartition(".")[2]
        return _SUBJECT_OF.get(package, package)

    @property
    def _package(self) -> str:
        return self.module.rpartition(".")[0]

    @property
    def scope(self) -> AccessScope:
        """What a token must allow: what changes how the library is set up needs more than what changes its content."""
        if self.annotations.read_only:
            return AccessScope.READ
        return AccessScope.ADMIN if self.subject in _SETTING_UP else AccessScope.WRITE

    @property
    def writes_files(self) -> bool:
        """Whether it changes what only its owner may: over HTTP it needs a token."""
        return self.annotations.destructive

    def run(self, engine: Engine, request: Any, progress: Progress | None = None) -> Any:
        """In the `project` that the request names, if it names one. An error that nobody raises on purpose is the
        library's, where that is damaged: rows may then be anything."""
        if (project := getattr(request, "project", None)) is not None:
            engine = engine.within(project)
        try:
            if self.watched:
                return self.function(engine, request, progress or NoProgress())
            return self.function(engine, request)
        except (ValueError, LookupError, TypeError, ArithmeticError) as error:
            if damage := engine.damage_behind():
                raise damage from error
            raise

    def rendered(self, answer: Any) -> Iterable[Block]:
        """The answer as lines, for any writer."""
        blocks: Iterable[Block] = self._renderer(answer)
        return blocks

    def written(self, answer: Any) -> str:
        """The answer as a model reads it: by the `search_model_lines` of a `SearchAnswer`, else by its lines."""
        return written((self._named_renderer("model_lines") or self._renderer)(answer))

    @cached_property
    def _renderer(self) -> Callable[[Any], Iterable[Block]]:
        return self._named_renderer("lines") or partial(listed, listing=self.listing)

    def _named_renderer(self, kind: str) -> Callable[[Any], Iterable[Block]] | None:
        answer = re.sub("(?<!^)(?=[A-Z])", "_", self.gives.__name__.removesuffix("Answer")).lower()
        packages = (self._package, self.gives.__module__.rpartition(".")[0])
        places = [sys.modules[self.module], *(place for package in packages for place in _renderers(package))]
        names = (f"{name}_{kind}" for name in (self.name, answer))
        return next((getattr(place, name) for name in names for place in places if hasattr(place, name)), None)


def _renderers(package: str) -> Iterator[ModuleType]:
    """The modules of a package that may have renderers."""
    for name in (f"{package}.results", f"{package}.rendering"):
        if find_spec(name):
            yield import_module(name)


IN_DEFAULT = frozenset({DEFAULT})
IN_MEMORY = frozenset({MEMORY})
IN_BOTH = IN_DEFAULT | IN_MEMORY
IN_CODE = frozenset({CODE})
READS, WRITES = Annotations(), Annotations(read_only=False)
