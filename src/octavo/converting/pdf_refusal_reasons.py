"""Why a PDF gives no text: it is damaged, encrypted, empty or a scan."""

from __future__ import annotations

from collections.abc import Sequence

import pypdfium2
import pypdfium2.raw as pdfium

_LOOKED_AT = 20  # pages without text, to say why there is none


def why_unopened(message: str, data: bytes) -> str:
    if "assword" in message:
        return "encrypted: it needs a password"
    if "security" in message:
        return "encrypted: in a way that cannot be read"
    return "damaged: it cannot be opened" if b"%PDF-" in data[:1024] else "damaged: it does not begin like a PDF"


def why_without_text(document: pypdfium2.PdfDocument, blank: Sequence[int], ocr: str) -> str:
    """A scan, pages on which nothing is, or letters that only look like some."""
    kinds = set[int]()
    for number in blank[:_LOOKED_AT]:
        page = document[number - 1]
        kinds.update(drawn.type for drawn in page.get_objects(max_depth=2))
        page.close()
    if pdfium.FPDF_PAGEOBJ_TEXT in kinds:
        return f"no readable text: its fonts do not say which letters they draw; {ocr}"
    return f"no text layer; {ocr}" if kinds else "no text: nothing is drawn on its pages"


def numbered_pages(pages: Sequence[int], count: int, what: str) -> str:
    """`2 of 12 pages without text (3, 4)`"""
    shown = ", ".join(map(str, pages[:10])) + (", …" if len(pages) > 10 else "")
    return f"{len(pages)} of {count} pages {what} ({shown})"
