"""The token of `octavo serve`: the user's own file, or a secret made once for the account and readable by it alone."""

from __future__ import annotations

import ipaddress
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from platformdirs import user_state_path

from octavo.config.schema import Serve
from octavo.errors import ConfigurationError, StorageError, system_message
from octavo.observability.logs import logger
from octavo.path_resolution_and_private_folders import expand_user, make_folder

_SHORTEST = 16


def read_token(settings: Serve) -> str | None:
    """The token callers must give; None where the configuration says that there is none, on this machine only."""
    if settings.token_file is not None:
        if not settings.require_token:
            raise ConfigurationError(
                "a token file is given, and no token is to be required", hint="leave out --token-file or --no-token"
            )
        return _secret(expand_user(settings.token_file))
    if not loopback(settings.host):
        raise ConfigurationError(
            f"listening on {settings.host} lets others on the network ask, and needs a token",
            hint="put a secret into a file and pass --token-file FILE, or listen on 127.0.0.1",
        )
    if settings.require_token:
        return account_token()
    if settings.write:
        raise ConfigurationError("a page that changes things needs a token", hint="leave out --no-token or --write")
    return None


def loopback(host: str) -> bool:
    """Whether binding here can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def token_path() -> Path:
    return user_state_path("octavo") / "token"


def account_token() -> str:
    """The secret of this account, the same for all its servers; made when it is first asked for."""
    path = token_path()
    try:
        if not path.exists():
            _make(path)
        if os.name == "posix":
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
                raise ConfigurationError(
                    f"the token in {path} may be known to others: it is not a file that only this account can read",
                    hint="remove it; the next start makes another one",
                )
    except OSError as error:
        raise StorageError(
            f"no token can be kept in {path}: {error.strerror or error}", hint="pass --token-file FILE, or --no-token"
        ) from error
    return _secret(path)


def _make(path: Path) -> None:
    make_folder(path.parent)
    complete = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(complete, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(secrets.token_urlsafe(32) + "\n")
        # Unlike a rename, a link does not replace the token of a server that starts meanwhile.
        with suppress(FileExistsError):
            os.link(complete, path)
    finally:
        complete.unlink()


def _secret(path: Path) -> str:
    try:
        token = path.read_text("utf-8").strip()
        if os.name == "posix" and path.stat().st_mode & 0o077:
            logger("serve").warning("others on this machine may read the token in %s: run `chmod 600 %s`", path, path)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"the token file {path} cannot be read: {system_message(error)}",
            hint=f"make one with: (umask 077; openssl rand -hex 32 > {path})" if not path.exists() else None,
        ) from error
    if len(token) < _SHORTEST or not token.isascii() or any(character.isspace() for character in token):
        raise ConfigurationError(
            f"the token in {path} is not {_SHORTEST} or more characters of ASCII without spaces",
            hint="make one with: openssl rand -hex 32",
        )
    return token
