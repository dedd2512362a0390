"""The stream that `git diff-tree --stdin` writes, cut into commits. Bounded: no commit takes more than its share."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator

from recto.model.commit import ChangedFile, Commit, Person
from recto.model.text import normalise

# Hash, parents, people, message, each ended by a NUL, which none of them can hold.
FORMAT = "{}%H%x00%P%x00%aN%x00%aE%x00%at%x00%cN%x00%cE%x00%ct%x00%B%x00"
_FIELDS = 9

DIFF_LINES = 200
_LINE = 400  # characters of a diff's line: what is longer was not written by a person
_RECORD = 4_000_000  # bytes of a commit that are looked at; names of files come first
_LATEST = 253_402_300_799.0  # the end of the year 9999

_RAW = re.compile(rb":[0-7]+ [0-7]+ [0-9a-f.]+ [0-9a-f.]+ (?P<change>[A-Z])[0-9]*\0")


class Records:
    """Fed with what git writes, hands out commits.

    A commit begins with a mark that is made anew for every process: no message and no file can hold it.
    """

    def __init__(self, prefix: str, *, diffs: bool) -> None:
        self.mark = secrets.token_hex(16)
        self._boundary = self.mark.encode("ascii")
        self._prefix = f"{prefix}/" if prefix else ""
        self._diffs = diffs
        self._held = bytearray()
        self._dropped = 0  # lines of the record at hand that were too many to keep

    def feed(self, data: bytes) -> Iterator[Commit]:
        held, boundary = self._held, self._boundary
        searched = max(0, len(held) - len(boundary))
        held += data
        if held.find(boundary, searched) < 0:
            self._bound()
            return
        *whole, rest = bytes(held).split(boundary)
        self._held = bytearray(rest)
        for record in whole:
            yield from self._commit(record)
        self._bound()

    def end(self) -> Iterator[Commit]:
        yield from self._commit(bytes(self._held))
        self._held.clear()

    def _bound(self) -> None:
        """Lets go of the middle of a record that is too long, keeping its end, in which the next mark may begin."""
        keep = len(self._boundary)
        if len(self._held) > _RECORD + keep:
            self._dropped += self._held.count(b"\n", _RECORD, len(self._held) - keep)
            del self._held[_RECORD:-keep]

    def _commit(self, record: bytes) -> Iterator[Commit]:
        dropped, self._dropped = self._dropped, 0
        fields = record.split(b"\0", _FIELDS)
        if len(fields) <= _FIELDS:
            return
        hash_, parents, *people, message = (field.decode("utf-8", "replace") for field in fields[:_FIELDS])
        name, email, authored, committer, committer_email, committed = people
        files, rest = self._files(fields[_FIELDS])
        diff, omitted = _diff(rest) if self._diffs else (None, 0)
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
        while found := _RAW.match(data, at):
            change = found["change"].decode("ascii")
            path, at = _until_nul(data, found.end())
            before = b""
            if change in "RC":
                before = path
                path, at = _until_nul(data, at)
            files.append(ChangedFile(self._uri(path), change, self._uri(before) if before else ""))
        rest = data[at:].lstrip(b"\0")
        return tuple(files), rest if rest.startswith(b"diff --git ") else b""

    def _uri(self, path: bytes) -> str:
        return self._prefix + path.decode("utf-8", "backslashreplace")


def _until_nul(data: bytes, start: int) -> tuple[bytes, int]:
    """What stands before the next NUL, and where reading goes on after it."""
    end = data.find(b"\0", start)
    end = len(data) if end < 0 else end
    return data[start:end], end + 1


def _diff(data: bytes) -> tuple[str, int]:
    """The first lines of a diff, and how many more there were."""
    lines = data.split(b"\n", DIFF_LINES)
    more = lines.pop() if len(lines) > DIFF_LINES else b""
    text = b"\n".join(lines).decode("utf-8", "replace")
    if len(text) > _LINE:
        text = "\n".join(line if len(line) <= _LINE else f"{line[:_LINE]}…" for line in text.split("\n"))
    return normalise(text), more.count(b"\n") + bool(more and not more.endswith(b"\n"))


def _line(text: str) -> str:
    return " ".join(text.split())


def _time(text: str) -> float:
    """Seconds since 1970 within what a calendar can show: a commit may claim any time at all."""
    try:
        return min(max(float(text), 0.0), _LATEST)
    except ValueError:
        return 0.0
