"""Web pages fetched by their addresses, each a file that says where it is from and when."""

from __future__ import annotations

import html
import re
import urllib.request
import zlib
from datetime import UTC, datetime
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import quote, urlsplit

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.file_formats import FETCHED_PAGES
from octavo.model.ids import text_hash
from octavo.services.http_error_translation import REQUEST_ERRORS, ServiceFailure, failure_of

_SILENCE = 60.0  # seconds without a byte
_LARGEST = 50_000_000  # bytes
_ADDRESS = regex(r"(?<!ICON_URI=\")https?://[^\s\"'<>]+")
_REFERENCE = regex(r"&(?:\w+|#\d+);")  # without its semicolon it may be a part of the address: `?a=1&section=2`
_KEPT = "".join(map(chr, range(0x21, 0x7F)))
_ENDINGS = {"text/html": ".html", "application/xhtml+xml": ".html", "application/pdf": ".pdf", "text/markdown": ".md"}
_LONGEST = 100  # characters of a name


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """`file` is empty where there is a `problem`."""

    address: str
    file: str = ""
    problem: str = ""


def addresses_in(text: str) -> tuple[str, ...]:
    """Of a list of lines, a file of bookmarks or feeds, or anything else: each once, in their order."""
    written = (_REFERENCE.sub(lambda match: html.unescape(match[0]), match[0]) for match in _ADDRESS.finditer(text))
    return tuple(dict.fromkeys(map(_without_punctuation, written)))


def _without_punctuation(address: str) -> str:
    """That of the sentence around it: a bracket that the address itself opens is its own."""
    while address[-1] in ".,;" or (address[-1] == ")" and address.count(")") > address.count("(")):
        address = address[:-1]
    return address


def fetch_page(address: str, folder: Path, now: float, taken: set[str]) -> FetchedPage:
    """Written below the date: what was fetched on another day stays as it was. `taken` are names of files of this run,
    to which that of the page is added."""
    moment = datetime.fromtimestamp(now, UTC)
    try:
        request = urllib.request.Request(_spelled(address), headers={"User-Agent": "octavo"})
        with urllib.request.urlopen(request, timeout=_SILENCE) as response:
            kind, charset = response.headers.get_content_type(), response.headers.get_content_charset()
            data = _body(response)
        if len(data) > _LARGEST:
            return FetchedPage(address, problem=f"it has more than {_LARGEST:,} bytes")
        ending = _ENDINGS.get(kind, ".txt" if kind.startswith("text/") else "")
        if not ending:
            return FetchedPage(address, problem=f"it is {kind}, which is no page")
        if ending == ".html":
            data = _label(address, moment, charset).encode() + data
        name = f"{_name(address)}{ending}"
        if name.casefold() in taken:
            name = f"{_name(address)}-{text_hash(address)[:8]}{ending}"
        taken.add(name.casefold())
        file = folder / f"{moment:%Y-%m-%d}" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        if ending != ".html":
            _note(file, address, moment)
    except (*REQUEST_ERRORS, ServiceFailure) as error:
        return FetchedPage(address, problem=failure_of(error).reason)
    return FetchedPage(address, str(file))


def _spelled(address: str) -> str:
    """As it is sent: `https://xn--r8jz45g.jp/%E8%B7%AF` of `https://例え.jp/路`."""
    if address.isascii():
        return address
    parts = urlsplit(address)
    host = (parts.hostname or "").encode("idna").decode()
    place = f"{host}:{parts.port}" if parts.port else host
    return quote(parts._replace(netloc=place).geturl(), safe=_KEPT)


def _body(response: HTTPResponse) -> bytes:
    """No more of it than tells that it is too large."""
    data = response.read(_LARGEST + 1)
    if len(data) <= _LARGEST and response.length:
        raise ServiceFailure("it broke off")
    if response.headers.get("Content-Encoding") not in ("gzip", "x-gzip"):
        return data
    try:  # nobody asked for that
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(data, _LARGEST + 1)
    except zlib.error as error:
        raise ServiceFailure("it is not compressed as it says") from error


def _label(address: str, moment: datetime, charset: str | None) -> str:
    """In front of the page, whose own words on where it is from come after it."""
    declared = f'<meta charset="{html.escape(charset)}">' if charset else ""
    fetched = moment.isoformat(timespec="seconds")
    return f'{declared}<link rel="canonical" href="{html.escape(address)}"><meta name="fetched" content="{fetched}">\n'


def _note(file: Path, address: str, moment: datetime) -> None:
    """Of a file that cannot say it itself: in a hidden bibliography beside it, by which it is cited."""
    noted = file.with_name(FETCHED_PAGES)
    ending = f"file = {{{file.name}}}}}"
    others = noted.read_text("utf-8").splitlines() if noted.exists() else []
    url = re.sub(r"[{}\\]", lambda match: quote(match[0]), address)
    entry = f"@online{{{file.stem}, url = {{{url}}}, urldate = {{{moment:%Y-%m-%d}}}, {ending}"
    lines = [*(line for line in others if not line.endswith(ending)), entry]
    noted.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def _name(address: str) -> str:
    """`example.org-guides-bees-page-2` of `https://example.org/guides/bees.html?page=2`; a long one with its hash."""
    parts = urlsplit(address)
    path = re.sub(r"\.(?:html?|php|aspx?|pdf|md|txt)$", "", parts.path)
    name = re.sub(r"[^\w.-]+", "-", f"{parts.hostname}{path}{f'-{parts.query}' if parts.query else ''}").strip("-.")
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}-{text_hash(address)[:8]}"
