"""Files fetched over HTTP, resumed and checked by size and sha256; web pages, with where each is from and when."""

from __future__ import annotations

import hashlib
import html
import re
import urllib.error
import urllib.request
import zlib
from datetime import UTC, datetime
from http.client import HTTPResponse
from pathlib import Path
from urllib.parse import quote, urlsplit

from octavo.errors import ModelUnavailable
from octavo.fast_dataclass import Value
from octavo.lazy_regex import regex
from octavo.model.file_formats import FETCHED_PAGES
from octavo.model.ids import text_hash
from octavo.observability.progress import NoProgress, Progress
from octavo.services.http_connections_and_errors import REQUEST_ERRORS, ServiceFailure, failure_of

_PART = ".part"
_PIECE = 1 << 20  # bytes read at once
_SILENCE = 60.0  # seconds without a byte
_ATTEMPTS = 3


class RemoteFile(Value):
    """What is fetched, and how it is known to be whole."""

    url: str
    sha256: str
    size: int


def fetch(file: RemoteFile, target: Path, progress: Progress | None = None) -> None:
    """Makes `target` the file. What was fetched before is not fetched again; what is not as promised is deleted and
    fetched once more."""
    if target.is_file() and target.stat().st_size == file.size and _sha256(target) == file.sha256:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + _PART)
    progress = progress or NoProgress()
    reason = ""
    for _ in range(_ATTEMPTS):
        try:
            _fetch_rest(file, part, progress)
        except REQUEST_ERRORS as error:
            failure = failure_of(error)
            reason = failure.reason
            if failure.status is not None and failure.status < 500 and failure.status != 416:
                break
            continue
        size = part.stat().st_size
        if size < file.size:
            reason = f"it broke off after {size:,} of {file.size:,} bytes"
            continue
        if size == file.size and _sha256(part) == file.sha256:
            part.replace(target)
            return
        reason = "its sha256 is not the one in the manifest" if size == file.size else f"it has {size:,} bytes or more"
        part.unlink()
    raise ModelUnavailable(
        f"{file.url} could not be fetched: {reason}",
        hint="run it again: it goes on where it broke off"
        if part.exists()
        else "check its url and sha256 in the manifest",
        details={"url": file.url, "reason": reason},
    )


def _fetch_rest(file: RemoteFile, part: Path, progress: Progress) -> None:
    """Appends what is missing. A server that does not know ranges sends everything again."""
    begun = part.stat().st_size if part.is_file() else 0
    if begun >= file.size:
        return
    if not file.url.startswith(("http://", "https://")):
        raise ValueError("it is neither http nor https")
    headers = {"User-Agent": "octavo"} | ({"Range": f"bytes={begun}-"} if begun else {})
    request = urllib.request.Request(file.url, headers=headers)
    with urllib.request.urlopen(request, timeout=_SILENCE) as response:
        goes_on = response.status == 206
        progress.start(f"fetching {Path(file.url).name}", file.size, "bytes")
        written = begun if goes_on else 0
        if written:
            progress.advance(written)
        with part.open("ab" if goes_on else "wb") as stream:
            # One byte more than promised is enough to know that it is another file.
            while written <= file.size and (piece := response.read(min(_PIECE, file.size + 1 - written))):
                stream.write(piece)
                written += len(piece)
                progress.advance(len(piece))
        progress.finish()


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


_LARGEST = 50_000_000  # bytes
_ADDRESS = regex(r"(?<!ICON_URI=\")https?://[^\s\"'<>]+")
_REFERENCE = regex(r"&(?:\w+|#\d+);")  # without its semicolon it may be a part of the address: `?a=1&section=2`
_KEPT = "".join(map(chr, range(0x21, 0x7F)))
_ENDINGS = {"text/html": ".html", "application/xhtml+xml": ".html", "application/pdf": ".pdf", "text/markdown": ".md"}
_LONGEST = 100  # characters of a name


class FetchedPage(Value):
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
