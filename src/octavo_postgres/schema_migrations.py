"""The schema: required extensions, and the numbered migrations that create or upgrade a library."""

from __future__ import annotations

from psycopg import ClientCursor, errors

from octavo.errors import LibraryError, NotALibrary, NotIndexed, StorageError
from octavo.fast_dataclass import dataclass
from octavo.model.library_location import DatabaseUrl
from octavo.sql_repositories.schema_compatibility import missing_migrations, newest_schema, outdated, usable_from
from octavo_postgres.connection_pool import Connection
from octavo_postgres.schema_from_sqlite import with_shared_tables
from octavo_postgres.sql_dialect import PACKAGE, queries

_NEEDED = {"vector": (0, 7, 0), "pg_trgm": (1, 3, 0)}  # 0.7 introduced half-precision vectors
_OPTIONAL = frozenset(("pg_trgm",))  # without it similar words are found in Python
_ITERATIVE = (0, 8, 0)


@dataclass(frozen=True, slots=True)
class Extensions:
    """What the server's extensions can do."""

    halfvec: tuple[int, int] | None = None
    """The oids of the type and of its array, which differ between databases."""
    iterative_scan: bool = False
    trigrams: bool = False


def ensure_schema(connection: Connection, url: DatabaseUrl, *, create: bool, upgrade: bool = False) -> Extensions:
    """Creates the library or, if requested, upgrades it: once, however many servers start at the same time.

    Opening never upgrades: others that share the library could no longer open it until they have this version too.
    """
    version, newest = _version(connection, url), newest_schema(PACKAGE)
    if version > newest >= _usable_from(connection, version):
        return _extensions(connection)  # a newer Octavo only added to it: both work until everybody has that
    if outdated(PACKAGE, version, url):
        if not version and not create:
            raise NotIndexed(f"there is no library in {url}", hint="run `octavo init` to make one")
        older = f"{url} was written by an older Octavo (schema {version}, this one knows {newest})"
        if version and not upgrade:
            raise LibraryError(
                older,
                hint="save it with `pg_dump`, then run `octavo db upgrade`; from then on everyone needs this version",
            )
        try:
            _migrate(connection, url)
        except (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction) as error:
            if not version:
                raise
            raise LibraryError(
                f"{older}, and this role may not upgrade it",
                hint="run `octavo db upgrade` with the URL of its owner on the primary",
            ) from error
    return _extensions(connection)


def _migrate(connection: Connection, url: DatabaseUrl) -> None:
    with connection.transaction():
        connection.execute(queries()["migration_lock"])
        version = _version(connection, url)  # another process may have migrated while this one waited
        if not version:
            _create_extensions(connection, url)
        for number, script in missing_migrations(PACKAGE, version):
            connection.execute(with_shared_tables(script).encode())
            ClientCursor(connection).execute(queries()["schema_put"], {"version": number})
        ClientCursor(connection).execute(queries()["schema_usable_put"], {"version": usable_from(PACKAGE)})
        connection.execute(queries()["schema_isolated"])


def _version(connection: Connection, url: DatabaseUrl) -> int:
    """The schema version; 0 if there is no table of ours yet."""
    (ours, others), *_ = connection.execute(queries()["schema_present"]).fetchall()
    if not ours:
        if others:
            raise NotALibrary(
                f"{url} holds tables of the same names, but not an Octavo library",
                hint="make another database for Octavo, or a schema of its own: see docs/guides/team.md",
            )
        return 0
    row = connection.execute(queries()["schema_version"]).fetchone()
    if row is None:
        raise NotALibrary(f"{url} has a table named library, but not Octavo's", hint="make another database for Octavo")
    return int(row[0])


def _usable_from(connection: Connection, version: int) -> int:
    row = connection.execute(queries()["schema_usable"]).fetchone()
    return int(row[0]) if row else version


def _create_extensions(connection: Connection, url: DatabaseUrl) -> None:
    known = {name: (default, installed) for name, default, installed in connection.execute(queries()["extensions"])}
    for name, least in _NEEDED.items():
        if name not in known and name in _OPTIONAL:
            continue
        if name not in known:
            raise StorageError(
                f"the server of {url} does not have the extension {name}",
                hint="install pgvector on the server" if name == "vector" else f"install {name} on the server",
            )
        default, installed = known[name]
        if _numbers(installed or default) < least:
            raise StorageError(
                f"{url} has {name} {installed or default}, Octavo needs {'.'.join(map(str, least))} or later",
                hint=f"upgrade it on the server, then run `alter extension {name} update`",
            )
        if installed is None:
            _create_extension(connection, url, name)


def _create_extension(connection: Connection, url: DatabaseUrl, name: str) -> None:
    try:
        connection.execute(queries()[f"extension_make_{name}"])
    except errors.InsufficientPrivilege as error:
        raise StorageError(
            f"this role may not make the extension {name} in {url}",
            hint=f"have an administrator run `create extension {name}` in that database, once",
        ) from error


def _extensions(connection: Connection) -> Extensions:
    row = connection.execute(queries()["halfvec_type"]).fetchone()
    if row is None:
        return Extensions()
    oid, array_oid, version, trigrams = row
    return Extensions((oid, array_oid), _numbers(version) >= _ITERATIVE, trigrams)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split(".") if number.isdigit())
