"""What PostgreSQL and its driver raise → what Recto raises."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from recto.errors import Busy, Conflict, LibraryError, NotIndexed, RectoError, StorageError
from recto.model.location import DatabaseUrl

_AGAIN = "try again in a moment"


@contextmanager
def translated(url: DatabaseUrl) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise translation(url, error) from error


def translation(url: DatabaseUrl, error: psycopg.Error) -> RectoError:
    state = error.sqlstate or ""
    said = url.without_password(" ".join((error.diag.message_primary or str(error)).split()))
    for known, make in _BY_STATE.items():
        if state.startswith(known):
            return make(url, said)
    if not state and isinstance(error, psycopg.OperationalError):
        return _without_a_word(url, said)
    return StorageError(f"{url}: {said}", hint="the server's log says more")


def _without_a_word(url: DatabaseUrl, said: str) -> RectoError:
    """The driver gives no state for what went wrong before or below the protocol: only its words tell."""
    said = said.rpartition("FATAL: ")[2]  # the server's own sentence, without where it was said
    for known, make in _BY_WORDS.items():
        if known in said:
            return make(url, said)
    return StorageError(
        f"{url} cannot be reached: {said}", hint="check that the server runs and that host and port are right"
    )


def _refused(url: DatabaseUrl, said: str) -> RectoError:
    return StorageError(
        f"{url} does not let this user in: {said}", hint="check the user and the password in the URL, or ~/.pgpass"
    )


def _no_database(url: DatabaseUrl, said: str) -> RectoError:
    return NotIndexed(f"{url}: {said}", hint="make it with `createdb` on the server, then give the command again")


def _busy(url: DatabaseUrl, said: str) -> RectoError:
    return Busy(f"{url} is busy: {said}", hint=_AGAIN)


def _too_long(url: DatabaseUrl, said: str) -> RectoError:
    return Busy(f"{url} gave up: {said}", hint="try again, or raise the server's statement_timeout for this role")


def _read_only(url: DatabaseUrl, said: str) -> RectoError:
    return StorageError(f"{url} can only be read: {said}", hint="a replica answers searches; write to the primary")


def _full(url: DatabaseUrl, said: str) -> RectoError:
    return StorageError(f"the disk of {url} is full: {said}", hint="free some space on the server and run it again")


def _forbidden(url: DatabaseUrl, said: str) -> RectoError:
    return StorageError(f"{url} does not allow it: {said}", hint="grant the role what docs/postgres.md lists")


def _lost(url: DatabaseUrl, said: str) -> RectoError:
    return StorageError(f"the connection to {url} was lost: {said}", hint=_AGAIN)


def _damaged(url: DatabaseUrl, said: str) -> RectoError:
    return LibraryError(f"the library {url} is damaged: {said}", hint="stop writing to it and restore a backup")


def _damaged_index(url: DatabaseUrl, said: str) -> RectoError:
    return LibraryError(
        f"an index of {url} is damaged: {said}", hint="the owner runs `reindex index NAME`, then `recto db check`"
    )


def _contradicted(url: DatabaseUrl, said: str) -> RectoError:
    return Conflict(f"the change contradicts what {url} already holds: {said}")


def _no_table(url: DatabaseUrl, said: str) -> RectoError:
    return LibraryError(f"{url} lacks a part of the library: {said}", hint="run `recto db upgrade`")


# By SQLSTATE or the beginning of one: the first that fits.
_BY_STATE = {
    "28": _refused,
    "3D000": _no_database,
    "23": _contradicted,
    "P0001": _contradicted,  # our own triggers: history never changes
    "25006": _read_only,
    "40": _busy,
    "55P03": _busy,
    "57014": _too_long,
    "57P03": _busy,
    "57": _lost,
    "53100": _full,
    "53": _busy,
    "08": _lost,
    "42501": _forbidden,
    "42P01": _no_table,
    "42703": _no_table,
    "XX001": _damaged,
    "XX002": _damaged_index,
}
_BY_WORDS = {
    "password authentication failed": _refused,
    "no password supplied": _refused,
    "no pg_hba.conf entry": _refused,
    'role "': _refused,
    "does not exist": _no_database,
    "too many clients": _busy,
    "is starting up": _busy,
    "shutting down": _busy,
    "closed the connection": _lost,
    "connection is lost": _lost,
    "the connection is closed": _lost,
}
