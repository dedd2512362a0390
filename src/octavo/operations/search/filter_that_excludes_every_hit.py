"""Names the filter that lets nothing of the library through, for a search that found nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from octavo.model.query import NOTHING, Filters

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.model.query import Query


def excluding_filter(engine: Engine, query: Query) -> str | None:
    """None where the filters together let something through."""
    filters = engine.reader.parsed(query).filters
    if filters.as_of is not None or _admits(engine, filters):
        return None
    for message, single in _singles(filters):
        if NOTHING not in message and not _admits(engine, single):
            return message
    return "nothing passes all of these filters together"


def _admits(engine: Engine, filters: Filters) -> bool:
    return filters.empty or bool(engine.store.documents.admitted(engine.project.id, filters))


def _singles(filters: Filters) -> Iterator[tuple[str, Filters]]:
    """Each condition alone, with what to say where nothing fulfils it."""
    for tag in filters.tags_all:
        yield f"nothing has the tag {tag}", Filters(tags_all=(tag,))
    if filters.tags_any:
        yield f"nothing has a tag of {', '.join(filters.tags_any)}", Filters(tags_any=filters.tags_any)
    if filters.kinds:
        yield f"nothing is of the kind {' or '.join(filters.kinds)}", Filters(kinds=filters.kinds)
    if filters.path_prefix:
        path = Filters(path_prefix=filters.path_prefix, collections=filters.collections)
        yield f"nothing lies at the path {filters.path_prefix}", path
    if filters.title_contains:
        yield f"no title has {filters.title_contains}", Filters(title_contains=filters.title_contains)
    if filters.heading_contains:
        yield f"no heading has {filters.heading_contains}", Filters(heading_contains=filters.heading_contains)
    if filters.languages:
        yield f"nothing is written in {' or '.join(filters.languages)}", Filters(languages=filters.languages)
    for condition in filters.where:
        message = f"no document has such a property {condition.name}"
        if condition.name.casefold() == "mentions":  # not its author's property, but what the graph found in it
            message = f"no document is known to mention {condition.value}"
        yield message, Filters(where=(condition,))
    if filters.modified_after is not None or filters.modified_before is not None:
        time = Filters(modified_after=filters.modified_after, modified_before=filters.modified_before)
        yield "nothing was changed in this time", time
    if filters.uris:
        yield f"no document is {' or '.join(filters.uris)}", Filters(uris=filters.uris)
    if filters.collections:
        yield f"nothing was read into {' or '.join(filters.collections)}", Filters(collections=filters.collections)
