"""Every format Octavo knows: who reads it, and which package it needs. Nothing is imported to look here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType
from typing import NamedTuple

from octavo.lazy_regex import regex
from octavo.plugins import CONVERTERS, OURS, others

ARCHIVES_OPTION = "--archives"

FETCHED_PAGES = ".fetched.bib"
"""What `octavo fetch` writes beside files that cannot say themselves where they are from."""

CONVERTER_VERSION = "converting-16"
"""Recorded in the recipe: a change in what any converter writes makes a different index."""


class FileFormat(NamedTuple):
    """`reader` is `module:function`; `needs` is the package without which it cannot.

    A `text` format reaches its reader as UTF-8, whatever it is written in. Of a format that `sniffs`, only files are
    converted in whose first bytes this pattern is found: the others are text as their name says. Of `ocr`, only where
    text in pictures is recognised; an `archive`, only where archives are unpacked. `effort` is how many times as
    long it takes as reading a text of its size: what is quick goes first. `version` is that of the package which reads
    it, where that is not Octavo.
    """

    name: str
    reader: str
    needs: str = ""
    text: bool = False
    sniffs: bytes = b""
    ocr: bool = False
    archive: bool = False
    effort: int = 1
    version: str = ""

    def claims(self, head: bytes) -> bool:
        return not self.sniffs or re.search(self.sniffs, head, re.DOTALL) is not None

    @property
    def readable(self) -> bool:
        return not self.needs or _installed(self.needs)


_CONVERTING = "octavo.converting"
_PDF = FileFormat("PDF", f"{_CONVERTING}.pdf:read_pdf", "pypdfium2", effort=8)
_HTML = FileFormat("HTML", f"{_CONVERTING}.html:read_html", text=True)
_MHTML = FileFormat("MHTML", f"{_CONVERTING}.mail:read_mhtml")
_DOCX = FileFormat("Word", f"{_CONVERTING}.docx:read_docx", effort=4)
_PPTX = FileFormat("PowerPoint", f"{_CONVERTING}.pptx:read_pptx", effort=4)
_XLSX = FileFormat("Excel", f"{_CONVERTING}.xlsx:read_xlsx", effort=4)
_ODF = FileFormat("OpenDocument", f"{_CONVERTING}.odf:read_odf", effort=4)
_EPUB = FileFormat("EPUB", f"{_CONVERTING}.epub:read_epub", effort=4)
_MAIL = FileFormat("mail", f"{_CONVERTING}.mail:read_mail")
_MBOX = FileFormat("a mailbox", f"{_CONVERTING}.mail:read_mbox")
_CSV = FileFormat("CSV", f"{_CONVERTING}.spreadsheet_tables:read_delimited", text=True)
_SUBTITLES = FileFormat("subtitles", f"{_CONVERTING}.subtitles:read_subtitles", text=True)
_CANVAS = FileFormat("a canvas", f"{_CONVERTING}.obsidian_canvas_and_drawio:read_canvas", text=True)
_DRAWIO = FileFormat("draw.io", f"{_CONVERTING}.obsidian_canvas_and_drawio:read_drawio", text=True)
_JATS = FileFormat("JATS", f"{_CONVERTING}.jats:read_jats", sniffs=b"<article|-//NLM//DTD J")
_IMAGE = FileFormat("an image", f"{_CONVERTING}.image_text_and_captions:read_image", ocr=True, effort=100)
_BESIDE = OURS[CONVERTERS]
_SAID = _BESIDE["json"]
# What exports of ChatGPT, Claude, Discord (twice), Slack and our own form begin with.
_EXPORT = (
    rb'"mapping"\s*:\s*\{\s*"[^"]+"\s*:\s*\{\s*"id"|"chat_messages"\s*:\s*\['
    rb'|^\s*\[\s*\{\s*"uuid"\s*:\s*"[^"]+",\s*"name"(?!\s*:\s*"(?:[^"\\]|\\.)*",\s*"description")'
    rb'|^\s*\{\s*"guild"\s*:\s*\{.*"channel"\s*:|^\s*\[\s*\{\s*"ID"\s*:\s*"?\d+"?,\s*"Timestamp"'
    rb'|^\s*\[\s*\{(?=.*"type"\s*:\s*"message").*"ts"\s*:\s*"\d{9,11}\.\d{6}"|^\s*\{\s*"octavo"\s*:\s*"conversation"'
)
_SESSION_EVENT = (
    rb'^\s*\{.*"(?:sessionId|leafUuid|parentUuid|messageId|session_meta|record_type|response_item)"'
    rb'|^\{"octavo": "document"'
)
# A chat's first line, as `octavo_records.chat_export_readers` reads it. Logs and diaries begin alike: without the comma
# behind the date, a later line has to name who speaks, or the sign has to follow that iPhones write.
_DIGIT = rb"(?:\d|\xd9[\xa0-\xa9])"
_DATE = rb"D{1,4}(?:M[./-]M ?D{1,4}){2}\.?".replace(b"M", rb"(?:\xe2\x80[\x8e\x8f])*").replace(b"D", _DIGIT)
_CLOCK = rb"(?:[a-z\x80-\xff]{1,9}\.? ?)??D{1,2}[:.]DD".replace(b"D", _DIGIT)
_HALF_DAY = rb"(?:(?: |\xc2\xa0|\xe2\x80\xaf)*(?:[ap]\.?(?: |\xc2\xa0|\xe2\x80\xaf)?m\.?|\xd9\x85|\xd8\xb5))?"
_CHAT_LINE = (
    rb"(?i)^\W*?" + _DATE + rb"(?:(?:,|\xd8\x8c) " + _CLOCK + rb"(?:[:.]\d\d)?" + _HALF_DAY + rb"(?:\] | - )[^\n]"
    rb"| "
    + _CLOCK
    + rb"(?:"
    + _HALF_DAY
    + rb" - (?:[^\n]*\n[^\n]* - )?[^:\n]{1,60}: |:\d\d"
    + _HALF_DAY
    + rb"\] [^\n]*\xe2\x80\x8e))"
)
_CONVERSATIONS = FileFormat("conversations", _SAID, text=True, sniffs=_EXPORT)
_SESSIONS = FileFormat("an agent's session", _BESIDE["jsonl"], text=True, sniffs=_SESSION_EVENT)
_CHAT = FileFormat("a chat of WhatsApp", _SAID, text=True, sniffs=_CHAT_LINE)
_OUTLOOK = FileFormat("Outlook's messages", _BESIDE["msg"], effort=4)
_DOC = FileFormat("Word 97", _BESIDE["doc"], effort=4)
_XLS = FileFormat("Excel 97", _BESIDE["xls"], effort=4)
_PPT = FileFormat("PowerPoint 97", _BESIDE["ppt"], effort=4)
_RTF = FileFormat("RTF", _BESIDE["rtf"], effort=4)
_ARCHIVE = FileFormat("an archive", f"{_CONVERTING}.archives:read_archive", archive=True)

FORMATS: Mapping[str, FileFormat] = MappingProxyType(
    {
        ".pdf": _PDF,
        **dict.fromkeys((".html", ".htm", ".xhtml"), _HTML),
        **dict.fromkeys((".mhtml", ".mht"), _MHTML),
        **dict.fromkeys((".docx", ".docm", ".dotx"), _DOCX),
        **dict.fromkeys((".pptx", ".pptm", ".ppsx"), _PPTX),
        **dict.fromkeys((".xlsx", ".xlsm"), _XLSX),
        **dict.fromkeys((".odt", ".odp", ".ods", ".ott"), _ODF),
        ".epub": _EPUB,
        ".eml": _MAIL,
        ".mbox": _MBOX,
        **dict.fromkeys((".csv", ".tsv", ".tab"), _CSV),
        **dict.fromkeys((".srt", ".vtt"), _SUBTITLES),
        ".canvas": _CANVAS,
        **dict.fromkeys((".drawio", ".dio"), _DRAWIO),
        **dict.fromkeys((".xml", ".nxml"), _JATS),
        ".json": _CONVERSATIONS,
        **dict.fromkeys((".jsonl", ".ndjson"), _SESSIONS),
        ".txt": _CHAT,
        ".bib": FileFormat("references", _BESIDE["bib"], text=True),
        ".ics": FileFormat("a calendar", _BESIDE["ics"], text=True),
        ".opml": FileFormat("an outline", _BESIDE["opml"]),
        ".vcf": FileFormat("contacts", _BESIDE["vcf"], text=True),
        ".msg": _OUTLOOK,
        **dict.fromkeys((".doc", ".dot"), _DOC),
        **dict.fromkeys((".xls", ".xlt"), _XLS),
        **dict.fromkeys((".ppt", ".pps"), _PPT),
        ".rtf": _RTF,
        **dict.fromkeys((".zip", ".tar", ".tgz", ".tbz2", ".txz", ".gz", ".bz2", ".xz"), _ARCHIVE),
        **dict.fromkeys((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"), _IMAGE),
    }
)
"""Extension, lower case with its dot → format."""

_PROSE = " .md .markdown .txt .rst .org .adoc .tex"
_CODE = ".c .cpp .css .go .h .java .js .json .kt .php .py .rb .rs .sh .sql .swift .toml .ts .tsx .yaml .yml"
_TEXTS = frozenset(f"{_PROSE} {_CODE}".split(" "))
"""Files that are read as they are. No plugin is looked for to convert them: most searches end here."""


@cache
def added_formats() -> Mapping[str, FileFormat]:
    """Formats that other people's packages read, by extension."""
    return {
        f".{name}": FileFormat(f"{name} ({entry.distribution})", entry.target, version=entry.version)
        for name, entry in others(CONVERTERS).items()
    }


_IMAGES = ".avif .bmp .gif .heic .ico .jpeg .jpg .png .psd .svg .tif .tiff .webp"
_ARCHIVES = ".7z .bz2 .gz .jar .rar .tar .tgz .war .whl .xz .zip .zst"
_MEDIA = ".aac .avi .flac .m4a .m4v .mkv .mov .mp3 .mp4 .mpeg .mpg .ogg .wav .webm .wmv"
_PROGRAMS = ".a .bin .class .deb .dll .dmg .dylib .exe .img .iso .lib .o .obj .pyc .pyd .pyo .rpm .so .wasm"
_FONTS = ".eot .otf .ttf .woff .woff2"
_DATA = ".db .npy .npz .onnx .parquet .pickle .pkl .pt .safetensors .sqlite .sqlite3"
UNREAD_KINDS: Mapping[str, str] = MappingProxyType(
    {
        ending: kind
        for kind, endings in {
            "image": _IMAGES,
            "archive": _ARCHIVES,
            "sound or film": _MEDIA,
            "program": _PROGRAMS,
            "font": _FONTS,
            "data file": _DATA,
        }.items()
        for ending in endings.split()
    }
)
"""Extensions of files that hold no text to read → what they are."""

_OTHER_DOCUMENTS = ".azw3 .djvu .indd .mobi .numbers .odg .one .pages .pub .vsd .vsdx .wpd .wps .xlsb .xps"
_OF_OTHER_PROGRAMS = frozenset(_OTHER_DOCUMENTS.split())  # as text they would be noise


ENVIRONMENT_TEMPLATES = frozenset(
    f".env.{end}" for end in ("example", "sample", "template", "dist", "default", "defaults")
)
"""Names of files that say which variables a program needs, without their values: hidden, and read all the same."""

# When it came, what makes it unique, the host; then its size, and what was done with it.
_MAILDIR = regex(r"\d{9,11}\.[\w.%+-]+(?:,[A-Z]=\d+)*(?:[:;!]2,[A-Za-z]*)?")
MAILDIR_FOLDERS = ("new", "cur")  # where nothing was done with a message yet, its name may not say what it is


@cache
def _installed(module: str) -> bool:
    return find_spec(module) is not None


def ending(name: str) -> str:
    """The extension of a file's name: lower case with its dot, or empty. A message of a Maildir folder is mail.

    >>> ending("notes/Plan.MD"), ending("Makefile"), ending("cur/1465123456.M20P7.host:2,S")
    ('.md', '', '.eml')
    >>> ending(".env.example"), ending(".env")
    ('.properties', '')
    >>> ending("inbox/new/1465123456.M20P7.host"), ending("logs/1465123456.M20P7.host"), ending("new/1465123456.md")
    ('.eml', '.host', '.md')
    """
    folder, _, name = name.rpartition("/")
    if name[:5] == ".env." and name in ENVIRONMENT_TEMPLATES:
        return ".properties"
    dot = name.rfind(".")
    new = folder.rpartition("/")[2] in MAILDIR_FOLDERS and name.count(".") > 1
    if dot > 0 and (":2," in name or ",S=" in name or new) and _MAILDIR.fullmatch(name):
        return ".eml"
    return name[dot:].lower() if dot > 0 else ""


def format_of(uri: str) -> FileFormat | None:
    return _format(ending(uri))


def _format(extension: str) -> FileFormat | None:
    known = FORMATS.get(extension)
    return known if known is not None or extension in _TEXTS else added_formats().get(extension)


# What files begin with, and in zip archives a name that is in them: people and programs give wrong extensions.
_BEGINNINGS = ((b"%PDF-", ".pdf"), (b"{\\rtf", ".rtf"), (b"MIME-Version:", ".mhtml"))
_WEB_PAGE = regex(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype html|html)[\s>]", re.IGNORECASE | re.DOTALL)
_ZIPPED = {b"word/document.xml": ".docx", b"ppt/presentation.xml": ".pptx", b"xl/workbook.xml": ".xlsx"}
_ZIPPED |= {b"mimetypeapplication/epub+zip": ".epub", b"mimetypeapplication/vnd.oasis.opendocument.": ".odt"}
_OWN = {".docx": _DOCX, ".pptx": _PPTX, ".xlsx": _XLSX, ".epub": _EPUB, ".odt": _ODF, ".rtf": _RTF, ".pdf": _PDF}
_MISNAMED = frozenset({_PDF, _DOCX, _PPTX, _XLSX, _ODF, _EPUB, _DOC, _PPT, _XLS, _RTF, _OUTLOOK})


def true_name(uri: str, data: bytes) -> str:
    """The name of a document, with the extension of what it is behind its own where that says something else.

    >>> true_name("a.doc", b"{\\\\rtf1 ..."), true_name("a.pdf", b"%PDF-1.7 ...")
    ('a.doc.rtf', 'a.pdf')
    """
    named = format_of(uri)
    if named not in _MISNAMED:
        return uri
    head = data[:SNIFFED].lstrip(b"\xef\xbb\xbf \t\r\n")
    ending_of_content = next((extension for mark, extension in _BEGINNINGS if head.startswith(mark)), "")
    if not ending_of_content and _WEB_PAGE.match(head):
        ending_of_content = ".html"
    if not ending_of_content and data[:2] == b"PK":
        ending_of_content = next((extension for mark, extension in _ZIPPED.items() if mark in data), "")
    if not ending_of_content or ending(uri) == ending_of_content or _OWN.get(ending_of_content) is named:
        return uri
    return f"{uri}{ending_of_content}"


def readable_extensions(*, ocr: bool = False, archives: bool = False) -> frozenset[str]:
    """Extensions that can be converted with what is installed and allowed."""
    return frozenset(
        extension
        for extension, known in {**added_formats(), **FORMATS}.items()
        if known.readable and (ocr or not known.ocr) and (archives or not known.archive)
    )


SNIFFED = 4_096
"""The first bytes of a file, by which a format may be recognised."""


def left_out_reason(name: str) -> str:
    """Why a file that nothing reads was left out, and what to do about it."""
    extension = ending(name)
    known = _format(extension)
    if known is not None and not known.readable:
        return f"{known.name}: install {known.needs} to read it"
    kind = UNREAD_KINDS.get(extension)
    if kind is not None:
        article = "an" if kind[0] in "aeiou" else "a"
        why = "there is no text to read"
        if known is not None:
            why = "OCR is off" if known.ocr else f"{ARCHIVES_OPTION} reads what is in it"
        return f"{article} {kind}: {why}"
    if not extension:
        return "nothing reads files without an extension"
    if extension in _OF_OTHER_PROGRAMS:
        return f"nothing reads {extension} files; the program that wrote it can save it as PDF"
    return f"nothing reads {extension} files; --include '*' --include '*{extension}' reads them as text"
