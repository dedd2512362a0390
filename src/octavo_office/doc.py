"""Word 97 to 2003: headings by style, lists, tables, links, footnotes, comments and text boxes."""

from __future__ import annotations

import re
import struct
from bisect import bisect_left
from collections.abc import Sequence

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.heading_styles_and_list_numbers import TITLE_LEVEL, item_parts
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile
from octavo.model.document import BlockKind
from octavo_office.compound_file import Compound, NoCompound, summary_facts
from octavo_office.word97_text import CELL, Paragraph, Story, WordText

CONVERTER = "doc-2"
_WORD_97, _WORD_6 = 0xA5EC, (0xA5DC, 0xA5DB)
_LINK = regex(r"HYPERLINK\s+\"?(https?://[^\s\"]+)")
_MARKS = regex("[\x01\x02\x03\x04\x05\x06\x08\x0e\x0f-\x12\x16-\x1d\x1f\0]")


def read_doc(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    try:
        file = Compound(data)
        word = file.stream("WordDocument")
        magic, flags = struct.unpack_from("<H8xH", word)
    except (NoCompound, struct.error):
        return RefusedFile("damaged: it is no document of Word that can be opened")
    if flags & 0x0100:
        return RefusedFile("encrypted: it needs a password")
    builder = TextBuilder()
    try:
        if magic in _WORD_6:
            _write_word_6(builder, word)
        elif magic == _WORD_97:
            table = file.stream("1Table" if flags & 0x0200 else "0Table")
            _Writer(builder, WordText(word, table)).write()
        else:
            return RefusedFile("damaged: it is no document of Word that can be opened")
    except TooLong:
        pass
    except struct.error:
        if not builder.size:
            return RefusedFile("damaged: it ends before its text does")
        builder.warnings.append("damaged: it was read up to a place that makes no sense")
    facts = summary_facts(file)
    title = facts.pop("title", "") or next((heading.title for heading in builder.headings), "")
    return builder.converted(CONVERTER, title, facts)


def _write_word_6(builder: TextBuilder, word: bytes) -> None:
    """Word 6 and 95: characters in one run, without what is known of its paragraphs."""
    start, end = struct.unpack_from("<II", word, 0x18)
    (size,) = struct.unpack_from("<I", word, 0x34)
    text = word[start : min(end, start + size)].decode("cp1252", "replace")
    for paragraph in re.split("[\r\x0c\x07]", text):
        builder.paragraph(_shown(paragraph))


class _Writer:
    def __init__(self, builder: TextBuilder, document: WordText) -> None:
        self._builder, self._document = builder, document
        self._notes = [(place, _flat(text)) for place, text in document.notes()]
        self._comments = [
            (place, f"Comment{f' by {author}' if author else ''}: {_flat(text)}")
            for place, author, text in document.comments()
        ]
        self._cited: list[str] = []
        self._lists = document.lists()

    def write(self) -> None:
        self._story(self._document.main)
        self._story(self._document.boxes)
        for number, note in enumerate(self._cited, 1):
            self._builder.paragraph(f"[^{number}]: {note}")

    def _story(self, story: Story) -> None:
        rows: list[list[str]] = []
        cells: list[str] = []
        cell: list[str] = []
        comments: list[str] = []
        for paragraph in self._document.paragraphs(story):
            comments += [remark for _, remark in _between(self._comments, paragraph)]
            if paragraph.about.row_end:
                rows.append(cells)
                cells, cell = [], []
            elif paragraph.mark == CELL or paragraph.about.in_table:
                cell.append(self._line(paragraph))
                if paragraph.mark == CELL:
                    cells.append(" ".join(filter(None, cell)))
                    cell = []
            else:
                self._table([*rows, cells] if cells else rows)
                rows, cells, cell = [], [], []
                self._paragraph(paragraph)
            if not rows and not cells and not cell:
                for comment in comments:
                    self._builder.paragraph(f"> {comment}", BlockKind.QUOTE)
                comments = []
        self._table([*rows, [*cells, " ".join(cell)]] if cells or cell else rows)
        for comment in comments:
            self._builder.paragraph(f"> {comment}", BlockKind.QUOTE)

    def _table(self, rows: list[list[str]]) -> None:
        if rows:
            self._builder.table([one_line(cell) for cell in row] for row in rows)

    def _paragraph(self, paragraph: Paragraph) -> None:
        about, text = paragraph.about, self._line(paragraph)
        level = self._document.level(about)
        if self._document.is_contents(about):
            return  # the table of contents repeats every heading
        number = self._lists.next(about.list, about.depth)  # an empty paragraph is counted as well
        if level:
            self._builder.heading(1 if level == TITLE_LEVEL else level, f"{number} {text}" if text else "")
        elif about.list:
            shown, marker = item_parts(number, text)
            self._builder.item(shown, about.depth, marker)
        else:
            self._builder.paragraph(text)

    def _line(self, paragraph: Paragraph) -> str:
        """The text of a paragraph, with the numbers of its footnotes and the addresses of its links."""
        text = paragraph.text
        for place, note in reversed(_between(self._notes, paragraph)):
            at = place - paragraph.start
            text = f"{text[:at]}\x02{note}\x03{text[at + 1 :]}"
        shown = []
        for part in re.split("(\x02[^\x02\x03]*\x03)", _without_fields(text)):
            if part[:1] == "\x02" and part[-1:] == "\x03":
                self._cited.append(part[1:-1])
                shown.append(f"[^{len(self._cited)}]")
            else:
                shown.append(_shown(part))
        return "".join(shown).strip()


def _between(placed: Sequence[tuple[int, str]], paragraph: Paragraph) -> Sequence[tuple[int, str]]:
    """Those of the marks, by their places, that stand in a paragraph or at its end."""
    return placed[bisect_left(placed, (paragraph.start, "")) : bisect_left(placed, (paragraph.end + 1, ""))]


def _without_fields(text: str) -> str:
    """What fields show, without what they compute it from; a link with its address."""
    if "\x13" not in text:
        return text
    stack: list[list[str]] = [[]]
    codes: list[str | None] = []  # of the fields around this place; None before their code has ended
    for part in re.split("([\x13\x14\x15])", text):
        if part == "\x13":
            stack.append([])
            codes.append(None)
        elif part == "\x14" and codes:
            stack[-1], codes[-1] = [], "".join(stack[-1])
        elif part == "\x15" and codes:
            shown, code = "".join(stack.pop()), codes.pop()
            stack[-1].append(_field(code, shown) if code is not None else "")
        else:
            stack[-1].append(part)
    # A field that goes on in the next paragraph shows here what stands behind its code.
    return "".join(stack[0]) + "".join(
        "".join(part) for part, code in zip(stack[1:], codes, strict=True) if code is not None
    )


def _field(code: str, result: str) -> str:
    link, shown = _LINK.search(code), _shown(result).strip()
    return f"[{shown}]({link[1]})" if link and shown and "]" not in shown and shown != link[1] else result


def _flat(text: str) -> str:
    return one_line(_shown(text.replace("\r", " ")))


def _shown(text: str) -> str:
    text = text.replace("\x0b", "\n").replace("\x1e", "-").replace("\xa0", " ")
    text = _MARKS.sub("", text).replace("\x13", "").replace("\x14", "").replace("\x15", "")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
