"""How many words of a PDF its conversion keeps, page by page, against an independent extractor.

    python benchmarks/pdf_words.py FOLDER

The reference is PyMuPDF, which this needs beside Octavo. Words are runs of letters and digits, folded; hyphens at line
ends are taken out of the reference by PyMuPDF. Running heads and feet, which a conversion drops on purpose, are counted
out of the reference: lines in the three topmost or lowest rows of a page that stand on at least three tenths of the
pages, numbers aside, except for the first of each.
"""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pymupdf

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.pdf import read_pdf
from octavo.model.converted_file import Converted
from octavo.model.normalised_text_and_spans import Span

_WORD = re.compile(r"[^\W_]+")
_EDGE, _REPEATED, _SHORTEST = 3, 0.3, 4
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"})


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.translate(_LIGATURES).casefold()))


def reference(path: Path) -> list[Counter[str]]:
    """The words of each page, without running heads and feet."""
    pages: list[list[tuple[float, str]]] = []
    flags = pymupdf.TEXTFLAGS_DICT & ~pymupdf.TEXT_PRESERVE_IMAGES
    with pymupdf.open(path) as document:
        for page in document:
            found = []
            for block in page.get_text("dict", flags=flags)["blocks"]:
                for line in block.get("lines", ()):
                    found.append((line["bbox"][3], "".join(span["text"] for span in line["spans"])))
            pages.append(sorted(found, key=lambda line: line[0]))
        whole = [page.get_text("text", flags=pymupdf.TEXTFLAGS_TEXT | pymupdf.TEXT_DEHYPHENATE) for page in document]
    counted = [words(text) for text in whole]
    edges = [_edge_lines(page) for page in pages]
    places: dict[str, set[int]] = {}
    for at, lines in enumerate(edges):
        for line in lines:
            places.setdefault(_running(line), set()).add(at)
    least = max(3, round(len(pages) * _REPEATED))
    seen: set[str] = set()
    for at, lines in enumerate(edges if len(pages) >= _SHORTEST else ()):
        for line in set(lines):
            if len(places[_running(line)]) >= least:
                if _running(line) in seen:
                    counted[at] -= words(line)
                seen.add(_running(line))
    return counted


def _edge_lines(page: list[tuple[float, str]]) -> list[str]:
    """What stands in the first and the last rows of a page, a row being all that has the same foot."""
    rows = sorted({round(foot / 4) for foot, _ in page})
    edge = {*rows[:_EDGE], *rows[-_EDGE:]}
    return [line for foot, line in page if round(foot / 4) in edge]


def _running(line: str) -> str:
    return re.sub(r"\d+|\b[ivxlc]{1,6}\b", "#", " ".join(line.casefold().split()))


def main() -> int:
    print("| file | pages | words | recall | pages with less than .9 | pages a second of processor time |")
    print("|---|---|---|---|---|---|")
    for path in sorted(Path(sys.argv[1]).rglob("*.pdf")):
        started = time.process_time()
        made = read_pdf(path.name, path.read_bytes(), ConversionSettings())
        seconds = time.process_time() - started
        if not isinstance(made, Converted):
            continue
        starts = [*(mark.start for mark in made.marks), len(made.text)]
        ours = [words(Span(*ends).of(made.text)) for ends in pairwise(starts)]
        theirs = reference(path)
        missing = [wanted - got for wanted, got in zip(theirs, ours, strict=False)]
        total = sum(page.total() for page in theirs)
        lost = sum(page.total() for page in missing)
        poor = [at + 1 for at, page in enumerate(theirs) if page.total() and missing[at].total() > 0.1 * page.total()]
        rate = len(ours) / seconds
        print(f"| {path.name} | {len(ours)} | {total:,} | {1 - lost / max(1, total):.3f} | {len(poor)} | {rate:,.0f} |")
        if "--missing" in sys.argv:
            print(poor[:20], sum(missing, Counter()).most_common(30), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
