"""Ports around language models: completion, query writing, summaries, names in a text, and earlier completions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from octavo.model.entity import EntityKind
    from octavo.model.ids import ProjectId
    from octavo.model.language_model_calls import Completion, CompletionRequest, Hypotheses, Subqueries
    from octavo.model.language_model_settings import Prices


class LanguageModel(Protocol):
    """Messages → text. A call ends at its deadline (seconds from now), or when nobody waits for it any more.

    Whatever goes wrong with the model is `ProviderFailed`. Safe from several threads.
    """

    @property
    def name(self) -> str:
        """The model with its provider: what answers are stored under."""

    @property
    def window(self) -> int:
        """How many tokens it reads and writes at most."""

    @property
    def prices(self) -> Prices: ...

    def complete(self, request: CompletionRequest) -> Completion: ...

    def stream(self, request: CompletionRequest) -> Iterator[str]:
        """The text in pieces as they are written. Closing the iterator ends the call."""

    def structured(self, request: CompletionRequest) -> Completion:
        """A completion whose `value` is JSON that the request's schema allows; `ProviderFailed` where the model
        cannot."""

    def count_tokens(self, text: str) -> int:
        """As the model counts, or nearly: services that do not say are estimated, rather too high than too low."""


@runtime_checkable
class RemembersCompletions(Protocol):
    """A language model that is not asked twice for the same: how many of its calls were known already."""

    @property
    def known(self) -> int: ...


class QueryWriter(Protocol):
    """Question → what else to look for. `prompt` names the instructions that the model gets, `deadline` is seconds."""

    def hypotheses(
        self, question: str, *, count: int, temperature: float, deadline: float, prompt: str
    ) -> Hypotheses: ...

    def subqueries(self, question: str, *, deadline: float, prompt: str) -> Subqueries: ...


class Summariser(Protocol):
    """Text → what it says, in a few sentences."""

    @property
    def maker(self) -> str:
        """The model and the version of its instructions: what a summary is stored under."""

    @property
    def prices(self) -> Prices: ...

    def tokens(self, title: str, text: str) -> int:
        """About how many tokens a call reads and writes."""

    def summary(self, title: str, text: str) -> Completion: ...


class EntityFinder(Protocol):
    """Text → the names in it."""

    @property
    def maker(self) -> str:
        """The model and the version of its instructions: what was found is stored under."""

    @property
    def prices(self) -> Prices: ...

    def tokens(self, title: str, text: str) -> int:
        """About how many tokens a call reads and writes."""

    def names(self, title: str, text: str) -> tuple[tuple[tuple[EntityKind, str], ...], Completion]:
        """Names with their kinds, as the model wrote them, and what it took."""


class Completions(Protocol):
    """What language models have answered before, by the prompt's name and version and a digest of what was asked."""

    def known(self, project: ProjectId, model: str, prompt: str, digest: str) -> Completion | None: ...

    def put(
        self, project: ProjectId, model: str, prompt: str, digest: str, completion: Completion, keep_bytes: int
    ) -> None:
        """Stores an answer; the oldest go where all together take more than `keep_bytes`."""

    def count(self, project: ProjectId) -> int: ...

    def prune(self, project: ProjectId, keep_bytes: int) -> int:
        """Forgets the oldest beyond so many bytes; how many there were. Inside a transaction."""
