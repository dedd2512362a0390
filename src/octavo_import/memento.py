"""Memento's database on PostgreSQL: each project with its memories, canonical documents, versions and links."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from importlib import import_module
from typing import Any

from octavo.errors import MissingExtra, OctavoError, StorageError
from octavo.lazy_regex import regex
from octavo.memory.draft import MemoryDraft
from octavo.model.library_location import DatabaseUrl
from octavo.model.memory import MemoryKind, MemoryLink
from octavo.plugins import install_command
from octavo_import.foreign_sqlite_file import named_queries
from octavo_import.memory_import import ImportedMemory, ImportedVersion, MemorySource, SourceProject, kind_of

SCHEMES = frozenset(("postgresql", "postgres"))
"""Addresses that this importer is asked about."""

KINDS = {
    "troubleshooting": MemoryKind.BUG,
    "runbook": MemoryKind.RULE,
    "environment_fact": MemoryKind.FACT,
    "session_snapshot": MemoryKind.SUMMARY,
}
_HASH = regex(r"[0-9a-f]{40}")  # the key of a project that was made for a repository or a folder
_PAGE = 200
_TABLES = 4


def claims(place: DatabaseUrl) -> bool:
    try:
        with closing(Memento(place)) as database:
            return database.is_whole()
    except OctavoError:
        return False  # a library at this address says what is wrong


def open_source(place: DatabaseUrl) -> Memento:
    return Memento(place)


class Memento(MemorySource):
    """One moment of the database: its program may go on writing."""

    program = "memento"

    def __init__(self, url: DatabaseUrl) -> None:
        try:
            psycopg = import_module("psycopg")
        except ImportError as error:
            raise MissingExtra("PostgreSQL needs an extra package", hint=install_command("postgres")) from error
        self._url, self._failure = url, psycopg.Error
        with self._translated():
            self._connection = psycopg.connect(url.secret, application_name="octavo", connect_timeout=10)
            self._connection.read_only = True
            self._connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

    def is_whole(self) -> bool:
        return bool(self._rows("tables")[0][0] == _TABLES)

    def projects(self) -> tuple[SourceProject, ...]:
        return tuple(
            SourceProject(id_, shown if _HASH.fullmatch(key) else key, workspace, repository or None)
            for id_, key, shown, workspace, repository in self._rows("projects")
        )

    def memories(self, project: SourceProject) -> Iterator[ImportedMemory]:
        after = ""
        while rows := self._rows("items", project=project.id, after=after, limit=_PAGE):
            items = [row[0] for row in rows]
            versions: dict[str, list[ImportedVersion]] = defaultdict(list)
            for item, text, at, author, reason in self._rows("versions", items=items):
                versions[item].append(ImportedVersion(text, at, author, reason))
            links: dict[str, list[MemoryLink]] = defaultdict(list)
            for item, target, relation in self._rows("links", items=items):
                links[item].append(MemoryLink(target, relation))
            for name, kind, scope, title, tags, pinned, status, key, doc_class, metadata in rows:
                draft = MemoryDraft(
                    "",
                    kind=kind_of(kind, KINDS),
                    scope=scope,
                    title=title,
                    tags=(*tags, *_properties_as_tags(metadata)),
                    pinned=pinned,
                    metadata={**metadata, "memento_id": name, "memento_kind": kind},
                    canonical_key=key,
                    doc_class=doc_class,
                )
                yield ImportedMemory(name, draft, versions[name], status == "archived", links[name])
            after = items[-1]

    def close(self) -> None:
        self._connection.close()

    def _rows(self, name: str, **parameters: Any) -> list[tuple[Any, ...]]:
        with self._translated(), self._connection.cursor() as cursor:
            rows: list[tuple[Any, ...]] = cursor.execute(named_queries("memento")[name], parameters).fetchall()
            return rows

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._failure as error:
            message = self._url.without_password(" ".join(str(error).split()))
            raise StorageError(f"{self._url} cannot be read: {message}", hint="the server's log says more") from error


def _properties_as_tags(metadata: Mapping[str, Any]) -> Iterator[str]:
    """As a commit through Memento's tools keeps them: so they can be found by."""
    for name, value in sorted(metadata.items()):
        if isinstance(value, str | int | float):
            yield f"{name}:{value}"[:200]
