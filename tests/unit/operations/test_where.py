"""Conditions on properties, wherever documents or memories are looked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import InvalidArgument
from octavo.operations.operation_lookup import EVERY
from octavo.operations.request_fields import request_fields

NOTE = """---
status: {status}
rating: {rating}
---
# {title}

Tea is brewed with water. See [[{other}]].

```py
def brew_{name}(minutes):
    return minutes
```
"""
WITHOUT = frozenset(
    {
        "log",  # a commit has no front matter
        "index",  # what is read is said by collection
        "reindex",
        "models_finetune",
        "lint",
    }
)


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("kitchen")
    for name, status, rating, other in (("green", "draft", 5, "black"), ("black", "final", 3, "green")):
        text = NOTE.format(status=status, rating=rating, title=f"{name} tea", other=other, name=name)
        (folder / f"{name}.md").write_text(text, "utf-8")
    (folder / "hub.md").write_text("# Hub\n\nTea: [[green]], [[black]].\n", "utf-8")
    path: Path = tmp_path_factory.mktemp("library") / "library.db"
    with open_library(path, create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("kitchen", folder)
        engine.index()
        for name, status in (("oolong", "draft"), ("rooibos", "final")):
            called(engine, "remember", text=f"---\nstatus: {status}\n---\nTea of {name} is brewed with water.\n")
        yield engine


def called(engine: Engine, operation: str, **arguments: Any) -> Any:
    row = EVERY[operation]
    return row.run(engine, row.takes(**arguments))


def uris(answer: Any) -> set[str]:
    return {hit.uri for hit in answer.hits}


NARROWED: dict[str, Callable[[Engine, tuple[str, ...]], set[str]]] = {
    "search": lambda engine, where: uris(called(engine, "search", query="tea", where=where, show_all=True)),
    "search_docs": lambda engine, where: uris(called(engine, "search_docs", query="tea", where=where)),
    "search_code": lambda engine, where: uris(called(engine, "search_code", query="brew minutes", where=where)),
    "find_similar": lambda engine, where: uris(
        called(engine, "find_similar", snippet="tea is brewed with water", kinds=("note",), where=where)
    ),
    "search_with_hypothesis": lambda engine, where: uris(
        called(engine, "search_with_hypothesis", hypothesis="tea is brewed with water", where=where)
    ),
    "augment": lambda engine, where: {
        quotation.uri for quotation in called(engine, "augment", task="brew minutes", where=where).quotations
    },
    "ask": lambda engine, where: {
        passage.uri for passage in called(engine, "ask", question="tea brewed with water", where=where).passages
    },
    "graph_related": lambda engine, where: {
        document.place.removeprefix("kitchen/")
        for document in called(engine, "graph_related", reference="hub.md", where=where).documents
    },
    "list_documents": lambda engine, where: {
        row.uri for row in called(engine, "list_documents", where=where).documents
    },
    "get_many": lambda engine, where: {
        passage.uri for passage in called(engine, "get_many", references=("*.md",), where=where).passages
    },
    "graph_export": lambda engine, where: {
        node["uri"]
        for node in json.loads(called(engine, "graph_export", where=where, tags=False, ghosts=False).text)["nodes"]
    },
}


@pytest.mark.parametrize("operation", NARROWED)
def test_a_condition_keeps_the_documents_that_meet_it(kitchen: Engine, operation: str) -> None:
    assert NARROWED[operation](kitchen, ("status=draft", "rating>=4")) == {"green.md"}
    assert NARROWED[operation](kitchen, ("status=draft", "rating<4")) == set()


@pytest.mark.parametrize("query", ["tea", ""])
@pytest.mark.parametrize("as_of", [None, "2999-01-01"])
def test_memories_are_recalled_by_the_properties_of_their_texts(kitchen: Engine, query: str, as_of: str | None) -> None:
    def recalled(*where: str) -> list[bool]:
        found = called(kitchen, "recall", query=query, where=where, as_of=as_of).memories
        return ["oolong" in memory.text for memory in found]

    assert recalled("status=draft") == [True]
    assert recalled("status=final") == [False]
    assert recalled("status=nothing") == []


def test_what_is_no_condition_is_refused(kitchen: Engine) -> None:
    for operation in NARROWED:
        with pytest.raises(InvalidArgument):
            NARROWED[operation](kitchen, ("=",))


def test_every_operation_that_looks_within_collections_takes_conditions() -> None:
    taken = {name: {field.name for field in request_fields(row.takes)} for name, row in EVERY.items()}
    missing = {name for name, names in taken.items() if "collections" in names and "where" not in names}
    assert missing <= WITHOUT
