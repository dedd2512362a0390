"""The shape of every document of the shared corpus: what it is counted in, its headings and where they stand, refusals.

`OCTAVO_UPDATE_GOLDEN=1` writes the golden file anew. It holds numbers and digests, and none of what the documents say.
"""

from __future__ import annotations

import csv
import hashlib
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from octavo.converting.sandbox.sandboxed_conversion import SandboxedConverter
from octavo.model.converted_file import Converted, RefusedFile
from octavo.model.document import Source
from octavo.model.file_formats import format_of
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.registry import parser_for

SHARED = Path(os.environ.get("OCTAVO_SHARED_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")
FILES = SHARED / "formats" / "files"
GOLDEN = Path(__file__).parents[1] / "golden" / "format_shapes.tsv"
COLUMNS = ("file", "refused", "unit", "count", "members", "headings", "digest")
UPDATE = os.environ.get("OCTAVO_UPDATE_GOLDEN") == "1"
pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def converter() -> Iterator[SandboxedConverter]:
    if not FILES.is_dir():
        pytest.skip(f"{FILES} is not here; OCTAVO_SHARED_DATA names the folder that holds it")
    made = SandboxedConverter()
    yield made
    made.close()


def golden() -> dict[str, dict[str, str]]:
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return {row["file"]: row for row in csv.DictReader(file, delimiter="\t")}


def shape(converter: SandboxedConverter, name: str) -> dict[str, str]:
    data = (FILES / name).read_bytes()
    known = format_of(name)
    if known is None or not known.claims(data):
        parser = parser_for(name)
        assert parser is not None, f"nothing reads {name}"
        document = parser.parse(Source(DocumentId("d"), name, normalise(data.decode("utf-8")), 0.0))
        sections = [section for section in document.sections if section.level]
        return row(name, headings=[(section.level, section.title, "") for section in sections])
    found = converter.convert(name, data)
    if isinstance(found, RefusedFile):
        return row(name, refused=found.reason)
    starts = [mark.start for mark in found.marks]
    placed = [
        (heading.level, heading.title, found.marks[bisect_right(starts, heading.start) - 1].label if starts else "")
        for heading in found.headings
    ]
    return row(name, found=found, headings=placed)


def row(
    name: str, refused: str = "", found: Converted | None = None, headings: Iterable[tuple[int, str, str]] = ()
) -> dict[str, str]:
    placed = list(headings)
    levels = Counter(level for level, _, _ in placed)
    told = "\n".join(f"{level} {title} @{place}" for level, title, place in placed)
    values = (
        name,
        refused,
        found.unit.value if found is not None and found.unit is not None else "",
        str(len(found.marks)) if found is not None and found.unit is not None else "",
        str(len(found.members)) if found is not None and found.members else "",
        " ".join(f"{level}:{count}" for level, count in sorted(levels.items())),
        hashlib.sha256(told.encode()).hexdigest()[:16] if told else "",
    )
    return dict(zip(COLUMNS, values, strict=True))


@pytest.mark.skipif(not UPDATE, reason="OCTAVO_UPDATE_GOLDEN is not 1")
def test_the_golden_file_is_written_anew(converter: SandboxedConverter) -> None:
    names = sorted(path.relative_to(FILES).as_posix() for path in FILES.rglob("*") if path.is_file())
    with GOLDEN.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(shape(converter, name) for name in names)


def test_every_document_of_the_corpus_has_a_shape(converter: SandboxedConverter) -> None:
    assert set(golden()) == {path.relative_to(FILES).as_posix() for path in FILES.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", sorted(golden()) if GOLDEN.exists() else [])
def test_a_document_keeps_its_headings_pages_and_refusal(converter: SandboxedConverter, name: str) -> None:
    assert shape(converter, name) == golden()[name]
