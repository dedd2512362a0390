"""Translation of PostgreSQL and driver errors into Octavo's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from octavo.errors import Busy, Conflict, LibraryError, NotIndexed, OctavoError, StorageError
from octavo.model.library_location import DatabaseUrl

_AGAIN = "try again in a moment"


@contextmanager
def translated(url: DatabaseUrl) -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise translation(url, error) from error


def translation(url: DatabaseUrl, error: psycopg.Error) -> OctavoError:
    state = error.sqlstate or ""
    message = url.without_password(" ".join((error.diag.message_primary or str(error)).split()))
    for known, make in _BY_STATE.items():
        if state.startswith(known):
            return make(url, message)
    if not state and isinstance(error, psycopg.OperationalError):
        return _by_message(url, message)
    return StorageError(f"{url}: {message}", hint="the server's log says more")


def _by_message(url: DatabaseUrl, message: str) -> OctavoError:
    """Errors before or below the protocol have no state: only the message distinguishes them."""
    message = message.rpartition("FATAL: ")[2]  # the server's own sentence, without the host
    for known, make in _BY_WORDS.items():
        if known in message:
            return make(url, message)
    return StorageError(
        f"{url} cannot be reached: {message}", hint="check that the server runs and that host and port are right"
    )


def _refused(url: DatabaseUrl, message: str) -> OctavoError:
    return StorageError(
        f"{url} does not let this user in: {message}", hint="check the user and the password in the URL, or ~/.pgpass"
    )


def _no_database(url: DatabaseUrl, message: str) -> OctavoError:
    return NotIndexed(f"{url}: {message}", hint="make it with `createdb` on the server, then give the command again")


def _busy(url: DatabaseUrl, message: str) -> OctavoError:
    return Busy(f"{url} is busy: {message}", hint=_AGAIN)


def _too_long(url: DatabaseUrl, message: str) -> OctavoError:
    return Busy(f"{url} gave up: {message}", hint="try again, or raise the server's statement_timeout for this role")


def _read_only(url: DatabaseUrl, message: str) -> OctavoError:
    return StorageError(f"{url} can only be read: {message}", hint="a replica answers searches; write to the primary")


def _full(url: DatabaseUrl, message: str) -> OctavoError:
    return StorageError(f"the disk of {url} is full: {message}", hint="free some space on the server and run it again")


def _forbidden(url: DatabaseUrl, message: str) -> OctavoError:
    return StorageError(f"{url} does not allow it: {message}", hint="grant the role what docs/guides/team.md lists")


def _lost(url: DatabaseUrl, message: str) -> OctavoError:
    return StorageError(f"the connection to {url} was lost: {message}", hint=_AGAIN)


def _damaged(url: DatabaseUrl, message: str) -> OctavoError:
    return LibraryError(f"the library {url} is damaged: {message}", hint="stop writing to it and restore a backup")


def _damaged_index(url: DatabaseUrl, message: str) -> OctavoError:
    return LibraryError(
        f"an index of {url} is damaged: {message}", hint="the owner runs `reindex index NAME`, then `octavo db check`"
    )


def _contradicted(url: DatabaseUrl, message: str) -> OctavoError:
    return Conflict(f"the change contradicts what {url} already holds: {message}")


def _no_table(url: DatabaseUrl, message: str) -> OctavoError:
    return LibraryError(f"{url} lacks a part of the library: {message}", hint="run `octavo db upgrade`")


# By SQLSTATE or a prefix of it: the first match counts.
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
