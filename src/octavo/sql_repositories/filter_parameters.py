"""Filters as query parameters: an unset filter is null, which the SQL treats as no restriction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.algorithms.markdown.front_matter_conditions import meets
from octavo.algorithms.text.unicode_folding import entity_name, fold
from octavo.model.query import Filters, PropertyCondition
from octavo.sql_repositories.database_port import Database, listed


def folded(text: str) -> str:
    """The form in which tags and names of people are stored and compared: without case."""
    return text.lower()


def unaccented(text: str) -> str:
    """The form in which titles and headings are stored and compared: without case and accents."""
    return text.lower() if text.isascii() else fold(text).casefold()


def filter_parameters(filters: Filters, database: Database, project: int) -> dict[str, Any]:
    """The parameters of every query that includes the filters, for a project by its key."""
    return {
        "documents": _with_properties(filters.where, database, project),
        "collections": listed(filters.collections),
        "path_prefix": filters.path_prefix,
        "uris": listed(filters.uris),
        "not_uris": listed(filters.not_uris),
        "kinds": listed([str(kind) for kind in filters.kinds]),
        "languages": listed(filters.languages),
        "content_types": listed(filters.content_types),
        "modified_after": filters.modified_after,
        "modified_before": filters.modified_before,
        "as_of": filters.as_of,
        "title_contains": _wanted(filters.title_contains),
        "tags_all": listed([folded(tag) for tag in filters.tags_all]),
        "tags_any": listed([folded(tag) for tag in filters.tags_any]),
        "heading_contains": _wanted(filters.heading_contains),
    }


def _with_properties(where: tuple[PropertyCondition, ...], database: Database, project: int) -> str | None:
    """Keys of the documents whose properties meet all conditions.

    Compared here and not by an engine, so that every engine finds the same.
    """
    if not where:
        return None
    # Only a document without properties of its own can be passed over, and only by conditions on those.
    any_document = any(each.comparison in ("!=", "lacks") or not each.value or _is_own(each.name) for each in where)
    rows = database.rows("properties", {"project": project, "any": int(any_document)})
    named = _named(where, database, project)
    documents = [
        key
        for key, *columns in rows
        if all(meets(each, _with_names(_properties(*columns), named.get(key, ()))) for each in where)
    ]
    return json.dumps(documents)


_MENTIONS = "mentions"
"""The property that stands for what a document names, beside one of this name in its front matter."""


def _named(where: tuple[PropertyCondition, ...], database: Database, project: int) -> Mapping[int, Sequence[str]]:
    """What documents name, of what the conditions ask for."""
    conditions = [each for each in where if each.name.lower() == _MENTIONS]
    if not conditions:
        return {}
    exact = all(each.comparison in ("=", "!=") and each.value for each in conditions)
    names = json.dumps([entity_name(each.value) for each in conditions]) if exact else None
    spelled: dict[str, str] = {entity_name(each.value): each.value for each in conditions}
    labels: dict[int, list[str]] = {}
    for document, name, label in database.rows("entity_documents", {"project": project, "names": names}):
        # As it was asked for: spellings of one name are the same.
        labels.setdefault(int(document), []).append(spelled.get(str(name), str(label)))
    return labels


_OWN = frozenset({_MENTIONS, "title", "description", "tags", "tag", "aliases", "alias"})


def _is_own(name: str) -> bool:
    return name.lower() in _OWN


def _properties(title: str, description: str, tags: str, aliases: str, metadata: str) -> dict[str, Any]:
    """All that a note's front matter may say of it, under the names that it is written by."""
    known = {"title": title, "description": description, "tags": json.loads(tags), "aliases": json.loads(aliases)}
    known |= {"tag": known["tags"], "alias": known["aliases"]}
    return json.loads(metadata) | known if metadata != "{}" else known


def _with_names(properties: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    mentions = properties.get(_MENTIONS, [])
    return (
        properties | {_MENTIONS: [*(mentions if isinstance(mentions, list) else [mentions]), *names]}
        if names
        else properties
    )


def _wanted(value: str | None) -> str | None:
    return unaccented(value) if value else None
