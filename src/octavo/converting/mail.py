"""Mail: a message's subject, people, date and text; attachments and messages of a mailbox become documents."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import default
from email.utils import parsedate_to_datetime
from typing import Any

from octavo.converting.archives import member_path, unused
from octavo.converting.charset_declarations import declared_text
from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.html import main_content, page_facts, write_html
from octavo.converting.html_tree import parse_html
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, Member, RefusedFile
from octavo.model.document import BlockKind
from octavo.plugins import CONVERTERS, load

CONVERTER = "mail-5"
_HEADERS = ("From", "To", "Cc", "Bcc", "Date")
_TEXTS = ("text/plain", "text/html", "text/rtf", "application/rtf")
_MOST_MESSAGES = 20_000
_MOST_ATTACHMENTS = 50
_LONGEST_LIST = 20_000  # characters of the people that a message names
_STUB = 8  # a plain text that is so many times shorter than the page beside it only says to look at that
_MESSAGE = regex(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From \S[^\r\n]*\r?\n")
_ESCAPED_FROM = regex(rb"^>(>*From )", re.MULTILINE)
_BLANK_LINE = regex(rb"\r?\n\r?\n")
_HEADER_BYTES = 200_000
_QUOTED = regex(r"^\s*>")
_NOT_SLUG = regex(r"[^\w]+")
_LONGEST_SLUG = 60
_LIKE_A_KEY = regex(r"(?=\S*\d)\S{15,}")  # in lower case and without its signs, redaction would not know a token
_TYPES = {"text/plain": ".txt", "text/html": ".html", "text/csv": ".csv", "application/pdf": ".pdf"}
_TYPES |= {"message/rfc822": ".eml", "text/calendar": ".ics", "text/markdown": ".md"}


def read_mail(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    message = _parsed(data)
    if not any(message[header] for header in ("From", "To", "Subject", "Date", "Message-ID")):
        return RefusedFile("damaged: it has no headers of a message")
    return converted_message(message, CONVERTER)


def converted_message(message: EmailMessage, converter: str) -> Converted:
    builder = TextBuilder()
    subject = _header(message, "Subject")
    attached: tuple[Member, ...] = ()
    with suppress(TooLong):
        attached = _write_message(builder, message, subject)
    return replace(builder.converted(converter, subject, _facts(message)), members=attached)


def read_mbox(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """Its messages: each keeps its name when others come and go."""
    matches = list(_MESSAGE.finditer(data))
    starts = [line.end() for line in matches]
    ends = [line.start() for line in matches[1:]]
    if not starts:
        return RefusedFile("damaged: it holds no messages")
    taken: set[str] = set()
    members = []
    for start, end in zip(starts[:_MOST_MESSAGES], [*ends, len(data)], strict=False):
        # A line of the text that begins like the next message was written with a mark before it.
        raw = _ESCAPED_FROM.sub(rb"\1", data[start:end])
        members.append(Member(unused(_message_name(raw), taken), raw))
    left = len(starts) - len(members)
    warnings = (f"only its first {_MOST_MESSAGES:,} of {len(starts):,} messages were read",) if left else ()
    return Converted("", CONVERTER, warnings=warnings, members=tuple(members))


def _message_name(raw: bytes) -> str:
    """`2026-03-02-the-hive-1f2e3d4c.eml`: what people look for, and a digest that tells equal ones apart."""
    message = message_from_bytes(_BLANK_LINE.split(raw[:_HEADER_BYTES], maxsplit=1)[0] + b"\n\n", policy=default)
    facts = _facts(message)
    digest = hashlib.sha256(str(facts.get("message_id", "")).encode("utf-8", "replace") or raw).hexdigest()
    return dated_name(str(facts.get("date", "")), _header(message, "Subject"), digest, ".eml")


def dated_name(date: str, title: str, digest: str, ending: str) -> str:
    """The name of a document inside of a file: by its ISO date and its title, as far as these are known."""
    slug = _NOT_SLUG.sub("-", _LIKE_A_KEY.sub("", title).casefold())[:_LONGEST_SLUG]
    return "-".join(filter(None, (date[:10], slug.strip("-"), digest[:8]))) + ending


def read_mhtml(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """A web page that a browser saved as one file."""
    message = _parsed(data)
    page = next((part for part in message.walk() if part.get_content_type() == "text/html"), None)
    if page is None:
        return RefusedFile("damaged: it holds no page")
    root = parse_html(_html(page))
    content = main_content(root)
    facts = page_facts(root, content)
    url = _header(message, "Snapshot-Content-Location") or _header(page, "Content-Location")
    if url.startswith("http"):
        facts.setdefault("url", url)
    builder = TextBuilder()
    write_html(builder, content)
    title = facts.pop("title", "") or _header(message, "Subject")
    return builder.converted("mhtml-1", title, facts)


def _parsed(data: bytes) -> EmailMessage:
    """A message that was saved as UTF-16 is read as what it was before."""
    if (encoding := _wide(data)) is not None:
        data = data.decode(encoding, "replace").lstrip("\ufeff").encode()
    return message_from_bytes(data, policy=default)


def _wide(data: bytes) -> str | None:
    """Which UTF-16 a message is written in, if it is: its first letters are ASCII."""
    head = data.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff")[:8]
    if len(head) < 8 or head.count(0) != 4:
        return None
    return "utf-16-le" if not any(head[1::2]) else "utf-16-be" if not any(head[::2]) else None


def _write_message(builder: TextBuilder, message: EmailMessage, subject: str) -> tuple[Member, ...]:
    """Writes the message, and returns what is attached to it."""
    builder.heading(1, subject)
    people = [f"{name}: {value}" for name in _HEADERS if (value := _header(message, name, _LONGEST_LIST))]
    builder.paragraph("\n".join(people))
    attached: list[EmailMessage] = []
    for part in _texts(message, attached):
        if part.get_content_type() == "text/html":
            write_html(builder, parse_html(_html(part)), whole=True)
        elif (rich := _rich_text(part)) is not None:
            builder.include(rich)
        else:
            _write_plain(builder, _decoded(part))
    taken: set[str] = set()
    members = []
    for part in attached[:_MOST_ATTACHMENTS]:
        data = _content(part)
        if data:
            members.append(Member(unused(_attachment_name(part), taken), data))
    if len(attached) > _MOST_ATTACHMENTS:
        builder.warnings.append(f"only its first {_MOST_ATTACHMENTS} of {len(attached)} attachments were read")
    if members:
        builder.paragraph("Attached: " + ", ".join(member.name for member in members))
    return tuple(members)


def _texts(part: EmailMessage, attached: list[EmailMessage]) -> list[EmailMessage]:
    """The texts of a message in their order, of alternatives the best; what is attached anywhere in it is gathered."""
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        children = [child for child in part.iter_parts() if isinstance(child, EmailMessage)]
        branches = [_texts(child, attached) for child in children]
        if part.get_content_subtype() == "alternative":
            return _best(branches)
        return [text for branch in branches for text in branch]
    kind = part.get_content_type()
    if kind == "message/rfc822" or part.get_filename() or part.get_content_disposition() == "attachment":
        attached.append(part)
        return []
    return [part] if kind in _TEXTS else []


def _best(branches: list[list[EmailMessage]]) -> list[EmailMessage]:
    """The plain alternative, unless it says next to nothing of what the page says."""
    sizes = [sum(len(_shown(text)) for text in branch) for branch in branches]
    longest = max(sizes, default=0)
    for branch, size in zip(branches, sizes, strict=True):
        if size and any(text.get_content_type() == "text/plain" for text in branch) and size * _STUB >= longest:
            return branch
    return next((branch for branch, size in zip(branches, sizes, strict=True) if size == longest), [])


def _shown(part: EmailMessage) -> str:
    if (rich := _rich_text(part)) is not None:
        return rich.text
    return parse_html(_html(part)).text() if part.get_content_type() == "text/html" else _decoded(part).strip()


def _rich_text(part: EmailMessage) -> Converted | None:
    """What the converter for RTF makes of a part that is in RTF."""
    if not part.get_content_type().endswith("/rtf"):
        return None
    read = load(CONVERTERS, "rtf")("", _bytes(part), ConversionSettings())
    return read if isinstance(read, Converted) else None


def _content(part: EmailMessage) -> bytes:
    if part.get_content_type() == "message/rfc822":
        inner = _forwarded(part)
        return b"" if inner is None else inner.as_bytes()
    return _bytes(part)


def _forwarded(part: Message) -> Message | None:
    payload = part.get_payload()
    message = payload[0] if isinstance(payload, list) and payload else None
    return message if isinstance(message, Message) else None


def _attachment_name(part: EmailMessage) -> str:
    """As the message calls it, in one part; else by its type."""
    kind = part.get_content_type()
    name = member_path((part.get_filename() or "").replace("/", "-"))
    if kind == "message/rfc822" and not name.casefold().endswith(".eml"):
        inner = _forwarded(part)
        subject = "" if inner is None else _header(inner, "Subject")
        return member_path((name or subject or "message").replace("/", "-")[:100]) + ".eml"
    return name or f"attachment{_TYPES.get(kind, '')}"


def _write_plain(builder: TextBuilder, text: str) -> None:
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        quoted = all(_QUOTED.match(line) for line in block.split("\n") if line.strip())
        builder.paragraph(block, BlockKind.QUOTE if quoted and block.strip() else BlockKind.PARAGRAPH)


def _facts(message: EmailMessage) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for name, field in (("From", "from"), ("To", "to"), ("Cc", "cc"), ("Message-ID", "message_id")):
        if value := _header(message, name):
            facts[field] = value
    with suppress(ValueError, TypeError):
        facts["date"] = parsedate_to_datetime(_header(message, "Date")).isoformat()
    references = _header(message, "References").split() or _header(message, "In-Reply-To").split()
    if references or facts.get("message_id"):
        facts["thread"] = (references or [facts["message_id"]])[0]
    return facts


def _header(message: Message, name: str, most: int = 1_000) -> str:
    try:
        return one_line(str(message[name] or ""))[:most]
    except (ValueError, TypeError, AttributeError, IndexError, LookupError):
        return ""


def _bytes(part: Message) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _decoded(part: Message) -> str:
    data = _bytes(part)
    try:
        return data.decode(part.get_content_charset() or "utf-8")
    except (UnicodeDecodeError, LookupError):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("cp1252", "replace")


def _html(part: Message) -> str:
    if not part.get_content_charset():
        return declared_text(_bytes(part)) or _decoded(part)
    return _decoded(part)
