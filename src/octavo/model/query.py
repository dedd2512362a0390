"""A query: its text, the terms and conditions that its syntax means, and its filters."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Literal, TypeVar, cast

from octavo.fast_dataclass import Value
from octavo.model.document import Kind


class Matching(StrEnum):
    LEXICAL = "lexical"
    DENSE = "dense"
    SYMBOL = "symbol"
    PLACE = "place"
    GRAPH = "graph"


_S = TypeVar("_S", bound=str)

ANY_LANGUAGE = "*"
"""As a language filter: anything with a language, be it a source file or a code block in a note."""


Comparison = Literal["=", "!=", ">", ">=", "<", "<=", "has", "lacks"]


class PropertyCondition(Value):
    """What has to hold of a property of a document: a field of its front matter, its title, tags or aliases."""

    name: str
    comparison: Comparison
    value: str


class Filters(Value):
    """All conditions must hold of a hit. Empty means no restriction."""

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
    content_types: tuple[str, ...] = ()
    where: tuple[PropertyCondition, ...] = ()
    modified_after: float | None = None
    modified_before: float | None = None
    as_of: float | None = None
    """Only documents whose current version was there already at this time."""
    without: tuple[Filters, ...] = ()
    """Excludes what any of these admits. Stores ignore it: a search subtracts it from what they admit."""

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
            content_types=_shared(self.content_types, other.content_types),
            where=tuple(dict.fromkeys((*self.where, *other.where))),
            modified_after=_latest(self.modified_after, other.modified_after),
            modified_before=_earliest(self.modified_before, other.modified_before),
            as_of=_earliest(self.as_of, other.as_of),
            without=tuple(dict.fromkeys((*self.without, *other.without))),
        )


_NO_FILTERS = Filters()
NOTHING = "\0"  # no uri, collection or kind contains a NUL


def _shared(mine: tuple[_S, ...], theirs: tuple[_S, ...]) -> tuple[_S, ...]:
    if not mine or not theirs:
        return mine or theirs
    return tuple(value for value in mine if value in theirs) or cast("tuple[_S, ...]", (NOTHING,))


def _longer(mine: str | None, theirs: str | None) -> str | None:
    if mine is None or theirs is None:
        return mine if theirs is None else theirs
    short, long = sorted((mine, theirs), key=len)
    return long if long.startswith(short) else NOTHING


def _latest(mine: float | None, theirs: float | None) -> float | None:
    return max((value for value in (mine, theirs) if value is not None), default=None)


def _earliest(mine: float | None, theirs: float | None) -> float | None:
    return min((value for value in (mine, theirs) if value is not None), default=None)


class Condition(Value):
    """What has to hold of a chunk: a tree. One class for every kind, so that a recorded query can be read again.

    `holds`: the chunk has these tokens next to each other, with `prefix` the last of them as the start of a word.
    `passes`: it passes the filters. `all`, `any` and `not` say it of `parts`; `not` refuses every one of them.
    """

    kind: Literal["holds", "passes", "all", "any", "not"]
    tokens: tuple[str, ...] = ()
    prefix: bool = False
    filters: Filters | None = None
    parts: tuple[Condition, ...] = ()

    @property
    def only_refuses(self) -> bool:
        """Whether it demands nothing: what exclusions beside words come to."""
        return self.kind == "not" or (self.kind == "all" and all(part.only_refuses for part in self.parts))


class WordForms(Value):
    """A word of the query in the languages that the library has passages in, beside English.

    `tokens` are those of the word in `Terms.words`; `forms` its stems, marked with their languages; `compounds` words
    of the library that it is a part of, or that are parts of it, marked likewise.
    """

    tokens: tuple[str, ...]
    forms: tuple[str, ...]
    compounds: tuple[str, ...] = ()


class Terms(Value):
    """A query as the analyzer understands it. Tokens are analysed; `text` is what goes to the embedder.

    `phrases` are required; `preferred` phrases only add to the score of their words. `condition` must hold whatever
    the score says: it is what AND, OR, NOT and parentheses mean. `exact` are the tokens of what is to be found whole,
    because it is an identifier, a number or the only word; `shaped` says that its writing tells so. `whole` are all
    tokens of a short query, which may occur as a phrase. `forms` are its words in other languages than English.
    `gloss` has English words for a question in another language, `english` their tokens, together those of one word.
    """

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    preferred: tuple[tuple[str, ...], ...] = ()
    prefixes: tuple[str, ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()
    condition: Condition | None = None
    exact: tuple[tuple[str, ...], ...] = ()
    shaped: bool = False
    whole: tuple[str, ...] = ()
    forms: tuple[WordForms, ...] = ()
    gloss: str = ""
    english: tuple[tuple[str, ...], ...] = ()
    problem: str = ""
    """What of the syntax is not understood, such as a lone parenthesis or a date that is none; empty where all is."""

    @property
    def empty(self) -> bool:
        return not (self.words or self.phrases or self.preferred or self.prefixes)


class Query(Value):
    """`text` is as typed; `terms` and `filters` are what its syntax means, once parsed.

    A query that comes with terms is not parsed again. `hypothesis` is a passage that might answer the question: it is
    embedded in place of the question.
    """

    text: str
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    terms: Terms = field(default_factory=lambda: Terms(""))
    max_excerpt_chars: int | None = None
    variants: tuple[str, ...] = ()
    hypothesis: str | None = None
    hypotheses: tuple[str, ...] = ()
    """The same, as a model wrote them: their vectors are pooled into one."""
    pooling: str = "mean"
    budget: int | None = None
    """The token budget of all excerpts together, for profiles with a stage that enforces it."""
    declarations: bool = False
    """Whether a hit in code is shown as its whole declaration, where that is not too long."""
    floor: bool = True
    """Whether hits that are hardly relevant are left out, by profiles that know which are."""
    judged_in_full: bool = False
    """Whether the best candidates get their full vector first, where they have none: always before there is no hit."""
    min_score: float = 0.0
    """The least relevance of a hit."""
    cursor: str | None = None
    """Continues after the last hit of an earlier answer to the same query."""

    @property
    def by_meaning(self) -> str:
        """The text that is embedded, or of several the first."""
        return self.hypothesis or next(iter(self.hypotheses), "") or self.terms.text
