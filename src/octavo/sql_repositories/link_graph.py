"""The link graph: names, references and links, and the results computed from them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from octavo.algorithms.text.document_name_normalisation import folded, last, name_match, without_ending
from octavo.model.ids import ChunkKey, CollectionId, DocumentId, ProjectId
from octavo.model.link_graph import (
    COMMUNITIES,
    THEMATIC_LINKS,
    WRITTEN_BY_PEOPLE,
    DocumentLinks,
    DocumentName,
    Drift,
    Edge,
    EdgeType,
    Ghost,
    GraphRun,
    Lookup,
    NameKind,
    NameMatch,
    Node,
    Reached,
    Reference,
    ThematicLink,
    Walk,
)
from octavo.model.normalised_text_and_spans import Span
from octavo.sql_repositories.database_port import Row, listed, value
from octavo.sql_repositories.projects_and_collections import ProjectRepository

# Tables, because creating a member from its value takes longer than everything else done with a row.
_KINDS = {kind.value: kind for kind in NameKind}
_LOOKUPS = {lookup.value: lookup for lookup in Lookup}


class GraphRepository(ProjectRepository):
    """What points at what. Links are kept as written; what they mean follows the documents there are. Every write
    needs the caller's transaction."""

    def put(
        self, project: ProjectId, collection: CollectionId, linked: Sequence[DocumentLinks], *, resolve: bool = True
    ) -> None:
        """Replaces the names and links of these documents, and resolves the references that this makes stale.

        Of many batches only the last needs to resolve: until then links point nowhere, or where they did before.
        """
        owner = self._keys.project(project)
        if linked:
            rows = self._database.rows(
                "graph_documents", {"project": owner, "ids": json.dumps([links.document for links in linked])}
            )
            keys = {DocumentId(row[0]): int(row[1]) for row in rows}
            present = {keys[links.document]: links for links in linked if links.document in keys}
            self._put_names(owner, present)
            self._put_links(owner, self._keys.collection(project, collection), present)
        if resolve:
            self.resolve_references(project)

    def has_stale_references(self, project: ProjectId) -> bool:
        """Whether names were added or removed since references were last resolved."""
        return bool(self._rows("graph_references_stale_any", project))

    def resolve_references(self, project: ProjectId) -> int:
        """Resolves stale references again; the number whose target changed."""
        owner = self._in(project)
        stale = self._database.rows("graph_references_stale", owner)
        if not stale:
            return 0
        from octavo.algorithms.links.link_resolution import Resolver

        resolver = Resolver(self._matches(owner["project"], (row[5] for row in stale)))
        changed = []
        for key, home, lookup, scope, path, name, current in stale:
            target = resolver.resolve(Reference(_LOOKUPS[lookup], scope, path, name), CollectionId(home))
            if target != current:
                changed.append((target, key))
        self._database.run_many("graph_reference_resolve", changed)
        self._database.run("graph_references_mark_resolved", owner)
        return len(changed)

    def named(self, project: ProjectId, names: Iterable[str]) -> tuple[NameMatch, ...]:
        """Every document that goes by one of these folded names: a file's, a module's, a folder's, an alias."""
        return tuple(match for _, match in self._matches(self._keys.project(project), names))

    def out(
        self, project: ProjectId, document: DocumentId, types: Sequence[EdgeType] = (), limit: int = 1_000
    ) -> tuple[Edge, ...]:
        """What a document points at, in its own order, ghosts included."""
        return self._of("graph_out", project, document, types, limit)

    def back(
        self, project: ProjectId, document: DocumentId, types: Sequence[EdgeType] = (), limit: int = 1_000
    ) -> tuple[Edge, ...]:
        """What points at a document, itself left out."""
        return self._of("graph_in", project, document, types, limit)

    def back_count(self, project: ProjectId, document: DocumentId) -> tuple[int, int]:
        """How many links point at a document, and from how many documents."""
        links, documents = self._rows("graph_in_count", project, id=document)[0]
        return int(links), int(documents)

    def back_to_ghost(self, project: ProjectId, path: str) -> tuple[Edge, ...]:
        name = folded(without_ending(path))
        edges = (
            _edge(row)
            for row in self._rows("graph_in_ghost", project, name=last(name), lookups=json.dumps(WRITTEN_BY_PEOPLE))
        )
        return tuple(edge for edge in edges if folded(edge.path) == name or "/" not in name)

    def thematic(self, project: ProjectId, document: DocumentId | None = None) -> tuple[ThematicLink, ...]:
        where = self._in(project)
        if document is None:
            rows = self._database.rows("graph_thematic", where)
        else:
            rows = self._database.rows("graph_thematic_of", where | {"id": document})
        return tuple(ThematicLink(DocumentId(row[0]), DocumentId(row[1]), row[2]) for row in rows)

    def nodes(self, project: ProjectId, documents: Iterable[DocumentId] | None = None) -> tuple[Node, ...]:
        where = self._in(project)
        if documents is None:
            rows = self._database.rows("graph_nodes", where)
        else:
            rows = self._database.rows("graph_nodes_of", where | {"ids": json.dumps(sorted(set(documents)))})
        return tuple(
            Node(DocumentId(row[0]), row[1], row[2], row[3], row[4], _texts(row[5]), _texts(row[6])) for row in rows
        )

    def edges(self, project: ProjectId, without: Sequence[EdgeType] = ()) -> tuple[Edge, ...]:
        return tuple(_edge(row) for row in self._rows("graph_edges", project, without=json.dumps(without)))

    def drift(self, project: ProjectId, since: float) -> Drift:
        """How far the graph has moved since a moment."""
        return Drift(*map(int, self._rows("graph_drift", project, since=since)[0]))

    def chunks(self, project: ProjectId, document: DocumentId | None = None) -> tuple[tuple[ChunkKey, DocumentId], ...]:
        """Every chunk with the document it belongs to, or those of one, ascending."""
        where = self._in(project)
        if document is None:
            rows = self._database.rows("graph_chunks", where)
        else:
            rows = self._database.rows("graph_chunks_of", where | {"id": document})
        return tuple((ChunkKey(row[0]), DocumentId(row[1])) for row in rows)

    def ghosts(self, project: ProjectId, limit: int) -> tuple[Ghost, ...]:
        """What people's links point at and is not there, most wanted first."""
        return tuple(
            Ghost(*row)
            for row in self._rows("graph_ghosts", project, lookups=json.dumps(WRITTEN_BY_PEOPLE), limit=limit)
        )

    def walk(self, project: ProjectId, seeds: Mapping[DocumentId, float], walk: Walk) -> tuple[Reached, ...]:
        """What is reached along edges, either way, best first; a seed is among it when another leads to it."""
        thematic = not walk.types or EdgeType.THEMATIC_LINK in walk.types
        where = self._in(
            project,
            seeds=json.dumps([(document, score) for document, score in seeds.items()]),
            types=listed(walk.types),
            fanout=walk.fanout,
        )
        # So few documents that `most` of them stops nothing.
        if walk.hops == 1 and not thematic and len(seeds) * (2 * walk.fanout + 1) <= walk.most:
            return _reached(self._database.rows("graph_linked", where), walk.decay)
        where |= {"thematic": thematic, "hops": walk.hops, "decay": walk.decay, "most": walk.most}
        return tuple(Reached(DocumentId(row[0]), row[1], row[2]) for row in self._database.rows("graph_walk", where))

    def put_thematic(self, project: ProjectId, links: Sequence[ThematicLink], facts: Mapping[str, float]) -> None:
        owner = self._in(project)
        self._database.run("graph_thematic_clear", owner)
        rows = [owner | {"source": link.source, "target": link.target, "weight": link.weight} for link in links]
        self._database.run_many("graph_thematic_put", rows)
        self._ran(owner, THEMATIC_LINKS, facts)

    def put_communities(
        self, project: ProjectId, communities: Mapping[DocumentId, int], facts: Mapping[str, float]
    ) -> None:
        owner = self._in(project)
        self._database.run("graph_communities_clear", owner)
        rows = [owner | {"id": document, "community": number} for document, number in communities.items()]
        self._database.run_many("graph_community_put", rows)
        self._ran(owner, COMMUNITIES, facts)

    def communities(
        self, project: ProjectId, documents: Iterable[DocumentId] | None = None
    ) -> Mapping[DocumentId, int]:
        ids = None if documents is None else json.dumps(sorted(set(documents)))
        rows = self._rows("graph_communities", project, ids=ids)
        return {DocumentId(row[0]): row[1] for row in rows}

    def note_run(self, project: ProjectId, kind: str, facts: Mapping[str, float]) -> None:
        """Records that something was computed now, and with which settings."""
        self._ran(self._in(project), kind, facts)

    def forget_run(self, project: ProjectId, kind: str) -> None:
        self._run("graph_run_remove", project, kind=kind)

    def runs(self, project: ProjectId) -> Mapping[str, GraphRun]:
        """What was last computed over the graph, by kind."""
        rows = self._rows("graph_runs", project)
        return {row[0]: GraphRun(row[0], row[1], row[2], json.loads(row[3])) for row in rows}

    def _matches(self, owner: int, names: Iterable[str]) -> Iterator[tuple[str, NameMatch]]:
        """Each document that has one of the names, with that name."""
        where = {"project": owner, "names": json.dumps(sorted(set(names)))}
        for name, document, collection, uri, kind, path in self._database.rows("graph_candidates", where):
            yield name, name_match(document, CollectionId(collection), uri, _KINDS[kind], path)

    def _put_names(self, owner: int, present: Mapping[int, DocumentLinks]) -> None:
        """Writes only what changed: a name that is added or removed makes the references to it stale."""
        from octavo.algorithms.links.document_link_names import former_names

        names_of: dict[int, dict[DocumentName, int]] = {}
        for key, document, *name in self._database.rows("graph_names_of", {"documents": json.dumps(list(present))}):
            names_of.setdefault(document, {})[DocumentName(name[0], NameKind(name[1]), name[2])] = key
        gone: list[int] = []
        fresh: list[tuple[int, int, str, str, str]] = []
        for document, links in present.items():
            before = names_of.get(document, {})
            current_names = dict.fromkeys((*links.names, *former_names(before, links.names))) if before else links.names
            gone += (key for old, key in before.items() if old not in current_names)
            fresh += (
                (owner, document, new.name, new.kind.value, new.path) for new in current_names if new not in before
            )
        if gone:
            self._database.run("graph_names_remove", {"keys": json.dumps(gone)})
        if fresh:
            self._database.run_many("graph_name_put", fresh)
            if not self._database.rows("graph_references_resolved_any", {}):
                return  # as until links are first resolved: looking for every name would find nothing
            added = json.dumps(sorted({row[2] for row in fresh}))
            self._database.run("graph_references_mark_stale", {"project": owner, "names": added})

    def _put_links(self, owner: int, collection: int, present: Mapping[int, DocumentLinks]) -> None:
        documents = {"documents": json.dumps(list(present))}
        before = [row[0] for row in self._database.rows("graph_links_references", documents)]
        if before:
            self._database.run("graph_links_remove", documents)
        references_now = {link.reference for document in present.values() for link in document.links}
        references = self._references(owner, collection, references_now)
        self._database.run_many(
            "graph_link_put",
            [
                (
                    owner,
                    document,
                    references[link.reference],
                    link.type.value,
                    link.weight,
                    link.anchor,
                    link.context,
                    link.span.start,
                    link.span.end,
                )
                for document, links in present.items()
                for link in links.links
            ],
        )
        if before:
            self._database.run("graph_references_remove_unused", {"keys": json.dumps(before)})

    def _references(self, owner: int, collection: int, references: set[Reference]) -> dict[Reference, int]:
        where = {"project": owner, "collection": collection}
        paths = json.dumps(sorted({reference.path for reference in references}))
        keys = {
            (lookup, scope, path): key
            for key, lookup, scope, path in self._database.rows("graph_references_known", where | {"paths": paths})
        }
        known = {
            reference: key
            for reference in references
            if (key := keys.get((reference.lookup.value, reference.scope, reference.path))) is not None
        }
        missing = sorted(references - known.keys())
        start = int(value(self._database, "graph_references_last")) + 1 if missing else 0
        fresh = dict(zip(missing, range(start, start + len(missing)), strict=True))
        self._database.run_many(
            "graph_reference_put",
            [(key, owner, collection, reference.lookup.value, *reference[1:]) for reference, key in fresh.items()],
        )
        return known | fresh

    def _of(
        self, query: str, project: ProjectId, document: DocumentId, types: Sequence[EdgeType], limit: int
    ) -> tuple[Edge, ...]:
        return tuple(_edge(row) for row in self._rows(query, project, id=document, types=listed(types), limit=limit))

    def _ran(self, owner: Mapping[str, int], kind: str, facts: Mapping[str, float]) -> None:
        self._database.run(
            "graph_run_put",
            {
                **owner,
                "kind": kind,
                "at": self._clock(),
                "generation": int(value(self._database, "generation")),
                "facts": json.dumps(facts, sort_keys=True),
            },
        )


def _reached(rows: Iterable[Row], decay: float) -> tuple[Reached, ...]:
    """The documents one link away, each by the link that passes most on, from lists of ids, uris and weights."""
    scores: dict[tuple[str, str], float] = {}
    for score, *linked in rows:
        for document, uri, weight in chain.from_iterable(map(json.loads, linked)):
            passed_on = score * decay * weight
            if passed_on > scores.get((uri, document), -math.inf):
                scores[uri, document] = passed_on
    ordered = sorted(scores, key=lambda place: (-scores[place], place))
    return tuple(Reached(DocumentId(document), scores[uri, document], 1) for uri, document in ordered)


def _texts(column: str) -> tuple[str, ...]:
    return () if column == "[]" else tuple(json.loads(column))


def _edge(row: tuple[Any, ...]) -> Edge:
    source, target, kind, weight, path, anchor, context, start, end, lookup = row
    return Edge(source, target or None, EdgeType(kind), weight, path, anchor, context, Span(start, end), Lookup(lookup))
