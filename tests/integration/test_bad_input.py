"""A bad file costs only itself: a ledger row says why, and everything beside it is indexed and found."""

from __future__ import annotations

import os
import random
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from workbench import GOOD, Bench, several_processes

from octavo.model.indexing_ledger import FileOutcome, LedgerEntry
from octavo.model.projects_and_collections import CollectionSettings


class Case(NamedTuple):
    """`reason` or `warning` is what the ledger says; `word` finds the file again; `lost` must not."""

    content: bytes | str
    outcome: FileOutcome = FileOutcome.INDEXED
    reason: str = ""
    warning: str | None = None
    word: str | None = None


def bomb() -> str:
    levels = ["a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return "---\n" + "\n".join(levels) + "\n---\n# Laughter\n\nzebrafish\n"


CASES = {
    "empty": Case(b""),
    "whitespace only": Case(" \n\t\n   \n"),
    "only a BOM": Case(b"\xef\xbb\xbf"),
    "a BOM in front": Case(b"\xef\xbb\xbf# Title\n\nzebrafish\n", word="zebrafish"),
    "Latin-1": Case("Un café zebrafish\n".encode("latin-1"), warning="Windows-1252", word="café zebrafish"),
    "a few bad bytes": Case(
        "naïve café zebrafish ".encode() * 9 + b"\xff", warning="1 invalid UTF-8", word="zebrafish"
    ),
    "cut inside a character": Case("zebrafish naïve café".encode()[:-1], warning="invalid UTF-8", word="zebrafish"),
    "NUL bytes": Case(b"\x7fELF\0\0\0\1zebrafish", FileOutcome.SKIPPED, "binary: it contains NUL bytes"),
    "one NUL late": Case(b"zebrafish " * 1000 + b"\0 quagga", warning="1 NUL characters were replaced", word="quagga"),
    "noise": Case(random.Random(7).randbytes(5000), FileOutcome.SKIPPED, "binary"),
    "control characters": Case(
        "\x01\x02\x03\x1a" * 50 + "zebrafish", FileOutcome.SKIPPED, "full of control characters"
    ),
    "UTF-16 with a mark, little end first": Case("# Zebrafish\n".encode("utf-16"), word="zebrafish"),
    "UTF-16 with a mark, big end first": Case(b"\xfe\xff" + "# Zebrafish\n".encode("utf-16-be"), word="zebrafish"),
    "UTF-16 without a mark": Case("# Zebrafish\n".encode("utf-16-le"), warning="UTF-16-LE", word="zebrafish"),
    "UTF-16 without a mark, big end first": Case("# Zebrafish\n".encode("utf-16-be"), warning="BE", word="zebrafish"),
    "UTF-32": Case("# Zebrafish\n".encode("utf-32"), word="zebrafish"),
    "half a surrogate in UTF-16": Case("zebrafish ".encode("utf-16") * 9 + b"\x00\xd8", warning="not valid UTF-16"),
    "old line endings": Case(b"# Title\r\rzebrafish\r\nquagga\r", word="zebrafish quagga"),
    "10,000 nested quotes": Case(">" * 10_000 + " zebrafish\n", word="zebrafish"),
    "10,000 nested quotes, with blanks": Case("> " * 10_000 + "zebrafish\n", word="zebrafish"),
    "10,000 nested lists on a line": Case("- " * 10_000 + "zebrafish\n", word="zebrafish"),
    "2,000 nested lists": Case(
        "".join(f"{'  ' * n}- item\n" for n in range(2_000)) + "\nzebrafish\n", word="zebrafish"
    ),
    "10,000 quotes each deeper": Case(
        "".join(">" * n + "\n" for n in range(1, 1000)) + "\nzebrafish\n", word="zebrafish"
    ),
    "50,000 open brackets": Case("[" * 50_000 + "zebrafish\n", word="zebrafish"),
    "50,000 stars": Case("*" * 50_000 + " zebrafish " + "_" * 50_000, word="zebrafish"),
    "50,000 backticks": Case("".join("`" * n + " " for n in range(300)) + "\n\nzebrafish\n", word="zebrafish"),
    "an open HTML comment": Case("<!-- " * 5_000 + "zebrafish\n"),
    "5,000 headings of one name": Case("# Same\n\nzebrafish\n\n" * 5_000, word="zebrafish"),
    "10,000 tags": Case(" ".join(f"#tag{n}" for n in range(10_000)) + " zebrafish\n", word="zebrafish"),
    "a fence that never closes": Case("# Title\n\n```python\nzebrafish = 1\n# no heading\n", word="zebrafish"),
    "a word of a megabyte": Case("# Title\n\n" + "x" * 1_000_000 + " zebrafish\n", word="zebrafish"),
    "a table of 5,000 rows": Case("| a | b |\n|---|---|\n" + "| zebrafish | 1 |\n" * 5_000, word="zebrafish"),
    "combining marks": Case("z\u0301\u0302\u0303" * 5_000 + " zebrafish\n", word="zebrafish"),
    "terminal escapes": Case("\x1b[31mred\x1b[0m zebrafish \x07\n", word="zebrafish"),
    "text that runs both ways": Case("\u202ezebrafish\u202c \u200bquagga\u200d\n", word="zebrafish"),
    "noncharacters": Case("\ufffe\uffff\U0010ffff zebrafish\n", word="zebrafish"),
    "a front matter bomb": Case(bomb(), warning="aliases are not followed", word="zebrafish"),
    "huge front matter": Case(
        "---\n" + "".join(f"key{n}: value\n" for n in range(20_000)) + "---\nzebrafish\n",
        warning="front matter longer than 64 KB",
        word="zebrafish",
    ),
    "deep front matter": Case(
        "---\nkey: " + "[" * 5_000 + "]" * 5_000 + "\n---\nzebrafish\n", warning="front matter", word="zebrafish"
    ),
    "front matter that is no YAML": Case(
        "---\ntitle: [unclosed\n---\nzebrafish\n", warning="front matter could not be read", word="zebrafish"
    ),
    "front matter that is a program": Case(
        "---\nrun: !!python/object/apply:os.system ['false']\n---\nzebrafish\n",
        warning="front matter",
        word="zebrafish",
    ),
    "front matter of every type": Case(
        "---\nwhen: 2024-05-06\nat: 2024-05-06T07:08:09Z\nraw: !!binary aGk=\nset: !!set {a, b}\n"
        "nan: .nan\ninf: .inf\n3: number\nnothing: ~\ntags: [1, 2.5, true, ~, [x]]\n"
        "aliases: {a: b}\ntitle: 12\n---\nzebrafish\n",
        word="zebrafish",
    ),
    "half a surrogate in front matter": Case(
        '---\ntitle: "\\uD800 zebrafish"\ntags: ["\\uDFFF"]\naliases: ["\\uD800"]\nother: "\\uD800"\n---\nquagga\n',
        warning="front matter could not be read",
        word="quagga",
    ),
    "a NUL in front matter": Case(
        '---\ntitle: "zebra\\0fish"\ntags: ["a\\0b"]\nother: "\\0"\n---\nquagga\n', word="quagga"
    ),
    "front matter never closed": Case("---\ntitle: x\nzebrafish\n", word="zebrafish"),
    "entities of no character": Case(
        "# A &#xD800; &#0; &#x110000; title\n\n[[&#xD800;]] zebrafish\n", word="zebrafish"
    ),
    "odd links": Case("[[]] [[#]] [[|]] ![[x#^]] [](<>) [a](%ff%00) [[a\\|b]] zebrafish\n", word="zebrafish"),
}


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_a_bad_file_costs_only_itself(bench: Bench, case: Case) -> None:
    bench.write({**GOOD, "odd.md": case.content})
    report = bench.index()
    ledger = bench.ledger()
    odd = ledger.pop("odd.md")
    assert (odd.outcome, report.failed) == (case.outcome, []), odd.reason
    assert case.reason in odd.reason
    assert [problem.uri for problem in report.skipped] == (["odd.md"] if case.outcome is FileOutcome.SKIPPED else [])
    if case.warning is None:
        assert odd.warnings == ()
    else:
        assert any(case.warning in warning for warning in odd.warnings), odd.warnings
    assert_the_good_are_found(bench, ledger)
    if case.word is not None:
        assert bench.found(case.word) == ["odd.md"]
        assert "odd.md" in bench.found(case.word, "hybrid")
    assert bench.problems() == ()
    before = bench.generation()
    again = bench.index()
    refused = case.outcome is FileOutcome.SKIPPED
    assert (again.unchanged, len(again.skipped), again.added, again.changed) == (4 - refused, refused, 0, 0)
    assert bench.generation() == before


def assert_the_good_are_found(bench: Bench, ledger: dict[str, LedgerEntry]) -> None:
    assert set(ledger) == set(GOOD)
    assert {(entry.outcome, entry.reason, entry.warnings) for entry in ledger.values()} == {
        (FileOutcome.INDEXED, "", ())
    }
    assert bench.found("prune") == ["garden/apples.md"]
    assert bench.found("dough overnight") == ["bread.md"]
    assert bench.found("switch lamp") == ["lamp.txt"]


def test_ten_thousand_tags_are_not_stored_again_with_every_chunk(bench: Bench) -> None:
    bench.write({"tags.md": " ".join(f"#tag{n}" for n in range(10_000))})
    bench.index()
    assert bench.library.stat().st_size < 6_000_000


def test_an_empty_folder_is_an_empty_collection(bench: Bench) -> None:
    report = bench.run()
    (collection,) = report.collections
    assert (collection.added, collection.removed, collection.skipped, report.missing) == (0, 0, [], ())
    assert bench.found("anything") == []
    assert bench.problems() == ()


@pytest.mark.parametrize(
    "name",
    [
        "two words.md",
        "  blanks around  .md",
        "emoji \U0001f98b\u200d\U0001f525.md",
        "new\nline.md",
        "tab\tand\rreturn.md",
        "-n --help.md",
        "quote'\"`$(x).md",
        "per%20cent%zz.md",
        "hash#mark?query.md",
        "back\\slash.md",
        "colon:12-34.md",
        "*[a-z]!{b}.md",
        "\u202eright to left.md",
        "e\u0301 decomposed.md",
        "n" * 251 + ".md",
        "deep/" * 100 + "note.md",
        "folder.md/note.md",
        "UPPER.MD",
    ],
)
def test_a_file_of_any_name_is_indexed_found_and_cited_by_it(bench: Bench, name: str) -> None:
    bench.write({**GOOD, name: "# Zebrafish\n\nquagga\n"})
    report = bench.index()
    assert (report.added, report.failed, report.skipped) == (4, [], [])
    assert bench.found("quagga") == [name]
    (bench.folder / name).unlink()
    assert (bench.index().removed, bench.found("quagga")) == (1, [])
    assert bench.problems() == ()


def test_a_name_that_is_no_utf8_is_skipped_and_shown_readably(bench: Bench) -> None:
    bench.write(GOOD)
    raw = os.fsencode(bench.folder) + b"/bad\xff.md"
    try:
        Path(os.fsdecode(raw)).write_text("quagga")
    except OSError:
        pytest.skip("this file system holds only names that are UTF-8")
    report = bench.index()
    assert [(problem.uri, problem.reason) for problem in report.skipped] == [
        ("bad\\udcff.md", "its name is not valid UTF-8")
    ]
    ledger = bench.ledger()
    assert ledger.pop("bad\\udcff.md").outcome is FileOutcome.SKIPPED
    assert_the_good_are_found(bench, ledger)


def test_a_line_of_fifty_megabytes_is_skipped_with_its_size_and_the_limit(bench: Bench) -> None:
    bench.write({**GOOD, "long.md": b"zebrafish " * 5_000_000})
    report = bench.index()
    assert [(problem.uri, problem.reason) for problem in report.skipped] == [
        ("long.md", "too large: 50,000,000 bytes, the limit is 10,000,000")
    ]
    ledger = bench.ledger()
    assert ledger.pop("long.md").outcome is FileOutcome.SKIPPED
    assert_the_good_are_found(bench, ledger)
    assert bench.found("zebrafish") == []


def test_a_line_of_twelve_megabytes_is_indexed_where_the_limit_allows_it(bench: Bench) -> None:
    line = b"zebrafish quagga okapi " * 520_000
    bench.write({**GOOD, "long.md": line})
    assert [problem.uri for problem in bench.index().skipped] == ["long.md"]
    bench.collection = CollectionSettings(max_file_bytes=20_000_000)
    started = time.perf_counter()
    with bench.opened() as engine:
        (report,) = engine.index(embed=False).collections
    # A bound on what is quadratic, not a benchmark: it takes a few seconds, and would take hours.
    assert time.perf_counter() - started < 300
    assert (report.added, report.skipped, report.failed) == (1, [], [])
    assert bench.found("okapi") == ["long.md"]
    with bench.opened() as engine:
        (stored,) = engine.store.documents.find(engine.project.id, "long.md")
        text = engine.store.documents.texts(engine.project.id, [stored.text_hash])[stored.text_hash]
    assert text == line.decode() + "\n"


def test_a_file_that_grows_past_the_limit_leaves_the_library_and_comes_back_when_it_shrinks(bench: Bench) -> None:
    bench.collection = CollectionSettings(max_file_bytes=100)
    bench.write({"a.md": "zebrafish\n"})
    bench.index()
    bench.write({"a.md": "zebrafish " * 50})
    report = bench.index()
    assert (report.removed, [problem.reason for problem in report.skipped]) == (
        1,
        ["too large: 500 bytes, the limit is 100"],
    )
    assert bench.found("zebrafish") == []
    bench.write({"a.md": "zebrafish again\n"})
    assert bench.index().added == 1
    assert bench.found("zebrafish") == ["a.md"]


def test_a_file_that_turns_into_something_else_leaves_the_library_and_keeps_its_version(bench: Bench) -> None:
    bench.write({**GOOD, "a.md": "zebrafish\n"})
    bench.index()
    bench.write({"a.md": b"\0\1\2\3" * 100})
    report = bench.index()
    assert (report.removed, [problem.uri for problem in report.skipped]) == (1, ["a.md"])
    assert bench.ledger()["a.md"].document_id is None
    assert bench.found("zebrafish") == []
    bench.write({"a.md": "zebrafish\n"})
    assert bench.index().added == 1
    with bench.opened() as engine:
        (stored,) = engine.store.documents.find(engine.project.id, "a.md")
        assert [version.version for version in engine.store.documents.versions(engine.project.id, stored.id)] == [1]
    assert bench.problems() == ()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_socket(path: Path) -> None:
    # A socket's path is short, so it is made from beside it.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def make_loop(path: Path) -> None:
    path.symlink_to(path)


def make_link_out(path: Path) -> None:
    outside = path.parent.parent / "outside.md"
    outside.write_text("zebrafish")
    path.symlink_to(outside)


def make_folder_loop(path: Path) -> None:
    path.symlink_to(path.parent)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (make_pipe, "not a regular file"),
        (make_socket, "not a regular file"),
        (make_loop, "a link that leads nowhere"),
        (make_link_out, "a link out of the collection's folder"),
        (make_folder_loop, "a link to a folder is not followed"),
    ],
)
def test_what_is_no_file_of_the_folder_is_skipped_with_the_reason(
    bench: Bench, make: Callable[[Path], None], reason: str
) -> None:
    bench.write(GOOD)
    name = "loop" if make is make_folder_loop else "odd.md"
    make(bench.folder / name)
    report = bench.index()
    assert [(problem.uri, problem.reason) for problem in report.skipped] == [(name, reason)]
    ledger = bench.ledger()
    assert ledger.pop(name).outcome is FileOutcome.SKIPPED
    assert_the_good_are_found(bench, ledger)
    assert bench.found("zebrafish") == []


def test_many_bad_files_at_once_are_indexed_alike_by_one_process_and_by_several(bench: Bench, tmp_path: Path) -> None:
    small = [case.content for case in CASES.values() if len(case.content) < 20_000]
    bench.write(GOOD | {f"{number}.md": content for number, content in enumerate(small)})
    bench.index(ingest={"workers": 1})
    one = bench.state()
    bench.library = tmp_path / "several.db"
    bench.index(several_processes, ingest={"workers": 2})
    assert bench.state() == one
    assert bench.problems() == ()
