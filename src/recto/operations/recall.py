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
from recto.model.query import Query
from recto.operations import fields
from recto.operations.memories import ItemName, KindName, Scope, Tag, Time, instant, item_named, kind_named, when
from recto.retrieval.profiles import DEFAULT_PROFILE, profile_named

_OVERSAMPLED, _OVERSAMPLED_FILTERED = 4, 8  # hits per memory asked for: several may be of one memory


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
    items: Annotated[tuple[ItemName, ...], Field(max_length=200, description="Only these memories.")] = ()
    exclude_items: Annotated[tuple[ItemName, ...], Field(max_length=200, description="Not these memories.")] = ()
    max_chars: Annotated[int, Field(ge=1, le=1_000_000, description="Cut each after so many characters.")] = 2_000
    profile: fields.ProfileName = DEFAULT_PROFILE


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """`holds` is whether what it tells is true now; `truncated` that `text` is not all of it."""

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
    desk = engine.desk
    wanted = MemoryFilter(
        kinds=tuple(kind_named(name) for name in request.kinds),
        scopes=request.scopes,
        tags_all=tuple(tag.lstrip("#") for tag in request.tags_all),
        tags_any=tuple(tag.lstrip("#") for tag in request.tags_any),
        pinned_only=request.pinned_only,
        created_after=instant(engine, request.created_after),
        created_before=instant(engine, request.created_before),
        items=tuple(item_named(engine, name).id for name in request.items),
        not_items=tuple(item_named(engine, name).id for name in request.exclude_items),
    )
    if not request.query.strip():
        found = latest(desk, wanted, request.limit, request.max_chars)
        return RecallAnswer("", _shown(found), engine.freshness().pending)
    filters = narrowed(desk, wanted)
    if filters is None:
        return RecallAnswer(request.query, (), engine.freshness().pending)
    oversampled = _OVERSAMPLED if wanted == MemoryFilter() else _OVERSAMPLED_FILTERED
    query = Query(request.query, request.limit * oversampled, filters, max_excerpt_chars=request.max_chars)
    result = engine.search(query, profile)
    return RecallAnswer(request.query, _shown(recalled(desk, result.hits, request.limit)), result.freshness.pending)


def text(answer: RecallAnswer) -> str:
    """For a reader who may hand it back: `remember` recognises this form and keeps none of it."""
    if not answer.memories:
        return "Nothing is remembered about that." if answer.query else "Nothing is remembered yet."
    blocks = []
    for one in answer.memories:
        about = [one.kind, one.scope, one.created_at[:10], *(f"#{tag}" for tag in one.tags)]
        about += ["pinned"] * one.pinned + ["does not hold now"] * (not one.holds) + ["cut"] * one.truncated
        said = "".join(character if character.isprintable() else " " for character in " ".join(about))
        blocks.append(quoted(MemoryId(one.item), one.version, " " + said, one.text))
    return "\n\n".join([PREFACE, *blocks])


def _shown(found: tuple[Recalled, ...]) -> tuple[FoundMemory, ...]:
    return tuple(
        FoundMemory(
            rank=rank,
            item=one.item.id,
            version=one.item.version,
            kind=one.item.kind.value,
            scope=one.item.scope,
            title=one.item.title,
            tags=one.item.tags,
            pinned=one.item.pinned,
            text=one.excerpt,
            truncated=one.truncated,
            score=round(one.score, 6),
            holds=one.holds,
            created_at=when(one.item.created_at),
            updated_at=when(one.item.updated_at),
            valid_from=when(one.version.valid_from),
            valid_to=None if one.version.valid_to is None else when(one.version.valid_to),
        )
        for rank, one in enumerate(found, 1)
    )
