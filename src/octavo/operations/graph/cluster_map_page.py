"""The map of a library as one page of HTML: nothing is fetched, what is shown is quoted."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

from octavo.graph.html_page import filled
from octavo.operations.graph.results import ClusterMap

_DRAWING = files("octavo.graph") / "drawing"


def map_data(drawn: ClusterMap) -> dict[str, Any]:
    """What the script draws: points and clusters as rows."""
    return {
        "chunks": drawn.chunks,
        "clusters": [[cluster.cluster, cluster.name, cluster.chunks] for cluster in drawn.clusters],
        "points": [[p.x, p.y, p.cluster, p.title, p.collection, p.uri, p.line] for p in drawn.points],
    }


def page(name: str, drawn: ClusterMap) -> str:
    # `<` is written as an escape: no title can end the script.
    data = json.dumps(map_data(drawn), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    marks = {
        "TITLE": html.escape(name),
        "STYLE": _read("page.css") + _read("map.css"),
        "PANEL": map_panel(),
        "SCRIPT": _read("zoom.js") + _read("map.js"),
        "DATA": data.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"),
    }
    return filled(_read("map.html"), marks)


def map_panel() -> str:
    """What stands beside the map."""
    return _read("map_panel.html")


def _read(name: str) -> str:
    return (_DRAWING / name).read_text("utf-8")
