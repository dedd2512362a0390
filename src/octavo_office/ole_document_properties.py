"""What a document of an old office program says of itself: the property set that lies beside its text.

The layout is Microsoft's [MS-OLEPS]: a table of numbered properties, each with its type.
"""

from __future__ import annotations

import codecs
import struct
from datetime import UTC, datetime, timedelta

from octavo.converting.text_builder import one_line
from octavo_office.compound_file import Compound

_STREAM = "\x05SummaryInformation"
_FIELDS = {2: "title", 3: "subject", 4: "author", 5: "keywords", 6: "description"}
_CODE_PAGE, _CREATED = 1, 12
_SHORT, _NARROW, _WIDE, _TIME = 2, 30, 31, 64  # types of a value
_MOST_PROPERTIES = 200
_LONGEST = 500
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_UTF8, _UTF16 = 65001, 1200


def summary_facts(file: Compound) -> dict[str, str]:
    data = file.stream(_STREAM)
    try:
        (start,) = struct.unpack_from("<I", data, 44)
        _, count = struct.unpack_from("<II", data, start)
        table = [
            struct.unpack_from("<II", data, start + 8 + 8 * number) for number in range(min(count, _MOST_PROPERTIES))
        ]
    except struct.error:
        return {}
    places = {number: start + place for number, place in table}
    encoding = _encoding(data, places.get(_CODE_PAGE, len(data)))
    facts = {name: _text(data, places[number], encoding) for number, name in _FIELDS.items() if number in places}
    if _CREATED in places:
        facts["date"] = _date(data, places[_CREATED])
    return {name: value for name, value in facts.items() if value}


def _encoding(data: bytes, place: int) -> str:
    try:
        kind, page = struct.unpack_from("<IH", data, place)
    except struct.error:
        return "cp1252"
    name = {_UTF8: "utf-8", _UTF16: "utf-16-le"}.get(page, f"cp{page}")
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name if kind == _SHORT else "cp1252"


def _text(data: bytes, place: int, encoding: str) -> str:
    try:
        kind, size = struct.unpack_from("<II", data, place)
    except struct.error:
        return ""
    if kind not in (_NARROW, _WIDE):
        return ""
    size = size * 2 if kind == _WIDE else size
    told = data[place + 8 : place + 8 + min(size, 4 * _LONGEST)]
    return one_line(told.decode("utf-16-le" if kind == _WIDE else encoding, "replace").split("\0")[0])[:_LONGEST]


def _date(data: bytes, place: int) -> str:
    try:
        kind, ticks = struct.unpack_from("<IQ", data, place)
        moment = _EPOCH + timedelta(microseconds=ticks // 10)
    except (struct.error, OverflowError):
        return ""
    return moment.strftime("%Y-%m-%d") if kind == _TIME and moment.year > 1980 else ""
