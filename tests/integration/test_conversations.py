"""Conversations as a collection: turns are found, redacted, filtered by kind and time, and followed as they go on."""

from __future__ import annotations

import json
from typing import Any

from workbench import Bench, found

from octavo.model.document import Kind
from octavo.model.indexing_ledger import FileOutcome
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Filters, Query

ONLY = CollectionSettings(kind=Kind.CONVERSATION)


def event(role: str, text: str, minute: int) -> dict[str, Any]:
    message = {"role": role, "content": text}
    return {"type": role, "sessionId": "s", "timestamp": f"2026-03-02T10:{minute}:00Z", "message": message}


def session(*turns: tuple[str, str]) -> str:
    return "".join(f"{json.dumps(event(role, text, 10 + at))}\n" for at, (role, text) in enumerate(turns))


TALK = session(
    ("user", "Where should the cache live?"),
    ("assistant", "We decided on the data folder, because backups skip the temporary one."),
    ("user", "And how large may it grow?"),
)


def test_a_turn_is_found_as_a_passage_of_its_own_cited_by_who_said_it_and_when(bench: Bench) -> None:
    bench.write({"p/1.jsonl": TALK})
    bench.index()
    with bench.opened() as engine:
        hit = found(engine, "backups skip temporary", "lexical_only")[0]
    assert hit.citation.heading_path == ("Claude, 2026-03-02 10:11",) and hit.title == "Where should the cache live?"
    assert "backups" in hit.excerpt and "how large" not in hit.excerpt


def test_of_a_collection_of_conversations_nothing_else_is_read_as_text(bench: Bench) -> None:
    bench.collection = ONLY
    bench.write({"p/1.jsonl": TALK, "p/settings.json": '{"a": 1}', "p/notes.md": "# A note\n", "rows.jsonl": "{}\n"})
    bench.index()
    ledger = bench.ledger()
    assert ledger["p/1.jsonl"].outcome is FileOutcome.INDEXED
    for other in ("p/settings.json", "p/notes.md", "rows.jsonl"):
        assert ledger[other].outcome is FileOutcome.SKIPPED and "no conversation" in (ledger[other].reason or "")


def test_elsewhere_rows_of_data_are_left_out_and_other_json_is_configuration_as_before(bench: Bench) -> None:
    bench.write({"settings.json": '{"colour": "green"}', "rows.jsonl": '{"a": 1}\n', "plain.txt": "Some words.\n"})
    bench.index()
    ledger = bench.ledger()
    assert ledger["rows.jsonl"].outcome is FileOutcome.SKIPPED
    assert {ledger[uri].outcome for uri in ("settings.json", "plain.txt")} == {FileOutcome.INDEXED}


def test_keys_that_were_pasted_into_a_conversation_are_redacted(bench: Bench) -> None:
    key = "ghp_" + "a1B2" * 9
    bench.write({"p/1.jsonl": session(("user", f"The token is {key}, use it"))})
    bench.index()
    with bench.opened() as engine:
        hit = found(engine, "the token", "lexical_only")[0]
    assert key not in hit.excerpt and key not in hit.title


def test_a_session_that_goes_on_is_found_by_its_new_turn_and_by_its_time(bench: Bench) -> None:
    bench.write({"p/1.jsonl": TALK})
    bench.index()
    bench.write({"p/1.jsonl": TALK + json.dumps(event("assistant", "At most two gigabytes.", 40)) + "\n"})
    bench.index()
    with bench.opened() as engine:
        hit = found(engine, "two gigabytes", "lexical_only")[0]
        assert hit.citation.heading_path == ("Claude, 2026-03-02 10:40",)
        assert hit.modified_at == 1_772_448_000.0
        said = Query("gigabytes", filters=Filters(kinds=(Kind.CONVERSATION,), modified_before=1_772_448_001.0))
        assert engine.search(said).hits[0].chunk_id == hit.chunk_id


def test_more_turns_of_one_conversation_are_found_than_passages_of_another_document(bench: Bench) -> None:
    turns = [
        ("user" if at % 2 else "assistant", f"The heron of day {at} stood in the reeds number {at}.") for at in range(9)
    ]
    bench.write({"p/1.jsonl": session(*turns)})
    bench.index()
    with bench.opened() as engine:
        assert len(found(engine, "heron reeds", "lexical_only")) == 9
