"""Parser for the output of `git diff-tree --stdin`: a stream cut into commits, with bounded memory per commit."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Sequence

from octavo.lazy_regex import regex
from octavo.model.git_commit import ChangedFile, Commit, Person
from octavo.model.normalised_text_and_spans import normalise

# Hash, parents, people, message, each terminated by a NUL, which none of them can contain.
FORMAT = "{}%H%x00%P%x00%aN%x00%aE%x00%at%x00%cN%x00%cE%x00%ct%x00%B%x00"
_FIELDS = 9

DIFF_LINES = 200
_LINE = 400  # characters of a diff line; longer ones are generated
RECORD = 4_000_000  # bytes of a commit that are parsed; file names come first
_LATEST = 253_402_300_799.0  # the end of the year 9999

_RAW = regex(rb":[0-7]+ [0-7]+ [0-9a-f.]+ [0-9a-f.]+ (?P<change>[A-Z])[0-9]*\0")
_PART = regex(rb"^diff --git ", re.MULTILINE)


class Records:
    """Is fed git's output, yields commits.

    A commit starts with a random boundary, new for every process: no message and no file can contain it.
    """

    def __init__(self, prefix: str, *, diffs: bool, withheld: Callable[[str], str | None] = lambda path: None) -> None:
        self.mark = secrets.token_hex(16)
        self._boundary = self.mark.encode("ascii")
        self._prefix = f"{prefix}/" if prefix else ""
        self._diffs = diffs
        self._withheld = withheld
        self._buffer = bytearray()
        self._cut = False  # whether the current record was too long
        self._dropped = 0  # lines cut from it

    def feed(self, data: bytes) -> Iterator[Commit]:
        buffer, boundary = self._buffer, self._boundary
        searched = max(0, len(buffer) - len(boundary))
        buffer += data
        if buffer.find(boundary, searched) < 0:
            self._bound()
            return
        *complete, rest = bytes(buffer).split(boundary)
        self._buffer = bytearray(rest)
        for record in complete:
            yield from self._commit(record)
        self._bound()

    def end(self) -> Iterator[Commit]:
        yield from self._commit(bytes(self._buffer))
        self._buffer.clear()

    def _bound(self) -> None:
        """Drops the middle of a record that is too long; the end stays, since the next boundary may start in it."""
        keep = len(self._boundary)
        if len(self._buffer) > RECORD + keep:
            self._cut = True
            self._dropped += self._buffer.count(b"\n", RECORD, len(self._buffer) - keep)
            del self._buffer[RECORD:-keep]

    def _commit(self, record: bytes) -> Iterator[Commit]:
        dropped, cut, self._dropped, self._cut = self._dropped, self._cut, 0, False
        if cut:
            record = record[:RECORD]  # what follows is the end of another file's diff
        fields = record.split(b"\0", _FIELDS)
        if len(fields) <= _FIELDS:
            return
        hash_, parents, *people, message = (field.decode("utf-8", "replace") for field in fields[:_FIELDS])
        name, email, authored, committer, committer_email, committed = people
        files, rest = self._files(fields[_FIELDS])
        diff, omitted = _diff(_shown(rest, files, cut=cut)) if self._diffs else (None, 0)
        yield Commit(
            hash=hash_,
            parents=tuple(parents.split()),
            author=Person(_line(name), _line(email)),
            authored_at=_time(authored),
            committer=Person(_line(committer), _line(committer_email)),
            committed_at=_time(committed),
            message=normalise(message),
            files=files,
            diff=diff,
            omitted=omitted + dropped if self._diffs else 0,
        )

    def _files(self, data: bytes) -> tuple[tuple[ChangedFile, ...], bytes]:
        """The changed files, and the diff that comes after them."""
        files: list[ChangedFile] = []
        at = len(data) - len(data.lstrip(b"\0\n"))
        while match := _RAW.match(data, at):
            change = match["change"].decode("ascii")
            path, at = _until_nul(data, match.end())
            before = b""
            if change in "RC":
                before = path
                path, at = _until_nul(data, at)
            files.append(self._file(self._uri(path), change, self._uri(before) if before else ""))
        rest = data[at:].lstrip(b"\0")
        return tuple(files), rest if rest.startswith(b"diff --git ") else b""

    def _file(self, path: str, change: str, before: str) -> ChangedFile:
        withheld = self._withheld(path) or (before and self._withheld(before))
        return ChangedFile(path, change, before, bool(withheld))

    def _uri(self, path: bytes) -> str:
        return self._prefix + path.decode("utf-8", "backslashreplace")


def _until_nul(data: bytes, start: int) -> tuple[bytes, int]:
    """The bytes before the next NUL, and the position after it."""
    end = data.find(b"\0", start)
    end = len(data) if end < 0 else end
    return data[start:end], end + 1


def _shown(data: bytes, files: Sequence[ChangedFile], *, cut: bool) -> bytes:
    """The diff without the parts of withheld files.

    Git writes a part for each file, in the order it lists them, and two where a file became a link. If that does not
    add up nothing is shown: a part of the wrong file would be.
    """
    if not data or not any(file.withheld for file in files):
        return data
    owners = [file for file in files for _ in range(2 if file.change == "T" else 1)]
    parts = [part.start() for part in _PART.finditer(data)]
    if len(parts) > len(owners) or (len(parts) < len(owners) and not cut):
        return b""
    ends = [*parts[1:], len(data)]
    shown = zip(parts, ends, owners, strict=False)
    return b"".join(data[start:end] for start, end, file in shown if not file.withheld)


def _diff(data: bytes) -> tuple[str, int]:
    """The first lines of a diff, and the number of lines cut."""
    lines = data.split(b"\n", DIFF_LINES)
    more = lines.pop() if len(lines) > DIFF_LINES else b""
    text = b"\n".join(lines).decode("utf-8", "replace")
    if len(text) > _LINE:
        text = "\n".join(line if len(line) <= _LINE else f"{line[:_LINE]}…" for line in text.split("\n"))
    return normalise(text), more.count(b"\n") + bool(more and not more.endswith(b"\n"))


def _line(text: str) -> str:
    return " ".join(text.split())


def _time(text: str) -> float:
    """Seconds since 1970, clamped to what a calendar can show: a commit may claim any time at all."""
    try:
        return min(max(float(text), 0.0), _LATEST)
    except ValueError:
        return 0.0
