"""Every answer says how fresh it is, and which of its hits the disk contradicts."""

from __future__ import annotations

import os
from pathlib import Path

from workbench import GOOD, Bench

from octavo.model.query import Query
from octavo.model.search_result import Result
from octavo.operations.reading.passage_reading import get
from octavo.operations.reading.requests import GetRequest
from octavo.operations.reading.results import get_lines
from octavo.operations.styled_answer_lines import lines


def asked(bench: Bench, words: str = "prune dough switch") -> Result:
    with bench.opened() as engine:
        return engine.search(Query(words))


def stale(bench: Bench) -> dict[str, str | None]:
    return {hit.citation.uri: hit.stale for hit in asked(bench).hits}


def test_hits_whose_file_changed_or_vanished_since_are_marked(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    assert set(stale(bench).values()) == {None}
    (bench.folder / "bread.md").write_text("# Bread\n\nSomething else.\n")
    (bench.folder / "lamp.txt").unlink()
    (bench.folder / "garden" / "apples.md").rename(bench.folder / "apples.md")
    assert stale(bench) == {"garden/apples.md": "gone", "bread.md": "changed", "lamp.txt": "gone"}
    bench.index()
    assert stale(bench) == {"apples.md": None, "bread.md": None}


def test_reading_says_that_the_file_changed_or_vanished_since(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()

    def read(uri: str, version: int | None = None) -> tuple[str | None, str]:
        with bench.opened() as engine:
            answer = get(engine, GetRequest(uri, version=version))
        return answer.stale, "".join(lines(get_lines(answer)))

    fresh, shown = read("bread.md")
    assert fresh is None and "since" not in shown
    (bench.folder / "bread.md").write_text("# Bread\n\nSomething else.\n")
    (bench.folder / "lamp.txt").unlink()
    assert read("bread.md", version=1)[0] is None
    changed, shown = read("bread.md")
    assert changed == "changed" and "the file has changed since: this is what was indexed" in shown
    gone, shown = read("lamp.txt")
    assert gone == "gone" and "the file is no longer there" in shown


def test_a_file_replaced_by_a_folder_is_gone(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    (bench.folder / "bread.md").unlink()
    (bench.folder / "bread.md").mkdir()
    assert stale(bench)["bread.md"] == "gone"


def test_a_folder_that_is_not_there_says_nothing_of_its_files(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    aside = bench.folder.rename(bench.folder.with_name("aside"))
    assert set(stale(bench).values()) == {None}
    bench.folder.mkdir()  # as a mount point without its disk
    assert set(stale(bench).values()) == {None}
    bench.folder.rmdir()
    aside.rename(bench.folder)


def test_a_link_is_as_fresh_as_its_target(bench: Bench) -> None:
    bench.write({"notes.md": "# One\n\nzebrafish\n", ".hidden/target.md": "# Two\n\nokapi\n"})
    (bench.folder / "link.md").symlink_to(Path(".hidden") / "target.md")
    bench.index()
    with bench.opened() as engine:
        (hit, *_) = engine.search(Query("okapi")).hits
        assert (hit.citation.uri, hit.stale) == ("link.md", None)
        os.utime(bench.folder / ".hidden" / "target.md", (1, 1))
        (hit, *_) = engine.search(Query("okapi")).hits
        assert hit.stale == "changed"


def test_the_age_of_an_answer_is_that_of_the_last_comparison_with_the_disk(bench: Bench) -> None:
    bench.write(GOOD)
    with bench.opened() as engine:
        assert engine.freshness().age_seconds is None
    bench.index()
    with bench.opened() as engine:
        age = engine.freshness().age_seconds
        assert age is not None and age < 60
        assert engine.freshness().queued == 0
