"""Mail: a message with its subject, people, date and text, and what is attached to it; a mailbox of messages."""

from __future__ import annotations

import re
from contextlib import suppress
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import default
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any

from octavo.converting.charsets import declared_text
from octavo.converting.child import Settings
from octavo.converting.html import main_content, page_facts, write_html
from octavo.converting.html_tree import parse_html
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.model.converted import Converted, Refused
from octavo.model.document import BlockKind
from octavo.model.formats import format_of

CONVERTER = "mail-1"
_HEADERS = ("From", "To", "Cc", "Date")
_MOST_MESSAGES = 20_000
_MOST_ATTACHMENTS = 50
_MESSAGE = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From \S[^\r\n]*\r?\n")
_QUOTED = re.compile(r"^\s*>")
_INNER = frozenset({".eml", ".mbox", ".mhtml", ".mht"})


def read_mail(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    message = _parsed(data)
    if not any(message[header] for header in ("From", "To", "Subject", "Date", "Message-ID")):
        return Refused("damaged: it has no headers of a message")
    builder = TextBuilder()
    subject = _header(message, "Subject")
    with suppress(TooLong):
        _write_message(builder, message, subject, settings, attachments=True)
    return builder.converted(CONVERTER, subject, _facts(message))


def read_mbox(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    """A section for each message."""
    builder = TextBuilder()
    found = list(_MESSAGE.finditer(data))
    starts = [line.end() for line in found]
    ends = [line.start() for line in found[1:]]
    if not starts:
        return Refused("damaged: it holds no messages")
    try:
        for start, end in zip(starts[:_MOST_MESSAGES], [*ends, len(data)], strict=False):
            message = _parsed(data[start:end])
            _write_message(builder, message, _header(message, "Subject") or "No subject", settings, attachments=False)
    except TooLong:
        pass
    return builder.converted(CONVERTER, "", {"messages": len(starts)})


def read_mhtml(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    """A web page that a browser saved as one file."""
    message = _parsed(data)
    page = next((part for part in message.walk() if part.get_content_type() == "text/html"), None)
    if page is None:
        return Refused("damaged: it holds no page")
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
    return message_from_bytes(data, policy=default)


def _write_message(
    builder: TextBuilder, message: EmailMessage, subject: str, settings: Settings, *, attachments: bool
) -> None:
    builder.heading(1, subject)
    people = [f"{name}: {value}" for name in _HEADERS if (value := _header(message, name))]
    builder.paragraph("\n".join(people))
    html: Message | None = None
    plain: Message | None = None
    attached: list[EmailMessage] = []
    for part in message.walk():
        if part.is_multipart():
            continue
        if part.get_filename() or part.get_content_disposition() == "attachment":
            attached.append(part)
        elif part.get_content_type() == "text/plain" and plain is None:
            plain = part
        elif part.get_content_type() == "text/html" and html is None:
            html = part
    text = _decoded(plain) if plain is not None else ""
    if text.strip():
        _write_plain(builder, text)
    elif html is not None:
        write_html(builder, parse_html(_html(html)))
    if attachments:
        for part in attached[:_MOST_ATTACHMENTS]:
            _write_attachment(builder, part, settings)
    elif attached:
        builder.paragraph("Attached: " + ", ".join(one_line(part.get_filename() or "") for part in attached))


def _write_plain(builder: TextBuilder, text: str) -> None:
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        quoted = all(_QUOTED.match(line) for line in block.split("\n") if line.strip())
        builder.paragraph(block, BlockKind.QUOTE if quoted and block.strip() else BlockKind.PARAGRAPH)


def _write_attachment(builder: TextBuilder, part: EmailMessage, settings: Settings) -> None:
    """By the reader of its format, below a heading with its name."""
    name = one_line(part.get_filename() or "attachment")
    known = format_of(name)
    data = part.get_payload(decode=True)
    builder.heading(2, f"Attachment: {name}")
    if not isinstance(data, bytes):
        return
    unseen = known is not None and known.ocr and not settings.ocr
    if known is None or not known.readable or unseen or f".{name.rpartition('.')[2].lower()}" in _INNER:
        if part.get_content_maintype() == "text":
            _write_plain(builder, _decoded(part))
        return
    module, _, function = known.reader.partition(":")
    if known.text:
        data = (declared_text(data) or data.decode("utf-8", "replace")).encode()
    outcome: Converted | Refused = getattr(import_module(module), function)(name, data, settings)
    if isinstance(outcome, Converted):
        builder.include(outcome, deeper=2)
    else:
        builder.warnings.append(f"{name}: {outcome.reason}")


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


def _header(message: Message, name: str) -> str:
    try:
        return one_line(str(message[name] or ""))[:1000]
    except (ValueError, TypeError, AttributeError, IndexError, LookupError):
        return ""


def _decoded(part: Message) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        return data.decode(part.get_content_charset() or "utf-8")
    except (UnicodeDecodeError, LookupError):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("cp1252", "replace")


def _html(part: Message) -> str:
    data = part.get_payload(decode=True)
    if isinstance(data, bytes) and not part.get_content_charset():
        return declared_text(data) or _decoded(part)
    return _decoded(part)
