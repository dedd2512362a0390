"""Where a library is: a file on this machine, or a database on a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

_SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """A PostgreSQL database. Whatever shows it, in a message, a log or a traceback, shows no password."""

    secret: str = field(repr=False)
    """The whole URL as given, for the driver alone."""

    def __str__(self) -> str:
        parts = urlsplit(self.secret)
        user, at, host = parts.netloc.rpartition("@")
        shown = "&".join(one for one in parts.query.split("&") if not one.lower().startswith("password"))
        return urlunsplit((parts.scheme, user.split(":", 1)[0] + at + host, parts.path, shown, ""))

    def without_password(self, text: str) -> str:
        """A message of the server's or the driver's, in case it quotes the password."""
        password = urlsplit(self.secret).password
        for word in {password, unquote(password or "")} - {None, ""}:
            text = text.replace(str(word), "…")
        return text


Location = Path | DatabaseUrl


def location(given: str | Path) -> Location:
    """What `--library` was given: a URL of a server, or a path."""
    if isinstance(given, str) and given.startswith(_SCHEMES):
        return DatabaseUrl(given)
    return Path(given)
