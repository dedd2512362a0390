"""Real documents of every format: what is read, what is refused and why, and how many pages and headings it has."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from octavo.config.layered_config_loading import validated
from octavo.config.schema import Config
from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.image_text_and_captions import has_tesseract
from octavo.converting.sandbox.process_confinement import Limits
from octavo.converting.sandbox.sandboxed_conversion import SandboxedConverter
from octavo.engine.wiring import open_engine
from octavo.model.converted_file import OCR_PAGES, Converted, RefusedFile, Unit
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.results import FoundHit
from octavo.operations.search.search_handlers import search

SHARED = Path(os.environ.get("OCTAVO_SHARED_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")
FILES = SHARED / "formats" / "files"
QUESTIONS = Path(__file__).with_name("format_questions.tsv")
GOLDEN = Path(__file__).parents[1] / "golden" / "format_shapes.tsv"
pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def converter() -> Iterator[SandboxedConverter]:
    if not FILES.is_dir():
        pytest.skip(f"{FILES} is not here; OCTAVO_SHARED_DATA names the folder that holds it")
    made = SandboxedConverter()
    yield made
    made.close()


def outcome(converter: SandboxedConverter, name: str) -> Converted | RefusedFile:
    return converter.convert(name, (FILES / name).read_bytes())


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("pdf/scan-one-page.pdf", "no text layer; OCR is off"),
        ("pdf/scan-ocr-word.pdf", "no text layer; OCR is off"),
        ("pdf/encrypted-password.pdf", "encrypted: it needs a password"),
        ("pdf/broken-15-bytes.pdf", "damaged: it cannot be opened"),
        ("pdf/broken-recursive-page-tree.pdf", "damaged: its page cannot be opened"),
        ("docx/encrypted-password.docx", "encrypted: it needs a password"),
    ],
)
def test_what_must_be_refused_is_refused_with_its_reason(converter: SandboxedConverter, name: str, reason: str) -> None:
    assert outcome(converter, name) == RefusedFile(reason)


@pytest.mark.parametrize(
    ("name", "unit", "count"),
    [
        ("pdf/irs-irm-2.3.59-400p.pdf", Unit.PAGE, 400),
        ("pdf/cncf-open-and-secure.pdf", Unit.PAGE, 65),
        ("pdf/va-medical-sas-outpatient.pdf", Unit.PAGE, 101),
        ("pdf/encrypted-nocopy.pdf", Unit.PAGE, 1),
        ("pdf/corrupt-one-byte-missing.pdf", Unit.PAGE, 1),
        ("pptx/apache-performance-tuning.pptx", Unit.SLIDE, 48),
        ("odt/odf_presentation_01.odp", Unit.SLIDE, 3),
        ("xlsx/markitdown-test.xlsx", Unit.SHEET, 2),
        ("srt/elephants-dream-captions.srt", Unit.TIME, 16),
    ],
)
def test_pages_slides_and_sheets_are_counted(converter: SandboxedConverter, name: str, unit: Unit, count: int) -> None:
    found = outcome(converter, name)
    assert isinstance(found, Converted), found
    assert (found.unit, len(found.marks)) == (unit, count)


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("pdf/pdf-preservation-risks.pdf", ["1 Introduction", "5 Fonts", "10 Images"]),
        ("pdf/irs-irm-2.3.59-400p.pdf", ["2.3.59.1.1 Background", "2.3.59.1.2 Authority"]),
        (
            "docx/ContingencyPlan_template_NIST.docx",
            ["1 Executive Summary", "3.4 Contingency Phases", "3.4.1 Response Phase"],
        ),
        ("epub/purvis-poetry.epub", ["The Grave of the Slave", "Past Joys", "Prayer"]),
        ("html/autogen-blog.html", ["Experiment Setup", "Experiment Results", "Analysis and Discussion"]),
        ("xml/plos-ntd-0008301.xml", ["Author summary", "Introduction", "Methods", "Results", "Discussion"]),
    ],
)
def test_headings_are_those_of_the_document_in_its_order(
    converter: SandboxedConverter, name: str, titles: list[str]
) -> None:
    found = outcome(converter, name)
    assert isinstance(found, Converted), found
    assert [heading.title for heading in found.headings if heading.title in titles][: len(titles)] == titles


@pytest.mark.skipif(not has_tesseract(), reason="tesseract is not installed")
def test_a_scan_is_read_where_ocr_is_on_and_its_page_says_so() -> None:
    if not FILES.is_dir():
        pytest.skip(f"{FILES} is not here; OCTAVO_SHARED_DATA names the folder that holds it")
    recognising = SandboxedConverter(
        Limits(programs=True), ConversionSettings(ocr=True, ocr_pages=1, ocr_languages="eng")
    )
    found = outcome(recognising, "pdf/scan-ocr-word.pdf")
    recognising.close()
    assert isinstance(found, Converted), found
    assert "Happy New Year" in found.text
    assert found.metadata[OCR_PAGES] == [1]


def test_questions_find_their_file_among_the_first_three_and_its_page(tmp_path: Path) -> None:
    """Asked as people ask, with the bundled model and the default profile, right after indexing."""
    if not FILES.is_dir():
        pytest.skip(f"{FILES} is not here; OCTAVO_SHARED_DATA names the folder that holds it")
    with QUESTIONS.open(encoding="utf-8", newline="") as file:
        questions = list(csv.DictReader(file, delimiter="\t"))
    with open_engine(validated(Config, {"library": tmp_path / "library.db"}), create=True) as engine:
        engine.add_collection("formats", FILES)
        engine.index()
        found = {row["question"]: search(engine, SearchRequest(row["question"], limit=3)).hits for row in questions}
    named = [row for row in questions if _files(row) & {hit.uri for hit in found[row["question"]]}]
    placed = [row for row in named if row["places"]]
    right = [row for row in placed if set(row["places"].split(";")) & _places(found[row["question"]], _files(row))]
    missed = [row for row in questions if row not in named] + [row for row in placed if row not in right]
    assert len(named) >= 0.9 * len(questions), missed
    assert len(right) >= 0.9 * len(placed), missed


def test_every_document_that_can_be_read_has_two_questions() -> None:
    with QUESTIONS.open(encoding="utf-8", newline="") as file:
        asked = Counter(name for row in csv.DictReader(file, delimiter="\t") for name in _files(row))
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        readable = [row["file"] for row in csv.DictReader(file, delimiter="\t") if not row["refused"]]
    assert [name for name in readable if asked[name] < 2] == []


def _files(row: Mapping[str, str]) -> set[str]:
    """The files that answer a question: copies of one text do so equally."""
    return set(row["file"].split(";"))


def _places(hits: Sequence[FoundHit], uris: Container[str]) -> set[str]:
    """The pages, slides, sheets and times of the hits in these files."""
    told = [
        place
        for hit in hits
        if hit.uri in uris
        for place in (*(hit.pages or (hit.page,)), hit.slide, hit.sheet, hit.time)
    ]
    return {str(place) for place in told if place is not None}
