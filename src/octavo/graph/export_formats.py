"""The graph in formats other programs read: JSON as node-link data, GraphML as Gephi, yEd and networkx take it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from octavo.graph.whole_graph_view import GraphView
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
