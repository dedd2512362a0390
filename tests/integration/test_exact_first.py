"""Exact tokens, phrases and copies in the default profile: what was typed comes before what resembles it."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbench import ENGINES, Bench, bench_on

from octavo.engine.wiring import open_engine
from octavo.fast_dataclass import replace
from octavo.model.query import Filters, Query
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall, LexicalRecall

FILLER = {
    f"filler{number}.md": f"# {title}\n\n{text}\n"
    for number, (title, text) in enumerate(
        [
            ("Colours", "Hexadecimal colours of the palette, a table of colour codes, ace paints and 639 shades."),
            ("Releases", "Version 1 came in spring, version 4 in autumn; 4 fixes were made, 1 of them urgent."),
            ("Network", "The address 192 is in the range 168; host 1 and host 10 are printers on the network."),
            ("Parsing", "Ignore the value if it is present already. If present, ignore the default of the option."),
            ("Alignment", "The axis of the mount is polar when the alignment of the tripod is done; polar first."),
            ("Security", "A vulnerability in 2021 was numbered 44228 by somebody, CVE is a list of vulnerabilities."),
            ("Teaching", "Explain what you explain: to explain is to teach, so explain it and explain again."),
            ("Mouse", "Double-click the icon; a double-click on the file opens it, so double-click twice."),
            ("Contact", "Anna and example people write mail; org charts and com ports are described here."),
        ]
    )
}
NOTES = FILLER | {
    "a/palette.md": "# Theme\n\nThe button is 639ACE when pressed.\n",
    "a/release.md": "# Upgrade\n\nThe crash is gone since 1.4.4 of the driver.\n",
    "a/host.md": "# Printer\n\nIt answers at 192.168.1.10 only.\n",
    "a/option.md": "# Merge\n\nSet ignoreIfPresent to keep what is there.\n",
    "a/phrase.md": "# Mount\n\nDo the polar alignment before dark.\n",
    "a/cve.md": "# Advisory\n\nCVE-2021-44228 was mended in March.\n",
    "a/mail.md": "# People\n\nWrite to anna@example.org about it.\n",
    "a/form.md": "# Rings\n\nThe rings around a star are explained by the size of the aperture.\n",
    "a/dashed.md": "# Window\n\nIt grows to the whole of the screen where its title was double-clicked.\n",
    "a/Focus motor.md": "# Focus motor\n\nIts cable is short.\n",
    "a/motors.md": "# Motors\n\nA focus motor is a motor for the focus: every focus motor has a motor and a focus.\n",
    "a/date.md": "# Log\n\nThe mirror was cleaned on 2024-01-15.\n",
}
QUERIES = {
    "639ACE": "a/palette.md",
    "639ace": "a/palette.md",
    "1.4.4": "a/release.md",
    "version 1.4.4": "a/release.md",
    "192.168.1.10": "a/host.md",
    "ignoreIfPresent": "a/option.md",
    "polar alignment": "a/phrase.md",
    "CVE-2021-44228": "a/cve.md",
    "anna@example.org": "a/mail.md",
    "2024-01-15": "a/date.md",
    "explained": "a/form.md",
    "double-clicked": "a/dashed.md",
    "by the size of": "a/form.md",
    "keep what is there": "a/option.md",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("exact")
    for name in ("notes", "home"):
        (folder / name).mkdir()
    bench = Bench(folder / "notes", folder / "library.db", folder / "home")
    bench.write(NOTES)
    bench.index(embedding={"provider": "bundled"})
    return bench


@pytest.mark.parametrize("profile", ["hybrid", "hybrid_rrf", "weighted", "lexical_only"])
def test_what_is_written_exactly_so_comes_first(notes: Bench, profile: str) -> None:
    with notes.opened(embedding={"provider": "bundled"}) as engine:
        first = {typed: engine.search(Query(typed), PROFILES[profile]).hits[0].citation.uri for typed in QUERIES}
    assert first == QUERIES


def test_a_phrase_with_stop_words_comes_first_in_a_large_library_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stop words are looked up in a small library alone, so there the passages with the other words are read."""
    monkeypatch.setattr("octavo.retrieval.stage.SMALL", 10)
    labels = {f"label{number}.md": f"# Labels {number}\n\nA label of {number} letters.\n" for number in range(15)}
    filler = "It is read by those who walk, in the evening, at home, and by nobody who stays there all day long."
    more = {f"more{number}.md": f"# Walks\n\nMore of walk {number}: a guide. {filler}\n" for number in range(60)}
    bench.write(
        labels
        | more
        | {
            "specify.md": "# Specifying labels\n\nLabels can be specified: a label is specified once; specify it.\n",
            "taint.md": "# Commands of the cluster\n\nTo be run on nodes with the specified label, never elsewhere.\n",
            "certificates.md": "# Certificates\n\nThey end after a year; see the guide for more.\n",
        }
    )
    bench.index(embedding={"provider": "bundled"})
    wanted = {"the specified label": "taint.md", "guide for more": "certificates.md"}
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        for profile in ("hybrid", "lexical_only"):
            first = {typed: engine.search(Query(typed), PROFILES[profile]).hits[0].citation.uri for typed in wanted}
            assert first == wanted


@pytest.mark.parametrize("on", ENGINES)
def test_a_phrase_of_common_words_is_found_where_no_channel_brings_it(
    on: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    bench, settings = bench_on(on, tmp_path, request)
    said = "Cables are sorted in spring; press the bell or click the lid, whichever is nearer, and wait for the light."
    clicks = {f"click{number}.md": f"# Click {number}\n\nClick, click {number}, click.\n" for number in range(12)}
    bench.write(clicks | {"kept/said.md": f"# Cables\n\n{said}\n"})
    shallow = replace(PROFILES["hybrid"], recall=(LexicalRecall(3, in_small=0), DenseRecall(3, in_small=0)))
    with open_engine(bench.config(embedding={"provider": "bundled"}, **settings), create=True) as engine:
        engine.add_collection("notes", bench.folder)
        engine.index(wait_full=True)
        first, *others = engine.search(Query("or click the"), shallow).hits
        elsewhere = engine.search(Query("or click the", filters=Filters(path_prefix="click")), shallow).hits
    assert first.citation.uri == "kept/said.md"
    assert {hit.citation.uri for hit in (*others, *elsewhere)} <= clicks.keys()


@pytest.mark.parametrize("profile", ["hybrid", "lexical_only"])
def test_a_note_is_named_by_its_title_with_dashes(notes: Bench, profile: str) -> None:
    with notes.opened(embedding={"provider": "bundled"}) as engine:
        for typed in ("focus-motor", "focus_motor", "Focus motor"):
            assert engine.search(Query(typed), PROFILES[profile]).hits[0].citation.uri == "a/Focus motor.md"


CONTENTS = {
    "start.md": "# Getting Started\n\nIn this chapter we discuss:\n\n- Installing Rust on Linux, macOS and Windows\n"
    "- Writing a program that prints a greeting\n- Using the package manager and the build system\n",
    "installation.md": "# Installation\n\n## Rustup on Linux or macOS\n\nOpen a terminal and run the script that "
    "installs the tool rustup, which installs the latest stable version of Rust. Linux users need a linker too.\n",
    "vectors.md": "# Vectors\n\nAn empty list of numbers has the default integer type, so nothing is written there.\n",
    "types.md": "# Data types\n\n## Integer types\n\nAn integer is a number without a fraction. Each type has a size, "
    "and integer types default to i32, which is the fastest as a rule.\n",
}


def test_a_phrase_in_passing_neither_leads_nor_hides_the_page_about_it(bench: Bench) -> None:
    """In other forms it comes after that page; word by word it may come first, and the page follows."""
    bench.write(FILLER | CONTENTS)
    bench.index(embedding={"provider": "bundled"})
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        by_topic, by_words = (
            {hit.citation.uri: hit.score for hit in engine.search(Query(typed)).hits}
            for typed in ("install rust on linux", "default integer type")
        )
    assert next(iter(by_topic)) == "installation.md"
    assert by_words["types.md"] > 0.3


def test_a_sentence_that_names_an_identifier_is_still_a_question(notes: Bench) -> None:
    asked = "how do I keep a value that is already there without overwriting, like ignoreIfPresent?"
    with notes.opened(embedding={"provider": "bundled"}) as engine:
        trace = engine.search(Query(asked), PROFILES["hybrid"]).trace
    (entry,) = [entry for entry in trace if entry.stage == "exact_match"]
    assert entry.skipped == "the query names nothing to be found whole"


def test_a_copy_is_shown_once_and_says_where_else_it_stands(bench: Bench) -> None:
    licence = "# Licence\n\nPermission is granted to copy this telescope manual.\n"
    bench.write({"one/licence.md": licence, "two/licence.md": licence, "three.md": "# Telescope\n\nA manual.\n"})
    bench.index(embedding={"provider": "bundled"})
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        hits = engine.search(Query("permission to copy the telescope manual"), PROFILES["hybrid"]).hits
    (first, *others) = hits
    assert first.citation.uri == "one/licence.md"
    assert [copy.uri for copy in first.copies] == ["two/licence.md"]
    assert "two/licence.md" not in [hit.citation.uri for hit in others]


def test_what_nearly_repeats_a_better_passage_goes_behind_what_says_something_else(bench: Bench) -> None:
    manual = " ".join(f"Step {number}: turn the focus knob of the telescope slowly." for number in range(20))
    bench.write(
        {
            "one.md": f"# Focus\n\n{manual} Then rest.\n",
            "two.md": f"# Focus\n\n{manual} Then wait.\n",
            "three.md": "# Star test\n\nA telescope is in focus when both rings of a star look alike.\n",
        }
    )
    bench.index(embedding={"provider": "bundled"})
    with bench.opened(embedding={"provider": "bundled"}) as engine:
        for profile in ("hybrid", "lexical_only"):
            result = engine.search(Query("focus knob of the telescope", floor=False), PROFILES[profile])
            assert [hit.citation.uri for hit in result.hits] == ["one.md", "three.md", "two.md"]
            (entry,) = [entry for entry in result.trace if entry.stage == "near_copies"]
            assert entry.detail["near_copies"] == 1


@pytest.mark.parametrize("profile", ["hybrid", "lexical_only"])
def test_as_many_hits_as_were_asked_for_are_shown(bench: Bench, profile: str) -> None:
    bench.write(
        {f"lamp{number}.md": f"# Lamp {number}\n\nLamp {number} hangs in room {number}.\n" for number in range(150)}
    )
    bench.index()
    with bench.opened() as engine:
        assert len(engine.search(Query("lamp", limit=1000), PROFILES[profile]).hits) == 150
