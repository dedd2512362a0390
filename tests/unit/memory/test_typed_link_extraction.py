"""What a memory is about: links from its text with a type from the words around, found from either end."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.engine.engine import Engine
from octavo.memory.typed_link_extraction import link_type
from octavo.operations.memory.memory_reading_and_writing import forget, memory_commit, memory_get, memory_link
from octavo.operations.memory.recall import memory_linked
from octavo.operations.memory.requests import (
    ForgetRequest,
    MemoryCommitRequest,
    MemoryGetRequest,
    MemoryLinkedRequest,
    MemoryLinkRequest,
)
from octavo.operations.operation_lookup import OPERATIONS


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("We will refactor [[src/server.py]] next week.", "refactors"),
        ("The plan for [[src/server.py]] is to split it.", "plans"),
        ("Fixed the crash in [[src/server.py]].", "fixes"),
        ("[[src/server.py]] implements the protocol.", "implements"),
        ("See [[src/server.py]].", "mentions"),
        ("We planned a party. The file is [[src/server.py]].", "mentions"),
        ("[[src/server.py]] was replaced by a smaller one.", "replaces"),
        ("The parser depends on [[src/server.py]]", "depends_on"),
    ],
)
def test_the_words_of_the_sentence_say_what_a_link_means(text: str, type_: str) -> None:
    start = text.index("[[")
    assert link_type(text, start, text.index("]]") + 2) == type_


def commit(engine: Engine, text: str, **more: object) -> str:
    return memory_commit(engine, MemoryCommitRequest(text=text, **more)).item  # type: ignore[arg-type]


def about(engine: Engine, target: str, query: str = "", **more: object) -> list[tuple[str, str]]:
    found = memory_linked(engine, MemoryLinkedRequest(target, query, **more))  # type: ignore[arg-type]
    return sorted((link.item, link.type) for link in found.links)


def test_a_file_that_is_not_there_yet_is_linked_to_all_the_same(engine: Engine) -> None:
    plan = commit(engine, "We will refactor [[src/server.py]] when the tests pass twice in a row.")
    fix = commit(engine, "The leak in [[src/server.py]] was fixed by closing the socket.")
    commit(engine, "Nothing about any file.")
    assert about(engine, "src/server.py") == sorted([(plan, "refactors"), (fix, "fixes")])
    assert about(engine, "src/server.py", types=("fixes",)) == [(fix, "fixes")]
    found = memory_linked(engine, MemoryLinkedRequest("src/server.py", "socket", limit=1))
    assert [memory.item for memory in found.memories] == [fix]
    assert found.resolved == ()
    assert found.links[0].context.startswith("The leak in [[src/server.py]] was fixed")
    assert "fixes" in OPERATIONS["memory_linked"].written(found)
    nothing = memory_linked(engine, MemoryLinkedRequest("src/other.py"))
    assert (nothing.memories, OPERATIONS["memory_linked"].written(nothing)) == (
        (),
        "Nothing is remembered about src/other.py.",
    )


def test_a_note_is_meant_by_its_name_and_found_by_its_path(engine: Engine, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "house").mkdir(parents=True)
    (notes / "house" / "Boiler.md").write_text("# Boiler\n\nIt is old.\n", "utf-8")
    engine.add_collection("notes", notes)
    engine.index()
    item = commit(engine, "The valve of the [[Boiler]] leaks.")
    found = memory_linked(engine, MemoryLinkedRequest("house/Boiler.md"))
    assert (found.resolved, [memory.item for memory in found.memories]) == (("house/Boiler.md",), [item])


def test_a_link_goes_with_the_text_it_stood_in_and_one_that_was_made_stays(engine: Engine) -> None:
    item = commit(engine, "About [[a.md]] and [[b.md]].")
    memory_link(engine, MemoryLinkRequest(item=item, target="c.md", type="plans"))
    commit(engine, "About [[b.md]] alone.", item=item)
    assert memory_get(engine, MemoryGetRequest(item)).links == ("c.md", "b.md")
    assert about(engine, "a.md") == []
    assert about(engine, "c.md") == [(item, "plans")]
    forget(engine, ForgetRequest(item=item))
    assert about(engine, "b.md") == []
