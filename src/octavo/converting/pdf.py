"""PDF: text of each page, by OCR, if that is on, where it has none; headings from the outline; metadata."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import pi
from statistics import median
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.image_text_and_captions import MISSING, has_tesseract, recognised
from octavo.converting.pdf_layout import (
    Line,
    Page,
    drop_repeated,
    join_fractions,
    join_hyphens,
    key,
    mark_bold_headings,
    mark_headings,
    mark_listed_headings,
    paragraphs,
)
from octavo.converting.pdf_refusal_reasons import numbered_pages, why_unopened, why_without_text
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.converted_file import OCR_PAGES, Converted, RefusedFile, Unit
from octavo.model.document import BlockKind

CONVERTER = f"pdf-7/pypdfium2-{pypdfium2.PYPDFIUM_INFO}"
MOST_PAGES = 20_000
_MOST_BOOKMARKS = 5_000
_MOST_LINKS, _LONGEST_LINK = 500, 2_000
_SPOKEN = frozenset({pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_FREETEXT})
_MOST_ANNOTATIONS, _LONGEST_ANNOTATION = 1_000, 20_000
_INITIAL = 0.6  # of its size: small capitals are larger
_OCR_DOTS = 300  # in an inch
_OCR_MOST = 5_000  # dots of a side
_DOI = regex(r"\b10\.\d{4,9}/[-._;()/:A-Za-z0-9]*[A-Za-z0-9]")
# `Medi` and `CMBX` are the bold ones of the fonts that TeX brings.
_BOLD = regex(rb"bold|demi|black|heavy|medi\b|cmbx|cmssbx|sfbx", re.IGNORECASE)
_NO_TITLE = regex(r"(?:page|seite|folie|slide)\s*\d+|.*\.(?:pdf|docx?|indd|qxd)", re.IGNORECASE)
_CUT_OFF, _CUT_LENGTH = 50, 60  # characters of a title whose end a program may have cut off, and of that end
_FIELDS = {"Author": "author", "Subject": "subject", "Keywords": "keywords"}
_FIELDS |= {"Creator": "program", "Producer": "producer"}
_DATE = regex(r"D:(\d{4})(\d{2})?(\d{2})?")
_PROGRAM_TITLE = regex(r"^(?:microsoft \w+ ?-|untitled|document\d*$|.*\.(?:docx?|pdf|indd|tex|dvi|qxd|p65|fm)$)", re.I)


def read_pdf(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return RefusedFile(why_unopened(str(error), data))
    count = len(document)
    if not count:
        return RefusedFile("damaged: it has no pages")
    form = _form(document)
    pages: list[Page] = []
    blank: list[int] = []
    broken: list[int] = []
    for number in range(min(count, MOST_PAGES)):
        page = _page(document, number, form)
        pages.append(page or Page())
        if page is None:
            broken.append(number + 1)
        elif not page.lines and not page.beside:
            blank.append(number + 1)
    off = "OCR is off"
    scanned: list[int] = []
    if blank and settings.ocr:
        off = "OCR found none" if has_tesseract() else MISSING
        scanned = _recognise(document, pages, blank, settings) if has_tesseract() else []
        blank = [number for number in blank if not pages[number - 1].lines]
        if len(blank) and len(scanned) == settings.ocr_pages:
            off = f"OCR stops after {settings.ocr_pages} pages"
    if len(broken) == len(pages):
        return RefusedFile(
            f"damaged: none of its {count:,} pages can be opened" if count > 1 else "damaged: its page cannot be opened"
        )
    if len(blank) + len(broken) == len(pages):
        return RefusedFile(
            why_without_text(document, blank, off) + (f"; {numbered_pages(broken, count, 'damaged')}" if broken else "")
        )
    warnings = [f"{numbered_pages(blank, count, 'without text')}; {off}"] if blank else []
    warnings += [numbered_pages(broken, count, "damaged")] if broken else []
    converted = _converted(document, pages, warnings, count)
    return replace(converted, metadata={**converted.metadata, OCR_PAGES: scanned}) if scanned else converted


def _recognise(
    document: pypdfium2.PdfDocument, pages: list[Page], blank: Sequence[int], settings: ConversionSettings
) -> list[int]:
    """Reads pages that are pictures; the numbers of those on which it found text."""
    pages_read = []
    for number in blank[: settings.ocr_pages]:
        if lines := recognised(_picture(document, number - 1), settings):
            pages[number - 1] = Page(lines, top=pages[number - 1].top)
            pages_read.append(number)
    return pages_read


def _picture(document: pypdfium2.PdfDocument, number: int) -> bytes:
    """A page as a portable grey map, at the resolution that OCR wants and no larger than it can use."""
    page = document[number]
    try:
        scale = min(_OCR_DOTS / 72, _OCR_MOST / max(1.0, *page.get_size()))
        bitmap = page.render(scale=scale, grayscale=True)
        try:
            rows, stride = bytes(bitmap.buffer), bitmap.stride
            lines = (rows[at * stride : at * stride + bitmap.width] for at in range(bitmap.height))
            return b"P5 %d %d 255\n%s" % (bitmap.width, bitmap.height, b"".join(lines))
        finally:
            bitmap.close()
    finally:
        page.close()


def _converted(
    document: pypdfium2.PdfDocument, pages: Sequence[Page], warnings: Sequence[str], count: int
) -> Converted:
    about = _about(document, pages)
    join_fractions(pages)
    drop_repeated(pages)
    join_hyphens(pages)
    outlined = _mark_outline(document, pages)
    if not outlined:
        mark_headings(pages)
        mark_bold_headings(pages)
        mark_listed_headings(pages)
    builder = TextBuilder(Unit.PAGE)
    builder.warnings.extend(warnings)
    if count > len(pages):
        builder.warnings.append(f"only its first {len(pages):,} pages were read")
    with suppress(TooLong):
        for number, page in enumerate(pages, 1):
            builder.mark(str(number))
            _write_page(builder, page)
    title = about.pop("title", "") or _first_title(pages)
    return builder.converted(CONVERTER, title, about)


def _write_page(builder: TextBuilder, page: Page) -> None:
    for lines in paragraphs(page):
        if lines[0].level:
            builder.heading(lines[0].level, lines[0].text)
            continue
        builder.paragraph("\n".join(line.text for line in lines), BlockKind.PARAGRAPH)
    for text in page.beside:
        builder.paragraph(text)


def _first_title(pages: Sequence[Page]) -> str:
    """The first of the highest headings of the first pages."""
    lines = [line for page in pages[:3] for line in page.lines if line.level]
    best = min((line.level for line in lines), default=0)
    return next((line.text for line in lines if line.level == best), "")


def _page(document: pypdfium2.PdfDocument, number: int, form: Any) -> Page | None:
    """None for a page that cannot be opened."""
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return None
    try:
        text_page = page.get_textpage()
        try:
            lines = list(_lines(text_page.raw))
            beside = list(dict.fromkeys(_beside(page, form)))
            return Page(lines, page.get_height(), list(_links(document, page)), beside)
        finally:
            text_page.close()
    except pypdfium2.PdfiumError:
        return None
    finally:
        page.close()


def _form(document: pypdfium2.PdfDocument) -> Any:
    """What tells the values of form fields; None where the document has no form."""
    try:
        if document.get_formtype() == pdfium.FORMTYPE_NONE:
            return None
        document.init_forms()
        return document.formenv.raw if document.formenv is not None else None
    except (pypdfium2.PdfiumError, RuntimeError):
        return None


def _beside(page: pypdfium2.PdfPage, form: Any) -> Iterator[str]:
    """`name: value` of form fields that are filled in, and what notes and boxes on the page say."""
    for at in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MOST_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, at)
        if not annotation:
            continue
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        if kind == pdfium.FPDF_ANNOT_WIDGET and form is not None:
            name, value = (
                _wide(told, form, annotation)
                for told in (pdfium.FPDFAnnot_GetFormFieldName, pdfium.FPDFAnnot_GetFormFieldValue)
            )
            if value and value != "Off":
                label = _wide(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation) or name
                yield f"{label}: {value}" if label else value
        elif comment := _wide(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents") if kind in _SPOKEN else "":
            yield comment if kind == pdfium.FPDF_ANNOT_FREETEXT else f"Note: {comment}"
        pdfium.FPDFPage_CloseAnnot(annotation)


def _wide(told: Callable[..., int], *about: Any) -> str:
    """A text in UTF-16 of which PDFium tells the length first."""
    size = min(told(*about, None, 0), _LONGEST_ANNOTATION)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2))()
    told(*about, buffer, size)
    return one_line(bytes(buffer)[: size - 2].decode("utf-16-le", "replace").replace("\0", ""))


def _links(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Iterator[str]:
    """Addresses in the world; what leads to another place of the document says nothing by itself."""
    at, link = ctypes.c_int(0), pdfium.FPDF_LINK()
    for _ in range(_MOST_LINKS):
        if not pdfium.FPDFLink_Enumerate(page.raw, at, link):
            return
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        size = pdfium.FPDFAction_GetURIPath(document.raw, action, None, 0)
        buffer = ctypes.create_string_buffer(min(size, _LONGEST_LINK))
        pdfium.FPDFAction_GetURIPath(document.raw, action, buffer, len(buffer))
        address = one_line(buffer.value.decode("utf-8", "replace"))
        if address.startswith(("http://", "https://", "mailto:", "ftp://")):
            yield address


def _lines(page: Any) -> Iterator[Line]:
    count = pdfium.FPDFText_CountChars(page)
    if count <= 0:
        return
    buffer = (ctypes.c_ushort * (count + 1))()
    written = max(0, pdfium.FPDFText_GetText(page, 0, count, buffer) - 1)
    text = bytes(buffer)[: 2 * written].decode("utf-16-le", "replace")
    at = 0  # in UTF-16, as PDFium counts
    for raw in text.split("\n"):
        line = raw.strip()
        if line:
            first = at + _units(raw[: len(raw) - len(raw.lstrip())])
            places = [first, first + _units(line[: len(line) // 2]), first + _units(line) - 1]
            if written != count:  # characters that mean nothing are no text
                places = [pdfium.FPDFText_GetCharIndexFromTextIndex(page, place) for place in places]
            yield _located(page, line, places) if min(places) >= 0 else Line(line)
        at += _units(raw) + 1


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _located(page: Any, text: str, places: Sequence[int]) -> Line:
    """A line with what its first, its middle and its last character tell. It is as tall as the first, unless that is an
    initial: what follows is much smaller."""
    turned = round(-2 * pdfium.FPDFText_GetCharAngle(page, places[0]) / pi) % 4  # told clockwise
    box = pdfium.FS_RECTF()
    boxes = []
    for place in places:
        pdfium.FPDFText_GetLooseCharBox(page, place, box)
        boxes.append(_as_read(box, turned))
    left, bottom, height = boxes[0]
    usual = median(each for _, _, each in boxes)
    bold = _is_bold(page, places[0]) and _is_bold(page, places[-1])
    return Line(text, left, bottom, usual if usual < _INITIAL * height else height, turned, bold=bold)


def _as_read(box: Any, turned: int) -> tuple[float, float, float]:
    """Left edge, foot and height of a character for somebody who turns the page until its line is level."""
    left, foot, height = (
        (box.left, box.bottom, box.top - box.bottom),
        (box.bottom, -box.right, box.right - box.left),
        (-box.right, -box.top, box.top - box.bottom),
        (-box.top, box.left, box.right - box.left),
    )[turned]
    return left, foot, abs(height)


def _is_bold(page: Any, at: int) -> bool:
    """Whether the font of a character says so by its name."""
    name = ctypes.create_string_buffer(100)
    pdfium.FPDFText_GetFontInfo(page, at, name, len(name), None)
    return _BOLD.search(name.value) is not None


def _mark_outline(document: pypdfium2.PdfDocument, pages: Sequence[Page]) -> int:
    """Headings at the outline's places: the line that says the title, else a line of its own where it points."""
    placed = 0
    for level, title, number, height in _bookmarks(document):
        title_key = key(title)
        if not title_key or not 0 <= number < len(pages) or _NO_TITLE.fullmatch(title):
            continue
        page = pages[number]
        if not _mark_line(page, title, title_key, level):
            page.lines.insert(_place_of(page, title, height), Line(title, level=level))
        placed += 1
    return placed


def _place_of(page: Page, title: str, height: float | None) -> int:
    """Before the line that begins with the title's number, else where the outline points, else after the titles that
    stand at the top already."""
    number = title.split()[0]
    if any(map(str.isdigit, number)) and len(number) >= 3:
        for at, line in enumerate(page.lines):
            if not line.level and line.text.split()[0] == number:
                return at
    below = height if height is not None else float("inf")
    plain = (at for at, line in enumerate(page.lines) if not line.level and (line.turned or line.bottom <= below))
    return next(plain, len(page.lines))


def _mark_line(page: Page, title: str, sought: str, level: int) -> bool:
    """A title may run over several lines, its number may be missing on one side, and its end in the outline."""
    lines = page.lines
    for at, line in enumerate(lines):
        if line.level:
            continue
        seen, until = key(line.text), at + 1
        if not seen:
            continue
        while len(seen) < len(sought) and until < len(lines) and until < at + 4 and sought.find(seen) in (0, 1, 2, 3):
            longer = seen + key(lines[until].text)
            if longer not in sought:
                break
            seen, until = longer, until + 1
        near = len(seen) >= 4 and (sought.endswith(seen) or seen.endswith(sought)) and abs(len(seen) - len(sought)) <= 5
        if seen == sought or near or _was_cut(title, one_line(line.text)):
            line.text = " ".join(part.text.strip() for part in lines[at:until])
            line.level = level
            del lines[at + 1 : until]
            return True
    return False


def _was_cut(title: str, line: str) -> bool:
    """Whether a line goes on where its title in the outline ends; a number of its own behind it is the page's."""
    rest = line.removeprefix(title)
    long = len(title) >= _CUT_OFF and rest != line and len(rest) <= _CUT_LENGTH
    return long and (not rest.startswith(" ") or any(map(str.isalpha, rest)))


def _bookmarks(document: pypdfium2.PdfDocument) -> Iterator[tuple[int, str, int, float | None]]:
    """Level, title, page from 0, and how high on it, where the outline says."""
    try:
        for seen, entry in enumerate(document.get_toc(max_depth=6)):
            if seen >= _MOST_BOOKMARKS:
                return
            target = entry.get_dest()
            number = target.get_index() if target is not None else None
            if number is None:
                continue
            title = one_line(entry.get_title())
            _, place = target.get_view()
            height = place[1] if len(place) > 1 and isinstance(place[1], float) else None
            if title:
                yield min(entry.level + 1, 6), title, number, height
    except (pypdfium2.PdfiumError, ValueError, RuntimeError):
        return


def _about(document: pypdfium2.PdfDocument, pages: Sequence[Page]) -> dict[str, Any]:
    """What the document says of itself, its DOI, and the addresses it links to."""
    try:
        told = document.get_metadata_dict(skip_empty=True)
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        told = {}
    about: dict[str, Any] = {"pages": len(document)}
    title = one_line(told.get("Title", ""))
    if len(title) >= 4 and not _PROGRAM_TITLE.match(title):
        about["title"] = title
    for field, name in _FIELDS.items():
        if value := one_line(told.get(field, ""))[:500]:
            about[name] = value
    for field, name in (("CreationDate", "date"), ("ModDate", "modified")):
        if date := _DATE.match(told.get(field, "")):
            about[name] = "-".join(filter(None, date.groups()))
    if links := list(dict.fromkeys(link for page in pages for link in page.links))[:_MOST_LINKS]:
        about["links"] = links
    head = " ".join(line.text for page in pages[:2] for line in page.lines)
    if doi := _DOI.search(f"{' '.join(told.values())} {head}"):
        about["doi"] = doi[0]
    return about
