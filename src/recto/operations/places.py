"""Filters by place as answers write places: with the collection's name in front, or without it."""

from __future__ import annotations

from dataclasses import replace

from recto.engine.engine import Engine
from recto.model.query import Filters


def placed(engine: Engine, filters: Filters) -> Filters:
    """The same filters with `collection/uri` understood; a real folder of the collection's name goes first."""
    if not (filters.path_prefix or filters.uris or filters.not_uris):
        return filters
    names = frozenset(one.name for one in engine.collections())
    return _excluding(engine, _among(engine, _below(engine, filters, names), names), names)


def _below(engine: Engine, filters: Filters, names: frozenset[str]) -> Filters:
    name, rest = _split(filters.path_prefix or "", names)
    if not name or (filters.collections and name not in filters.collections):
        return filters
    as_written = Filters(collections=filters.collections, path_prefix=filters.path_prefix)
    if engine.store.documents.admitted(engine.project.id, as_written):
        return filters
    return replace(filters, collections=(name,), path_prefix=rest or None)


def _among(engine: Engine, filters: Filters, names: frozenset[str]) -> Filters:
    found = [_document(engine, uri, names) for uri in filters.uris]
    collections = {name for name, _ in found}
    uris = tuple(uri for _, uri in found)
    if "" in collections or not collections:
        return replace(filters, uris=uris)
    return replace(filters, uris=uris).narrowed_by(Filters(collections=tuple(sorted(collections))))


def _excluding(engine: Engine, filters: Filters, names: frozenset[str]) -> Filters:
    found = [_document(engine, uri, names) for uri in filters.not_uris]
    return replace(
        filters,
        not_uris=tuple(uri for name, uri in found if not name),
        without=(*filters.without, *(Filters(collections=(name,), uris=(uri,)) for name, uri in found if name)),
    )


def _document(engine: Engine, uri: str, names: frozenset[str]) -> tuple[str, str]:
    """The collection that was named, or nothing, and the uri in it."""
    name, rest = _split(uri, names)
    if not name or engine.store.documents.find(engine.project.id, uri):
        return "", uri
    within = engine.collection(name).id
    return (name, rest) if engine.store.documents.find(engine.project.id, rest, within) else ("", uri)


def _split(place: str, names: frozenset[str]) -> tuple[str, str]:
    name, _, rest = place.partition("/")
    return (name, rest) if name in names else ("", place)
