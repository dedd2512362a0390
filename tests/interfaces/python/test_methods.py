"""Every operation is a method: what it takes, what it gives, and what it says of a wrong argument."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from operator import attrgetter
from pathlib import Path, PurePosixPath, PureWindowsPath
from queue import Queue

import numpy as np
import pytest
from cli_calls import Location
from error_cases import ERROR_CASES
from python_calls import VAULT

import octavo
from octavo import answers
from octavo.interfaces.python.argument_conversion import argument
from octavo.operations.names_and_hints_by_interface import method_of, methods
from octavo.operations.operation_lookup import EVERY, OPERATIONS

ON_TOP = "add ask doctor forget get index recall reindex remember remove search status"


def method(library: octavo.Library, name: str) -> Callable[..., object]:
    found: Callable[..., object] = attrgetter(method_of(EVERY[name]))(library)
    return found


def test_what_is_done_daily_is_on_top_and_the_rest_is_below_nouns(library: octavo.Library) -> None:
    assert [name for name in sorted(methods()) if "." not in name] == ON_TOP.split()
    assert set(dir(library)) > {*ON_TOP.split(), "memory", "graph", "notes", "profiles", "snapshots", "watch", "tools"}
    assert {"get", "history", "pin", "search"} < set(dir(library.memory))
    assert not hasattr(library.memory, "graph")


def test_every_operation_is_one_method() -> None:
    named = [operation.name for operation in methods().values()]
    assert sorted([*named, "watch"]) == sorted(EVERY)


def test_a_name_that_is_no_method_is_an_attribute_error_that_names_the_method(library: octavo.Library) -> None:
    with pytest.raises(AttributeError, match=r"a library has no 'memory_get': it is library\.memory\.get"):
        library.memory_get  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"library\.memory has no 'gte'"):
        library.memory.gte  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(TypeError, match=r"search\(\) got an unexpected keyword argument 'qurey'; did you mean query\?"):
        library.search("dome", qurey="pump")  # type: ignore[call-arg]
    with pytest.raises(
        TypeError, match=r"add\(\) too many positional arguments; by position it takes folder, by name name, "
    ):
        library.add("notes", "observatory")  # type: ignore[misc]


def test_a_library_stays_open_as_long_as_one_of_its_methods_is_used(path: Location) -> None:
    recall, memory = octavo.open(path).recall, octavo.open(path).memory
    gc.collect()
    assert recall("paint").memories and memory.search("paint").memories


def test_the_examples_of_all_operations_work_as_calls_of_their_methods(library: octavo.Library) -> None:
    for name, operation in EVERY.items():
        # A server keeps indexes of its own, and is saved by its own tools.
        of_files = name.startswith(("snapshots_", "db_backup", "db_restore"))
        left_out = name == "watch" or (of_files and "://" in library.location)
        if not left_out and operation.example is not None:
            answer = method(library, name)(**operation.example)
            assert type(answer) is getattr(answers, type(answer).__name__) is operation.gives


def test_the_errors_of_all_operations_are_raised_by_their_methods(library: octavo.Library) -> None:
    for name in OPERATIONS:
        taken = inspect.signature(method(library, name)).parameters.keys()
        for arguments, code in ERROR_CASES.get(name, ()):
            if arguments.keys() <= taken:
                with pytest.raises((octavo.OctavoError, TypeError)) as caught:
                    method(library, name)(**arguments)
                # Python itself refuses a call that leaves out what is required.
                assert getattr(caught.value, "code", code) == code, (name, arguments)


def test_every_method_documents_every_argument(library: octavo.Library) -> None:
    for name in methods():
        documented = attrgetter(name)(library)
        arguments = inspect.signature(documented).parameters
        assert [each for each in arguments if f"\n    {each}: " not in documented.__doc__] == [], name


def test_a_result_iterates_over_its_hits(library: octavo.Library) -> None:
    result = library.search("when does the dome have to close?", limit=3, explain=True)
    assert tuple(result) == result.hits
    assert len(result) == len(result.hits) == 3
    assert result.freshness.documents > len(list(VAULT.rglob("*.md")))
    assert result.trace is not None and result.trace[0].stage
    assert not library.search("tag:nowhere")
    memories = library.recall("dome")
    assert tuple(memories) == memories.memories and len(memories) > 0


def test_an_answer_is_cut_only_for_a_caller_who_says_how_long_it_may_be(library: octavo.Library) -> None:
    whole = library.search("the", limit=60, show_all=True)
    assert len(whole) > 10 and whole.next_cursor is None
    page = library.search("the", limit=60, show_all=True, max_tokens=500)
    assert 0 < len(page) < len(whole) and page.next_cursor is not None
    rest = library.search("the", limit=60, show_all=True, cursor=page.next_cursor)
    assert [hit.chunk_id for hit in (*page, *rest)] == [hit.chunk_id for hit in whole]


def test_progress_is_reported_phase_by_phase_and_up_to_the_end(library: octavo.Library) -> None:
    updates: list[octavo.ProgressUpdate] = []
    library.reindex("full", wait=True, progress=updates.append)
    first = next(update for update in updates if update.phase == "observatory")
    assert first == octavo.ProgressUpdate("observatory", 0, first.total, "B")
    assert first.total is not None
    ends = {update.phase: update for update in updates}
    assert ends["observatory"].done == ends["observatory"].total
    assert str(ends["observatory"]) == f"observatory: {first.total} of {first.total} B"


class Scope(Enum):
    PREFIX = "equipment/"


def test_values_are_taken_as_what_they_are_in_python(library: octavo.Library) -> None:
    def uris(**given: object) -> list[str]:
        return [hit.uri for hit in library.search("mirror", **given)]  # type: ignore[arg-type]

    below = uris(path_prefix="equipment/")
    assert below and below == uris(path_prefix=PurePosixPath("equipment")) == uris(path_prefix=Scope.PREFIX)
    assert uris(kinds="note") == uris(kinds=["note"]) == uris(kinds={"note"}) == uris(kinds=iter(["note"]))
    assert uris(limit=None) == uris()
    assert uris(collections="observatory") == uris()
    assert uris(modified_after=timedelta(days=100_000)) == uris(modified_after=date(2000, 1, 1)) == uris()
    assert uris(modified_before=datetime(2000, 1, 1, tzinfo=UTC)) == []
    assert len(library.search("mirror", limit=np.int64(2), min_score=np.float32(0))) == 2  # type: ignore[arg-type]


def test_a_time_without_a_zone_is_local() -> None:
    noon = datetime.fromisoformat("2024-05-01T12:00:00")
    assert datetime.fromisoformat(argument(noon)) == noon.astimezone()
    assert argument(datetime(2024, 5, 1, 12, tzinfo=UTC)) == "2024-05-01T12:00:00+00:00"
    assert argument(date(2024, 5, 1)) == "2024-05-01"


def test_a_path_is_written_with_slashes_as_uris_are() -> None:
    assert argument(PureWindowsPath("equipment\\Cameras.md")) == "equipment/Cameras.md"
    assert argument(Path("equipment") / "Cameras.md") == "equipment/Cameras.md"


@pytest.mark.parametrize(
    ("call", "message", "hint"),
    [
        (lambda library: library.search(5), "query of search: input should be a valid string", "query takes string: "),
        (lambda library: library.search(None), "search needs query", "query takes string: "),
        (lambda library: library.search(b"dome"), "query of search is bytes, not text", "query takes string: "),
        (lambda library: library.search(object()), "query of search is of type object", "query takes string: "),
        (
            lambda library: library.search("dome", limit="many"),
            "limit of search: input should be a valid integer",
            "limit takes integer: How many hits at most. 1 to 1,000.",
        ),
        (
            lambda library: library.search("dome", limit=0),
            "limit of search: input should be greater than or equal to 1",
            "limit takes integer: How many hits at most. 1 to 1,000.",
        ),
        (
            lambda library: library.search("dome", modified_after=datetime.min.replace(tzinfo=UTC)),
            "modified_after of search: '0001-01-01T00:00:00+00:00' is not a time since the year 1000",
            "write 2024-05-01",
        ),
        (
            lambda library: library.search("dome", modified_after=timedelta.max),
            "modified_after of search is 999999999 days, ",
            "modified_after takes string: ",
        ),
        (
            lambda library: library.remember("x", kind="fcat"),
            "kind of remember: there is no fcat",
            "choose one of: note",
        ),
        (
            lambda library: library.get("nothing.md"),
            "nothing in the library is called nothing.md",
            "`library.search(query)` finds passages",
        ),
        (
            lambda library: library.add(".", name="observatory"),
            "the collection observatory is the folder ",
            "give this one another name=…, or pass replace=True",
        ),
        (
            lambda library: library.search("x", collections="nope"),
            "there is no collection nope",
            "there are: ",
        ),
        (
            lambda library: library.add("/nowhere/at/all", name="x"),
            "there is nothing at /nowhere/at/all",
            "give the folder",
        ),
    ],
)
def test_a_wrong_argument_is_an_error_that_says_what_is_meant(
    library: octavo.Library, call: Callable[[octavo.Library], object], message: str, hint: str
) -> None:
    with pytest.raises(octavo.OctavoError) as caught:
        call(library)
    assert caught.value.message.startswith(message)
    assert caught.value.hint is not None and caught.value.hint.startswith(hint)


def test_a_folder_is_watched_while_the_block_runs(location: Location, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    with octavo.open(location, create=True) as library:
        library.add(notes, name="notes")
        with library.watch(debounce_ms=250) as watch:
            assert watch.state().watching
            assert library.status().watch.debounce_ms == 250
        assert not watch.state().watching
        watch.close()
        held = library.watch()
        assert held.state().watching
    held.close()


def test_what_changes_in_a_watched_folder_is_indexed_and_reported(location: Location, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    runs: Queue[octavo.IndexingRun] = Queue()
    with octavo.open(location, create=True) as library:
        library.add(notes, name="notes")
        with library.watch(debounce_ms=250, changed=runs.put):
            (notes / "a.md").write_text("# Birds\n\nA cormorant.\n")
            assert runs.get(timeout=60).added == 1
        assert [hit.uri for hit in library.search("cormorant", profile="lexical_only")] == ["a.md"]
