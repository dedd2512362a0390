"""Code made to hurt: it costs only itself, and what can be read of it is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest
from workbench import Bench, exchange, several_processes

from octavo.engine.engine import Engine
from octavo.engine.processes.file_preparer_pool import ProcessPreparers
from octavo.ingest.file_preparation import Preparer
from octavo.ingest.prepared_file import Origin, PreparedFile
from octavo.model.folder_scan import SeenFile
from octavo.model.indexing_ledger import FileOutcome

GOOD = {"good.py": "def fetch_otter(name):\n    return name\n", "notes.md": "# Notes\n\nAbout otters.\n"}


class Crashing(Preparer):
    """Dies at one file, as a grammar with a bug in it takes the whole process along."""

    def __init__(self, preparer: Preparer) -> None:
        self._other = preparer

    def files(self, origin: Origin, files: Sequence[SeenFile]) -> list[PreparedFile]:
        if any(file.uri == "crash.go" for file in files):
            os.abort()
        return self._other.files(origin, files)


def crashing(make: Callable[[], Preparer]) -> Preparer:
    return Crashing(make())


def in_crashing_processes(engine: Engine) -> None:
    several_processes(engine)
    make = engine.library.adapters.preparing.preparers

    def workers(*arguments: object) -> ProcessPreparers:
        real = make(*arguments)  # type: ignore[arg-type]
        assert isinstance(real, ProcessPreparers)
        return ProcessPreparers(partial(crashing, real._make), 2)  # type: ignore[arg-type]

    exchange(engine, preparers=workers)


def test_a_grammar_that_crashes_loses_one_file_with_a_reason(bench: Bench) -> None:
    bench.write({**GOOD, "crash.go": "package crash\n", "z.rs": "fn main() {}\n"})
    report = bench.index(in_crashing_processes, ingest={"workers": 2})
    assert (report.added, [one.uri for one in report.failed]) == (3, ["crash.go"])
    assert bench.ledger()["crash.go"].reason == "the process that was preparing it died"
    assert bench.found("fetch_otter")[0] == "good.py"
    assert bench.index().added == 1


def test_a_line_of_five_megabytes_is_skipped_with_a_reason(bench: Bench) -> None:
    bench.write({**GOOD, "data.js": "var data = [" + "1234567890," * 470_000 + "];\n"})
    report = bench.index()
    assert report.added == 2
    assert [(problem.uri, problem.reason) for problem in report.skipped] == [
        ("data.js", "minified or data: more than half of it is in lines longer than 1,000 characters")
    ]


def test_a_page_of_one_line_of_five_megabytes_is_read_by_its_words(bench: Bench) -> None:
    bench.write({"page.html": "<p>" + "otters swim in the river " * 200_000 + "</p>"})
    report = bench.index()
    assert report.added == 1
    assert bench.found("otters") == ["page.html"]


@pytest.mark.parametrize(
    ("uri", "content"),
    [
        ("deep.py", "x = " + "[\n" * 10_000 + "]\n" * 10_000 + "\n\ndef find_me():\n    pass\n"),
        ("open.js", "function find_me() {" + "{\n" * 10_000 + "\n"),
        ("deep.json", "[\n" * 10_000 + '"find_me"' + "]\n" * 10_000 + "\n"),
        ("deep.c", "int find_me() { return " + "(\n" * 10_000 + "1" + ")\n" * 10_000 + "; }\n"),
        ("nested.py", "".join(f"{' ' * depth}if find_me:\n" for depth in range(800)) + " " * 800 + "pass\n"),
        ("deep.html", "<div>" * 10_000 + "find_me" + "</div>" * 10_000 + "\n"),
        ("deep.rs", "fn find_me() {" + "if x {\n" * 10_000 + "}\n" * 10_000 + "}\n"),
    ],
    ids=lambda value: value if len(value) < 20 else "",
)
def test_ten_thousand_brackets_are_no_trouble(bench: Bench, uri: str, content: str) -> None:
    bench.write({**GOOD, uri: content})
    report = bench.index()
    assert (report.added, report.failed) == (3, [])
    assert bench.found("find_me") == [uri]


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        (b"def caf\xe9():\n    return '\xe9t\xe9'\n", "not UTF-8: read as Windows-1252"),
        (
            "# été à la plage ".encode() * 5 + b"\xff\ndef sunny():\n    pass\n",
            "1 invalid UTF-8 sequences were replaced",
        ),
    ],
)
def test_code_that_is_not_valid_utf8_is_read_with_a_warning(bench: Bench, content: bytes, warning: str) -> None:
    bench.write({"odd.py": content})
    report = bench.index()
    assert report.added == 1
    assert [one.reason for one in report.warned] == [warning]


def test_code_that_is_binary_is_skipped(bench: Bench) -> None:
    bench.write({**GOOD, "video.ts": b"\x47\x40\x00\x10\x00\x00" * 500})
    report = bench.index()
    assert [problem.uri for problem in report.skipped] == ["video.ts"]
    assert report.added == 2


@pytest.mark.parametrize(
    ("uri", "content"),
    [
        ("half.py", "def find_me(x:\n    retrun x +\nclass Also(:\n    def other(self): pass\n"),
        ("half.go", "package half\nfunc find_me( {\n\tif x {\n}\nfunc Other() {}\n"),
        ("half.ts", "export class find_me { constructor( { } async"),
        ("half.java", "public class find_me { void a() { int x = ; } void b( }"),
        ("half.toml", "[find_me\nx = = 1\n"),
        ("half.json", '{"find_me": [1, 2,'),
        ("half.ipynb", '{"cells": [{"cell_type": "code", "source": "find_me'),
    ],
)
def test_broken_code_is_still_found(bench: Bench, uri: str, content: str) -> None:
    bench.write({uri: content})
    report = bench.index()
    assert (report.added, report.failed) == (1, [])
    assert bench.found("find_me", "code") == [uri]
    assert bench.problems() == ()


def test_what_was_made_by_machines_is_skipped_with_the_reason_in_the_ledger(bench: Bench) -> None:
    bench.write(
        {
            **GOOD,
            "api_pb2.py": "x = 1\n",
            "out.js": "var a=1;" * 1000 + "\n",
            "third_party/lib.c": "int x;\n",
            "gen.go": "// Code generated by stringer. DO NOT EDIT.\npackage gen\n",
            "poetry.lock.json": "{}\n",
        }
    )
    assert bench.index().added == 3
    skipped = {uri: entry.reason for uri, entry in bench.ledger().items() if entry.outcome is FileOutcome.SKIPPED}
    assert skipped == {
        "api_pb2.py": "generated, by its name",
        "out.js": "minified or data: more than half of it is in lines longer than 1,000 characters",
        "third_party/lib.c": "vendored: it is in a folder named third_party",
        "gen.go": "generated: it says 'Code generated by'",
    }


def test_processes_and_one_thread_read_code_alike(bench: Bench) -> None:
    bench.write({**GOOD, "a.rs": "fn swim() {}\n", "b.json": '{"depth": 3}\n', "run": "#!/bin/sh\necho otter\n"})
    other = replace(bench, library=bench.library.with_name("other.db"))
    assert bench.index().added == other.index(several_processes, ingest={"workers": 2}).added == 5
    assert other.state() == bench.state()
