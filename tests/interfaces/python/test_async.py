"""The library of an event loop: the same answers, awaited."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path

import pytest
from cli_calls import Location
from library_places import shown

import octavo


def test_answers_are_those_of_the_library_and_several_are_awaited_at_once(path: Path) -> None:
    questions = ["when does the dome have to close?", "who has a key", "how is the mirror cleaned"]

    async def main() -> list[octavo.SearchAnswer]:
        async with octavo.open_async(path) as library:
            return await asyncio.gather(*(library.search(question, limit=3) for question in questions))

    found = asyncio.run(main())
    with octavo.open(path) as library:
        assert [result.hits for result in found] == [library.search(question, limit=3).hits for question in questions]


def test_a_library_may_be_awaited_and_closed_by_hand(path: Path) -> None:
    async def main() -> octavo.AsyncLibrary:
        library = await octavo.open_async(path)
        assert repr(library) == f"<octavo.AsyncLibrary at {shown(path)}, project default>"
        assert (library.location, library.project, library.closed) == (shown(path), "default", False)
        await library.close()
        await library.close()
        with pytest.raises(octavo.LibraryClosed):
            await library.search("dome")
        with pytest.raises(octavo.LibraryClosed):
            async with library.watch():
                raise AssertionError("a closed library is not watched")
        return library

    assert asyncio.run(main()).closed


def test_a_library_that_is_not_there_is_not_found_when_it_is_entered(bare_location: Location) -> None:
    async def main() -> None:
        async with octavo.open_async(bare_location):
            raise AssertionError("there is nothing to open")

    with pytest.raises(octavo.NotFound):
        asyncio.run(main())


def test_the_event_loop_goes_on_while_a_call_works(path: Path) -> None:
    async def main() -> int:
        beats = 0
        async with octavo.open_async(path) as library:
            indexing = asyncio.ensure_future(library.reindex("full", wait=True))
            while not indexing.done():
                beats += 1
                await asyncio.wait({indexing}, timeout=0.001)
            assert (await indexing).state == "done"
        return beats

    assert asyncio.run(main()) > 1


def test_progress_is_reported_in_the_event_loop(path: Path) -> None:
    threads: set[int] = set()

    async def main() -> None:
        async with octavo.open_async(path) as library:
            await library.reindex("full", wait=True, progress=lambda update: threads.add(threading.get_ident()))

    asyncio.run(main())
    assert threads == {threading.get_ident()}


def test_a_run_that_is_cancelled_stops_and_the_library_goes_on(path: Path) -> None:
    async def main() -> None:
        async with octavo.open_async(path) as library:
            begun = asyncio.Event()
            indexing = asyncio.ensure_future(library.reindex("full", wait=True, progress=lambda update: begun.set()))
            await begun.wait()
            indexing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await indexing
            assert (await library.index()).complete

    asyncio.run(main())


def test_folders_are_watched_and_changes_reported_in_the_event_loop(location: Location, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()

    async def main() -> octavo.IndexingRun:
        runs: asyncio.Queue[octavo.IndexingRun] = asyncio.Queue()
        async with octavo.open_async(location, create=True) as library:
            await library.add(notes, name="notes")
            async with library.watch(debounce_ms=250, changed=runs.put_nowait) as watch:
                assert (await watch.state()).watching
                (notes / "a.md").write_text("# Birds\n\nA cormorant.\n")
                return await asyncio.wait_for(runs.get(), 60)

    assert asyncio.run(main()).added == 1


def test_tools_are_called_without_holding_up_the_event_loop(path: Path) -> None:
    async def main() -> octavo.ToolAnswer:
        async with octavo.open_async(path) as library:
            tools = library.tools("search,get")
            assert tools.names == ("search", "get") and len(tools) == 2
            assert list(tools) == tools.definitions()
            return await tools.call("search", {"query": "dome", "limit": 1})

    answer = asyncio.run(main())
    assert not answer.is_error and len(answer.data["hits"]) == 1


def test_a_coroutine_is_documented_as_its_method_is(path: Path, library: octavo.Library) -> None:
    async def main() -> tuple[str | None, inspect.Signature]:
        async with octavo.open_async(path) as opened:
            assert await opened.memory.search("dome") == library.memory.search("dome")
            return opened.memory.search.__doc__, inspect.signature(opened.memory.search)

    assert asyncio.run(main()) == (library.memory.search.__doc__, inspect.signature(library.memory.search))
