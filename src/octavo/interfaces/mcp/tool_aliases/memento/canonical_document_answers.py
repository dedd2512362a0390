"""Memento's answers about canonical documents."""

from __future__ import annotations

from octavo.errors import InvalidArgument
from octavo.interfaces.mcp.tool_aliases.aliased_tool import Json, SeedCall
from octavo.interfaces.mcp.tool_aliases.memento import memory_answers


def upserted(call: SeedCall) -> Json:
    if not call.renamed.get("text"):
        raise InvalidArgument("canonical.upsert needs content_markdown, or content.text")
    done = call.ask()
    memory_answers.add_links(call, done["item"], call.given.get("links", []))
    return memory_answers.written(done, call.given["canonical_key"]) | {"action": done["action"]}


def got(call: SeedCall) -> Json:
    item = call.ask("canonical_get", key=call.given["canonical_key"])["item"]
    found = memory_answers.got(SeedCall(call.alias, call.engine, {**call.given, "item_id": item}, {}))
    return {"canonical_key": call.given["canonical_key"], **found}


def outline(call: SeedCall) -> Json:
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
    return {"item_id": found["item"], **memory_answers.version_of(found), "sections": sections}


def section(call: SeedCall) -> Json:
    found, most = call.ask(), call.given["max_chars"]
    place = {"section_anchor": found["anchor"], "heading_path": found["heading_path"]}
    cut = {"text": found["text"][:most], "truncated": len(found["text"]) > most}
    return {**memory_answers.written(found, found["key"]), **place, **cut}


def pack(call: SeedCall) -> Json:
    tokens = max(50, call.given["max_chars"] // memory_answers.CHARACTERS_PER_TOKEN)
    found = call.ask(keys=[call.given["canonical_key"]], max_tokens=tokens)
    document = call.ask("canonical_get", key=call.given["canonical_key"])
    sections = [memory_answers.passage(call, row) for row in found["passages"]]
    return {
        **memory_answers.written(document, document["key"]),
        "max_chars": call.given["max_chars"],
        "sections": sections,
    }
