"""Pruning: earlier versions and unreferenced content, counted and removed on request."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

import zstandard

from octavo.model.ids import CollectionId, ProjectId, text_hash
from octavo.model.memory import MemoryId
from octavo.model.stored_rows import EarlierVersion, UnusedContent
from octavo.sql_repositories.projects_and_collections import ProjectRepository

_TEXTS = 256  # read at once


class PruningRepository(ProjectRepository):
    """Earlier versions and unreferenced content. Current documents and memories are out of its reach."""

    def earlier(self, project: ProjectId) -> tuple[EarlierVersion, ...]:
        """Oldest first."""
        rows = self._rows("versions_earlier", project)
        return tuple(EarlierVersion(*row) for row in rows)

    def remove(self, project: ProjectId, versions: Iterable[EarlierVersion]) -> None:
        owner = self._keys.project(project)
        rows = ({"project": owner, "document": version.document, "version": version.version} for version in versions)
        self._database.run_many("version_remove", rows)

    def unused(self, project: ProjectId) -> UnusedContent:
        """Texts of no document, version or memory, and vectors of no chunk."""
        return UnusedContent(*self._rows("unused", project)[0])

    def remove_unused(self, project: ProjectId) -> None:
        where = self._in(project)
        for unused in ("texts", "vectors", "inputs", "references"):
            self._database.run(f"{unused}_unused_remove", where)

    def stored_texts(self, project: ProjectId, only: Container[str] | None = None) -> Iterator[tuple[str, str]]:
        """Every text with its hash, of documents, of their earlier versions and of memories; not the damaged ones.
        `only` those of these hashes, where they are given."""
        where, after = self._in(project, limit=_TEXTS), 0
        unpack = zstandard.ZstdDecompressor().decompress
        while rows := self._database.rows("project_texts", where | {"after": after}):
            after = rows[-1][0]
            for _, digest, data in rows:
                if only is not None and digest.hex() not in only:
                    continue
                try:
                    yield digest.hex(), unpack(data).decode("utf-8")
                except (zstandard.ZstdError, UnicodeDecodeError):
                    continue  # the check names it

    def texts_of(self, project: ProjectId, collection: CollectionId) -> frozenset[str]:
        """The hashes of what a collection's documents say and said."""
        return frozenset(row[0].hex() for row in self._rows("texts_of_collection", project, collection=collection))

    def replace_text(
        self, project: ProjectId, before: str, text: str, retitled: Callable[[str], str]
    ) -> tuple[MemoryId, ...]:
        """Puts a text in the place of another in every version of documents and memories; the memories that say it now.

        What a current document says is left to whoever indexes it.
        """
        raw, digest = text.encode("utf-8"), bytes.fromhex(text_hash(text))
        where = self._in(project, before=bytes.fromhex(before), after=digest)
        data = zstandard.ZstdCompressor(level=1).compress(raw)
        self._database.run("text_put", {"project": where["project"], "hash": digest, "size": len(raw), "data": data})
        # Versions never change, whoever asks. What must not have been stored at all is the one exception.
        self._database.run("memory_versions_unlock")
        for (title,) in self._database.rows("text_titles", where):
            titles = {"title": retitled(title), "title_before": title}
            self._database.run("document_versions_replace_text", where | titles)
            self._database.run("memory_versions_replace_text", where | titles)
            if titles["title"] != title:
                self._database.run("memory_items_retitle", where | titles)
        self._database.run("memory_versions_lock")
        return tuple(MemoryId(row[0]) for row in self._database.rows("memories_of_text", where))

    def retitle(self, project: ProjectId, retitled: Callable[[str], str], kept: Container[str]) -> int:
        """Inside a transaction: changes titles of versions of documents, not of texts with these hashes; how many."""
        owner = self._keys.project(project)
        rows = self._database.rows("version_titles", {"project": owner})
        changed = [
            {"project": owner, "before": digest, "title_before": title, "title": now}
            for title, digest in rows
            if bytes(digest).hex() not in kept and (now := retitled(title)) != title
        ]
        self._database.run_many("version_retitle", changed)
        return len(changed)
