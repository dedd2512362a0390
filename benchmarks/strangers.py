"""Hostile folders, made from a seed: special names of every kind of file, indexed, edited and synchronised as a user
would. Nothing outside of them may change or be found, nothing may wait, and what is not read is reported."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

from octavo.config.layered_config_loading import load, validated
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.errors import OctavoError
from octavo.ingest.indexing_report import IndexReport
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.memory.memory_reading_and_writing import memory_sync
from octavo.operations.memory.requests import MemorySyncRequest
from octavo.operations.note_editing.note_editing import doc_create, doc_rename
from octavo.operations.note_editing.note_lint import lint
from octavo.operations.note_editing.requests import DocCreateRequest, DocRenameRequest, LintRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search
from octavo.retrieval.profile_toml_files import read_profiles
from octavo.retrieval.profiles_by_name import PROFILES

_WAIT_SECONDS = 60  # on the wall, which a busy machine stretches; then somebody waits for ever
_WORK_SECONDS = 1.0  # of processor time
_SECRET = "unspokenword"
_JOURNAL = ".octavo-writes.journal"
_IGNORE_FILES = (".gitignore", ".octavoignore", "sub/.gitignore")
_GIT_FILES = (
    *("HEAD", "config", "packed-refs", "shallow", "commondir", "gitdir", "index", "refs/heads/x", "info/attributes"),
    *("info/grafts", "objects/info/alternates", "objects/ab/0123456789012345678901234567890123456789"),
)
_NAMES = (
    *(_JOURNAL, *_IGNORE_FILES, *(f".git/{name}" for name in _GIT_FILES), ".git"),
    *(".octavo/config.toml", ".octavo/profiles/p.toml", ".octavo/library.db", ".octavo", ".trash", "templates/t.md"),
    *(".gitmodules", ".gitattributes", ".mailmap", "note.md", "sub/note.md", "a.ipynb", "b.json", "c.html", "d.py"),
    *("refs.bib", "sub/refs.bib", "storage/refs.bib", "storage/ABCD2345/refs.bib", "zotero.sqlite"),
    *("e.pdf", "library.db", "library.db.writes", ".octavo-0123.draft", ".note.md.1.new", "con.md", "-rf.md"),
)
_TEXTS = (
    *("[]", "{}", "", "\0" * 100, "gitdir: OUTSIDE\n", "[include]\npath = OUTSIDE/mine\n", "OUTSIDE/objects\n"),
    *("[[[[" * 20_000, '{"a":' * 20_000, "*a" * 100_000, "*x*y\n" * 40_000, "!**\n", 'library = "OUTSIDE/l.db"\n'),
    '{"version": 1, "renamed": {"source": "../outside/taken", "target": "note.md", "made": []}, "files": []}',
    '{"version": 2, "renamed": {"source": "in.md", "target": "../outside/mine", "made": []}, "files": []}',
    *("@article{paper,\n file = {paper.html},\n title = {" + "{a" * 50_000, "@a{b,\n" + "paper.html = " * 10_000),
    "@article{k,\n" + "x = {y},\n" * 10_000 + "file = {storage/ABCD2345/paper.html}}\n",
    "---\ntitle: &a [*a, *a]\n---\n# OUTSIDE\n\n![[OUTSIDE/mine]] [x](OUTSIDE/mine)\n",
)


def _pipe(path: Path, outside: Path, chosen: random.Random) -> None:
    os.mkfifo(path)


def _socket(path: Path, outside: Path, chosen: random.Random) -> None:
    with socket.socket(socket.AF_UNIX) as made, suppress(OSError):  # a path may be too long for one
        made.bind(str(path))


def _link(path: Path, outside: Path, chosen: random.Random) -> None:
    path.symlink_to(
        chosen.choice(("/dev/zero", "/dev/tty", outside / "mine", outside, path.name, "nowhere", "..", "/"))
    )


def _huge(path: Path, outside: Path, chosen: random.Random) -> None:
    path.touch()
    os.truncate(path, 1 << chosen.choice((21, 30, 40)))


def _text(path: Path, outside: Path, chosen: random.Random) -> None:
    path.write_text(chosen.choice(_TEXTS).replace("OUTSIDE", str(outside)), "utf-8")


def _folder(path: Path, outside: Path, chosen: random.Random) -> None:
    path.mkdir()


_KINDS: tuple[Callable[[Path, Path, random.Random], None], ...] = (_pipe, _socket, _link, _huge, _text, _text, _folder)


def outcomes(seeds: list[int], folder: Path) -> Iterator[tuple[int, str]]:
    """What became of a library and of everything outside, for each folder."""
    history = folder / "history"
    history.mkdir()
    (history / "note.md").write_text("# Note\n\n[[other]]\n", "utf-8")
    who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "First"]):
        subprocess.run(["git", *arguments], cwd=history, env=os.environ | who, check=True)
    outside = folder / "outside"
    (outside / "objects").mkdir(parents=True)
    (outside / "mine").write_text(f"# Mine\n\n{_SECRET}\n\n@book{{b, file = {{paper.html}}, title = {{{_SECRET}}}}}\n")
    settings = {"embedding": {"provider": "hashing"}, "ingest": {"workers": 1}, "library": folder / "library.db"}
    with open_engine(validated(Config, settings), create=True) as engine:
        for seed in seeds:
            chosen, root = random.Random(seed), folder / str(seed)
            made = _made(root, history, outside, chosen)
            racing, cited = chosen.random() < 0.2, ""
            before, started = _state(outside), time.process_time()
            try:
                with _deadline(), _exchanged(root / "race.md", outside) if racing else nullcontext():
                    report = _used(engine, root, seed)
                    cited = _cited(engine, seed)
                outcome = _silent(report, root, made) or "nothing outside touched"
                if time.process_time() - started > _WORK_SECONDS and not racing:  # who exchanges files works too
                    outcome = f"too long: seed {seed}"
            except _Waited:
                outcome = f"too long, it waits: seed {seed}"
            except Exception as error:
                outcome = f"crashed: {type(error).__name__}, seed {seed}"
            found = engine.search(Query(_SECRET, 5), PROFILES["lexical_only"]).hits
            if _state(outside) != before or found or _SECRET in cited:
                outcome = f"wrong: something outside was touched or read, seed {seed}"
            shutil.rmtree(root, ignore_errors=True)
            yield seed, outcome


def _made(root: Path, history: Path, outside: Path, chosen: random.Random) -> dict[str, str]:
    """Special names by what stands there."""
    shutil.copytree(history, root)
    (root / "sub").mkdir()
    (root / "other.md").write_text("# Other\n\n[[note]]\n", "utf-8")
    (root / "storage" / "ABCD2345").mkdir(parents=True)
    (root / "storage" / "ABCD2345" / "paper.html").write_text("<h1>A zeppelin lands</h1>", "utf-8")
    made = {}
    for name in chosen.sample(_NAMES, chosen.randint(1, 4)):
        path, kind = root / name, chosen.choice(_KINDS)
        with suppress(OSError):  # one name may stand in another's way
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            kind(path, outside, chosen)
            made[name] = kind.__name__
    return made


def _used(engine: Engine, root: Path, seed: int) -> IndexReport:
    """Added, indexed, edited, linted and synchronised: refusals are answers."""
    name = f"stranger-{seed}"
    engine.add_collection(name, root, CollectionSettings(writable=True))
    report = engine.index([name])
    uses: tuple[Callable[[], Any], ...] = (
        partial(doc_create, engine, DocCreateRequest("new.md", "New", collection=name, template="templates/t.md")),
        partial(doc_create, engine, DocCreateRequest(".git/hooks/x.md", "New", collection=name)),
        partial(doc_rename, engine, DocRenameRequest("note.md", to="moved.md", collection=name, update_links=True)),
        partial(lint, engine, LintRequest(collections=(name,)), NoProgress()),
        partial(memory_sync, engine, MemorySyncRequest(str(root))),
        partial(load, environ={}, directory=root),
        partial(read_profiles, root / ".octavo" / "profiles"),
    )
    for use in uses:
        with suppress(OctavoError):
            use()
    return report


def _cited(engine: Engine, seed: int) -> str:
    """What bibliographies near a paper say of it."""
    hits = search(engine, SearchRequest("zeppelin", collections=(f"stranger-{seed}",), show_all=True)).hits
    return " ".join(f"{hit.citation_key} {hit.reference}" for hit in hits)


def _silent(report: IndexReport, root: Path, made: dict[str, str]) -> str | None:
    """What was neither read nor reported, if anything."""
    lines = {
        line.uri
        for done in report.collections
        for line in (*done.skipped, *done.failed, *done.unreadable, *done.unread_repositories)
    }
    special = ("_pipe", "_socket")
    for name, kind in made.items():
        if report.missing or not os.path.lexists(root / name) or (name == _JOURNAL and kind == "_folder"):
            continue
        if name == _JOURNAL or (kind in special and (name in _IGNORE_FILES or name == "note.md")):
            if name not in lines:
                return f"in silence: {name}"
        elif kind in special and name.startswith(".git/") and ".git" not in lines:
            return f"in silence: {name}"
    return None


def _state(outside: Path) -> list[tuple[str, int, int, bytes]]:
    return [
        (str(path), found.st_mode, found.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(outside.rglob("*"))
        for found in (path.lstat(),)
    ]


class _Waited(BaseException):
    """No `TimeoutError`: that is an `OSError`, which whoever reads a file expects."""


@contextmanager
def _deadline() -> Iterator[None]:
    def waited(*_: object) -> None:
        raise _Waited

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(_WAIT_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _exchanged(path: Path, outside: Path) -> Iterator[None]:
    """A note that is a file, a link out and a pipe in turn, for as long as the folder is used."""
    over = threading.Event()

    def exchange() -> None:
        while not over.is_set():
            for make in (
                lambda place: place.write_text("# Race\n", "utf-8"),
                lambda place: place.symlink_to(outside / "mine"),
                os.mkfifo,
            ):
                aside = path.with_name(".race")
                with suppress(OSError):
                    aside.unlink(missing_ok=True)
                    make(aside)
                    aside.replace(path)
                over.wait(0.001)

    thread = threading.Thread(target=exchange, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
