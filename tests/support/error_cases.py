"""Requests that go wrong on purpose, by operation, and the code each gets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ERROR_CASES: Mapping[str, tuple[tuple[Mapping[str, Any], str], ...]] = {
    "search": (
        ({"query": " "}, "INVALID_ARGUMENT"),
        ({"query": "dome", "collections": ["nowhere"]}, "NOT_FOUND"),
        ({"query": "dome", "profile": "nonsense"}, "INVALID_ARGUMENT"),
        ({"query": "dome", "modified_after": "the other day"}, "INVALID_ARGUMENT"),
        ({"query": "dome", "where": ["="]}, "INVALID_ARGUMENT"),
        ({"query": "dome", "cursor": "nonsense"}, "NOT_FOUND"),
    ),
    "search_docs": (({"query": "dome", "collections": ["nowhere"]}, "NOT_FOUND"),),
    "search_with_hypothesis": (({"hypothesis": "rain", "kinds": ["nonsense"]}, "INVALID_ARGUMENT"),),
    "find_similar": (({"snippet": "x = 1", "collections": ["nowhere"]}, "NOT_FOUND"),),
    "ask": (
        ({"question": "dome", "collections": ["nowhere"]}, "NOT_FOUND"),
        ({"question": "dome", "profile": "nonsense"}, "INVALID_ARGUMENT"),
    ),
    "get": (
        ({"reference": "../../etc/passwd"}, "NOT_FOUND"),
        ({"reference": "observing/Closing down.md:9-3"}, "INVALID_ARGUMENT"),
    ),
    "diff": (
        ({"reference": "nowhere.md"}, "NOT_FOUND"),
        ({"reference": "observing/Closing down.md", "to_version": 99}, "NOT_FOUND"),
    ),
    "get_many": (
        ({"references": []}, "INVALID_ARGUMENT"),
        ({"references": ["a.md"], "collection": "nowhere"}, "NOT_FOUND"),
    ),
    "list_documents": (
        ({"collections": ["nowhere"]}, "NOT_FOUND"),
        ({"where": ["="]}, "INVALID_ARGUMENT"),
    ),
    "recent": (({"limit": 0}, "INVALID_ARGUMENT"),),
    "outline": (({"reference": "/etc/passwd"}, "NOT_FOUND"),),
    "doc_tags": (({"document_ids": "none"}, "INVALID_ARGUMENT"),),
    "search_code": (
        ({"query": "dome", "collections": ["nowhere"]}, "NOT_FOUND"),
        ({"query": "dome", "max_results": 0}, "INVALID_ARGUMENT"),
    ),
    "augment": (
        ({"task": "x", "collections": ["nowhere"]}, "NOT_FOUND"),
        ({"task": "x", "max_context_tokens": 1}, "INVALID_ARGUMENT"),
    ),
    "log": (
        ({"query": "dome", "collections": ["nowhere"]}, "NOT_FOUND"),
        ({"query": "dome", "after": "the other day"}, "INVALID_ARGUMENT"),
        ({"query": "dome", "min_score": 2}, "INVALID_ARGUMENT"),
    ),
    "history": (
        ({"reference": "../../etc/passwd"}, "NOT_FOUND"),
        ({"reference": "x.md", "collection": "nowhere"}, "NOT_FOUND"),
    ),
    "add": (({"name": "a/b", "folder": "."}, "INVALID_ARGUMENT"),),
    "remove": (({"names": ["nowhere"]}, "NOT_FOUND"),),
    "collections_list": (({"collections": ["nowhere"]}, "NOT_FOUND"),),
    "index": (({"collections": ["nowhere"]}, "NOT_FOUND"),),
    "reindex": (
        ({"scope": "prefix", "prefix": "../"}, "INVALID_ARGUMENT"),
        ({"collections": ["nowhere"]}, "NOT_FOUND"),
    ),
    "watch": (({"debounce_ms": 10}, "INVALID_ARGUMENT"),),
    "profiles_set": (
        ({"name": "x", "provider": "nonsense"}, "INVALID_ARGUMENT"),
        ({"name": "configured", "provider": "hashing"}, "INVALID_ARGUMENT"),
        ({"name": "x", "provider": "ollama", "dimensions": 8}, "INVALID_ARGUMENT"),
        ({"name": "x", "provider": "voyage", "model": "m", "dimensions": 8}, "INVALID_ARGUMENT"),
    ),
    "profiles_activate": (({"name": "nowhere"}, "NOT_FOUND"),),
    "profiles_reindex": (({"name": "nowhere"}, "NOT_FOUND"),),
    "memory_reingest": (({"item": "mem_nowhere"}, "NOT_FOUND"),),
    "models_show": (({"name": "nowhere"}, "NOT_FOUND"),),
    "models_activate": (({"name": "nowhere"}, "NOT_FOUND"),),
    "models_remove": (
        ({"name": "nowhere"}, "NOT_FOUND"),
        ({"name": "octavo-encoder-2"}, "INVALID_ARGUMENT"),
    ),
    "models_fetch": (({"name": "nowhere"}, "NOT_FOUND"),),
    "models_finetune": (({"collections": ["nowhere"]}, "NOT_FOUND"),),
    "eval_run": (({"dataset": "nowhere"}, "IO_ERROR"),),
    "queries_list": (({"limit": 0}, "INVALID_ARGUMENT"),),
    "queries_clear": (({"before": "nonsense"}, "INVALID_ARGUMENT"),),
    "graph_related": (({"reference": "nowhere.md"}, "NOT_FOUND"),),
    "graph_neighbors": (
        ({"reference": "nowhere.md"}, "NOT_FOUND"),
        ({"reference": "Home.md", "types": ["nonsense"]}, "INVALID_ARGUMENT"),
    ),
    "graph_build": (
        ({"communities": False, "thematic_links": False, "entities": False}, "INVALID_ARGUMENT"),
        ({"entities_by": "nonsense"}, "INVALID_ARGUMENT"),
    ),
    "graph_communities": (({"limit": 0}, "INVALID_ARGUMENT"),),
    "graph_ghosts": (({"limit": 0}, "INVALID_ARGUMENT"),),
    "graph_entities": (({"entity_kinds": ["nonsense"]}, "INVALID_ARGUMENT"),),
    "graph_mentions": (({"name": "Lyon", "entity_kind": "nonsense"}, "INVALID_ARGUMENT"),),
    "graph_export": (({"collections": ["nowhere"]}, "NOT_FOUND"),),
    "graph_plot": (({"collections": ["nowhere"]}, "NOT_FOUND"),),
    "cluster_build": (({"algorithm": "nonsense"}, "INVALID_ARGUMENT"),),
    "cluster_plot": (({"output": 5}, "INVALID_ARGUMENT"),),
    "snapshots_build": (({"full": "perhaps"}, "INVALID_ARGUMENT"),),
    "snapshots_rollback": (({"snapshot": "nowhere"}, "NOT_FOUND"),),
    "summaries_build": (
        ({"by": "nonsense"}, "INVALID_ARGUMENT"),
        ({"by": "model"}, "CONFIGURATION"),
    ),
    "summaries_show": (({"reference": "nowhere.md"}, "NOT_FOUND"),),
    "jobs_list": (({"states": ["nonsense"]}, "INVALID_ARGUMENT"),),
    "jobs_retry": (({"numbers": [999999]}, "NOT_FOUND"),),
    "jobs_purge": (({"states": ["ready"]}, "INVALID_ARGUMENT"),),
    "db_backup": (({"to": "."}, "CONFLICT"),),
    "db_upgrade": (({"rebuild": "perhaps"}, "INVALID_ARGUMENT"),),
    "db_prune": (({"keep": -1}, "INVALID_ARGUMENT"),),
    "projects_resolve": (
        ({"path": "relative/path"}, "INVALID_ARGUMENT"),
        ({"path": "/nowhere/at/all"}, "NOT_FOUND"),
        ({}, "INVALID_ARGUMENT"),
        ({"repo_url": "not an address"}, "INVALID_ARGUMENT"),
    ),
    "sessions_start": (({"project": "nowhere"}, "NOT_FOUND"),),
    "sessions_end": (({"session": "ses_nowhere"}, "NOT_FOUND"),),
    "sessions_list": (({"project": "nowhere"}, "NOT_FOUND"),),
    "remember": (
        ({"text": "   "}, "INVALID_ARGUMENT"),
        ({"text": "x", "kind": "nonsense"}, "INVALID_ARGUMENT"),
        ({"text": "The password: 'dX7-quarry-Lantern'"}, "INVALID_ARGUMENT"),
    ),
    "recall": (
        ({"query": "dome", "kinds": ["nonsense"]}, "INVALID_ARGUMENT"),
        ({"item_ids": ["mem_nowhere"]}, "NOT_FOUND"),
    ),
    "forget": (({"item": "mem_nowhere"}, "NOT_FOUND"),),
    "memory_get": (
        ({"item": "mem_nowhere"}, "NOT_FOUND"),
        ({"item": "Dome and humidity", "version": 99}, "NOT_FOUND"),
    ),
    "memory_history": (({"item": "mem_nowhere"}, "NOT_FOUND"),),
    "memory_diff": (
        ({"item": "mem_nowhere"}, "NOT_FOUND"),
        ({"item": "Dome and humidity", "old": 99}, "NOT_FOUND"),
    ),
    "memory_restore": (({"item": "mem_nowhere", "version": 1}, "NOT_FOUND"),),
    "memory_pin": (({"item": "mem_nowhere"}, "NOT_FOUND"),),
    "memory_unpin": (({"item": "mem_nowhere"}, "NOT_FOUND"),),
    "memory_link": (({"item": "mem_nowhere", "target": "x"}, "NOT_FOUND"),),
    "memory_commit": (
        ({"text": " "}, "INVALID_ARGUMENT"),
        ({"text": "x", "item": "mem_nowhere"}, "NOT_FOUND"),
        ({"text": "x", "expected_version": 1}, "INVALID_ARGUMENT"),
        ({"text": "x", "item": "Dome and humidity", "expected_version": 99}, "CONFLICT"),
        ({"text": "x", "project": "nowhere"}, "NOT_FOUND"),
    ),
    "memory_search": (({"query": "dome", "as_of": "the other day"}, "INVALID_ARGUMENT"),),
    "memory_archive": (({"item": "mem_nowhere"}, "NOT_FOUND"),),
    "memory_linked": (
        ({"target": "x", "project": "nowhere"}, "NOT_FOUND"),
        ({}, "INVALID_ARGUMENT"),
    ),
    "memory_sync": (({"folder": "/dev/null/memories"}, "IO_ERROR"),),
    "canonical_upsert": (
        ({"key": "plans/closing", "text": " "}, "INVALID_ARGUMENT"),
        ({"key": "a#b", "text": "x"}, "INVALID_ARGUMENT"),
        ({"key": "nowhere", "text": "x", "expected_version": 1}, "NOT_FOUND"),
    ),
    "canonical_get": (
        ({"key": "nowhere"}, "NOT_FOUND"),
        ({"key": "plans/closing", "version": 99}, "NOT_FOUND"),
    ),
    "canonical_outline": (({"key": "nowhere"}, "NOT_FOUND"),),
    "canonical_get_section": (
        ({"key": "nowhere", "anchor": "how"}, "NOT_FOUND"),
        ({"key": "plans/closing", "anchor": "nowhere"}, "NOT_FOUND"),
    ),
    "canonical_context_pack": (
        ({"keys": ["nowhere"]}, "NOT_FOUND"),
        ({"max_tokens": 1}, "INVALID_ARGUMENT"),
    ),
    "canonical_list": (({"project": "nowhere"}, "NOT_FOUND"),),
    "doc_validate": (
        ({"uri": "nowhere.md"}, "NOT_FOUND"),
        ({"uri": "../secret.md"}, "INVALID_ARGUMENT"),
    ),
    "doc_auto_fix": (({"uri": "nowhere.md"}, "NOT_FOUND"),),
    "doc_create": (
        ({"uri": "observing/Closing down.md", "title": "Again"}, "CONFLICT"),
        ({"uri": "a.md", "title": " "}, "INVALID_ARGUMENT"),
        ({"uri": "a.md", "title": "A", "template": "nowhere.md"}, "NOT_FOUND"),
    ),
    "doc_insert_section": (
        (
            {"uri": "observing/Closing down.md", "parent_heading_path": ["Nowhere"], "heading": "A", "content_md": ""},
            "NOT_FOUND",
        ),
        (
            {"uri": "observing/Closing down.md", "parent_heading_path": [], "heading": "# A", "content_md": ""},
            "INVALID_ARGUMENT",
        ),
    ),
    "doc_replace_section": (
        ({"uri": "observing/Closing down.md", "heading_path": ["Nowhere"], "content_md": ""}, "NOT_FOUND"),
        ({"uri": "observing/Closing down.md", "heading_path": [], "content_md": ""}, "INVALID_ARGUMENT"),
    ),
    "doc_append_to_section": (
        ({"uri": "observing/Closing down.md", "heading_path": ["Nowhere"], "content_md": "x"}, "NOT_FOUND"),
        ({"uri": "observing/Closing down.md", "heading_path": ["Closing down"], "content_md": " "}, "INVALID_ARGUMENT"),
    ),
    "doc_move_section": (
        (
            {"uri": "observing/Closing down.md", "from_heading_path": ["Nowhere"], "to_parent_heading_path": []},
            "NOT_FOUND",
        ),
        (
            {"uri": "observing/Closing down.md", "from_heading_path": [], "to_parent_heading_path": []},
            "INVALID_ARGUMENT",
        ),
    ),
    "doc_rename": (
        ({"uri": "observing/Closing down.md"}, "INVALID_ARGUMENT"),
        ({"uri": "observing/Closing down.md", "to": "../out.md"}, "INVALID_ARGUMENT"),
        ({"uri": "nowhere.md", "to": "there.md"}, "NOT_FOUND"),
        ({"uri": "observing/Closing down.md", "heading_path": ["Nowhere"], "heading": "A"}, "NOT_FOUND"),
    ),
    "doc_restore": (
        ({"uri": "observing/Closing down.md"}, "NOT_FOUND"),
        ({"uri": "observing/Closing down.md", "version": 99}, "NOT_FOUND"),
        ({"uri": "../a.md"}, "INVALID_ARGUMENT"),
    ),
    "doc_set_property": (
        ({"uri": "nowhere.md", "key": "a"}, "NOT_FOUND"),
        ({"uri": "observing/Closing down.md", "key": "a: b"}, "INVALID_ARGUMENT"),
    ),
    "notes_new": (
        ({"title": "A", "template": "nowhere"}, "NOT_FOUND"),
        ({"title": " "}, "INVALID_ARGUMENT"),
    ),
    "notes_append": (
        ({"note": "Closing down", "content_md": " "}, "INVALID_ARGUMENT"),
        ({"note": "Nowhere", "content_md": "x", "heading_path": ["A"]}, "NOT_FOUND"),
    ),
    "notes_today": (({"collection": "nowhere"}, "NOT_FOUND"),),
    "memory_to_note": (
        ({"item": "mem_nowhere", "uri": "observing/Closing down.md", "heading_path": ["Closing down"]}, "NOT_FOUND"),
    ),
    "memory_from_note": (({"source": "nowhere.md#A"}, "NOT_FOUND"),),
    "lint": (
        ({"files": ["nowhere.md"]}, "NOT_FOUND"),
        ({"collections": ["nowhere"]}, "NOT_FOUND"),
        ({"rules": ["nonsense"]}, "INVALID_ARGUMENT"),
    ),
}
