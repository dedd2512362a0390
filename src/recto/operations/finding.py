"""What a search asks for, and its whole answer: the request that every interface makes, the query it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from recto.algorithms.language_names import language_named
from recto.errors import InvalidArgument, NotIndexed, Stale
from recto.model.document import Kind
from recto.model.limits import Field
from recto.model.query import Filters, Query
from recto.operations import fields
from recto.operations.places import placed

if TYPE_CHECKING:
    from recto.engine.engine import Engine
    from recto.model.result import Result
    from recto.retrieval.replay import Recording
    from recto.retrieval.stage import Profile

_AGO = re.compile(r"^(\d+)\s*(h|d|w|m|y)$")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)  # what is older than that is as old


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to look for and where. Times are ISO dates or ages such as `7d`."""

    query: fields.QueryText
    limit: fields.Limit | None = None
    profile: fields.ProfileName | None = None
    collections: fields.Collections = ()
    path_prefix: fields.PathPrefix | None = None
    uris: fields.Uris = ()
    heading_contains: fields.Heading | None = None
    tags_all: fields.AllTags = ()
    tags_any: fields.AnyTags = ()
    kinds: fields.Kinds = ()
    language: fields.Language | None = None
    modified_after: fields.Since | None = None
    modified_before: fields.Before | None = None
    max_excerpt_chars: fields.ExcerptChars | None = None
    mode: Annotated[
        str,
        Field(
            description="compressed leaves out what is hardly about it and what is said twice.",
            json_schema_extra={"enum": ["full", "compressed"]},
        ),
    ] = "full"
    min_score: Annotated[float, Field(ge=0, le=1, description="Least cosine; 0.3 when compressed.")] | None = None
    similarity_threshold: (
        Annotated[float, Field(ge=0.5, le=1, description="Cosine from which two say the same; 0.85 when compressed.")]
        | None
    ) = None
    require_fresh: Annotated[bool, Field(description="Fail unless every chunk has its vector.")] = False
    explain: Annotated[bool, Field(description="Add each stage's scores and the trace.")] = False
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


def find(engine: Engine, request: SearchRequest, profile: Profile | None = None) -> Result:
    """Everything a profile finds, with its trace. An empty answer is an answer; an empty library is an error.

    `profile` stands in for the one the request names.
    """
    return _fresh(answered(engine.search(*asked(engine, request, profile))), request)


def record(engine: Engine, request: SearchRequest, profile: Profile | None = None) -> tuple[Result, Recording]:
    """The same as `find`, with what it takes to answer it again."""
    result, recording = engine.record(*asked(engine, request, profile))
    return _fresh(answered(result), request), recording


def asked(engine: Engine, request: SearchRequest, profile: Profile | None = None) -> tuple[Query, Profile]:
    """The query a request stands for, and the profile that answers it."""
    now = datetime.now(UTC)
    filters = Filters(
        collections=collections_named(engine, request.collections),
        path_prefix=request.path_prefix,
        uris=request.uris,
        heading_contains=request.heading_contains,
        tags_all=tuple(tag.lstrip("#") for tag in request.tags_all),
        tags_any=tuple(tag.lstrip("#") for tag in request.tags_any),
        kinds=kinds_named(request.kinds),
        languages=languages_named(request.language),
        modified_after=moment(request.modified_after, now),
        modified_before=moment(request.modified_before, now),
    )
    limit = request.limit if request.limit is not None else engine.defaults.limit
    excerpt = request.max_excerpt_chars or engine.defaults.max_excerpt_chars
    query = bounded(Query(request.query, limit, placed(engine, filters), max_excerpt_chars=excerpt))
    profile = profile or engine.profile(request.profile or engine.defaults.profile)
    return query, _narrowed(profile, request)


def _narrowed(profile: Profile, request: SearchRequest) -> Profile:
    """The profile with a floor and without repetitions, where these are asked for."""
    if request.mode not in ("full", "compressed"):
        raise InvalidArgument(f"there is no mode {request.mode}", hint="choose full or compressed")
    shorter = request.mode == "compressed"
    if not shorter and request.min_score is None and request.similarity_threshold is None:
        return profile
    from recto.retrieval.stages.compressed import MIN_SCORE, SIMILARITY_THRESHOLD, compressed

    least, likeness = request.min_score, request.similarity_threshold
    if shorter:
        least = MIN_SCORE if least is None else least
        likeness = SIMILARITY_THRESHOLD if likeness is None else likeness
    return compressed(profile, least, likeness)


def bounded(query: Query) -> Query:
    if query.limit < 1 or query.limit > 1000:
        raise InvalidArgument(f"limit must be between 1 and 1000, not {query.limit}")
    return query


def answered(result: Result) -> Result:
    if not result.freshness.documents:
        raise NotIndexed("nothing is indexed yet", hint="run `recto add FOLDER --name NAME`, then `recto index`")
    return result


def _fresh(result: Result, request: SearchRequest) -> Result:
    if request.require_fresh and result.freshness.full_vectors < 1.0:
        raise Stale(
            f"{result.freshness.pending} chunks have no vector yet", hint="run `recto index` to bring it up to date"
        )
    return result


def collections_named(engine: Engine, collections: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(engine.collection(name).name for name in collections)


def languages_named(name: str | None) -> tuple[str, ...]:
    """By whatever name: `py`, `c++`. What stands for no language is nobody's."""
    return () if name is None else (language_named(name) or name,)


def kinds_named(names: tuple[str, ...]) -> tuple[Kind, ...]:
    return tuple(_kind(name) for name in names)


def moment(text: str | None, now: datetime) -> float | None:
    """`2024-05-01`, `2024-05-01T12:00:00+02:00` or an age: `36h`, `7d`, `2w`, `3m`, `1y`. UTC when unsaid."""
    if text is None:
        return None
    age = _AGO.match(text.strip())
    if age:
        hours = min(int(age[1]) * _HOURS[age[2]], (now - _EARLIEST) // timedelta(hours=1))
        return (now - timedelta(hours=hours)).timestamp()
    try:
        parsed = datetime.fromisoformat(text.strip())
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise InvalidArgument(f"{text!r} is not a time", hint="write 2024-05-01, a full ISO time, or 7d") from None


def _kind(name: str) -> Kind:
    try:
        return Kind(name)
    except ValueError:
        raise InvalidArgument(
            f"there is no kind {name}", hint=f"choose one of: {', '.join(kind.value for kind in Kind)}"
        ) from None
