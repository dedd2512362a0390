"""A folder of a stranger's: whatever lies in it is data. Nothing outside of it is read, moved or written, and nobody
waits. Each row of the table in SECURITY.md has its tests here."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import pickle
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import onnx
import pytest
from wordpiece_words import reference_tokenizer
from workbench import GOOD, Bench, exchange

import octavo
from octavo.config.layered_config_loading import journals_folder, load
from octavo.embedding.bundled_embedder import MODEL_DIRECTORY
from octavo.embedding.onnx_embedder import OnnxEmbedder
from octavo.embedding.onnxruntime_loading import model_session
from octavo.engine.engine import Engine
from octavo.errors import ConfigurationError, ModelUnavailable, OctavoError, SourceError
from octavo.evaluation.beir_dataset import read_dataset
from octavo.model.folder_scan import Scan
from octavo.model.library_location import DatabaseUrl
from octavo.operations.memory.memory_reading_and_writing import memory_sync, remember
from octavo.operations.memory.requests import MemorySyncRequest, RememberRequest
from octavo.retrieval.profile_toml_files import read_profiles

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, pipes and devices are those of POSIX systems")

JOURNAL = ".octavo-writes.journal"
SECRET = b"the text of a file outside\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "id").write_bytes(SECRET)
    return folder


def untouched(outside: Path) -> bool:
    return {path.name: path.read_bytes() for path in outside.iterdir()} == {"id": SECRET}


def hostile_journal(source: str, target: str) -> bytes:
    overwritten = {
        "path": "../outside/id",
        "old": base64.b64encode(b"theirs").decode(),
        "new": hashlib.sha256(SECRET).hexdigest(),
    }
    moved = {"source": source, "target": target, "made": []}
    return json.dumps({"version": 1, "renamed": moved, "files": [overwritten]}).encode()


JOURNALS: dict[str, Callable[[Path], object]] = {
    "moves a file out": lambda path: path.write_bytes(hostile_journal("../outside/.bashrc", "bread.md")),
    "moves a file in": lambda path: path.write_bytes(hostile_journal("in.md", "../outside/id")),
    "a list": lambda path: path.write_bytes(b"[]"),
    "an object": lambda path: path.write_bytes(b"{}"),
    "nothing": lambda path: path.write_bytes(b""),
    "a pipe": os.mkfifo,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link out": lambda path: path.symlink_to("../outside/id"),
    "a link to a folder": lambda path: path.symlink_to("../outside"),
    "a folder": Path.mkdir,
    "a terabyte": lambda path: (path.touch(), os.truncate(path, 1 << 40)),
}


@pytest.mark.parametrize("kind", JOURNALS)
def test_a_journal_found_in_a_folder_is_reported_and_never_acted_on(bench: Bench, outside: Path, kind: str) -> None:
    bench.write(GOOD)
    JOURNALS[kind](bench.folder / JOURNAL)
    report = bench.index()
    assert untouched(outside) and {path.name for path in bench.folder.iterdir()} == {*GOOD_TOP, JOURNAL}
    assert report.added == len(GOOD) and not report.failed
    reasons = [problem.reason for problem in report.skipped if problem.uri == JOURNAL]
    assert kind == "a folder" or ["nothing in a folder is replayed" in reason for reason in reasons] == [True]


GOOD_TOP = {uri.partition("/")[0] for uri in GOOD}


def test_pending_writes_are_kept_beside_the_library_and_never_inside_the_folder_they_are_of(tmp_path: Path) -> None:
    notes, data = tmp_path / "notes", journals_folder(DatabaseUrl("postgresql://host/db"), tmp_path)
    assert journals_folder(tmp_path / "l.db", notes) == tmp_path / "l.db.writes"
    assert journals_folder(notes / ".octavo" / "library.db", notes) == data == journals_folder(None, notes)
    assert not data.is_relative_to(tmp_path)


@pytest.fixture(autouse=True)
def nobody_waits() -> Iterator[None]:
    """What waits for a pipe waits for ever: it is interrupted, and the test fails."""

    def waited(*_: object) -> None:
        raise AssertionError("it waits for a pipe or a device")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def endless(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def huge(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.truncate(path, 1 << 40)


def with_lines(text: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    return write


TRAPS = {"a pipe": pipe, "a device": endless, "a terabyte": huge}


@pytest.mark.parametrize("name", [".gitignore", ".octavoignore", "garden/.gitignore"])
@pytest.mark.parametrize("trap", TRAPS)
def test_an_ignore_file_that_is_none_hides_nothing_or_all_and_is_reported(bench: Bench, name: str, trap: str) -> None:
    bench.write(GOOD)
    TRAPS[trap](bench.folder / name)
    report = bench.run()
    below = name.startswith("garden/")
    if trap != "a terabyte":
        (done,) = report.collections
        assert done.added == len(GOOD)
        assert [(skip.uri, skip.reason) for skip in done.skipped] == [
            (name, "its patterns are not followed: not a regular file")
        ]
    elif below:
        assert report.collections[0].added == len(GOOD) - 1 and len(report.collections[0].unreadable) == 1
    else:
        assert not report.collections and "bytes, more than" in report.missing[0].reason


@pytest.mark.parametrize("lines", ["*x*y\n" * 50_000, "*a" * 200_000, "[!a]" * 100_000, "a\n" * 200_000])
def test_patterns_that_take_long_hide_all_instead_of_some(bench: Bench, lines: str) -> None:
    bench.write(GOOD | {"garden/.gitignore": lines})
    report = bench.index()
    assert (report.added, len(report.unreadable)) == (len(GOOD) - 1, 1)
    assert "too many patterns" in report.unreadable[0].reason or "bytes, more than" in report.unreadable[0].reason


PROJECT_FILES: dict[str, Callable[[Path], None]] = TRAPS | {
    "a link out": lambda path: (path.parent.mkdir(), path.symlink_to("../../outside/id"))[0],
    "not TOML": with_lines("[]"),
    "without an end": with_lines("a = " + "[" * 50_000),
    "a library": with_lines('library = "../outside/library.db"'),
    "a model": with_lines('[embedding]\nprovider = "onnx"\nmodel = "../outside"'),
    "another type": with_lines("[ingest]\nignore = 3"),
    "everything": with_lines("[ingest]\nmax_file_bytes = 1000000000\n[history]\noutside_git = true"),
}


@pytest.mark.parametrize("kind", PROJECT_FILES)
def test_a_project_file_widens_nothing_and_keeps_no_folder_waiting(
    bench: Bench, outside: Path, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    bench.write(GOOD)
    PROJECT_FILES[kind](bench.folder / ".octavo" / "config.toml")
    assert bench.index().added == len(GOOD) and untouched(outside)
    ignored = kind in ("a pipe", "a device", "a library", "a model", "everything")
    assert ignored or any("is not followed" in line.message for line in caplog.records)


def repository(folder: Path) -> None:
    who = {f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "First"]):
        subprocess.run(["git", *arguments], cwd=folder, env=os.environ | who, check=True, capture_output=True)


IN_GIT = (
    *("HEAD", "config", "packed-refs", "shallow", "commondir", "refs/heads/other", "objects/info/alternates"),
    *("info/attributes", "info/grafts"),
)


@pytest.mark.parametrize(("name", "trap"), [*((name, "a pipe") for name in IN_GIT), ("info/grafts", "a terabyte")])
def test_a_pipe_among_gits_files_costs_only_the_history(bench: Bench, name: str, trap: str) -> None:
    bench.write(GOOD)
    repository(bench.folder)
    TRAPS[trap](bench.folder / ".git" / name)
    report = bench.index()
    assert report.added == len(GOOD) and not report.commits
    assert [skip.uri for skip in report.unread_repositories] == [
        ".git"
    ] and " is not read: " in report.unread_repositories[0].reason


@pytest.mark.parametrize("name", [".gitattributes", "garden/.gitattributes", ".gitmodules", ".mailmap"])
@pytest.mark.parametrize("trap", ["a pipe", "a device"])
def test_a_pipe_beside_a_repository_does_not_stop_git(bench: Bench, name: str, trap: str) -> None:
    bench.write(GOOD)
    repository(bench.folder)
    TRAPS[trap](bench.folder / name)
    assert bench.index().commits == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("objects/info/alternates", "{outside}/objects\n"),
        ("config", "[include]\n\tpath = {outside}/config\n"),
        ("config", '[includeIf "gitdir:/"]\n\tpath = {outside}/config\n'),
    ],
)
def test_a_repository_that_borrows_from_outside_is_not_read(bench: Bench, outside: Path, name: str, text: str) -> None:
    bench.write(GOOD)
    repository(bench.folder)
    with_lines(text.format(outside=outside))(bench.folder / ".git" / name)
    report = bench.index()
    assert not report.commits and [skip.uri for skip in report.unread_repositories] == [".git"]


def test_a_link_among_gits_files_does_not_lead_out(bench: Bench, outside: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "diary.md").write_text("# Diary\n\nunspoken\n", "utf-8")
    repository(mine)
    bench.write(GOOD)
    repository(bench.folder)
    shutil.rmtree(bench.folder / ".git" / "objects")
    (bench.folder / ".git" / "objects").symlink_to(mine / ".git" / "objects")
    report = bench.index()
    assert not report.commits and "leads out of the collection's folder" in report.unread_repositories[0].reason
    assert bench.found("unspoken") == []


def test_a_profile_that_is_a_pipe_or_has_no_end_is_an_error_that_names_it(tmp_path: Path) -> None:
    for name, make in {"pipe": pipe, "huge": huge, "deep": with_lines("a = " + "[" * 50_000)}.items():
        make(tmp_path / name / "x.toml")
        with pytest.raises(ConfigurationError, match=r"x\.toml"):
            read_profiles(tmp_path / name)


def test_a_library_found_in_a_folder_is_not_opened(bench: Bench, tmp_path: Path) -> None:
    bench.write(GOOD)
    bench.index()
    theirs = tmp_path / "theirs"
    (theirs / ".octavo").mkdir(parents=True)
    shutil.copy(bench.library, theirs / ".octavo" / "library.db")
    assert load(environ={}, directory=theirs).config.library is None


def test_memories_are_written_nowhere_but_into_their_folder(bench: Bench, outside: Path, tmp_path: Path) -> None:
    folder = tmp_path / "memories"
    folder.mkdir()
    with bench.opened() as engine:
        remember(engine, RememberRequest("The gate is green."))
        sync = partial(memory_sync, engine, MemorySyncRequest(str(folder), accept_deletions=True))
        (name,) = sync().written
        (folder / ".trash").symlink_to(outside)
        (folder / name).unlink()
        with pytest.raises(SourceError, match="is a link"):
            sync()
        assert untouched(outside)
        (folder / ".trash").unlink()
        pipe(folder / name)
        with pytest.raises(SourceError, match="not a regular file"):
            sync()


MODEL_FILES = ("model.json", "model.onnx", "words.bin", "vocab.txt", "tokenizer.json")
DESCRIBED = {"name": "theirs", "revision": "1", "dimensions": 4, "window": 16}
DESCRIPTIONS = {
    "deep": "[" * 50_000,
    "a list": "[]",
    "no numbers": json.dumps(DESCRIBED | {"window": "wide"}),
    "endless numbers": json.dumps(DESCRIBED).replace("16", "1e999"),
    "files elsewhere": json.dumps(DESCRIBED | {"files": {"../outside/id": {"bytes": len(SECRET), "sha256": "0"}}}),
    "files anywhere": json.dumps(DESCRIBED | {"files": {"/dev/zero": {"bytes": 0, "sha256": "0"}}}),
}


@pytest.mark.parametrize("name", MODEL_FILES)
@pytest.mark.parametrize("trap", TRAPS)
@pytest.mark.parametrize("tokenizer", ["bpe", "tokenizers"])
def test_a_model_folder_with_a_pipe_a_device_or_no_end_is_refused_by_name(
    tmp_path: Path, name: str, trap: str, tokenizer: str
) -> None:
    for file in MODEL_FILES:
        if (MODEL_DIRECTORY / file).exists():
            shutil.copy(MODEL_DIRECTORY / file, tmp_path / file)
    reference_tokenizer().save(str(tmp_path / "tokenizer.json"))
    described = json.loads((tmp_path / "model.json").read_text("utf-8")) | {"files": {}, "tokenizer": tokenizer}
    (tmp_path / "model.json").write_text(json.dumps(described), "utf-8")
    if trap == "a terabyte" and name != "model.json":
        described["files"][name] = {"bytes": 12, "sha256": "0"}
        (tmp_path / "model.json").write_text(json.dumps(described), "utf-8")
    TRAPS[trap](tmp_path / name)
    if name == {"bpe": "tokenizer.json", "tokenizers": "vocab.txt"}[tokenizer]:
        OnnxEmbedder(tmp_path).embed_query("read by nobody")
    else:
        with pytest.raises(ModelUnavailable, match=name):
            OnnxEmbedder(tmp_path).embed_query("word")


@pytest.mark.parametrize("text", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_a_model_is_described_by_its_own_files_alone(tmp_path: Path, outside: Path, text: str) -> None:
    folder = tmp_path / "model"
    with_lines(text)(folder / "model.json")
    with pytest.raises(ModelUnavailable, match=r"model\.json does not describe a model"):
        OnnxEmbedder(folder)


def test_a_graph_has_no_weights_from_outside_its_folder(tmp_path: Path, outside: Path) -> None:
    """onnxruntime sees to that; a version that does not is not one to run."""
    weights = onnx.TensorProto(name="w", data_type=1, dims=[4], data_location=onnx.TensorProto.EXTERNAL)
    weights.external_data.add(key="location", value="../outside/id")
    ends = [onnx.helper.make_tensor_value_info(name, 1, [4]) for name in ("x", "y")]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Add", ["x", "w"], ["y"])], "g", ends[:1], ends[1:], [weights]
    )
    model = onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 13)])
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        model_session(tmp_path / "model" / "model.onnx", threads=1, remedy="")


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_an_evaluation_set_is_lines_of_text_or_an_error_that_names_the_file(tmp_path: Path, name: str) -> None:
    written = {
        "corpus.jsonl": '{"_id": "d", "title": "", "text": "bread"}\n',
        "queries.jsonl": '{"_id": "q", "text": "bread"}\n',
        "qrels.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n",
    }
    bad: dict[str, Callable[[Path], None]] = {
        "a pipe": pipe,
        "a device": endless,
        "deep": with_lines("[" * 50_000),
        "a pickle": lambda path: (path.parent.mkdir(), path.write_bytes(pickle.dumps(print)))[0],
        "gzip without an end": lambda path: (path.parent.mkdir(), path.write_bytes(b"\x1f\x8b\x08\0"))[0],
    }
    for kind, make in bad.items():
        make(tmp_path / kind / name)
        for other in written.keys() - {name}:
            (tmp_path / kind / other).write_text(written[other], "utf-8")
        with pytest.raises(OctavoError, match=name.replace(".", r"\.")):
            read_dataset(tmp_path / kind)


def test_a_template_is_a_note_of_the_folder_and_nothing_else(tmp_path: Path, outside: Path) -> None:
    notes = tmp_path / "notes"
    (notes / "templates").mkdir(parents=True)
    (notes / "templates" / "out.md").symlink_to(outside / "id")
    pipe(notes / "templates" / "pipe.md")
    with octavo.open(tmp_path / "l.db", create=True, config={"embedding": {"provider": "hashing"}}) as library:
        library.add(notes, name="notes", writable=True)
        for template in ("templates/out.md", "templates/pipe.md"):
            with pytest.raises(OctavoError):
                library.doc.create("new.md", "New", template=template)
        assert library.notes.lint().findings is not None
    assert not (notes / "new.md").exists()


def test_a_note_that_becomes_a_link_or_a_pipe_after_the_scan_is_not_followed(bench: Bench, outside: Path) -> None:
    bench.write(GOOD)
    swaps: dict[str, Callable[[Path], object]] = {
        "bread.md": pipe,
        "lamp.txt": lambda path: (path.unlink(), path.symlink_to(outside / "id")),
    }

    def swap_after_scanning(engine: Engine) -> None:
        looked = engine.library.adapters.sources(engine.library.config).scan

        def scan(*arguments: Any) -> Scan:
            seen = looked(*arguments)
            for name, swap in swaps.items():
                swap(bench.folder / name)
            return seen

        exchange(engine, scan=scan)

    report = bench.index(swap_after_scanning)
    assert report.added == 1 and len([*report.failed, *report.skipped]) == 2
    assert bench.found("outside") == []
