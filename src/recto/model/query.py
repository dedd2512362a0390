"""A question, with what narrows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, cast

from recto.model.document import Kind

_S = TypeVar("_S", bound=str)

ANY_LANGUAGE = "*"
"""Among a filter's languages: whatever is written in one, be it a file or a block of code in a note."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Everything here must hold of a hit. Empty means no restriction."""

    collections: tuple[str, ...] = ()
    path_prefix: str | None = None
    uris: tuple[str, ...] = ()
    not_uris: tuple[str, ...] = ()
    heading_contains: str | None = None
    title_contains: str | None = None
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    languages: tuple[str, ...] = ()
    modified_after: float | None = None
    modified_before: float | None = None
    without: tuple[Filters, ...] = ()
    """Nothing that one of these lets through. Stores do not look at it: a search takes it from what they admit."""

    @property
    def empty(self) -> bool:
        return self == _NO_FILTERS

    def narrowed_by(self, other: Filters) -> Filters:
        """Both must hold. Where they contradict each other, nothing can match."""
        return Filters(
            collections=_shared(self.collections, other.collections),
            path_prefix=_longer(self.path_prefix, other.path_prefix),
            uris=_shared(self.uris, other.uris),
            not_uris=tuple(dict.fromkeys((*self.not_uris, *other.not_uris))),
            heading_contains=self.heading_contains or other.heading_contains,
            title_contains=self.title_contains or other.title_contains,
            tags_all=tuple(dict.fromkeys((*self.tags_all, *other.tags_all))),
            tags_any=self.tags_any or other.tags_any,
            kinds=_shared(self.kinds, other.kinds),
            languages=_shared(self.languages, other.languages),
            modified_after=_latest(self.modified_after, other.modified_after),
            modified_before=_earliest(self.modified_before, other.modified_before),
            without=tuple(dict.fromkeys((*self.without, *other.without))),
        )


_NO_FILTERS = Filters()
_NOTHING = "\0"  # no uri, collection or kind holds a NUL


def _shared(mine: tuple[_S, ...], theirs: tuple[_S, ...]) -> tuple[_S, ...]:
    if not mine or not theirs:
        return mine or theirs
    return tuple(one for one in mine if one in theirs) or cast("tuple[_S, ...]", (_NOTHING,))


def _longer(mine: str | None, theirs: str | None) -> str | None:
    if mine is None or theirs is None:
        return mine if theirs is None else theirs
    short, long = sorted((mine, theirs), key=len)
    return long if long.startswith(short) else _NOTHING


def _latest(mine: float | None, theirs: float | None) -> float | None:
    return max((value for value in (mine, theirs) if value is not None), default=None)


def _earliest(mine: float | None, theirs: float | None) -> float | None:
    return min((value for value in (mine, theirs) if value is not None), default=None)


@dataclass(frozen=True, slots=True)
class Terms:
    """A query as the analyzer understands it. Tokens are analysed; `text` is what goes to the embedder.

    `phrases` must be there; `preferred` phrases only count for more than their words do.
    """

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    preferred: tuple[tuple[str, ...], ...] = ()
    prefixes: tuple[str, ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.words or self.phrases or self.preferred or self.prefixes)


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is as typed; `terms` and `filters` hold what its syntax said, once parsed.

    A query that comes with its terms is taken as it is. `hypothesis` is what a good passage might say: its meaning is
    looked for instead of the question's.
    """

    text: str
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    terms: Terms = field(default_factory=lambda: Terms(""))
    max_excerpt_chars: int | None = None
    variants: tuple[str, ...] = ()
    hypothesis: str | None = None
    budget: int | None = None
    """Tokens that all excerpts together may take, where the profile has a stage that looks at it."""
    cursor: str | None = None
    """Where an earlier answer to the same question ended."""
