"""Lists the documents that a request's filters admit, and the properties they have, most frequent first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from octavo.engine.engine import Engine
from octavo.model.converted_file import MARKS, OCR_PAGES
from octavo.model.document import Kind
from octavo.model.normalised_text_and_spans import short
from octavo.model.stored_rows import StoredDocument
from octavo.operations.filter_parsing import filters_of
from octavo.operations.library.results import PropertyKey

_VALUES = 5  # of a property that are named
_DERIVED = frozenset({"block_refs", "callouts", "converter", "rendered_from", MARKS, OCR_PAGES})
"""What a parser or a converter has found out, which no author wrote."""


def documents_below(engine: Engine, request: object) -> tuple[StoredDocument, ...]:
    """Those that a request is narrowed to, by collection and uri; memories, which no folder holds, only where they are
    asked for."""
    filters = filters_of(engine, request)
    documents = engine.store.documents.listed(engine.project.id, filters)
    return documents if filters.kinds else tuple(document for document in documents if document.kind is not Kind.MEMORY)


def property_keys(documents: Iterable[StoredDocument], *, every_value: bool = False) -> tuple[PropertyKey, ...]:
    """Properties that several documents have come first, then by name."""
    owners: Counter[str] = Counter()
    values: dict[str, Counter[str]] = {}
    for document in documents:
        known = {"tags": list(document.tags), "aliases": list(document.aliases), **document.metadata}
        for key, texts in _flat(known).items():
            owners[key] += 1
            values.setdefault(key, Counter()).update(texts)
    ordered = sorted(owners, key=lambda key: (-owners[key], key))
    most = None if every_value else _VALUES
    return tuple(PropertyKey(key, owners[key], _frequent(values[key])[:most], len(values[key])) for key in ordered)


def _flat(properties: Mapping[str, Any], above: str = "") -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for name, value in properties.items():
        if not above and name in _DERIVED:
            continue
        if isinstance(value, dict):
            values |= _flat(value, f"{above}{name}.")
        elif texts := set(_texts(value)):
            values[f"{above}{name}"] = texts
    return values


def _texts(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else (value,):
        if item is not None and not isinstance(item, dict | list):
            yield item if isinstance(item, str) else json.dumps(item)


def _frequent(texts: Counter[str]) -> tuple[str, ...]:
    return tuple(short(text) for text in sorted(texts, key=lambda text: (-texts[text], text)))
