"""Memento's answers about memories and canonical documents: writing, finding and reading them, versions and links."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from octavo.errors import InvalidArgument
from octavo.interfaces.mcp.tool_aliases.aliased_tool import Json, SeedCall
from octavo.interfaces.mcp.tool_aliases.memento.tool_arguments import ENTRY, own_kind, shown_kind
from octavo.model.ids import short_id

CHARACTERS_PER_TOKEN = 4


def version_id(item: str, version: int) -> str:
    return f"{item}@{version}"


def version_of(row: Json) -> Json:
    return {"version_id": version_id(row["item"], row["version"]), "version_num": row["version"]}


def address(call: SeedCall, item: str, anchor: str | None = None) -> str:
    section = f"/sections/{quote(anchor, safe='')}" if anchor else ""
    return f"memory://projects/{quote(call.project, safe='')}/items/{item}{section}"


def meant(call: SeedCall, reference: Json | None = None) -> str:
    """The id of the item that was meant, by itself or by its canonical key."""
    said = call.given if reference is None else reference
    if said.get("item_id"):
        return str(said["item_id"]).partition("@")[0]
    if said.get("canonical_key"):
        return str(call.ask("canonical_get", key=said["canonical_key"])["item"])
    raise InvalidArgument(f"{call.alias.name} needs item_id or canonical_key")


def committed(call: SeedCall) -> Json:
    results, repeated = [], []
    for place, entry in enumerate(call.given["entries"]):
        done = _commit_entry(call, entry, place)
        key = entry.get("canonical_key")
        results.append(written(done, key))
        repeated.append(done["replayed"])
        add_links(call, done["item"], entry.get("links", []))
    key = call.given.get("idempotency_key")
    return {"commit_id": key or results[0]["version_id"], "deduped": all(repeated), "results": results}


def written(done: Json, key: str | None) -> Json:
    return {"item_id": done["item"], **version_of(done), "canonical_key": key}


def _commit_entry(call: SeedCall, entry: Json, place: int) -> Json:
    if unknown := sorted(entry.keys() - ENTRY.keys()):
        raise InvalidArgument(f"an entry has no {unknown[0]}", hint=f"it has: {', '.join(ENTRY)}")
    content = entry.get("content_markdown") or (entry.get("content") or {}).get("text")
    if not content:
        raise InvalidArgument("an entry needs content.text", details={"field": f"entries.{place}.content"})
    key = call.given.get("idempotency_key")
    values = {
        "text": content,
        "title": entry.get("title", ""),
        "kind": own_kind(entry.get("kind", "note")),
        "tags": [*entry.get("tags", []), *_properties_as_tags(entry.get("metadata") or {})],
        "pin": bool(entry.get("pinned")),
        "author": call.given.get("author", ""),
        "reason": call.given.get("summary", ""),
        "session": call.given.get("session_id"),
        # One key stands for the whole commit: each entry has its part of it.
        "idempotency_key": f"{key}#{place}" if key and place else key,
    }
    if entry.get("canonical_key"):
        return call.ask("canonical_upsert", key=entry["canonical_key"], doc_class=entry.get("doc_class", ""), **values)
    if entry.get("item_id"):
        values["item"] = str(entry["item_id"]).partition("@")[0]
    return call.ask("memory_commit", scope=entry.get("scope"), **values)


def _properties_as_tags(metadata: Json) -> list[str]:
    """What Memento's conventions say of a memory besides its text: kept as tags, by which it can be found."""
    return [f"{name}:{value}"[:200] for name, value in sorted(metadata.items()) if isinstance(value, str | int | float)]


def add_links(call: SeedCall, item: str, links: list[Json]) -> None:
    for link in links:
        target = meant(call, link.get("to") or {})
        call.ask("memory_link", item=item, target=target, type=link.get("relation", "relates_to"))


def got(call: SeedCall) -> Json:
    item = meant(call)
    found = call.ask("memory_get", item=item, version=call.given.get("version_num"))
    most = call.given["max_chars"]
    version = {
        **version_of(found),
        "content_format": "markdown",
        "content_text": found["text"][:most],
        "created_at": found["created_at"],
    }
    shown = {name: found.get(name) for name in ("scope", "title", "canonical_key", "doc_class", "pinned", "status")}
    answer: Json = {
        "item": {"item_id": found["item"], **shown, "kind": shown_kind(found), "tags": found["tags"]},
        "links": [{"to": link["target"], "relation": link["type"]} for link in found.get("typed_links", [])],
        "resource_uri": address(call, found["item"]),
        "truncated": len(found["text"]) > most,
    }
    return {**answer, "version": version} if call.given["include_content"] else answer


def searched(call: SeedCall) -> Json:
    found = call.ask()
    return {
        "query": call.given["query"],
        "results": [_hit(call, row) for row in found["memories"]],
        "pending": found["pending"],
    }


def _hit(call: SeedCall, row: Json) -> Json:
    named = ("title", "scope", "canonical_key", "doc_class", "pinned", "tags")
    version = version_of(row)
    hit: Json = {
        "item": {"item_id": row["item"], **{name: row.get(name) for name in named}, "kind": shown_kind(row)},
        "item_id": row["item"],
        "canonical_key": row.get("canonical_key"),
        "doc_class": row.get("doc_class"),
        "chunk_id": row.get("chunk_id"),
        **version,
        "score": row["score"],
        "resource_uri": address(call, row["item"]),
    }
    if "chunks" in row:
        hit["best_chunks"] = [
            {
                "chunk_id": chunk["chunk_id"],
                **version,
                "score": row["score"],
                "excerpt": chunk["text"],
                "heading_path": chunk["heading_path"],
                "section_anchor": chunk.get("anchor"),
                "start_char": chunk["start"],
                "end_char": chunk["end"],
            }
            for chunk in row["chunks"]
        ]
    return hit


def listed(call: SeedCall) -> Json:
    start, many = call.given["offset"], call.given["limit"]
    rows = call.ask(query="", limit=min(200, start + many))["memories"][start:]
    named = ("title", "scope", "canonical_key", "doc_class", "pinned", "tags", "created_at", "updated_at")
    items = [_item(call, row, named) for row in rows]
    return {"items": items} | ({"next_offset": start + many} if len(rows) == many else {})


def _item(call: SeedCall, row: Json, names: Iterable[str]) -> Json:
    shown = {name: row.get(name) for name in names}
    return {"item_id": row["item"], **shown, "kind": shown_kind(row), "resource_uri": address(call, row["item"])}


def bundle(call: SeedCall) -> Json:
    """What to know before going on: canonical documents, the last summary, recent troubles, what answers the goal.

    With a version it is Octavo's own restore: an earlier text becomes the current one again.
    """
    given = call.given
    if given.get("version_num"):
        done = call.ask("memory_restore", item=meant(call), version=given["version_num"])
        return {"item_id": done["item"], "version_num": done["version"], "status": done["status"]}
    rows: list[Json] = []
    if given["include_canonical"]:
        rows += call.ask("memory_search", query=given.get("goal", ""), canonical_only=True, limit=given["max_items"])[
            "memories"
        ]
    if given["include_latest_snapshot"]:
        rows += call.ask("memory_search", kinds=["summary"], limit=1)["memories"]
    if given["include_recent_troubleshooting"] and given["troubleshooting_max"]:
        since = f"{given['troubleshooting_days']}d"
        rows += call.ask("memory_search", kinds=["bug"], created_after=since, limit=given["troubleshooting_max"])[
            "memories"
        ]
    if given.get("goal"):
        rows += call.ask("memory_search", query=given["goal"], limit=given["max_items"])["memories"]
    unique = list({row["item"]: row for row in rows}.values())[: given["max_items"]]
    items = [_item(call, row, ("title", "canonical_key")) for row in unique]
    titles = "; ".join(row["title"] for row in unique) or "nothing is remembered yet"
    bundle = short_id("bun_", call.project, *(f"{row['item']}@{row['version']}" for row in unique))
    answer: Json = {"bundle_id": bundle, "bundle_summary": f"{len(items)} memories: {titles}"[:2_000], "items": items}
    if given["include_context_pack"]:
        tokens = max(50, given["max_chars"] // CHARACTERS_PER_TOKEN)
        pack = call.ask("canonical_context_pack", query=given.get("goal", ""), max_tokens=tokens)
        answer["context_pack"] = {
            "max_chars": given["max_chars"],
            "sections": [passage(call, row, named=True) for row in pack["passages"]],
        }
    return answer


def passage(call: SeedCall, row: Json, *, named: bool = False) -> Json:
    whose = {"item_id": row["item"], "canonical_key": row["key"]} if named else {}
    place = {"section_anchor": row["anchor"] or None, "heading_path": row["heading_path"]}
    return {**whose, **place, "excerpt": row["text"], "resource_uri": address(call, row["item"], row["anchor"])}


def history(call: SeedCall) -> Json:
    found = call.ask("memory_history", item=meant(call))
    start, many = call.given["offset"], call.given["limit"]
    versions = [
        {**version_of({**row, "item": found["item"]}), "created_at": row["created_at"]} for row in found["versions"]
    ]
    return {"item_id": found["item"], "versions": versions[start : start + many]}


def diff(call: SeedCall) -> Json:
    found = call.ask(item=meant(call))
    return {
        "item_id": found["item"],
        "from_version_num": found["old"],
        "to_version_num": found["new"],
        "unified_diff": found["diff"],
    }


def state(call: SeedCall) -> Json:
    done = call.ask(item=meant(call))
    return {"item_id": done["item"], "pinned": done["pinned"], "status": done["status"]}


def linked(call: SeedCall) -> Json:
    source = meant(call, call.given["from"])
    given = call.given.get("to") or {}
    target = given["name"] if given.get("name") else meant(call, given)
    done = call.ask(item=source, target=target)
    return {"link_id": f"{source}/{call.given['relation']}/{target}", "item_id": done["item"], "action": done["action"]}


def reingested(call: SeedCall) -> Json:
    """Only what is current is in an index: an earlier version is refused, by the number of the current one."""
    item, _, version = call.given["version_id"].partition("@")
    now = call.ask("memory_get", item=item)["version"]
    if version and version != str(now):
        raise InvalidArgument(f"{item} is at version {now}: only that is indexed", details={"field": "version_id"})
    done = call.ask(item=item)
    return {"version_id": version_id(item, now), "enqueued": True, "job": done["job"]}


def canonical_upserted(call: SeedCall) -> Json:
    if not call.renamed.get("text"):
        raise InvalidArgument("canonical.upsert needs content_markdown, or content.text")
    done = call.ask()
    add_links(call, done["item"], call.given.get("links", []))
    return written(done, call.given["canonical_key"]) | {"action": done["action"]}


def canonical_got(call: SeedCall) -> Json:
    item = call.ask("canonical_get", key=call.given["canonical_key"])["item"]
    found = got(SeedCall(call.alias, call.engine, {**call.given, "item_id": item}, {}))
    return {"canonical_key": call.given["canonical_key"], **found}


def canonical_outline(call: SeedCall) -> Json:
    found = call.ask()
    above: list[Json] = []
    sections = []
    for row in found["sections"]:
        above = [*(heading for heading in above if heading["level"] < row["level"]), row]
        sections.append(
            {
                "section_anchor": row["anchor"],
                "heading_path": [heading["title"] for heading in above],
                "level": row["level"],
                "start_char": row["start"],
                "end_char": row["end"],
            }
        )
    return {"item_id": found["item"], **version_of(found), "sections": sections}


def canonical_section(call: SeedCall) -> Json:
    found, most = call.ask(), call.given["max_chars"]
    place = {"section_anchor": found["anchor"], "heading_path": found["heading_path"]}
    cut = {"text": found["text"][:most], "truncated": len(found["text"]) > most}
    return {**written(found, found["key"]), **place, **cut}


def canonical_pack(call: SeedCall) -> Json:
    tokens = max(50, call.given["max_chars"] // CHARACTERS_PER_TOKEN)
    found = call.ask(keys=[call.given["canonical_key"]], max_tokens=tokens)
    document = call.ask("canonical_get", key=call.given["canonical_key"])
    sections = [passage(call, row) for row in found["passages"]]
    return {
        **written(document, document["key"]),
        "max_chars": call.given["max_chars"],
        "sections": sections,
    }
