"""Resolves path filters that begin with a collection's name, or are absolute, to uris in that collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo.fast_dataclass import replace
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Condition, Filters, Terms
from octavo.retrieval.absolute_path_and_address_lookup import is_absolute, path_in_collection

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary


def with_collections_resolved(library: OpenLibrary, filters: Filters) -> Filters:
    """The same filters with `collection/uri` understood; a real folder of the collection's name goes first."""
    if not (filters.path_prefix or filters.uris or filters.not_uris):
        return filters
    collections = library.collections()
    return _excluding(library, _among(library, _below(library, filters, collections), collections), collections)


def typed_filters(library: OpenLibrary, filters: Filters) -> Filters:
    """Filters as typed in a query, read as the options of the same names are: an unknown collection is an error."""
    for name in filters.collections:
        library.collection(name)
    refused = tuple(typed_filters(library, without) for without in filters.without)
    return with_collections_resolved(library, replace(filters, without=refused))


def typed_terms(library: OpenLibrary, terms: Terms) -> Terms:
    """The same of the filters among the conditions of a query."""
    return terms if terms.condition is None else replace(terms, condition=_typed(library, terms.condition))


def _typed(library: OpenLibrary, condition: Condition) -> Condition:
    filters = None if condition.filters is None else typed_filters(library, condition.filters)
    return replace(condition, filters=filters, parts=tuple(_typed(library, part) for part in condition.parts))


def _below(library: OpenLibrary, filters: Filters, collections: Sequence[Collection]) -> Filters:
    name, rest = _split(filters.path_prefix, collections) if filters.path_prefix else ("", "")
    if not name or (filters.collections and name not in filters.collections):
        return filters
    as_written = Filters(collections=filters.collections, path_prefix=filters.path_prefix)
    if library.store.documents.admitted(library.project.id, as_written):
        return filters
    return replace(filters, collections=(name,), path_prefix=rest or None)


def _among(library: OpenLibrary, filters: Filters, collections: Sequence[Collection]) -> Filters:
    documents = [_document(library, uri, collections) for uri in filters.uris]
    names = {name for name, _ in documents}
    uris = tuple(uri for _, uri in documents)
    if "" in names or not names:
        return replace(filters, uris=uris)
    return replace(filters, uris=uris).narrowed_by(Filters(collections=tuple(sorted(names))))


def _excluding(library: OpenLibrary, filters: Filters, collections: Sequence[Collection]) -> Filters:
    documents = [_document(library, uri, collections) for uri in filters.not_uris]
    return replace(
        filters,
        not_uris=tuple(uri for name, uri in documents if not name),
        without=(*filters.without, *(Filters(collections=(name,), uris=(uri,)) for name, uri in documents if name)),
    )


def _document(library: OpenLibrary, uri: str, collections: Sequence[Collection]) -> tuple[str, str]:
    """The collection that was named, or nothing, and the uri in it."""
    name, rest = _split(uri, collections)
    if not name or library.store.documents.find(library.project.id, uri):
        return "", uri
    within = library.collection(name).id
    return (name, rest) if library.store.documents.find(library.project.id, rest, within) else ("", uri)


def _split(place: str, collections: Sequence[Collection]) -> tuple[str, str]:
    """The collection that a path begins with, by its name or as an absolute path, and the rest of it."""
    name, _, rest = place.partition("/")
    if any(collection.name == name for collection in collections):
        return name, rest
    # What begins a path has lost its first slash by now.
    inside = path_in_collection(collections, place if is_absolute(place) else f"/{place}")
    return (inside[0].name, inside[1] + "/" * (place.endswith("/") and inside[1] != "")) if inside else ("", place)
