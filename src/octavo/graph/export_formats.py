"""The graph in other formats: JSON as node-link data, GraphML for Gephi, yEd and networkx, one HTML page of its own."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from importlib.resources import files
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from octavo.graph.whole_graph_view import GraphView, NodeKind, ViewNode
from octavo.lazy_regex import regex

FORMAT = "octavo-graph-1"
# What XML 1.0 cannot hold, however it is written.
_FORBIDDEN = regex("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NODE_KEYS = ("kind", "label", "collection", "uri", "document_kind", "community", "degree", "tags", "aliases")
_NOTHING = (None, "", ())
_EDGE_KEYS = ("type", "weight", "anchor", "context")
_TYPES = {"community": "int", "degree": "int", "weight": "double"}


def as_json(view: GraphView) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "directed": True,
        "multigraph": True,
        "nodes": [_without_nothing(asdict(node)) for node in view.nodes],
        "links": [_without_nothing(asdict(edge)) for edge in view.edges],
        "communities": [{"community": number, "name": name} for number, name in view.communities.items()],
    }


def as_graphml(view: GraphView) -> Iterator[str]:
    """The file in pieces, each ending a line."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for place, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name in keys:
            kind = _TYPES.get(name, "string")
            yield f'  <key id="{place}_{name}" for="{place}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '  <graph id="library" edgedefault="directed">\n'
    for node in view.nodes:
        yield f"    <node id={_quoted(node.id)}>{_data('node', asdict(node), _NODE_KEYS)}</node>\n"
    for number, edge in enumerate(view.edges):
        ends = f"source={_quoted(edge.source)} target={_quoted(edge.target)}"
        yield f'    <edge id="e{number}" {ends}>{_data("edge", asdict(edge), _EDGE_KEYS)}</edge>\n'
    yield "  </graph>\n</graphml>\n"


def _data(place: str, values: dict[str, Any], keys: tuple[str, ...]) -> str:
    present = ((name, values[name]) for name in keys if values[name] not in _NOTHING)
    texts = ((name, ", ".join(value) if isinstance(value, tuple) else str(value)) for name, value in present)
    return "".join(f'<data key="{place}_{name}">{escape(_clean(text))}</data>' for name, text in texts)


def _quoted(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


def _without_nothing(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in _NOTHING}


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
