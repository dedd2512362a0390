"""Web pages fetched by their addresses, each a file that says where it is from and when."""

from __future__ import annotations

import html
import re
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from octavo.dataclass import dataclass
from octavo.model.ids import text_hash
from octavo.services.http_error_translation import REQUEST_ERRORS, failure_of

_SILENCE = 60.0  # seconds without a byte
_LARGEST = 50_000_000  # bytes
_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")
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
    found = (html.unescape(match[0]).rstrip(".,;)") for match in _ADDRESS.finditer(text))
    return tuple(dict.fromkeys(found))


def fetch_page(address: str, folder: Path, now: float) -> FetchedPage:
    """Written below the date: what was fetched on another day stays as it was."""
    moment = datetime.fromtimestamp(now, UTC)
    try:
        request = urllib.request.Request(address, headers={"User-Agent": "octavo"})
        with urllib.request.urlopen(request, timeout=_SILENCE) as response:
            kind, charset = response.headers.get_content_type(), response.headers.get_content_charset()
            data = response.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            return FetchedPage(address, problem=f"it has more than {_LARGEST:,} bytes")
        ending = _ENDINGS.get(kind, ".txt" if kind.startswith("text/") else "")
        if not ending:
            return FetchedPage(address, problem=f"it is {kind}, which is no page")
        if ending == ".html":
            data = _label(address, moment, charset).encode() + data
        file = folder / f"{moment:%Y-%m-%d}" / f"{_name(address)}{ending}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except REQUEST_ERRORS as error:
        return FetchedPage(address, problem=failure_of(error).reason)
    return FetchedPage(address, str(file))


def _label(address: str, moment: datetime, charset: str | None) -> str:
    """In front of the page, whose own words on where it is from come after it."""
    declared = f'<meta charset="{html.escape(charset)}">' if charset else ""
    fetched = moment.isoformat(timespec="seconds")
    return f'{declared}<link rel="canonical" href="{html.escape(address)}"><meta name="fetched" content="{fetched}">\n'


def _name(address: str) -> str:
    """`example.org-guides-bees-page-2` of `https://example.org/guides/bees.html?page=2`; a long one with its hash."""
    parts = urlsplit(address)
    path = re.sub(r"\.(?:html?|php|aspx?|pdf|md|txt)$", "", parts.path)
    name = re.sub(r"[^\w.-]+", "-", f"{parts.hostname}{path}{f'-{parts.query}' if parts.query else ''}").strip("-.")
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}-{text_hash(address)[:8]}"
