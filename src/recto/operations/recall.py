"""Find what was remembered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import InvalidArgument
from recto.memory.quoting import PREFACE, quoted
from recto.memory.recall import Recalled, latest, narrowed, recalled
from recto.model.limits import Field
from recto.model.memory import MemoryFilter, MemoryId
from recto.model.query import Filters, Query
from recto.operations import fields
from recto.operations.memories import (
    ItemName,
    KindName,
    ProjectName,
    Scope,
    Tag,
    Time,
    instant,
    item_named,
    kind_named,
    when,
    within,
)
from recto.operations.memory_as_of import recalled_as_of
from recto.retrieval.profiles import MEMORY_PROFILE, profile_named
from recto.retrieval.stage import Profile

FLOOR = 0.25  # texts that have nothing to do with each other have a cosine of 0 to 0.2
OVERSAMPLED, OVERSAMPLED_FILTERED = 4, 8  # hits per memory asked for: several may be of one memory


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """Without a query: pinned memories, then the ones changed last."""

    query: Annotated[str, Field(max_length=20_000, description="A question or words.")] = ""
    limit: Annotated[int, Field(ge=1, le=200, description="How many memories at most.")] = 10
    kinds: Annotated[tuple[KindName, ...], Field(max_length=14, description="Only these kinds.")] = ()
    scopes: Annotated[tuple[Scope, ...], Field(max_length=100, description="Only these scopes.")] = ()
    tags_all: Annotated[tuple[Tag, ...], Field(max_length=50, description="Only with all of these tags.")] = ()
    tags_any: Annotated[tuple[Tag, ...], Field(max_length=50, description="Only with one of these tags.")] = ()
    pinned_only: Annotated[bool, Field(description="Only pinned ones.")] = False
    created_after: Time | None = None
    created_before: Time | None = None
    canonical_only: Annotated[bool, Field(description="Only canonical documents.")] = False
    doc_classes: Annotated[tuple[Tag, ...], Field(max_length=50, description="Only of these document classes.")] = ()
    item_ids: Annotated[tuple[ItemName, ...], Field(max_length=200, description="Only these memories.")] = ()
    exclude_item_ids: Annotated[tuple[ItemName, ...], Field(max_length=200, description="Not these memories.")] = ()
    max_chars: Annotated[int, Field(ge=1, le=1_000_000, description="Cut each after so many characters.")] = 2_000
    min_similarity: Annotated[
        float, Field(ge=0.0, le=1.0, description="Below this likeness only what shares a word with the query is told.")
    ] = FLOOR
    profile: fields.ProfileName = MEMORY_PROFILE
    as_of: Time | None = None
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """`holds` is whether what it tells is true now, `superseded_by` what took its place, `truncated` a cut `text`.

    `score` is its likeness to the query in meaning, from 0 to 1, or while it has no vector the share of the query's
    words it holds; the order is by words and marks as well. Without a query it is 0.
    """

    rank: int
    item: str
    version: int
    kind: str
    scope: str
    title: str
    tags: tuple[str, ...]
    pinned: bool
    text: str
    truncated: bool
    score: float
    holds: bool
    created_at: str
    updated_at: str
    valid_from: str
    valid_to: str | None = None
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    query: str
    memories: tuple[FoundMemory, ...]
    pending: int
    """Chunks that can be found by word but not by meaning yet."""


def recall(engine: Engine, request: RecallRequest) -> RecallAnswer:
    if not 1 <= request.limit <= 200:
        raise InvalidArgument(f"limit must be between 1 and 200, not {request.limit}")
    profile = profile_named(request.profile)
    engine = within(engine, request.project)
    wanted = wanted_memories(engine, request)
    if request.as_of is not None:
        at = instant(engine, request.as_of)
        assert at is not None
        found = recalled_as_of(
            engine, wanted, profile, request.query, request.limit, request.max_chars, at, request.min_similarity
        )
        return RecallAnswer(request.query, _shown(found), engine.freshness().pending)
    if not request.query.strip():
        found = latest(engine.desk, wanted, request.limit, request.max_chars)
        return RecallAnswer("", _shown(found), engine.freshness().pending)
    filters = narrowed(engine.desk, wanted)
    if filters is None:
        return RecallAnswer(request.query, (), engine.freshness().pending)
    return _searched(engine, request, profile, filters, filtered=wanted != MemoryFilter())


def wanted_memories(engine: Engine, request: RecallRequest) -> MemoryFilter:
    return MemoryFilter(
        kinds=tuple(kind_named(name) for name in request.kinds),
        scopes=request.scopes,
        tags_all=tuple(tag.lstrip("#") for tag in request.tags_all),
        tags_any=tuple(tag.lstrip("#") for tag in request.tags_any),
        pinned_only=request.pinned_only,
        canonical_only=request.canonical_only,
        doc_classes=request.doc_classes,
        created_after=instant(engine, request.created_after),
        created_before=instant(engine, request.created_before),
        items=tuple(item_named(engine, name).id for name in request.item_ids),
        not_items=tuple(item_named(engine, name).id for name in request.exclude_item_ids),
    )


def _searched(
    engine: Engine, request: RecallRequest, profile: Profile, filters: Filters, *, filtered: bool
) -> RecallAnswer:
    more = OVERSAMPLED_FILTERED if filtered else OVERSAMPLED
    query = Query(request.query, request.limit * more, filters, max_excerpt_chars=request.max_chars)
    result = engine.search(query, profile)
    found = recalled(engine.desk, request.query, result.hits, request.limit, request.min_similarity)
    return RecallAnswer(request.query, _shown(found), result.freshness.pending)


def text(answer: RecallAnswer) -> str:
    """For a reader who may hand it back: `remember` recognises this form and keeps none of it."""
    if not answer.memories:
        return "Nothing is remembered about that." if answer.query else "Nothing is remembered yet."
    blocks = []
    for one in answer.memories:
        about = [one.kind, one.scope, one.created_at[:10], *(f"#{tag}" for tag in one.tags)]
        about += ["pinned"] * one.pinned + _doubts(one) + ["cut"] * one.truncated
        said = "".join(character if character.isprintable() else " " for character in " ".join(about))
        blocks.append(quoted(MemoryId(one.item), one.version, " " + said, one.text))
    return "\n\n".join([PREFACE, *blocks])


def _doubts(one: FoundMemory) -> list[str]:
    if one.superseded_by:
        return [f"superseded by {one.superseded_by}"]
    return [] if one.holds else ["does not hold now"]


def _shown(found: tuple[Recalled, ...]) -> tuple[FoundMemory, ...]:
    return tuple(
        FoundMemory(
            rank=rank,
            item=one.item.id,
            version=one.version.number,
            kind=one.item.kind.value,
            scope=one.item.scope,
            title=one.version.title,
            tags=one.version.tags,
            pinned=one.item.pinned,
            text=one.excerpt,
            truncated=one.truncated,
            score=round(one.score, 6),
            holds=one.holds,
            created_at=when(one.item.created_at),
            updated_at=when(one.item.updated_at),
            valid_from=when(one.version.valid_from),
            valid_to=None if one.version.valid_to is None else when(one.version.valid_to),
            superseded_by=one.superseded_by,
        )
        for rank, one in enumerate(found, 1)
    )
