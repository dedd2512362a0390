"""Documents in other formats, from the file on disk to the page in a citation, through the real converter process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from documents import pdf
from workbench import Bench, found, several_processes

from octavo.converting.sandbox.sandboxed_conversion import SandboxedConverter
from octavo.engine.engine import Engine
from octavo.engine.processes.file_preparer_pool import InlinePreparers
from octavo.errors import NotFound, NotIndexed
from octavo.ingest.prepared_file import Origin
from octavo.model.converted_file import Converted, Position, RefusedFile
from octavo.model.file_formats import FileFormat
from octavo.model.folder_scan import SeenFile
from octavo.model.indexing_ledger import FileOutcome
from octavo.model.search_result import Hit
from octavo.operations.library.doctor import health_checks
from octavo.operations.library.excluded_file_counts import excluded_files, excluded_files_text
from octavo.operations.library.indexing import answered
from octavo.operations.library.rendering import index_lines
from octavo.operations.library.requests import StatusRequest
from octavo.operations.library.status import status
from octavo.operations.reading.passage_reading import get
from octavo.operations.reading.requests import GetRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

PAPER = pdf(
    [
        [("Keeping Bees", 24), "", "Bees live together in colonies and store honey for the winter months."],
        [("Feeding", 18), "", "Sugar syrup is given in autumn, two parts of sugar to one part of water."],
        [("Swarming", 18), "", "A crowded colony raises a new queen and half of it leaves in spring."],
    ],
    about={"Title": "A handbook of bees", "Author": "Ann Keeper"},
)
PAGE = """<!doctype html><html><head><title>Pruning - The orchard</title>
<link rel="canonical" href="https://orchard.example/pruning"></head>
<body><nav><a href="/">Home</a> <a href="/shop">Quagga shop</a></nav>
<main><h1>Pruning</h1><p>Cut in late winter.</p><h2>Tools</h2><p>A sharp saw.</p></main>
<footer>Imprint</footer></body></html>"""


def first_hit(bench: Bench, words: str) -> Hit:
    with bench.opened() as engine:
        return found(engine, words, "lexical_only")[0]


def said(bench: Bench) -> str:
    """The lines a run of indexing ends with."""
    lines = index_lines(answered(bench.run()))
    return "\n".join("".join(part.text for part in line) for line in lines)


@pytest.mark.parametrize("arrange", [None, several_processes])
def test_a_hit_in_a_pdf_is_cited_by_its_page(bench: Bench, arrange) -> None:  # type: ignore[no-untyped-def]
    bench.write({"papers/bees.pdf": PAPER})
    bench.index(arrange)
    hit = first_hit(bench, "sugar syrup")
    assert (hit.citation.uri, hit.citation.position) == ("papers/bees.pdf", Position(page=2))
    assert (hit.title, hit.citation.heading_path) == ("A handbook of bees", ("Keeping Bees", "Feeding"))


def test_what_is_said_later_in_a_talk_is_cited_by_its_own_time(bench: Bench) -> None:
    spoken = ["the hive wakes in spring " * 10, "a queen lays eggs " * 14, "the smoker calms them " * 12]
    cues = [f"{at}\n00:0{at}:00,000 --> 00:0{at}:50,000\n{text}\n" for at, text in enumerate(spoken)]
    bench.write({"talk.srt": "\n".join(cues)})
    bench.index()
    assert first_hit(bench, "smoker").citation.position.time == "00:02:00"
    assert first_hit(bench, "hive").citation.position.time == "00:00:00"


def test_a_page_is_read_by_its_number_and_by_its_link(bench: Bench) -> None:
    bench.write({"papers/bees.pdf": PAPER})
    bench.index()
    with bench.opened() as engine:
        by_number = get(engine, GetRequest("papers/bees.pdf", page=3))
        by_link = get(engine, GetRequest("papers/bees.pdf#page=3"))
        with pytest.raises(NotFound, match="3 pages, not 4"):
            get(engine, GetRequest("papers/bees.pdf", page=4))
    assert (by_number.text, by_number.page) == (by_link.text, 3)
    assert "raises a new queen" in by_number.text and "Sugar syrup" not in by_number.text


def test_a_pdf_that_cannot_be_read_says_why_in_the_ledger(bench: Bench) -> None:
    bench.write(
        {
            "locked.pdf": pdf([["secret"]], password=True),
            "scan.pdf": pdf([[], []]),
            "cut.pdf": PAPER[:60],
            "good.pdf": PAPER,
        }
    )
    bench.index()
    ledger = bench.ledger()
    assert {uri: entry.reason for uri, entry in ledger.items()} == {
        "locked.pdf": "encrypted: it needs a password",
        "scan.pdf": "no text: nothing is drawn on its pages",
        "cut.pdf": "damaged: it cannot be opened",
        "good.pdf": "",
    }
    assert ledger["good.pdf"].outcome is FileOutcome.INDEXED


def test_a_folder_in_which_nothing_changed_opens_no_document(bench: Bench) -> None:
    bench.write({"bees.pdf": PAPER, "page.html": PAGE})
    bench.index()
    report = bench.index()
    assert (report.unchanged, report.added, report.changed, report.bytes) == (2, 0, 0, 0)


def test_a_web_page_is_its_content_without_what_surrounds_it(bench: Bench) -> None:
    bench.write({"pruning.html": PAGE})
    bench.index()
    hit = first_hit(bench, "sharp saw")
    assert (hit.title, hit.citation.heading_path) == ("Pruning", ("Pruning", "Tools"))
    assert hit.citation.position.url == "https://orchard.example/pruning"
    assert bench.found("quagga") == []


def test_a_reason_is_cut_between_words_and_never_is_a_path() -> None:
    problems = [
        ("locked.md", "cannot read /home/ann/notes/locked.md: permission denied"),
        ("long.docx", "the document says of itself that it is protected by a password: ask its author"),
    ]
    said = excluded_files_text(excluded_files(problems))
    assert said == "1 .docx (the document says of itself that it is …), 1 .md (permission denied)"


def test_a_run_ends_with_what_was_left_out_and_why(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "octavo.model.file_formats.FORMATS",
        {".pdf": FileFormat("PDF", "octavo.converting.pdf:read_pdf", "no_such_module")},
    )
    bench.write({"a.md": "# A\n", "b.pdf": PAPER, "c.pdf": PAPER, "d.png": b"\x89PNG", "e.xyz": "what", ".hidden": "x"})
    assert "1 read, 4 left out: 2 .pdf (install no_such_module), 1 .xyz, 1 image" in said(bench)
    assert "1 read, 4 left out" in said(bench), "a run that finds nothing new says so again"
    with bench.opened() as engine:
        told = status(engine, StatusRequest(problems=True))
        checks = [check for check in health_checks(engine) if check.name == "collection notes"]
    assert {(group.what, group.count) for group in told.left_out} == {
        (".pdf (install no_such_module)", 2),
        (".xyz", 1),
        ("image", 1),
    }
    assert {problem.uri for problem in told.problems or ()} == {"b.pdf", "c.pdf", "d.png", "e.xyz"}
    assert "2 .pdf (install no_such_module)" in checks[0].message


def test_a_search_where_nothing_could_be_read_says_what_to_install(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "octavo.model.file_formats.FORMATS",
        {".pdf": FileFormat("PDF", "octavo.converting.pdf:read_pdf", "no_such_module")},
    )
    bench.write({"b.pdf": PAPER})
    bench.index()
    with bench.opened() as engine, pytest.raises(NotIndexed, match=r"nothing could be read: 1 \.pdf") as caught:
        search(engine, SearchRequest("bees"))
    assert caught.value.hint == "run `pip install no_such_module`, then `octavo index`"


def test_installing_the_package_reads_what_was_left_out_before(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write({"page.html": PAGE})
    with monkeypatch.context() as without:
        without.setattr(
            "octavo.model.file_formats.FORMATS",
            {".html": FileFormat("HTML", "octavo.converting.html:read_html", "no_such_module")},
        )
        without.setattr("octavo.parsing.registry.EXTENSIONS", frozenset({".md"}))
        bench.index()
        assert bench.ledger()["page.html"].outcome is FileOutcome.SKIPPED
    bench.index()
    assert bench.ledger()["page.html"].outcome is FileOutcome.INDEXED


def test_messages_of_a_maildir_are_documents_of_their_own(bench: Bench) -> None:
    message = (
        "From: Ann <ann@example.org>\nSubject: The hive\nDate: Mon, 2 Mar 2026 10:00:00 +0100\n\nTwo frames of brood.\n"
    )
    names = [
        "mail/cur/1772442000.M20P7.host:2,S",
        "mail/new/1772442001.M21P7.host,S=120",
        "mail/new/1772442002.M22P7.vm",
    ]
    bench.write(dict.fromkeys(names, message))
    bench.index()
    assert [bench.ledger()[name].outcome for name in names] == [FileOutcome.INDEXED] * 3
    hit = first_hit(bench, "frames of brood")
    assert hit.citation.uri == "mail/cur/1772442000.M20P7.host:2,S" and hit.title == "The hive"


def test_a_file_that_moves_and_a_library_made_anew_convert_nothing_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked: list[str] = []
    really = SandboxedConverter.convert

    def convert(self: SandboxedConverter, uri: str, data: bytes) -> Converted | RefusedFile:
        asked.append(uri)
        return really(self, uri, data)

    monkeypatch.setattr(SandboxedConverter, "convert", convert)
    bench.write({"bees.pdf": PAPER, "page.html": PAGE})
    bench.index()
    assert sorted(asked) == ["bees.pdf", "page.html"]
    (bench.folder / "bees.pdf").rename(bench.folder / "hives.pdf")
    assert bench.index().moved == 1
    bench.library = bench.library.with_name("another.db")
    assert bench.index().added == 2
    assert first_hit(bench, "sugar syrup").citation.position == Position(page=2)
    assert sorted(asked) == ["bees.pdf", "page.html"]


def test_what_is_quick_to_convert_is_prepared_first(bench: Bench) -> None:
    order: list[str] = []

    def listening(engine: Engine) -> None:
        prepare = InlinePreparers.prepare

        def heard(self: InlinePreparers, origin: Origin, files: Sequence[SeenFile]):  # type: ignore[no-untyped-def]
            order.extend(file.uri for file in files)
            return prepare(self, origin, files)

        monkeypatched.setattr(InlinePreparers, "prepare", heard)

    with pytest.MonkeyPatch.context() as monkeypatched:
        bench.write({"a.pdf": PAPER, "b.md": "# B\n", "c.html": PAGE, "d.pdf": pdf([["One line."]])})
        bench.index(listening)
    assert order == ["b.md", "c.html", "d.pdf", "a.pdf"]


def test_a_run_says_again_what_was_refused_for_its_content(bench: Bench) -> None:
    bench.write({"a.md": "# A\n", "locked.pdf": pdf([["secret"]], password=True), "empty.docx": b"", "old.zip": b"PK"})
    assert "1 read, 3 left out" in said(bench)
    again = said(bench)
    assert "1 read, 3 left out" in again and "1 .pdf (encrypted)" in again and "1 .docx (an empty file)" in again


def test_a_document_with_a_wrong_extension_is_read_as_what_it_is(bench: Bench) -> None:
    bench.write({"bees.docx": PAPER, "page.pdf": PAGE, "page.doc": PAGE})
    bench.index()
    assert bench.found("sugar syrup") == ["bees.docx"]
    assert sorted(bench.found("sharp saw")) == ["page.doc", "page.pdf"]
    assert first_hit(bench, "sugar syrup").citation.position == Position(page=2)
