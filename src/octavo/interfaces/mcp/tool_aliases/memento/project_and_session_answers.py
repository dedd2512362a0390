"""Memento's answers about projects, sessions, embedding profiles and health: all that is no memory."""

from __future__ import annotations

from datetime import UTC, datetime

from octavo.errors import InvalidArgument, NotFound
from octavo.interfaces.mcp.tool_aliases.aliased_tool import Json, SeedCall
from octavo.interfaces.mcp.tool_aliases.memento.memory_answers import version_id
from octavo.lazy_regex import regex

_VARIABLE = regex(r"\$\{(\w+)\}")
_PROVIDERS = {"openai_compat": "openai"}
_DISTANCES = {"ip": "dot"}


def resolved(call: SeedCall) -> Json:
    """By repository, folder or key; a new project is called by `display_name`."""
    given = call.given
    place = {"path": given.get("cwd"), "repo_url": given.get("repo_url"), "workspace": given.get("workspace_name")}
    name = given.get("project_key") or given.get("display_name")
    by_place = {**place, "name": given.get("project_key")}
    try:
        found = call.ask(
            "projects_resolve",
            **(by_place if any((given.get("cwd"), given.get("repo_url"))) else {**place, "name": name}),
        )
    except NotFound:
        if not given["create_if_missing"]:
            raise
        found = call.ask("projects_resolve", **place, name=name, create_if_missing=True)
    return _project(found["project"], found["workspace"], given.get("repo_url")) | {"created": found["created"]}


def _project(name: str, workspace: str, repo_url: str | None = None) -> Json:
    shown = {"workspace_id": workspace, "project_id": name, "project_key": name}
    return {**shown, "display_name": name.rpartition("/")[2], "repo_url": repo_url}


def listed(call: SeedCall) -> Json:
    rows = call.ask("projects_list", **call.renamed)["projects"]
    start, many = call.given["offset"], call.given["limit"]
    shown = [_project(row["name"], row["workspace"]) for row in rows[start : start + many]]
    return {"projects": shown} | ({"next_offset": start + many} if len(rows) > start + many else {})


def session_started(call: SeedCall) -> Json:
    done = call.ask()
    return {"session_id": done["session"], "started_at": done["started_at"]}


def session_ended(call: SeedCall) -> Json:
    snapshot: Json = call.given.get("snapshot") or {}
    done = call.ask()
    answer = {"session_id": done["session"], "ended_at": done["ended_at"]}
    content = (snapshot.get("content") or {}).get("text")
    if call.given["create_snapshot"] and content:
        kept = call.ask(
            "memory_commit",
            text=content,
            title=snapshot.get("title", "Session Snapshot"),
            tags=snapshot.get("tags", []),
            kind="summary",
            session=done["session"],
            idempotency_key=call.given.get("idempotency_key"),
        )
        answer |= {"snapshot_item_id": kept["item"], "snapshot_version_id": version_id(kept["item"], kept["version"])}
    return answer


def profiles(call: SeedCall) -> Json:
    return {"profiles": [_profile(row) for row in call.ask()["profiles"]]}


def _profile(row: Json) -> Json:
    shown = {name: row[name] for name in ("name", "provider", "model", "distance", "state", "chunks", "total")}
    return {
        "embedding_profile_id": row["name"],
        **shown,
        "dims": row["dimensions"],
        **{part: row[part] for part in ("hnsw", "query") if row.get(part)},
        "is_active": row["state"] == "active",
    }


def profile_set(call: SeedCall) -> Json:
    """A key is named, as `${VOYAGE_API_KEY}`, and never kept: one that is written out is refused."""
    settings: Json = call.given.get("provider_config", {})
    known = {"api_key", "base_url", "hnsw", "query", "late_chunking", "contextual"}
    if unknown := sorted(settings.keys() - known):
        raise InvalidArgument(
            f"provider_config has no {unknown[0]}",
            hint=f"it has: {', '.join(sorted(known))}",
            details={"field": unknown[0]},
        )
    key = settings.get("api_key", "")
    named = _VARIABLE.fullmatch(str(key))
    if key and not named:
        raise InvalidArgument(
            "a key is named, not given: nothing here keeps one",
            hint="put it into the environment and give its name, as ${VOYAGE_API_KEY}",
            details={"field": "provider_config.api_key"},
        )
    before = {row["name"] for row in call.ask("profiles_list")["profiles"]}
    done = call.ask(
        provider=_PROVIDERS.get(call.given["provider"], call.given["provider"]),
        distance=_DISTANCES.get(call.given["distance"], call.given["distance"]),
        url=settings.get("base_url", ""),
        key_variable=named[1] if named else "",
        late_chunking=bool(settings.get("late_chunking")),
        contextual=bool(settings.get("contextual", "context" in call.given["model"])),
        **_tuning(settings, "hnsw", "hnsw_", ("m", "ef_construction")),
        **_tuning(settings, "query", "ef_search_", ("min", "factor", "max")),
    )
    made = _profile(done["profile"])
    return {**made, "created": made["name"] not in before, "index_created": True, "job": done.get("job")}


def _tuning(settings: Json, part: str, prefix: str, names: tuple[str, ...]) -> Json:
    """What tunes an index, by the operation's names; with or without what all of them begin with."""
    given: Json = settings.get(part) or {}
    if not isinstance(given, dict) or (unknown := {name.removeprefix(prefix) for name in given}.difference(names)):
        wrong = f"has no {min(unknown)}" if isinstance(given, dict) else "is an object"
        raise InvalidArgument(
            f"provider_config.{part} {wrong}",
            hint=f"it has: {', '.join(names if part == 'hnsw' else [prefix + name for name in names])}",
            details={"field": f"provider_config.{part}"},
        )
    return {prefix + name.removeprefix(prefix): value for name, value in given.items()}


def profile_activated(call: SeedCall) -> Json:
    done = call.ask()["profile"]
    return {"embedding_profile_id": done["name"], "activated": done["state"] == "active"}


def profile_reindexed(call: SeedCall) -> Json:
    done = call.ask()
    return {"embedding_profile_id": done["profile"]["name"], "enqueued": True, "job": done.get("job")}


def health(call: SeedCall) -> Json:
    checked, profiles = call.ask(), call.ask("profiles_list")["profiles"]
    waiting = call.ask("jobs_list", states=["ready"])["jobs"]
    return {
        "ok": checked["ok"],
        "database_ok": all(check["ok"] for check in checked["checks"] if check["name"] == "library"),
        "worker_backlog": len(waiting),
        "active_embedding_profile_id": next((row["name"] for row in profiles if row["state"] == "active"), None),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "checks": checked["checks"],
    }
