"""A full disk, a file that is no library, one from the future: said plainly, and nothing is lost."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest
from click.testing import CliRunner
from workbench import GOOD, Bench

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.errors import NewerLibrary, NotALibrary, OctavoError, StorageError
from octavo.interfaces.cli.main import cli

MORE = {
    f"more/{number}.md": f"# More {number}\n\n" + " ".join(f"word{number}x{place}" for place in range(200))
    for number in range(150)
}

# A limit on file sizes refuses writes the way a full disk does, and needs no disk to fill.
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)), resource.RLIM_INFINITY))
from octavo.interfaces.cli.main import main
main()
"""


def with_little_room(pages: int, engine: Engine) -> None:
    with engine.store.database.connection() as connection:  # type: ignore[attr-defined]
        connection.pragma("max_page_count", connection.pragma("page_count") + pages)


@pytest.mark.parametrize("pages", [0, 5, 40, 120])
def test_a_full_disk_costs_only_what_did_not_fit(bench: Bench, tmp_path: Path, pages: int) -> None:
    bench.write(GOOD)
    bench.index()
    bench.write(MORE)
    whole = replace(bench, library=tmp_path / "whole.db")
    whole.index()
    with bench.opened() as engine:
        with_little_room(pages, engine)
        with pytest.raises(StorageError, match=r"the disk is full: .*library\.db could not grow") as caught:
            engine.index()
        assert caught.value.hint == "free some space and run it again"
        assert engine.store.check() == ()
    assert bench.found("prune") == ["garden/apples.md"]
    assert bench.problems() == ()
    bench.index()
    assert bench.state() == whole.state()


def test_a_disk_that_fills_while_vectors_are_written_keeps_the_words_searchable(bench: Bench) -> None:
    bench.write(GOOD | MORE)
    with bench.opened() as engine:
        engine.index(embed=False)
        with_little_room(0, engine)
        with pytest.raises(StorageError, match="the disk is full"):
            engine.index()
    assert bench.found("word7x7") == ["more/7.md"]
    with bench.opened() as engine:
        engine.index()
        assert engine.freshness().full_vectors == 1.0
    assert bench.problems() == ()


def test_the_command_line_says_that_the_disk_refused_and_the_next_run_completes(bench: Bench) -> None:
    pytest.importorskip("resource", reason="this system has no limits on file sizes")
    bench.write(GOOD)
    bench.index()
    bench.write(MORE)
    limit = str(bench.library.stat().st_size + 100_000)
    command = [sys.executable, "-c", LIMITED, limit, "index"]
    done = subprocess.run(command, env=bench.environ(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 6
    assert done.stderr.startswith("error: ") and "library.db" in done.stderr and "hint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert bench.problems() == ()
    assert bench.found("prune") == ["garden/apples.md"]
    assert bench.index().failed == []
    assert bench.found("word7x7") == ["more/7.md"]


def foreign_text(path: Path) -> None:
    path.write_text("# My notes\n\nnot a database\n" * 100)


def foreign_database(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("create table theirs (x); insert into theirs values (1)")
    connection.close()


def from_the_future(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("pragma user_version = 1000; pragma application_id = 1329812528")
    connection.close()


@pytest.mark.parametrize(
    ("make", "raised", "said"),
    [
        (foreign_text, NotALibrary, "is not a database"),
        (foreign_database, NotALibrary, "is a database, but not an Octavo library"),
        (from_the_future, NewerLibrary, "was written by a newer Octavo (schema 1000, this one knows"),
    ],
)
@pytest.mark.parametrize("arguments", [("init",), ("index",), ("search", "word"), ("status",), ("doctor",)])
def test_a_file_that_is_no_library_is_refused_by_every_command_and_left_alone(
    bench: Bench, make: object, raised: type[OctavoError], said: str, arguments: tuple[str, ...]
) -> None:
    make(bench.library)  # type: ignore[operator]
    content = bench.library.read_bytes()
    bench.library.chmod(0o644)  # somebody else may read it, and goes on reading it
    if arguments == ("index",):
        with pytest.raises(raised) as caught:
            bench.index()
        assert said in caught.value.message
    done = CliRunner().invoke(cli, arguments, env={**bench.environ()})
    assert done.exit_code == 3
    assert said in done.stderr and "hint: " in done.stderr and "Traceback" not in done.stderr
    assert bench.library.read_bytes() == content
    assert stat.S_IMODE(bench.library.stat().st_mode) & 0o644 == 0o644
    assert sorted(path.name for path in bench.library.parent.glob("library.db*")) == ["library.db"]


def test_one_document_the_store_refuses_costs_only_itself(bench: Bench) -> None:
    bench.write({**GOOD, "odd.md": "# Odd\n\nzebrafish\n"})
    with bench.opened() as engine:
        with engine.store.database.connection() as connection:  # type: ignore[attr-defined]
            connection.execute(
                "create temp trigger refuse before insert on main.documents when new.uri = 'odd.md' "
                "begin select raise(abort, 'no such page'); end"
            )
        (report,) = engine.index().collections
    assert (report.added, report.chunks) == (3, 3)
    assert [(one.uri, "no such page" in one.reason) for one in report.failed] == [("odd.md", True)]
    assert bench.ledger()["odd.md"].document_id is None
    assert bench.found("prune") == ["garden/apples.md"]
    assert bench.problems() == ()


def folder(path: Path) -> None:
    path.mkdir()


def link_to_nowhere(path: Path) -> None:
    path.symlink_to("nowhere/library.db")


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes are those of POSIX")
@pytest.mark.parametrize("create", [True, False])
@pytest.mark.parametrize(
    ("make", "raised", "said"),
    [
        (folder, NotALibrary, "is a folder; a library is a file"),
        (link_to_nowhere, NotALibrary, "is a link to nowhere/library.db, which is not there"),
        (link_to_itself, StorageError, "Too many levels of symbolic links"),
        (pipe, NotALibrary, "is a pipe; a library is a file"),
    ],
)
def test_what_stands_where_a_library_should_be_is_called_what_it_is(
    bench: Bench, make: Callable[[Path], None], raised: type[OctavoError], said: str, create: bool
) -> None:
    make(bench.library)
    with pytest.raises(raised) as caught:
        open_engine(bench.config(), create=create)
    assert said in caught.value.message and caught.value.hint


@pytest.mark.parametrize("create", [True, False])
def test_no_library_lies_below_a_file_or_under_too_long_a_name(tmp_path: Path, bench: Bench, create: bool) -> None:
    (tmp_path / "notes.txt").write_text("bread", "utf-8")
    with pytest.raises(NotALibrary, match=r"notes\.txt is a file, not a folder"):
        open_engine(replace(bench, library=tmp_path / "notes.txt" / "library.db").config(), create=create)
    with pytest.raises(StorageError):
        open_engine(replace(bench, library=tmp_path / ("long" * 100)).config(), create=create)


def test_a_library_that_this_account_may_not_read_or_make_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.index()
    # Whoever runs the tests may be root, whom no mode keeps out.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StorageError, match="may not be read by this account"):
        open_engine(bench.config())
    with pytest.raises(StorageError, match=r"no library can be made at .*: .* may not be written by this account"):
        open_engine(replace(bench, library=bench.library.with_name("other.db")).config(), create=True)
    if hasattr(os, "statvfs"):
        monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
        with pytest.raises(StorageError, match="on a disk that can only be read") as refused:
            open_engine(replace(bench, library=bench.library.with_name("other.db")).config(), create=True)
        assert refused.value.hint == "name another file with --library", "no permission makes such a disk writable"
