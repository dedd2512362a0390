"""The graph in memory: what every link means is found out anew each time it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from recto.graph.names import candidate, kept
from recto.graph.resolve import Resolver
from recto.model.document import Kind
from recto.model.graph import (
    COMMUNITIES,
    THEMATIC_LINKS,
    WRITTEN,
    Drift,
    Edge,
    EdgeType,
    Ghost,
    GraphRun,
    Linked,
    Node,
    Reached,
    ThematicLink,
    Walk,
)
from recto.model.ids import ChunkKey, CollectionId, DocumentId, ProjectId
from recto.stores.shared.clock import Clock
from recto.testing.memory_tables import HeldDocument, Session, Tables, known_collection, known_project


class MemoryGraph:
    """Fits `ports.Graph`."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    def put(
        self, project: ProjectId, collection: CollectionId, linked: Sequence[Linked], *, settle: bool = True
    ) -> None:
        tables = self._session.write()
        known_collection(tables, project, collection)
        current = {held.lineage for held in tables.documents.values()}
        for gone in tables.graph.keys() - current:
            del tables.graph[gone]
        for one in linked:
            held = tables.documents.get((project, one.document))
            if held is None:
                continue
            before = tables.graph.get(held.lineage)
            names = one.names if before is None else (*one.names, *kept(before.names, one.names))
            tables.graph[held.lineage] = replace(one, names=tuple(dict.fromkeys(names)))

    def unsettled(self, project: ProjectId) -> bool:
        return False

    def settle(self, project: ProjectId) -> int:
        known_project(self._session.write(), project)
        return 0

    def out(
        self, project: ProjectId, document: DocumentId, types: Sequence[EdgeType] = (), limit: int = 1_000
    ) -> tuple[Edge, ...]:
        found = (one for one in self.edges(project) if one.source == document and _wanted(one, types))
        return tuple(islice(found, limit))

    def back(
        self, project: ProjectId, document: DocumentId, types: Sequence[EdgeType] = (), limit: int = 1_000
    ) -> tuple[Edge, ...]:
        found = (one for one in self._into(project, document) if _wanted(one, types))
        return tuple(islice(found, limit))

    def back_count(self, project: ProjectId, document: DocumentId) -> tuple[int, int]:
        found = list(self._into(project, document))
        return len(found), len({one.source for one in found})

    def thematic(self, project: ProjectId, document: DocumentId | None = None) -> tuple[ThematicLink, ...]:
        tables = self._session.read()
        known_project(tables, project)
        return tuple(
            one
            for one in tables.thematic_links.get(project, ())
            if (project, one.source) in tables.documents
            and (project, one.target) in tables.documents
            and document in (None, one.source, one.target)
        )

    def nodes(self, project: ProjectId, documents: Iterable[DocumentId] | None = None) -> tuple[Node, ...]:
        tables = self._session.read()
        wanted = None if documents is None else set(documents)
        found = [
            Node(
                held.document.id,
                tables.collections[project, held.collection].name,
                held.document.uri,
                held.document.title,
                held.document.kind.value,
                held.document.tags,
            )
            for held in _held(tables, project)
            if wanted is None or held.document.id in wanted
        ]
        return tuple(sorted(found, key=lambda one: (one.collection, one.uri)))

    def edges(self, project: ProjectId, without: Sequence[EdgeType] = ()) -> tuple[Edge, ...]:
        return tuple(one for one in self._edges(project) if one.type not in without)

    def _edges(self, project: ProjectId) -> tuple[Edge, ...]:
        tables = self._session.read()
        known_project(tables, project)
        held = {one.lineage: one for one in _held(tables, project)}
        resolver = Resolver(
            (name.name, candidate(lineage, one.collection, one.document.uri, name.kind, name.path))
            for lineage, one in held.items()
            if lineage in tables.graph
            for name in tables.graph[lineage].names
        )
        found = []
        for lineage, one in held.items():
            for link in tables.graph[lineage].links if lineage in tables.graph else ():
                meant = resolver.resolve(link.reference, one.collection)
                found.append(
                    Edge(
                        source=one.document.id,
                        target=held[meant].document.id if meant is not None else None,
                        type=link.type,
                        weight=link.weight,
                        path=link.reference.path,
                        anchor=link.anchor,
                        context=link.context,
                        span=link.span,
                        lookup=link.reference.lookup,
                    )
                )
        return tuple(found)

    def drift(self, project: ProjectId, since: float) -> Drift:
        tables = self._session.read()
        held = [one for one in _held(tables, project) if one.document.kind is not Kind.COMMIT]
        changed = sum(tables.versions[one.lineage][-1].indexed_at > since for one in held)
        led = sum(one.target is not None for one in self.edges(project, (EdgeType.CHANGES, EdgeType.CONTAINS)))
        return Drift(len(held), changed, len(self.communities(project)), min(led, 100))

    def chunks(self, project: ProjectId, document: DocumentId | None = None) -> tuple[tuple[ChunkKey, DocumentId], ...]:
        held = (one for one in _held(self._session.read(), project) if document in (None, one.document.id))
        return tuple(sorted((key, one.document.id) for one in held for key in one.chunks))

    def ghosts(self, project: ProjectId, limit: int) -> tuple[Ghost, ...]:
        uris = {one.document: one.uri for one in self.nodes(project)}
        missing: dict[str, list[Edge]] = {}
        for one in self.edges(project):
            if one.target is None and one.lookup in WRITTEN:
                missing.setdefault(one.path.lower(), []).append(one)
        found = [
            Ghost(min(one.path for one in asking), len(asking), min(uris[one.source] for one in asking))
            for asking in missing.values()
        ]
        return tuple(sorted(found, key=lambda one: (-one.links, one.path))[:limit])

    def walk(self, project: ProjectId, seeds: Mapping[DocumentId, float], walk: Walk) -> tuple[Reached, ...]:
        near = self._near(project, walk)
        uris = {one.document: one.uri for one in self.nodes(project)}
        best: dict[DocumentId, Reached] = {}
        layer = {document: score for document, score in seeds.items() if document in uris}
        for hops in range(1, walk.hops + 1):
            reached: dict[DocumentId, float] = {}
            for document, score in layer.items():
                for other, weight in near.get(document, ()):
                    reached[other] = max(reached.get(other, 0.0), score * walk.decay * weight)
            for document, score in reached.items():
                known = best.get(document, Reached(document, 0.0, hops))
                best[document] = replace(known, score=max(known.score, score))
            layer = reached
        return tuple(sorted(best.values(), key=lambda one: (-one.score, uris[one.document], one.document)))

    def put_thematic(self, project: ProjectId, links: Sequence[ThematicLink], facts: Mapping[str, float]) -> None:
        tables = self._session.write()
        tables.thematic_links[known_project(tables, project)] = tuple(links)
        self._ran(tables, project, THEMATIC_LINKS, facts)

    def put_communities(
        self, project: ProjectId, communities: Mapping[DocumentId, int], facts: Mapping[str, float]
    ) -> None:
        tables = self._session.write()
        tables.communities[known_project(tables, project)] = tuple(communities.items())
        self._ran(tables, project, COMMUNITIES, facts)

    def communities(
        self, project: ProjectId, documents: Iterable[DocumentId] | None = None
    ) -> Mapping[DocumentId, int]:
        tables = self._session.read()
        known_project(tables, project)
        wanted = None if documents is None else set(documents)
        return {
            document: number
            for document, number in tables.communities.get(project, ())
            if (project, document) in tables.documents and (wanted is None or document in wanted)
        }

    def runs(self, project: ProjectId) -> Mapping[str, GraphRun]:
        tables = self._session.read()
        known_project(tables, project)
        return {kind: run for (owner, kind), run in sorted(tables.graph_runs.items()) if owner == project}

    def _into(self, project: ProjectId, document: DocumentId) -> Iterator[Edge]:
        return (one for one in self.edges(project) if one.target == document and one.source != document)

    def _near(self, project: ProjectId, walk: Walk) -> Mapping[DocumentId, list[tuple[DocumentId, float]]]:
        near: dict[DocumentId, list[tuple[DocumentId, float]]] = {}
        for one in self.edges(project):
            if one.target is not None and one.target != one.source and _wanted(one, walk.types):
                near.setdefault(one.source, []).append((one.target, one.weight))
                near.setdefault(one.target, []).append((one.source, one.weight))
        if not walk.types or EdgeType.THEMATIC_LINK in walk.types:
            for link in self.thematic(project):
                near.setdefault(link.source, []).append((link.target, link.weight))
                near.setdefault(link.target, []).append((link.source, link.weight))
        return near

    def _ran(self, tables: Tables, project: ProjectId, kind: str, facts: Mapping[str, float]) -> None:
        tables.graph_runs[project, kind] = GraphRun(kind, self._clock(), tables.generation, dict(facts))


def _wanted(edge: Edge, types: Sequence[EdgeType]) -> bool:
    return not types or edge.type in types


def _held(tables: Tables, project: ProjectId) -> Iterator[HeldDocument]:
    known_project(tables, project)
    return (held for (owner, _), held in tables.documents.items() if owner == project)
