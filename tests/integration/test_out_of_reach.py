"""Never delete on doubt: what cannot be looked at stays in the library, and the run says so."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path

import pytest
from workbench import GOOD, Bench, exchange

from octavo.engine.engine import Engine
from octavo.errors import LeaseLost
from octavo.ingest.collection_indexing import Preparers
from octavo.ingest.prepared_file import Origin, PreparedFile
from octavo.model.folder_scan import Scan, SeenFile
from octavo.model.indexing_ledger import FileOutcome, FileStamp
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Query
from octavo.parsing.registry import EXTENSIONS
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.sources.folder_scan import scan
from octavo.sources.ignore_rules import IgnoreRules

Lister = Callable[[str], AbstractContextManager[Iterator["os.DirEntry[str]"]]]


class Meddling:
    """The real preparers, after something happened to the folder: the moment between listing a file and reading it."""

    def __init__(self, preparers: Preparers, meddle: Callable[[], object]) -> None:
        self._preparers = preparers
        self._meddle = meddle

    def prepare(self, origin: Origin, files: Sequence[SeenFile]) -> Generator[PreparedFile, None, None]:
        self._meddle()
        yield from self._preparers.prepare(origin, files)


def meddling(meddle: Callable[[], object]) -> Callable[[Engine], None]:
    def arrange(engine: Engine) -> None:
        make = engine.library.adapters.preparing.preparers
        exchange(engine, preparers=lambda settings, fast, size: Meddling(make(settings, fast, size), meddle))

    return arrange


def listing_with(lister: Lister) -> Callable[[Engine], None]:
    rules = IgnoreRules(extensions=EXTENSIONS, max_bytes=10_000_000)

    def arrange(engine: Engine) -> None:
        def listed(collection: Collection, known: Mapping[str, FileStamp], paths: Sequence[str] | None) -> Scan:
            return scan(collection.root, rules, known, paths=paths, lister=lister)

        exchange(engine, scan=listed)

    return arrange


def refusing(folder: Path, error: OSError) -> Callable[[Engine], None]:
    """A disk on which one folder cannot be listed."""

    @contextmanager
    def lister(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        if Path(path) == folder:
            raise error
        with os.scandir(path) as entries:
            yield entries

    return listing_with(lister)


def breaking_off(folder: Path) -> Callable[[Engine], None]:
    """A disk that fails after the first name of one folder."""

    @contextmanager
    def lister(path: str) -> Iterator[Iterator[os.DirEntry[str]]]:
        def some(entries: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
            for entry in entries:
                yield entry
                if Path(path) == folder:
                    raise OSError(5, "Input/output error")

        with os.scandir(path) as entries:
            yield some(entries)

    return listing_with(lister)


def test_a_new_file_that_vanishes_before_it_is_read_costs_only_itself(bench: Bench) -> None:
    bench.write({**GOOD, "gone.md": "zebrafish\n"})
    report = bench.index(meddling((bench.folder / "gone.md").unlink))
    assert (report.added, [one.uri for one in report.failed]) == (3, ["gone.md"])
    entry = bench.ledger()["gone.md"]
    assert (entry.outcome, entry.document_id) == (FileOutcome.FAILED, None)
    assert "no such file" in entry.reason
    assert bench.found("prune") == ["garden/apples.md"]
    again = bench.index()
    assert (again.failed, again.unchanged, set(bench.ledger())) == ([], 3, set(GOOD))


def test_a_known_file_that_vanishes_before_it_is_read_stays_until_it_is_seen_to_be_gone(bench: Bench) -> None:
    bench.write({**GOOD, "gone.md": "zebrafish\n"})
    bench.index()
    bench.write({"gone.md": "zebrafish, edited\n"})
    report = bench.index(meddling((bench.folder / "gone.md").unlink))
    assert (report.removed, [one.uri for one in report.failed]) == (0, ["gone.md"])
    assert bench.found("zebrafish") == ["gone.md"]
    assert bench.index().removed == 1
    assert bench.found("zebrafish") == []
    assert bench.problems() == ()


def test_a_folder_that_vanishes_before_its_files_are_read_costs_only_its_files(bench: Bench) -> None:
    bench.write({**GOOD, "gone/a.md": "zebrafish\n", "gone/b.md": "quagga\n"})
    report = bench.index(meddling(partial(shutil.rmtree, bench.folder / "gone")))
    assert (report.added, [one.uri for one in report.failed]) == (3, ["gone/a.md", "gone/b.md"])
    assert (bench.index().failed, set(bench.ledger())) == ([], set(GOOD))


def test_a_file_that_changes_before_it_is_read_is_indexed_as_it_is_then(bench: Bench) -> None:
    bench.write({"a.md": "zebrafish\n"})
    changed = partial(bench.write, {"a.md": "quagga and okapi\n"})
    bench.index(meddling(changed))
    assert (bench.found("quagga"), bench.found("zebrafish")) == (["a.md"], [])
    with bench.opened() as engine:
        (stored,) = engine.store.documents.find(engine.project.id, "a.md")
    assert stored.modified_at == (bench.folder / "a.md").stat().st_mtime_ns / 1e9
    assert bench.index().unchanged == 1


def test_a_file_that_becomes_a_link_before_it_is_read_is_not_followed(bench: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "secret.md"
    outside.write_text("zebrafish")
    bench.write({**GOOD, "a.md": "quagga\n"})

    def swap() -> None:
        (bench.folder / "a.md").unlink()
        (bench.folder / "a.md").symlink_to(outside)

    report = bench.index(meddling(swap))
    assert [one.uri for one in report.failed] == ["a.md"]
    assert bench.found("zebrafish") == []


def test_a_file_that_cannot_be_read_is_kept_and_tried_again_though_it_did_not_change(bench: Bench) -> None:
    bench.write({**GOOD, "a.md": "zebrafish\n"})
    bench.index()
    path = bench.folder / "a.md"
    bench.write({"a.md": "zebrafish and quagga\n"})
    stamp = path.stat()
    # Gone when it is read and back afterwards with the same stamp: what a permission or a network disk does.
    aside = bench.folder.parent / "aside.md"
    report = bench.index(meddling(partial(path.rename, aside)))
    aside.rename(path)
    assert path.stat()[:9] == stamp[:9] and path.stat().st_mtime_ns == stamp.st_mtime_ns
    assert [one.uri for one in report.failed] == ["a.md"]
    assert (bench.found("zebrafish"), bench.found("quagga")) == (["a.md"], [])
    again = bench.index()
    assert (again.failed, again.changed) == ([], 1)
    assert bench.found("quagga") == ["a.md"]


def test_a_file_that_stays_unreadable_is_reported_each_time_and_written_down_once(bench: Bench) -> None:
    bench.write({**GOOD, "a.md": "zebrafish\n"})
    path, aside = bench.folder / "a.md", bench.folder.parent / "aside.md"
    generations = []
    for added in (3, 0, 0):
        report = bench.index(meddling(partial(path.rename, aside)))
        aside.rename(path)
        assert (report.added, [one.uri for one in report.failed]) == (added, ["a.md"])
        generations.append(bench.generation())
    assert generations[2] == generations[1] == generations[0]


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error"), FileNotFoundError(2, "gone")]
)
def test_an_unreadable_folder_keeps_what_it_held(bench: Bench, error: OSError) -> None:
    bench.write({**GOOD, "garden/deep/pears.md": "# Pears\n\nzebrafish\n"})
    bench.index()
    before = bench.state()
    report = bench.index(refusing(bench.folder / "garden", error))
    assert (report.removed, report.doubtful, report.unchanged) == (0, 2, 2)
    assert [one.uri for one in report.unreadable] == ["garden"]
    assert bench.state() == before
    # What was deleted meanwhile is found out as soon as the folder can be looked at.
    shutil.rmtree(bench.folder / "garden" / "deep")
    assert (bench.index().removed, bench.found("zebrafish")) == (1, [])


def test_what_lies_beside_an_unreadable_folder_is_still_removed_and_added(bench: Bench) -> None:
    bench.write({**GOOD, "other/a.md": "zebrafish\n"})
    bench.index()
    (bench.folder / "bread.md").unlink()
    bench.write({"new.md": "quagga\n"})
    report = bench.index(refusing(bench.folder / "garden", PermissionError(13, "Permission denied")))
    assert (report.removed, report.added, report.doubtful) == (1, 1, 1)
    assert (bench.found("dough"), bench.found("prune")) == ([], ["garden/apples.md"])


def test_a_file_in_doubt_is_not_taken_for_moved(bench: Bench) -> None:
    bench.write({"garden/a.md": "# Zebrafish\n\nquagga\n"})
    bench.index()
    bench.write({"copy.md": "# Zebrafish\n\nquagga\n"})
    report = bench.index(refusing(bench.folder / "garden", PermissionError(13, "Permission denied")))
    assert (report.moved, report.added) == (0, 1)
    with bench.opened() as engine:
        (hit,) = engine.search(Query("quagga"), PROFILES["lexical_only"]).hits
    assert [hit.citation.uri, *(copy.uri for copy in hit.copies)] == ["copy.md", "garden/a.md"]


def test_a_listing_that_breaks_off_is_no_evidence_of_absence(bench: Bench) -> None:
    bench.write({f"many/{number}.md": f"zebrafish {number}\n" for number in range(9)})
    bench.index()
    report = bench.index(breaking_off(bench.folder / "many"))
    assert (report.removed, report.doubtful) == (0, 9)
    assert len(bench.found("zebrafish")) == 9


def test_a_missing_root_is_reported_and_changes_nothing(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    before, generation = bench.state(), bench.generation()
    bench.folder.rename(bench.folder.with_name("unmounted"))
    report = bench.run()
    assert report.collections == ()
    assert [(one.uri, one.reason) for one in report.missing] == [("notes", f"the folder {bench.folder} is not there")]
    assert (bench.state(), bench.generation()) == (before, generation)
    process = bench.process("index")
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 6
    assert "is not there; what was indexed from it is kept" in out
    assert bench.found("prune") == ["garden/apples.md"]
    bench.folder.with_name("unmounted").rename(bench.folder)
    assert (bench.index().unchanged, bench.state()) == (3, before)


def test_a_root_that_cannot_be_listed_is_reported_and_changes_nothing(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    before = bench.state()
    report = bench.run(refusing(bench.folder, PermissionError(13, "Permission denied")))
    assert (report.collections, [one.uri for one in report.missing]) == ((), ["notes"])
    assert bench.state() == before


def test_a_mount_point_without_its_disk_is_not_an_emptied_folder(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    before = bench.state()
    bench.folder.rename(bench.folder.with_name("disk"))
    bench.folder.mkdir()
    os.utime(bench.folder, (1, 1))
    report = bench.run()
    assert "may not be mounted" in report.missing[0].reason
    assert bench.state() == before


def test_an_emptied_folder_empties_the_collection(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    for entry in bench.folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    report = bench.index()
    assert (report.removed, bench.ledger(), bench.found("prune")) == (3, {}, [])
    assert bench.problems() == ()


def test_a_missing_collection_does_not_keep_the_others_from_being_indexed(bench: Bench, tmp_path: Path) -> None:
    bench.write(GOOD)
    other = tmp_path / "other"
    other.mkdir()
    with bench.opened() as engine:
        engine.add_collection("another", other)
        other.rmdir()
        report = engine.index()
    assert [collection.name for collection in report.collections] == ["notes"]
    assert [one.uri for one in report.missing] == ["another"]
    assert bench.found("prune") == ["garden/apples.md"]


def outlast_the_lease(bench: Bench) -> None:
    """As if the run under way had slept for so long that another may begin."""
    with bench.opened() as engine:
        lease = engine.store.leases.current(engine.project.id, "index")
        assert lease is not None
        engine.store.leases.release(lease)


def test_another_processs_newer_look_is_not_undone_by_an_older_plan(bench: Bench) -> None:
    bench.write({**GOOD, "a.md": "zebrafish\n"})
    bench.index()
    (bench.folder / "a.md").unlink()
    bench.write({"new.md": "okapi\n"})

    def another_process() -> None:
        outlast_the_lease(bench)
        bench.write({"a.md": "zebrafish, back again\n"})
        assert bench.index().changed == 1

    with pytest.raises(LeaseLost):
        bench.index(meddling(another_process))
    assert (bench.found("zebrafish"), bench.found("okapi")) == (["a.md"], ["new.md"])
    assert bench.index().unchanged == 5
    assert bench.problems() == ()


def test_a_document_another_process_removed_meanwhile_is_written_again(bench: Bench) -> None:
    bench.write({**GOOD, "a.md": "zebrafish\n"})
    bench.index()
    path = bench.folder / "a.md"
    os.utime(path, (1, 1))

    def another_process() -> None:
        outlast_the_lease(bench)
        aside = path.rename(path.parent.parent / "aside.md")
        assert bench.index().removed == 1
        aside.rename(path)

    with pytest.raises(LeaseLost):
        bench.index(meddling(another_process))
    assert bench.found("zebrafish") == ["a.md"]
    assert bench.problems() == ()
