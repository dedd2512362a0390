"""Arguments that several of Memento's tools take, with its limits, and what its kinds of memories are called here."""

from __future__ import annotations

from typing import Any

from octavo.interfaces.mcp.tool_aliases.aliased_tool import (
    PROJECT,
    Argument,
    Json,
    anything,
    choice,
    flag,
    group,
    text,
    texts,
    whole,
)
from octavo.operations.memory.requests import MEMORY_KINDS

_KINDS = {
    "spec": "note",
    "architecture": "note",
    "troubleshooting": "bug",
    "runbook": "rule",
    "environment_fact": "fact",
    "session_snapshot": "summary",
    "snippet": "note",
}
"""Kinds of memories that Octavo calls otherwise."""
_EVERY_KIND = (*_KINDS, *MEMORY_KINDS)


def own_kind(kind: str) -> str:
    return _KINDS.get(kind, kind)


_SHOWN_KINDS = {own: kind for kind, own in _KINDS.items() if own != "note"}
_KINDS_OF_CLASSES = {
    "app_spec": "spec",
    "feature_spec": "spec",
    "implementation_plan": "plan",
    "architecture": "architecture",
}


def shown_kind(row: Json) -> str:
    """What Memento calls the kind of a memory; that of a canonical document follows from its class."""
    kind = str(row["kind"])
    return _SHOWN_KINDS.get(kind) or (
        _KINDS_OF_CLASSES.get(row.get("doc_class") or "", kind) if kind == "note" else kind
    )


def in_project(**arguments: Argument) -> dict[str, Argument]:
    """What every tool may be told: which project. Left out, it is the one that `projects.resolve` settled on."""
    return {"project_id": text(PROJECT, longest=200), **arguments}


def of_item(**arguments: Argument) -> dict[str, Argument]:
    return in_project(item_id=text(None, longest=500), canonical_key=text(None, longest=400), **arguments)


IDEMPOTENCY_KEY = text("idempotency_key", longest=200)
CANONICAL_KEY = text("key", longest=400, required=True)
VERSION = whole(1, 1_000_000_000, to="version")
ANY_REFERENCE = group(item_id=text(None, longest=500), canonical_key=text(None, longest=400))
_LINKS = Argument({"type": "array", "items": {"type": "object"}, "maxItems": 64}, None)
_CONTENT = group(format=choice(("markdown", "plain", "json"), to=None), text=text("text", longest=1_000_000))
FILTERS = group(
    kinds=texts(16, coerce=lambda kinds: sorted(map(own_kind, kinds))),
    scopes=texts(100),
    tags_all=texts(16),
    tags_any=texts(16),
    pinned_only=flag(),
    canonical_only=flag(),
    doc_classes=texts(16),
    created_after=text(longest=40),
    item_ids=texts(200),
    exclude_item_ids=texts(200),
)
ENTRY = {
    "item_id": text(longest=500),
    "canonical_key": text(longest=400),
    "kind": choice(_EVERY_KIND, "note"),
    "scope": text(longest=200),
    "doc_class": text(longest=100),
    "title": text(longest=300),
    "pinned": flag(),
    "tags": texts(50),
    "metadata": anything(),
    "content": Argument({"type": "object"}),
    "content_markdown": text(longest=1_000_000),
    "links": _LINKS,
}
ENTRIES = Argument(
    {
        "type": "array",
        "minItems": 1,
        "maxItems": 50,
        "items": {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: dict(argument.schema) for name, argument in ENTRY.items()},
        },
    },
    None,
    required=True,
)
CANONICAL_DOCUMENT: dict[str, Any] = {
    "canonical_key": CANONICAL_KEY,
    "doc_class": text(longest=100),
    "title": text(longest=300),
    "tags": texts(50),
    "metadata": anything(),
    "pinned": flag(to="pin"),
    "content_markdown": text("text", longest=1_000_000),
    "content": _CONTENT,
    "links": _LINKS,
    "session_id": text("session", longest=100),
    "author": text(longest=200),
    "summary": text("reason", longest=2_000),
    "idempotency_key": IDEMPOTENCY_KEY,
}
PAGED = {"limit": whole(1, 200, 50, None), "offset": whole(0, 1_000_000, 0, None)}
