"""Every operation tries to reach another project, with a token that allows only one: by names, references and ids of
what is there. What comes back is compared with what a library says that never held the other project."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
from cli_calls import Location
from http_calls import in_process
from library_places import Databases
from python_calls import VAULT

import octavo as api
from octavo.engine.maintenance.library_copying import every_row
from octavo.engine.wiring.store_opening import open_tables
from octavo.model.library_location import DatabaseUrl
from octavo.operations.operation_lookup import OPERATIONS
from octavo.sql_repositories.table_transfer import Table

OWNER = "0123456789abcdef-owner"
_WORD = re.compile(r"[A-Za-z_]\w{3,}")
_NAMES_ONE = frozenset(("reference", "item", "session", "target", "uri", "note", "source", "exclude_file"))
_NAMES_SEVERAL = frozenset(("references", "item_ids", "files", "uris", "keys"))


def test_no_operation_tells_or_changes_anything_of_another_project(databases: Databases, tmp_path: Path) -> None:
    both, alone = databases.empty(), databases.empty()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "soup.md").write_text("# Soup\n\nLentils want an hour.\n", "utf-8")
    theirs = filled_for(both)
    for location in (both, alone):
        with api.open(location, create=True, project="kitchen") as library:
            library.add(mine, name="recipes", writable=True)
            library.index()
            library.remember("The ladle is in the drawer.")
    before = everything(both, "observatory")
    answers = {location: answered(location, theirs) for location in (both, alone)}
    assert len(answers[both]) > len(OPERATIONS)
    leaked = {
        call: words
        for call, (sent, body) in answers[both].items()
        if (words := told(body) & told(json.dumps(before)) - told(sent) - told(answers[alone][call][1]))
    }
    assert leaked == {}
    assert everything(both, "observatory") == before


def told(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def filled_for(location: Location) -> Mapping[str, str]:
    """The vault, memories and a session in a project of their own, and the ids that belong to it."""
    with api.open(location, create=True, project="observatory") as library:
        library.add(VAULT, name="observatory", writable=True)
        library.index()
        item = library.remember(**OPERATIONS["remember"].example).item
        library.remember("Perhaps paint the dome green.", title="A passing thought")
        session = library.sessions.start(**OPERATIONS["sessions_start"].example).session
        library.canonical.upsert(**OPERATIONS["canonical_upsert"].example)
        hit = library.search("humidity").hits[0]
        return {"item": item, "session": session, "document": hit.document_id, "chunk": hit.chunk_id}


def calls(theirs: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each operation as its example has it, and once for every argument that could name something of theirs."""
    for name, operation in OPERATIONS.items():
        example = dict(operation.example or {})
        fields = {field.name for field in dataclasses.fields(operation.takes)}
        yield name, example
        for argument in sorted(fields & {*_NAMES_ONE, "project"}):
            for value in ["observatory"] if argument == "project" else theirs.values():
                yield name, example | {argument: value}
        for argument in sorted(fields & _NAMES_SEVERAL):
            yield name, example | {argument: list(theirs.values())}
        if "collections" in fields:
            yield name, example | {"collections": ["observatory"]}


def answered(location: Location, theirs: Mapping[str, str]) -> dict[tuple[str, str], tuple[str, str]]:
    """What each call sent and what came back, by the operation and its arguments."""
    with api.open(location) as library:
        token = library.tokens.create("cook", scope="admin", projects=["kitchen"]).token
    headers = {"authorization": f"Bearer {token}", "octavo-project": "kitchen"}
    answers = {}

    async def talk(client: httpx2.AsyncClient) -> None:
        for name, arguments in calls(theirs):
            sent = json.dumps(arguments)
            answer = await client.post(f"/v1/{name}", json=arguments, headers=headers)
            assert answer.status_code < 500, (name, sent, answer.text)
            answers[name, sent] = sent, answer.text

    in_process(location, talk, token=OWNER)
    return answers


def everything(location: Location, project: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the project, by table."""
    place = DatabaseUrl(location) if isinstance(location, str) else location
    with closing(open_tables(place, read_only=True)) as library, library.reading():
        key_of = {name: key for key, name in every_row(library, Table("projects"), ("key", "name"))}
        rows = {}
        for table in library.tables:
            columns = tuple(sorted(library.columns(table.name)))
            if "project" in columns:
                owner = columns.index("project")
                kept = [row for row in every_row(library, table, columns) if row[owner] == key_of[project]]
                rows[table.name] = [tuple(map(str, row)) for row in kept]
        return rows
