"""RTF: headings by style, lists, tables, footnotes, comments, text boxes and links, in every script it can name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from typing import Any

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.heading_styles_and_list_numbers import TITLE_LEVEL, heading_level
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.fast_dataclass import dataclass, replace
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile
from octavo.model.document import BlockKind

CONVERTER = "rtf-1"
_TOKEN = regex(
    r"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)|(.)", re.DOTALL
)
_SYMBOLS = {"emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”"}
_SYMBOLS |= {"bullet": "•", "tab": "\t", "line": "\n", "emspace": " ", "enspace": " ", "qmspace": " ", "nestcell": "\t"}
_ESCAPES = {"~": " ", "_": "-", "-": "", "\\": "\\", "{": "{", "}": "}", "\n": "\n", "\r": "\n"}
_CODE_PAGES = {128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256}
_CODE_PAGES |= {186: 1257, 204: 1251, 222: 874, 238: 1250}
# Groups that hold no text of the document. Those marked `\*` that are not listed below are none either.
_SILENT_WORDS = """
fonttbl colortbl header headerl headerr headerf footer footerl footerr footerf pict object themedata filetbl listtable
listoverridetable rsidtbl generator xmlnstbl datastore latentstyles colorschememapping bkmkstart bkmkend sp ftnsep
ftnsepc aftnsep aftnsepc tc xe private do operator creatim revtim printim buptim
"""
_SILENT = frozenset(_SILENT_WORDS.split())
_FIELDS = {"title": "title", "author": "author", "subject": "subject", "keywords": "keywords"}
_LINK = regex(r"HYPERLINK\s+\"?(https?://[^\s\"]+)")
_NUMBER = regex(r"^\W*(\d{1,4})[.)]?\W*$")
_SHORTEST_CODE_PAGE = 437


@dataclass(slots=True)
class _Group:
    """What holds between two braces. Text goes to `sink`; `purpose` says what becomes of it at the group's end."""

    sink: list[str]
    purpose: str = ""
    font: int = -1
    fallback: int = 1
    hidden: bool = False
    field: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Format:
    """Of a paragraph."""

    style: int = 0
    outline: int = 9
    in_table: bool = False
    listed: bool = False
    depth: int = 0


def read_rtf(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        return RefusedFile("damaged: it is no RTF")
    builder = TextBuilder()
    facts: dict[str, Any] = {}
    with suppress(TooLong):
        write_rtf(builder, data, facts)
    title = facts.pop("title", "") or next((heading.title for heading in builder.headings), "")
    return builder.converted(CONVERTER, title, facts)


def write_rtf(builder: TextBuilder, data: bytes, facts: dict[str, Any] | None = None) -> None:
    """What the file says of itself goes to `facts`."""
    reader = _Reader(builder, {} if facts is None else facts)
    reader.read(data.decode("latin-1"))
    reader.finish()


class _Reader:
    def __init__(self, builder: TextBuilder, facts: dict[str, Any]) -> None:
        self._builder = builder
        self._facts = facts
        self._body: list[str] = []
        self._groups = [_Group(self._body)]
        self._format = _Format()
        self._code_page, self._default_font = 1252, 0
        self._fonts: dict[int, int] = {}
        self._styles: dict[int, int] = {}
        self._style, self._style_outline = 0, 9
        self._marker = ""
        self._bytes = bytearray()
        self._skip = 0
        self._notes: list[str] = []
        self._after: list[str] = []  # text boxes and comments that are anchored in the paragraph
        self._commenter = ""
        self._cell: list[str] = []
        self._cells: list[str] = []
        self._rows: list[list[str]] = []
        self._starred = False
        self._actions: Mapping[str, Callable[[int], None]] = {
            "par": self._end_paragraph,
            "sect": self._end_paragraph,
            "page": self._end_paragraph,
            "cell": self._end_cell,
            "row": self._end_row,
            "nestrow": self._end_paragraph,
            "pard": self._plain_paragraph,
            "plain": self._plain_text,
            "u": self._unicode,
        }

    def read(self, text: str) -> None:
        at = 0
        while match := _TOKEN.match(text, at):
            at = match.end()
            word, number, byte, escape, brace, plain, _ = match.groups()
            if byte:
                self._byte(int(byte, 16))
                continue
            if plain:
                self._write(plain)
                continue
            self._flush_bytes()
            if brace == "{":
                self._groups.append(self._opened(self._groups[-1]))
                self._starred, self._skip = False, 0
            elif brace == "}":
                self._skip = 0
                if len(self._groups) > 1:
                    self._close(self._groups.pop())
            elif escape == "*":
                self._starred = True
            elif escape:
                self._write(_ESCAPES.get(escape, ""))
            elif word == "bin":
                at += max(0, int(number or 0))
            elif word:
                self._word(word, None if number is None else int(number))

    def _opened(self, above: _Group) -> _Group:
        """A group inherits what holds around it; an entry of the style sheet has text of its own."""
        if above.purpose == "stylesheet":
            return replace(above, purpose="style", sink=[])
        return replace(above, purpose=above.purpose if above.purpose in ("silent", "info") else "")

    def finish(self) -> None:
        self._flush_bytes()
        self._end_paragraph(0)
        self._end_table()
        for number, note in enumerate(self._notes, 1):
            self._builder.paragraph(f"[^{number}]: {note}")

    def _word(self, word: str, number: int | None) -> None:
        starred, self._starred = self._starred, False
        group = self._groups[-1]
        if self._opens(word, starred):
            return
        if word in _SYMBOLS:
            self._write(_SYMBOLS[word])
        elif word in self._actions:
            self._actions[word](1 if number is None else number)
        elif word in ("v", "deleted"):
            group.hidden = number != 0
        elif word == "uc":
            group.fallback = number or 0
        elif word == "f":
            group.font = number or 0
        elif word == "fcharset":
            self._fonts[group.font] = _CODE_PAGES.get(number or 0, 0)
        elif word == "ansicpg" and number and number >= _SHORTEST_CODE_PAGE:
            self._code_page = number
        elif word == "deff":
            self._default_font = number or 0
        elif group.purpose == "style" and word in ("s", "outlinelevel"):
            self._style, self._style_outline = (
                (number or 0, self._style_outline) if word == "s" else (self._style, number or 0)
            )
        elif group.purpose not in ("stylesheet", "style"):
            self._paragraph_word(word, number or 0)

    def _paragraph_word(self, word: str, number: int) -> None:
        if word == "s":
            self._format.style = number
        elif word == "outlinelevel":
            self._format.outline = number
        elif word == "intbl":
            self._format.in_table = True
        elif word == "ls":
            self._format.listed = number > 0
        elif word == "ilvl":
            self._format.depth = number

    def _opens(self, word: str, starred: bool) -> bool:
        """Whether a word says what the group is for."""
        group = self._groups[-1]
        if group.purpose == "silent" and word not in ("shptxt", "result"):
            return word not in ("f", "fcharset")  # what a list of fonts tells
        if word in ("listtext", "pntext", "footnote", "fldinst", "shptxt", "result", "annotation", "atnauthor"):
            group.purpose, group.sink, group.hidden = word, [], False
        elif word == "stylesheet" or (word in _FIELDS and group.purpose == "info"):
            group.purpose, group.sink = word, []
        elif word == "info":
            group.purpose, group.sink = "info", []
        elif word == "field":
            group.field = []
            group.purpose = "field"
        elif word == "fldrslt":
            group.purpose, group.sink = "fldrslt", []
        elif word in _SILENT or (starred and word not in ("cs", "ts", "shpinst", "nestabletprops")):
            group.purpose, group.sink = "silent", []
        else:
            return False
        return True

    def _close(self, group: _Group) -> None:
        above = self._groups[-1]
        text = "".join(group.sink) if group.sink is not above.sink else ""
        if group.purpose in ("listtext", "pntext"):
            number = _NUMBER.match(one_line(text))
            self._marker = f"{number[1]}." if number else "-"
        elif group.purpose == "footnote":
            self._notes.append(one_line(text))
            above.sink.append(f"[^{len(self._notes)}]")
        elif group.purpose == "fldinst":
            above.field.append(text)
        elif group.purpose == "fldrslt":
            link = _LINK.search("".join(above.field))
            shown = text.strip()
            linked = link is not None and shown and "]" not in shown and shown != link[1]
            above.sink.append(f"[{shown}]({link[1]})" if linked and link is not None else text)
        elif group.purpose in ("shptxt", "result"):
            self._after += [part for part in text.split("\n") if part.strip()]
        elif group.purpose == "atnauthor":
            self._commenter = one_line(text)
        elif group.purpose == "annotation":
            by = f" by {self._commenter}" if self._commenter else ""
            self._after.append(f"> Comment{by}: {one_line(text)}")
        elif group.purpose in _FIELDS:
            self._facts |= {_FIELDS[group.purpose]: one_line(text)[:500]} if text.strip() else {}
        elif above.purpose == "stylesheet":
            self._end_style(group)

    def _end_style(self, group: _Group) -> None:
        """One entry of the style sheet: its name stands before a semicolon."""
        name = "".join(group.sink).partition(";")[0].strip()
        level = heading_level(name) or (self._style_outline + 1 if self._style_outline < 6 else 0)
        if level:
            self._styles[self._style] = level
        group.sink.clear()
        self._style, self._style_outline = 0, 9

    def _write(self, text: str) -> None:
        while self._skip and text:  # what programs show that cannot read the character before it
            text, self._skip = text[1:], self._skip - 1
        if not text:
            return
        if self._bytes and not self._groups[-1].hidden:  # the second byte of a character may look like a letter
            self._bytes += text[0].encode("latin-1", "replace")
            if (joined := self._decoded()) is not None and len(joined) == 1:
                self._bytes.clear()
                self._groups[-1].sink.append(joined)
                text = text[1:]
            else:
                del self._bytes[-1:]
        self._flush_bytes()
        if not self._groups[-1].hidden:
            self._groups[-1].sink.append(text)

    def _byte(self, value: int) -> None:
        if self._skip:
            self._skip -= 1
        elif not self._groups[-1].hidden:
            self._bytes.append(value)
            if (decoded := self._decoded()) is not None:
                self._groups[-1].sink.append(decoded)
                self._bytes.clear()

    def _decoded(self) -> str | None:
        """The bytes as text, or None where more of them make one character."""
        font = self._groups[-1].font
        page = self._fonts.get(self._default_font if font < 0 else font, 0) or self._code_page
        try:
            return self._bytes.decode(f"cp{page}")
        except UnicodeDecodeError:
            return None if len(self._bytes) < 2 else self._bytes.decode("cp1252", "replace")
        except LookupError:
            return self._bytes.decode("cp1252", "replace")

    def _flush_bytes(self) -> None:
        if self._bytes:
            self._groups[-1].sink.append(self._bytes.decode("cp1252", "replace"))
            self._bytes.clear()

    def _unicode(self, number: int) -> None:
        group = self._groups[-1]
        unit = chr(number & 0xFFFF)
        if not group.hidden:
            if "\udc00" <= unit <= "\udfff" and group.sink and "\ud800" <= group.sink[-1][-1:] <= "\udbff":
                unit = (group.sink.pop() + unit).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
            group.sink.append(unit)
        self._skip = group.fallback

    def _plain_paragraph(self, number: int) -> None:
        if self._groups[-1].sink is self._body:
            self._format = _Format()

    def _plain_text(self, number: int) -> None:
        self._groups[-1].hidden = False

    def _end_paragraph(self, number: int) -> None:
        sink = self._groups[-1].sink
        if sink is not self._body:
            sink.append("\n")
            return
        text, made, marker = "".join(self._body).strip(), self._format, self._marker
        self._body.clear()
        self._marker = ""
        if made.in_table:
            self._cell.append(text)
            return
        self._end_table()
        level = made.outline + 1 if made.outline < 6 else self._styles.get(made.style, 0)
        if level:
            self._builder.heading(1 if level == TITLE_LEVEL else level, text)
        elif marker or made.listed:
            self._builder.item(text, made.depth, marker or "-")
        else:
            self._builder.paragraph(text)
        self._write_anchored()

    def _write_anchored(self) -> None:
        for text in self._after:
            self._builder.paragraph(text, BlockKind.QUOTE if text.startswith("> ") else BlockKind.PARAGRAPH)
        self._after.clear()

    def _end_cell(self, number: int) -> None:
        if self._groups[-1].sink is self._body:
            self._cells.append(" ".join([*self._cell, "".join(self._body)]))
            self._cell, self._marker = [], ""
            self._body.clear()

    def _end_row(self, number: int) -> None:
        if self._cells:
            self._rows.append(self._cells)
        self._cells = []

    def _end_table(self) -> None:
        if self._cell or self._cells:
            self._cells += self._cell
            self._cell = []
            self._end_row(0)
        if self._rows:
            self._builder.table(self._rows)
            self._rows = []
