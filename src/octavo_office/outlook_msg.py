"""Messages that Outlook saved: compound files of properties, read as the mail that they were.

The layout is Microsoft's [MS-OXMSG]: a storage holds a stream of short properties and a stream for each long one;
recipients, attachments and messages that are attached are storages within it. [MS-OXPROPS] numbers the properties.
"""

from __future__ import annotations

import codecs
import struct
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, message_from_string
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.mail import converted_message
from octavo.converting.text_builder import clean, one_line
from octavo.model.converted_file import Converted, RefusedFile
from octavo_office.compound_file import Compound, NoCompound

CONVERTER = "outlook-3"
_RECIPIENT, _ATTACHMENT = "__recip_version1.0_#", "__attach_version1.0_#"
_PROPERTIES, _STREAM, _NAMES = "__properties_version1.0", "__substg1.0_", "__nameid_version1.0"
_ENTRY = struct.Struct("<HHI8s")  # of a short property: its type, its number, flags, its value
_MESSAGE_HEAD, _INNER_HEAD, _HEAD = 32, 24, 8  # bytes before the entries of a message, of one within it, of the others
_NARROW, _WIDE, _BINARY, _STORAGE, _INTEGER, _TIME = 0x001E, 0x001F, 0x0102, 0x000D, 0x0003, 0x0040
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_OLDEST_YEAR = 1980
_MOST_RECIPIENTS, _MOST_ATTACHMENTS, _DEEPEST = 5_000, 1_000, 8
_UTF8 = 65001

_CLASS, _SUBJECT, _HEADERS = 0x001A, 0x0037, 0x007D
_TEXT, _RTF, _HTML = 0x1000, 0x1009, 0x1013
_SENT, _DELIVERED, _MADE = 0x0039, 0x0E06, 0x3007
_CODE_PAGE, _PAGE_OF_HTML = 0x3FFD, 0x3FDE
_SENDER = ((0x0042, (0x5D02, 0x0065)), (0x0C1A, (0x5D01, 0x0C1F)))  # whose name it is sent in, then who sent it
_NAME, _ADDRESSES, _KIND = 0x3001, (0x39FE, 0x3003), 0x0C15
_KINDS = {1: "To", 2: "Cc", 3: "Bcc"}
_SHOWN = {"To": 0x0E04, "Cc": 0x0E03, "Bcc": 0x0E02}
_IDS = {"Message-ID": 0x1035, "In-Reply-To": 0x1042, "References": 0x1039}
_DATA, _FILE_NAMES, _FILE_TYPE = 0x3701, (0x3707, 0x3704, 0x3001), 0x370E
_SIGNED = "multipart/signed"

# What appointments, tasks and contacts say besides their text: by the property's number, or by its number within a set
# whose properties have other numbers in every file.
_CONTACT = {0x3A16: "Company", 0x3A17: "Job title", 0x3A08: "Phone at work", 0x3A09: "Phone at home"}
_CONTACT |= {0x3A1C: "Mobile phone", 0x3A15: "Address"}
_NAMED = {0x820D: "Begins", 0x820E: "Ends", 0x8208: "Where", 0x8104: "Begins", 0x8105: "Due"}
_NAMED |= {0x8083: "E-mail", 0x8093: "E-mail", 0x801B: "Address"}


_COMPRESSED, _PLAIN = b"LZFu", b"MELA"
_HEADER = struct.Struct("<II4sI")
_WINDOW = 4_096
_KNOWN = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor MS Sans "
    rb"SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_MOST_BYTES = 50_000_000


def read_message(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    try:
        file = Compound(data)
    except NoCompound:
        return RefusedFile("damaged: it is no message of Outlook")
    if not any(entry.startswith(_STREAM) for entry in file.below()):
        return RefusedFile("damaged: it holds no message")
    return converted_message(as_mail(file), CONVERTER)


class _Properties:
    """Of a storage, by their numbers. Texts are in UTF-16, or in a code page that the message names."""

    def __init__(self, file: Compound, storage: int, head: int, encoding: str = "") -> None:
        self._file = file
        self.streams = file.below(storage)
        self._short: dict[int, tuple[int, bytes]] = {}
        table = file.read(self.streams[_PROPERTIES]) if _PROPERTIES in self.streams else b""
        for at in range(head, len(table) - _ENTRY.size + 1, _ENTRY.size):
            kind, number, _, value = _ENTRY.unpack_from(table, at)
            self._short[number] = kind, value
        self.encoding = encoding or _encoding(self.integer(_CODE_PAGE) or self.integer(_PAGE_OF_HTML))

    def integer(self, number: int) -> int:
        kind, value = self._short.get(number, (0, b""))
        return int.from_bytes(value[:4], "little") if kind == _INTEGER else 0

    def time(self, number: int) -> datetime | None:
        kind, value = self._short.get(number, (0, b""))
        if kind == _TIME:
            with suppress(OverflowError):
                moment = _EPOCH + timedelta(seconds=int.from_bytes(value, "little") // 10_000_000)
                return moment if moment.year >= _OLDEST_YEAR else None
        return None

    def binary(self, number: int) -> bytes:
        stream = self.stream(number, _BINARY)
        return b"" if stream is None else self._file.read(stream)

    def text(self, *numbers: int) -> str:
        """Of the first of these properties that says something."""
        for number in numbers:
            for kind, encoding in ((_WIDE, "utf-16-le"), (_NARROW, self.encoding)):
                stream = self.stream(number, kind)
                if stream is not None and (text := _decoded(self._file.read(stream), encoding).strip("\0 \r\n")):
                    return clean(text)
        return ""

    def stream(self, number: int, kind: int) -> int | None:
        return self.streams.get(f"{_STREAM}{number:04X}{kind:04X}")


def as_mail(file: Compound, storage: int = 0, depth: int = 0, encoding: str = "") -> EmailMessage:
    """The message in a storage, with everything attached to it."""
    properties = _Properties(file, storage, _INNER_HEAD if depth else _MESSAGE_HEAD, encoding)
    message = EmailMessage(policy=default)
    received = message_from_string(properties.text(_HEADERS), policy=default)
    headers = {"Subject": properties.text(_SUBJECT), "From": _sender(properties), **_recipients(file, properties)}
    headers |= {name: properties.text(number) for name, number in _IDS.items()}
    moment = properties.time(_SENT) or properties.time(_DELIVERED) or properties.time(_MADE)
    headers["Date"] = "" if moment is None else format_datetime(moment)
    for name, value in headers.items():
        with suppress(ValueError, TypeError, AttributeError, IndexError, LookupError):
            if line := one_line(value or str(received[name] or "")):
                message[name] = line
    message.make_mixed()
    if facts := _facts(file, properties):
        message.attach(_part("text/plain", facts.encode()))
    message.attach(_body(properties))
    for number in [storage for name, storage in properties.streams.items() if name.startswith(_ATTACHMENT)][
        :_MOST_ATTACHMENTS
    ]:
        if file.is_storage(number) and (attached := _attached(file, number, depth, properties.encoding)) is not None:
            message.attach(attached)
    return message


def _body(properties: _Properties) -> EmailMessage:
    """The ways in which the text is told; whoever writes it out takes the best."""
    body = EmailMessage(policy=default)
    body.make_alternative()
    if text := properties.text(_TEXT):
        body.attach(_part("text/plain", text.encode()))
    page = properties.text(_HTML) or _decoded(
        properties.binary(_HTML), _encoding(properties.integer(_PAGE_OF_HTML), properties.encoding)
    )
    if page:
        body.attach(_part("text/html", page.encode("utf-8", "replace")))
    elif rich := decompressed(properties.binary(_RTF)):
        body.attach(_part("text/rtf", rich))
    return body


def _attached(file: Compound, storage: int, depth: int, encoding: str) -> EmailMessage | None:
    properties = _Properties(file, storage, _HEAD, encoding)
    name, kind = properties.text(*_FILE_NAMES), properties.text(_FILE_TYPE).casefold()
    inner = properties.stream(_DATA, _STORAGE)
    if inner is not None:
        if depth >= _DEEPEST or _PROPERTIES not in file.below(inner):
            return None  # an object of another program
        part = EmailMessage(policy=default)
        part.set_content(as_mail(file, inner, depth + 1, encoding))
        return part
    data = properties.binary(_DATA)
    if data and kind == _SIGNED:
        return message_from_bytes(data, policy=default)  # the whole message is in its signed attachment
    part = _part("application/octet-stream", data)
    part.add_header("Content-Disposition", "attachment", filename=one_line(name)[:200] or "attachment")
    return part if data else None


def _part(kind: str, data: bytes) -> EmailMessage:
    part = EmailMessage(policy=default)
    main, _, sub = kind.partition("/")
    part.set_content(data, maintype=main, subtype=sub)
    if main == "text" and sub != "rtf":
        part.set_param("charset", "utf-8")  # whatever a page says of itself: it was decoded
    return part


def _sender(properties: _Properties) -> str:
    people = (_person(properties.text(name), properties.text(*addresses)) for name, addresses in _SENDER)
    return next(filter(None, people), "")


def _recipients(file: Compound, properties: _Properties) -> dict[str, str]:
    people: dict[str, list[str]] = {name: [] for name in _KINDS.values()}
    storages = [number for name, number in properties.streams.items() if name.startswith(_RECIPIENT)]
    for number in storages[:_MOST_RECIPIENTS]:
        who = _Properties(file, number, _HEAD, properties.encoding)
        kind = _KINDS.get(who.integer(_KIND) & 0xF, "To")
        if (person := _person(who.text(_NAME), who.text(*_ADDRESSES))) and person not in people[kind]:
            people[kind].append(person)
    return {kind: ", ".join(names) or _quoted(properties.text(_SHOWN[kind])) for kind, names in people.items()}


def _person(name: str, address: str) -> str:
    """`"Doe, Jane" <jane@example.org>`; a name in the directory of a company is no address."""
    name, address = name.strip("' "), address if "@" in address and not address.startswith("/") else ""
    if address and name.casefold() != address.casefold() and name:
        return f"{_quoted(name)} <{address}>"
    return address or (name if "@" in name else _quoted(name))


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace("\\", "").replace('"', "")) if name else ""


def _facts(file: Compound, properties: _Properties) -> str:
    """What an appointment, a task or a contact says in fields of its own, a line each."""
    if properties.text(_CLASS).casefold().startswith("ipm.note"):
        return ""
    fields = {**_CONTACT, **_named(file.stream(_NAMES, f"{_STREAM}00030102"))}
    lines = []
    for number, label in fields.items():
        moment = properties.time(number)
        value = properties.text(number) if moment is None else f"{moment:%Y-%m-%d %H:%M} UTC"
        lines += [f"{label}: {one_line(value)}"] if value else []
    return "\n".join(dict.fromkeys(lines))


def _named(table: bytes) -> dict[int, str]:
    """Under which number each of the properties lies that have a name in this file."""
    entries = [struct.unpack_from("<IHH", table, at) for at in range(0, len(table) - 7, 8)]
    # A name that is a text, and not a number, has its lowest bit set.
    properties = {name: 0x8000 + place for name, kind, place in entries if not kind & 1}
    return {properties[name]: label for name, label in _NAMED.items() if name in properties}


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode(encoding, "replace")


def _encoding(page: int, otherwise: str = "cp1252") -> str:
    name = "utf-8" if page == _UTF8 else f"cp{page}"
    try:
        codecs.lookup(name)
    except LookupError:
        return {28591: "cp1252", 20127: "cp1252", 50220: "iso-2022-jp", 51949: "cp949"}.get(page, otherwise)
    return name


def decompressed(data: bytes) -> bytes:
    """The RTF, as far as it can be read; empty where the bytes are something else."""
    if len(data) < _HEADER.size:
        return b""
    _, size, kind, _ = _HEADER.unpack_from(data)
    body = data[_HEADER.size :]
    if kind == _PLAIN:
        return body[:size]
    return _unpacked(body, min(size, _MOST_BYTES)) if kind == _COMPRESSED else b""


def _unpacked(body: bytes, size: int) -> bytes:
    window, made = bytearray(_KNOWN.ljust(_WINDOW)), bytearray()
    at = 0
    while at < len(body) and len(made) < size:
        flags = body[at]
        at += 1
        for bit in range(8):
            place = (len(_KNOWN) + len(made)) % _WINDOW
            if not flags >> bit & 1:
                if at >= len(body):
                    break
                window[place] = body[at]
                made.append(body[at])
                at += 1
                continue
            reference = int.from_bytes(body[at : at + 2], "big")
            at += 2
            start, length = reference >> 4, (reference & 15) + 2
            if start == place:  # the mark of the end
                return bytes(made[:size])
            for step in range(length):  # what is repeated may overlap with what is written
                sign = window[(start + step) % _WINDOW]
                window[(place + step) % _WINDOW] = sign
                made.append(sign)
    return bytes(made[:size])
