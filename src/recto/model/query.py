"""A question, with what narrows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from recto.model.document import Kind


@dataclass(frozen=True, slots=True)
class Filters:
    """Everything here must hold of a hit. Empty means no restriction."""

    collections: tuple[str, ...] = ()
    path_prefix: str | None = None
    uris: tuple[str, ...] = ()
    heading_contains: str | None = None
    title_contains: str | None = None
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    modified_after: float | None = None
    modified_before: float | None = None

    @property
    def empty(self) -> bool:
        return self == _NO_FILTERS


_NO_FILTERS = Filters()


@dataclass(frozen=True, slots=True)
class Terms:
    """A query as the analyzer understands it. Tokens are analysed; `text` is what goes to the embedder."""

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    prefixes: tuple[str, ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.words or self.phrases or self.prefixes)


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is as typed; `terms` and `filters` hold what its syntax said, once parsed."""

    text: str
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    terms: Terms = field(default_factory=lambda: Terms(""))
    max_excerpt_chars: int | None = None
    variants: tuple[str, ...] = ()
