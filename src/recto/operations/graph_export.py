"""The graph taken elsewhere: as a view for people, for other programs, or as a page to look at."""

from __future__ import annotations

from dataclasses import replace

from recto.engine.engine import Engine
from recto.errors import NotIndexed
from recto.graph.view import Shown, View, view


def graph_view(engine: Engine, shown: Shown, *, sections: bool = False) -> View:
    """What the library holds now. Unknown collections are an error, an empty library too."""
    names = tuple(engine.collection(name).name for name in shown.collections)
    store, project = engine.store, engine.project.id
    with engine.store.reading():
        nodes = store.graph.nodes(project)
        if not nodes:
            raise NotIndexed(
                "the library holds no documents yet", hint="run `recto add FOLDER --name NAME` and `recto index`"
            )
        parts = {one.document: store.documents.sections(project, one.document) for one in nodes} if sections else None
        return view(
            nodes,
            store.graph.edges(project),
            store.graph.thematic(project),
            store.graph.communities(project),
            replace(shown, collections=names),
            parts,
        )
