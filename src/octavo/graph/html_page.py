"""The graph as one HTML page that needs nothing else: no network, no library, no server."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from octavo.graph.whole_graph_view import GraphView, NodeKind, ViewNode
from octavo.lazy_regex import regex

_FILES = files("octavo.graph") / "drawing"
_MARK = regex("@@([A-Z]+)@@")


def drawn_links(view: GraphView) -> Mapping[tuple[str, str, str], int]:
    """The lines of a drawing as (source, target, type), and how many edges each stands for."""
    return Counter((edge.source, edge.target, edge.type) for edge in view.edges)


def page(view: GraphView, title: str) -> str:
    """Nodes by place, edges as pairs of places: what thousands of them take is small."""
    places = {node.id: place for place, node in enumerate(view.nodes)}
    data = {
        "title": title,
        "leftOut": view.left_out,
        "nodes": [
            [
                node.label,
                node.kind.value,
                node.collection,
                _where(node),
                -1 if node.community is None else node.community,
            ]
            for node in view.nodes
        ],
        "edges": [
            [places[source], places[target], kind, count] for (source, target, kind), count in drawn_links(view).items()
        ],
        "communities": [[number, name] for number, name in view.communities.items()],
    }
    script = read_drawing("zoom.js") + read_drawing("page.js")
    marks = {"STYLE": read_drawing("page.css"), "LAYOUT": read_drawing("layout.js"), "SCRIPT": script}
    return filled("page.html", title, data, marks)


def _where(node: ViewNode) -> str:
    """The uri of a document; of an entity, what kind it is of."""
    return node.document_kind if node.kind is NodeKind.ENTITY else node.uri


def filled(template: str, title: str, data: Mapping[str, Any], marks: Mapping[str, str]) -> str:
    """The template with what stands for each `@@NAME@@`, all at once: what is put in is not looked at again."""
    # `<` is written as an escape, so that no title can end the script it stands in.
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    written = written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    texts = {**marks, "TITLE": html.escape(title), "DATA": written}
    return _MARK.sub(lambda match: texts[match[1]], read_drawing(template))


def read_drawing(name: str) -> str:
    """A file that a drawing is made of."""
    return (_FILES / name).read_text("utf-8")
