"""Where a library is: a file on this machine, or a database on a server."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from octavo.errors import InvalidArgument
from octavo.fast_dataclass import Value
from octavo.plugins import STORES, has


class DatabaseUrl(Value):
    """A database on a server. Its string form, in a message, a log or a traceback, contains no password."""

    secret: str = field(repr=False)
    """The whole URL as given, for the driver alone."""

    @property
    def scheme(self) -> str:
        return self.secret.partition("://")[0]

    def __str__(self) -> str:
        url = urlsplit(self.secret)
        user, at, host = url.netloc.rpartition("@")
        shown = "&".join(item for item in url.query.split("&") if not item.lower().startswith("password"))
        return urlunsplit((url.scheme, user.split(":", 1)[0] + at + host, url.path, shown, ""))

    def without_password(self, text: str) -> str:
        """The text with the password removed, for messages of the server or the driver that may quote it."""
        password = urlsplit(self.secret).password
        for word in {password, unquote(password or "")} - {None, ""}:
            text = text.replace(str(word), "…")
        return text


Location = Path | DatabaseUrl


def location(given: str | Path) -> Location:
    """Parses the value of `--library`: a server URL, or a path."""
    if isinstance(given, str):
        scheme, separator, _ = given.partition("://")
        if separator and has(STORES, scheme):
            return DatabaseUrl(given)
        if separator and scheme in ("http", "https"):
            raise InvalidArgument(
                f"{given} is no library: it is a file, or a database such as postgresql://…",
                hint="a library that `octavo serve` offers is asked in a browser, over HTTP, or by an MCP client",
            )
    return Path(given)
