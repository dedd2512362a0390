"""Earlier versions and leftovers, in memory."""

from __future__ import annotations

from collections.abc import Iterable

from recto.model.ids import ProjectId
from recto.model.stored import EarlierVersion, Unused
from recto.testing.memory_tables import Session, Tables, known_project


class MemoryAttic:
    """Fits `ports.Attic`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def earlier(self, project: ProjectId) -> tuple[EarlierVersion, ...]:
        tables = self._session.read()
        known_project(tables, project)
        current = {(held.lineage, held.version) for (owner, _), held in tables.documents.items() if owner == project}
        found = []
        for lineage in _lineages(tables, project):
            versions = tables.versions[lineage]
            for place, one in enumerate(versions):
                if (lineage, one.version) in current:
                    continue
                followed = versions[place + 1].indexed_at if place + 1 < len(versions) else one.indexed_at
                replaced = followed if one.removed_at is None else one.removed_at
                size = len(tables.texts.get((project, one.text_hash), "").encode("utf-8", "surrogatepass"))
                found.append(EarlierVersion(lineage, one.version, replaced, size))
        return tuple(sorted(found, key=lambda one: (one.replaced_at, one.document, one.version)))

    def remove(self, project: ProjectId, versions: Iterable[EarlierVersion]) -> None:
        tables = self._session.write()
        gone = {(one.document, one.version) for one in versions}
        for lineage in _lineages(tables, project):
            kept = tuple(one for one in tables.versions[lineage] if (lineage, one.version) not in gone)
            tables.versions[lineage] = kept

    def unused(self, project: ProjectId) -> Unused:
        tables = self._session.read()
        known_project(tables, project)
        texts = [tables.texts[project, one] for one in _unused_texts(tables, project)]
        size = sum(len(one.encode("utf-8", "surrogatepass")) for one in texts)
        return Unused(len(texts), size, len(_unused_vectors(tables, project)))

    def remove_unused(self, project: ProjectId) -> None:
        tables = self._session.write()
        for one in _unused_texts(tables, project):
            del tables.texts[project, one]
        for key in _unused_vectors(tables, project):
            del tables.vectors[key]
        used = _used_inputs(tables) | {held.input for held in tables.vectors.values()}
        for where, key in list(tables.inputs.items()):
            if where[0] == project and key not in used:
                del tables.inputs[where]


def _lineages(tables: Tables, project: ProjectId) -> list[int]:
    return sorted({lineage for (owner, _), lineage in tables.lineages.items() if owner == project})


def _unused_texts(tables: Tables, project: ProjectId) -> list[str]:
    held = {one.document.content_hash for (owner, _), one in tables.documents.items() if owner == project}
    held |= {one.text_hash for lineage in _lineages(tables, project) for one in tables.versions[lineage]}
    for (owner, _), several in tables.memory_versions.items():
        held |= {one.text_hash for one in several if owner == project}
    return [digest for owner, digest in tables.texts if owner == project and digest not in held]


def _unused_vectors(tables: Tables, project: ProjectId) -> list[int]:
    used = _used_inputs(tables)
    return [key for key, one in tables.vectors.items() if one.project == project and one.input not in used]


def _used_inputs(tables: Tables) -> set[int]:
    return {window.input for several in tables.windows.values() for window in several}
