"""Canvases of Obsidian and diagrams of draw.io: the text on their cards, shapes and arrows."""

from __future__ import annotations

import base64
import json
import zlib
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from octavo.converting.child import Settings
from octavo.converting.html import write_html
from octavo.converting.html_tree import parse_html
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.converting.zipped_xml import Damaged, attribute, below, parsed
from octavo.model.converted import Converted, Refused

_MOST_UNPACKED = 50_000_000


def read_canvas(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    try:
        canvas = json.loads(data)
        nodes = [node for node in canvas.get("nodes", ()) if isinstance(node, dict)]
        edges = [edge for edge in canvas.get("edges", ()) if isinstance(edge, dict)]
    except (ValueError, AttributeError):
        return Refused("damaged: it is no canvas")
    builder = TextBuilder()
    names = {}
    try:
        for node in nodes:
            shown = next((str(node[field]) for field in ("text", "label", "file", "url") if node.get(field)), "")
            names[node.get("id")] = one_line(shown)[:80]
            if node.get("type") == "group":
                builder.heading(1, shown)
            else:
                builder.paragraph(shown)
        for edge in edges:
            ends = [names.get(edge.get(end), "") for end in ("fromNode", "toNode")]
            builder.item(f"{ends[0]} → {ends[1]}" + (f": {edge['label']}" if edge.get("label") else ""))
    except TooLong:
        pass
    return builder.converted("canvas-1")


def read_drawio(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    builder = TextBuilder()
    try:
        root = parsed(data, "it")
        for page in list(below(root, "diagram")) or [root]:
            builder.heading(1, attribute(page, "name"))
            for cell in below(_unpacked(page), "mxCell", "object", "UserObject"):
                value = attribute(cell, "value") or attribute(cell, "label")
                if value:
                    write_html(builder, parse_html(value))
    except TooLong:
        pass
    except (Damaged, ValueError, zlib.error) as error:
        return Refused(str(error) if isinstance(error, Damaged) else "damaged: its diagrams cannot be unpacked")
    return builder.converted("drawio-1")


def _unpacked(page: Element) -> Element:
    """A diagram is XML, or that deflated and encoded."""
    packed = (page.text or "").strip()
    if len(page) or not packed:
        return page
    unpacked = zlib.decompressobj(-15).decompress(base64.b64decode(packed), _MOST_UNPACKED)
    return parsed(unquote(unpacked.decode("utf-8")).encode(), "a diagram")
