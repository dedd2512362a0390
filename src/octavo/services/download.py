"""Files fetched over HTTP: begun again where they broke off, and checked by size and sha256."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from pathlib import Path

from octavo.errors import ModelUnavailable
from octavo.fast_dataclass import dataclass
from octavo.observability.progress import NoProgress, Progress
from octavo.services.http_error_translation import REQUEST_ERRORS, failure_of

_PART = ".part"
_PIECE = 1 << 20  # bytes read at once
_SILENCE = 60.0  # seconds without a byte
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class RemoteFile:
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
