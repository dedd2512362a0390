"""PowerPoint 97 to 2003: a section for each slide with its title, its text, its tables and the speaker's notes.

The layout is Microsoft's [MS-PPT]: records within records in one stream, of which a directory says where the newest
version of each slide lies. What stands in the outline is written in the document's list of slides, and the shapes of a
slide refer to it by number.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.pptx import is_title_of_nothing
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.model.converted_file import Converted, RefusedFile, Unit
from octavo_office.compound_file import Compound, NoCompound, summary_facts

CONVERTER = "ppt-1"
_ENCRYPTED = 0xF3D1C4DF
_HEAD = struct.Struct("<HHI")
_SLIDES, _NOTES = 0, 2  # which of the document's lists
_DOCUMENT, _SLIDE, _NOTE, _NOTE_FACTS, _PERSIST, _DRAWING = 1000, 1006, 1008, 1009, 1011, 1036
_LIST, _EDIT, _DIRECTORY, _PLACEHOLDER = 4080, 4085, 6002, 3011
_REFERENCE, _TEXT_KIND, _WIDE_TEXT, _NARROW_TEXT = 3998, 3999, 4000, 4008
_GROUP, _SHAPE, _TEXT_BOX, _CHILD_PLACE, _CLIENT, _MORE_OPTIONS = 0xF003, 0xF004, 0xF00D, 0xF00F, 0xF011, 0xF122
_TABLE_OPTION = 0x039F
_TITLES, _SPOKEN, _OTHER = (0, 6), 2, 4  # kinds of text
_FURNITURE = (7, 8, 9, 10)  # placeholders of the date, the slide's number, the foot and the head
_DEEPEST = 30
_MOST_SLIDES = 10_000


class PptRecord(NamedTuple):
    kind: int
    instance: int
    start: int
    end: int


class Text(NamedTuple):
    kind: int
    text: str


class Listed(NamedTuple):
    """A slide or a page of notes in the document's list, with the texts that its shapes refer to."""

    place: int
    id: int
    texts: list[Text]


class SlideShape(NamedTuple):
    text: Text
    top: int = 0
    left: int = 0


def read_ppt(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    try:
        file = Compound(data)
    except NoCompound:
        return RefusedFile("damaged: it is no presentation that can be opened")
    stream, user = file.stream("PowerPoint Document"), file.stream("Current User")
    if not stream:
        return RefusedFile("PowerPoint before 97 wrote it, which nothing here reads")
    if len(user) < 20:
        return RefusedFile("damaged: it does not say where its slides lie")
    token, edit = struct.unpack_from("<II", user, 12)
    if token == _ENCRYPTED:
        return RefusedFile("encrypted: it needs a password")
    show = _Show(stream, edit)
    builder = TextBuilder(Unit.SLIDE)
    titles: list[str] = []
    with suppress(TooLong):
        for number, slide in enumerate(show.slides, 1):
            builder.mark(str(number))
            titles.append(show.write(builder, slide, number))
    if not titles:
        return RefusedFile("damaged: it has no slides")
    facts = summary_facts(file)
    title = facts.pop("title", "")
    if is_title_of_nothing(title):
        title = next(filter(None, titles), "")
    return builder.converted(CONVERTER, title, {**facts, "slides": len(show.slides)})


class _Show:
    def __init__(self, data: bytes, edit: int) -> None:
        self._data = data
        self._places, document = _directory(data, edit)
        self.slides: list[Listed] = []
        self._notes: dict[int, str] = {}
        if (main := self._at(document, _DOCUMENT)) is None:
            return
        lists = [record for record in _records(data, main.start, main.end) if record.kind == _LIST]
        for record in lists:
            if record.instance == _SLIDES:
                self.slides += list(_listed(data, record))[:_MOST_SLIDES]
        for page in (page for record in lists if record.instance == _NOTES for page in _listed(data, record)):
            self._note(page)

    def write(self, builder: TextBuilder, slide: Listed, number: int) -> str:
        record = self._at(slide.place, _SLIDE)
        pieces = list(self._pieces(record, slide.texts)) if record is not None else []
        if record is None:
            pieces = [[SlideShape(text)] for text in slide.texts]
        shapes = [shape for piece in pieces for shape in piece]
        title = next((shape for shape in shapes if shape.text.kind in _TITLES and shape.text.text.strip()), None)
        shown = one_line(title.text.text) if title is not None else ""
        builder.heading(1, shown or f"Slide {number}")
        for piece in pieces:
            if len(piece) > 1:
                builder.table(_table(piece))
            elif piece[0] is not title:
                _write_text(builder, piece[0].text.text)
        if note := self._notes.get(slide.id):
            builder.paragraph(f"Notes: {note}")
        return shown

    def _note(self, page: Listed) -> None:
        record = self._at(page.place, _NOTE)
        if record is None:
            return
        about = next((part for part in _records(self._data, *record[2:]) if part.kind == _NOTE_FACTS), None)
        shapes = [shape for piece in self._pieces(record, page.texts) for shape in piece]
        spoken = (shape.text.text for shape in shapes if shape.text.kind == _SPOKEN)
        note = "\n".join(one_line(line) for text in spoken for line in text.split("\r"))
        if about is not None and about.end - about.start >= 4 and note.strip():
            self._notes[struct.unpack_from("<I", self._data, about.start)[0]] = note

    def _at(self, place: int, kind: int) -> PptRecord | None:
        start = self._places.get(place, len(self._data))
        record = next(_records(self._data, start, len(self._data)), None)
        return record if record is not None and record.kind == kind else None

    def _pieces(self, slide: PptRecord, texts: Sequence[Text]) -> Iterator[list[SlideShape]]:
        """The texts of a slide's shapes in their order; a table is all of its cells."""
        for drawing in _records(self._data, slide.start, slide.end):
            if drawing.kind == _DRAWING:
                for page in _records(self._data, drawing.start, drawing.end):
                    yield from self._below(page, texts, 0)

    def _below(self, group: PptRecord, texts: Sequence[Text], depth: int) -> Iterator[list[SlideShape]]:
        parts = list(_records(self._data, group.start, group.end)) if depth < _DEEPEST else []
        if group.kind == _GROUP and parts and self._is_table(parts[0]):
            cells = [shape for part in parts[1:] if (shape := self._shape(part, texts)) is not None]
            if len(cells) > 1:
                yield cells
                return
        for part in parts:
            if part.kind == _GROUP:
                yield from self._below(part, texts, depth + 1)
            elif (shape := self._shape(part, texts)) is not None and shape.text.text.strip():
                yield [shape]

    def _is_table(self, first: PptRecord) -> bool:
        for options in _records(self._data, first.start, first.end):
            if options.kind == _MORE_OPTIONS:
                for at in range(options.start, options.end - 5, 6):
                    option, value = struct.unpack_from("<HI", self._data, at)
                    if option & 0x3FFF == _TABLE_OPTION:
                        return bool(value & 1)
        return False

    def _shape(self, shape: PptRecord, texts: Sequence[Text]) -> SlideShape | None:
        if shape.kind != _SHAPE:
            return None
        text, left, top = None, 0, 0
        for part in _records(self._data, shape.start, shape.end):
            if part.kind == _TEXT_BOX:
                text = self._box(part, texts)
            elif part.kind == _CHILD_PLACE and part.end - part.start >= 8:
                left, top = struct.unpack_from("<ii", self._data, part.start)
            elif part.kind == _CLIENT and self._placeholder(part) in _FURNITURE:
                return None
        return SlideShape(text, top, left) if text is not None else None

    def _placeholder(self, client: PptRecord) -> int:
        for part in _records(self._data, client.start, client.end):
            if part.kind == _PLACEHOLDER and part.end - part.start > 4:
                return self._data[part.start + 4]
        return 0

    def _box(self, box: PptRecord, texts: Sequence[Text]) -> Text | None:
        for part in _records(self._data, box.start, box.end):
            if part.kind == _REFERENCE and part.end - part.start >= 4:
                (number,) = struct.unpack_from("<I", self._data, part.start)
                return texts[number] if number < len(texts) else None
        box_texts = _texts(self._data, _records(self._data, box.start, box.end))
        return box_texts[0] if box_texts else None


def _records(data: bytes, start: int, end: int) -> Iterator[PptRecord]:
    while start + _HEAD.size <= end:
        version, kind, size = _HEAD.unpack_from(data, start)
        start += _HEAD.size
        yield PptRecord(kind, version >> 4, start, min(end, start + size))
        start += size


def _directory(data: bytes, edit: int) -> tuple[Mapping[int, int], int]:
    """The number of each part → where its newest version lies; and the number of the document."""
    places: dict[int, int] = {}
    document, seen = 0, set[int]()
    while edit not in seen and edit + 28 <= len(data):
        seen.add(edit)
        _, kind, _, _, _, earlier, directory, main = struct.unpack_from("<HHIIIIII", data, edit)
        if kind != _EDIT:
            break
        document = document or main
        record = next(_records(data, directory, len(data)), None)
        if record is not None and record.kind == _DIRECTORY:
            for number, place in _entries(data, record):
                places.setdefault(number, place)
        edit = earlier or edit
    return places, document


def _entries(data: bytes, directory: PptRecord) -> Iterator[tuple[int, int]]:
    at = directory.start
    while at + 4 <= directory.end:
        (head,) = struct.unpack_from("<I", data, at)
        first, count = head & 0xFFFFF, head >> 20
        count = min(count, (directory.end - at - 4) // 4)
        yield from enumerate(struct.unpack_from(f"<{count}I", data, at + 4), first)
        at += 4 + 4 * max(1, count)


def _listed(data: bytes, record: PptRecord) -> Iterator[Listed]:
    """The slides of a list; the texts of each stand behind it."""
    waiting: tuple[int, int] | None = None
    behind: list[PptRecord] = []
    for part in [*_records(data, record.start, record.end), PptRecord(_PERSIST, 0, 0, 0)]:
        if part.kind != _PERSIST:
            behind.append(part)
            continue
        if waiting is not None:
            yield Listed(*waiting, _texts(data, behind))
        behind, waiting = [], None
        if part.end - part.start >= 16:
            place, _, _, id_ = struct.unpack_from("<IIII", data, part.start)
            waiting = place, id_


def _texts(data: bytes, records: Iterator[PptRecord] | Sequence[PptRecord]) -> list[Text]:
    texts: list[Text] = []
    for record in records:
        content = data[record.start : record.end]
        if record.kind == _TEXT_KIND:
            texts.append(Text(int.from_bytes(content[:4], "little"), ""))
        elif record.kind in (_WIDE_TEXT, _NARROW_TEXT):
            text = content.decode("utf-16-le" if record.kind == _WIDE_TEXT else "latin-1", "replace")
            texts.append(Text(texts.pop().kind if texts else _OTHER, text))
    return texts


def _table(cells: Sequence[SlideShape]) -> list[list[str]]:
    """Cells by their places: those that begin at one height are a row."""
    columns = {left: at for at, left in enumerate(sorted({cell.left for cell in cells}))}
    rows: dict[int, list[str]] = {}
    for cell in sorted(cells, key=lambda cell: (cell.top, cell.left)):
        row = rows.setdefault(cell.top, [""] * len(columns))
        row[columns[cell.left]] = one_line(cell.text.text.replace("\x0b", " "))
    return list(rows.values())


def _write_text(builder: TextBuilder, text: str) -> None:
    """Paragraphs of a shape: several are a list. A star stands for a number or a date that PowerPoint fills in."""
    lines = [one_line(line.replace("\x0b", " ")) for line in text.split("\r")]
    lines = [line for line in lines if line and line != "*"]
    for line in lines:
        if len(lines) > 1:
            builder.item(line)
        else:
            builder.paragraph(line)
