"""The map of a library as one page of HTML: nothing is fetched, what is shown is quoted."""

from __future__ import annotations

from typing import Any

from octavo.graph.html_page import filled, read_drawing
from octavo.operations.graph.results import ClusterMap


def map_data(drawn: ClusterMap) -> dict[str, Any]:
    """What the script draws: points and clusters as rows."""
    return {
        "chunks": drawn.chunks,
        "clusters": [[cluster.cluster, cluster.name, cluster.chunks] for cluster in drawn.clusters],
        "points": [[p.x, p.y, p.cluster, p.title, p.collection, p.uri, p.line] for p in drawn.points],
    }


def page(name: str, drawn: ClusterMap) -> str:
    style = read_drawing("page.css") + read_drawing("map.css")
    script = read_drawing("zoom.js") + read_drawing("map.js")
    return filled("map.html", name, map_data(drawn), {"STYLE": style, "PANEL": map_panel(), "SCRIPT": script})


def map_panel() -> str:
    """What stands beside the map."""
    return read_drawing("map_panel.html")
