"""A request's filters, by the names of its fields: as a query has them, or to ask another operation within them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from octavo.algorithms.markdown.front_matter_conditions import read_condition
from octavo.algorithms.queries.query_parsing import path_prefix
from octavo.algorithms.source_code.programming_language_names import language_named
from octavo.algorithms.text.time_parsing_and_formatting import moment
from octavo.engine.search.collection_path_filters import with_collections_resolved
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import replace
from octavo.model.document import Kind
from octavo.model.query import Filters, PropertyCondition
from octavo.operations.filter_field_names import narrowing

if TYPE_CHECKING:
    from octavo.engine.engine import Engine


def filters_of(engine: Engine, request: object, **more: Any) -> Filters:
    """The filters that a request stands for, whichever of the shared fields it has; `more` of them besides."""
    values = narrowing(request)
    now = datetime.now(UTC)
    filters = Filters(
        collections=collections_named(engine, values.get("collections", ())),
        path_prefix=path_prefix(values.get("path_prefix")),
        uris=values.get("uris", ()),
        heading_contains=values.get("heading_contains"),
        tags_all=tuple(tag.lstrip("#") for tag in values.get("tags_all", ())),
        tags_any=tuple(tag.lstrip("#") for tag in values.get("tags_any", ())),
        kinds=tuple(map(Kind, values.get("kinds", ()))),
        languages=languages_named(values.get("language")),
        content_types=values.get("content_types", ()),
        where=conditions(values.get("where", ())),
        as_of=moment(values.get("as_of"), now),
        modified_after=moment(values.get("modified_after"), now),
        modified_before=moment(values.get("modified_before"), now),
    )
    excluded = getattr(request, "exclude_file", None)
    filters = replace(filters, not_uris=(excluded,) if excluded else (), **more)
    return with_collections_resolved(engine.library, filters)


def collections_named(engine: Engine, collections: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(engine.collection(name).name for name in collections)


def languages_named(name: str | None) -> tuple[str, ...]:
    """By whatever name: `py`, `c++`. What stands for no language is nobody's."""
    return () if name is None else (language_named(name) or name,)


def conditions(typed: tuple[str, ...]) -> tuple[PropertyCondition, ...]:
    return tuple(_condition(text) for text in typed)


def _condition(text: str) -> PropertyCondition:
    condition = read_condition(text)
    if condition is None:
        raise InvalidArgument(
            f"{text} is no condition", hint="write status=draft, rating>=4, date<2025-03, done or !done"
        )
    return condition
