"""The graph as one HTML page that needs nothing else: no network, no library, no server."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files

from recto.graph.view import View

_FILES = files("recto.graph") / "drawing"
_MARK = re.compile("@@([A-Z]+)@@")


def page(view: View, title: str) -> str:
    """Nodes by place, edges as pairs of places: what thousands of them take is small."""
    places = {node.id: place for place, node in enumerate(view.nodes)}
    joined: dict[tuple[int, int, str], int] = {}
    for edge in view.edges:
        key = (places[edge.source], places[edge.target], edge.type)
        joined[key] = joined.get(key, 0) + 1
    data = {
        "title": title,
        "leftOut": view.left_out,
        "nodes": [
            [node.label, node.kind.value, node.collection, node.uri, -1 if node.community is None else node.community]
            for node in view.nodes
        ],
        "edges": [[source, target, kind, count] for (source, target, kind), count in joined.items()],
        "communities": [[number, name] for number, name in view.communities.items()],
    }
    # `<` is written as an escape, so that no title can end the script it stands in.
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    written = written.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    parts = {
        "TITLE": html.escape(title),
        "STYLE": _read("page.css"),
        "LAYOUT": _read("layout.js"),
        "SCRIPT": _read("page.js"),
        "DATA": written,
    }
    return _MARK.sub(lambda found: parts[found[1]], _read("page.html"))


def _read(name: str) -> str:
    return (_FILES / name).read_text("utf-8")
