"""Canvases of Obsidian and diagrams of draw.io: the text on their cards, shapes and arrows."""

from __future__ import annotations

import base64
import json
import zlib
from contextlib import suppress
from urllib.parse import unquote
from xml.etree.ElementTree import Element

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.html import write_html
from octavo.converting.html_tree import parse_html
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.converting.zipped_xml import attribute, below, parsed
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile

_MOST_UNPACKED = 50_000_000
_LONGEST_END = 80  # characters of a shape by which an arrow names it
_HEADING = regex(r"(#{1,5})\s+(.*)")
_ITEM = regex(r"(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.*)")


def read_canvas(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    try:
        canvas = json.loads(data)
        nodes = [node for node in canvas.get("nodes", ()) if isinstance(node, dict)]
        edges = [edge for edge in canvas.get("edges", ()) if isinstance(edge, dict)]
    except (ValueError, AttributeError):
        return RefusedFile("damaged: it is no canvas")
    builder = TextBuilder()
    names = {}
    with suppress(TooLong):
        for node in nodes:
            shown = next((str(node[field]) for field in ("text", "label", "file", "url") if node.get(field)), "")
            first = next((line for line in shown.split("\n") if line.strip()), "")
            names[node.get("id")] = one_line(first.lstrip("#"))[:_LONGEST_END]
            if node.get("type") == "group":
                builder.heading(1, shown)
            elif node.get("type") == "file":
                builder.paragraph(shown + str(node.get("subpath") or ""))
            else:
                _write_card(builder, shown)
        for edge in edges:
            ends = [names.get(edge.get(end), "") for end in ("fromNode", "toNode")]
            builder.item(f"{ends[0]} → {ends[1]}" + (f": {edge['label']}" if edge.get("label") else ""))
    return builder.converted("canvas-2")


def _write_card(builder: TextBuilder, markdown: str) -> None:
    """A card's headings, items and paragraphs; its headings are below those of the canvas."""
    paragraph: list[str] = []
    for line in [*markdown.split("\n"), ""]:
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if not line.strip() or heading or item:
            builder.paragraph("\n".join(paragraph))
            paragraph = []
        if heading:
            builder.heading(len(heading[1]) + 1, heading[2])
        elif item:
            builder.item(item[2], len(item[1].expandtabs(4)) // 2)
        elif line.strip():
            paragraph.append(line)


def read_drawio(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    builder = TextBuilder()
    try:
        root = parsed(data, "it")
        for page in list(below(root, "diagram")) or [root]:
            builder.heading(1, attribute(page, "name"))
            _write_diagram(builder, _unpacked(page))
    except TooLong:
        pass
    except (ValueError, zlib.error):
        return RefusedFile("damaged: its diagrams cannot be unpacked")
    return builder.converted("drawio-3")


def _write_diagram(builder: TextBuilder, diagram: Element) -> None:
    """What shapes say, then which of them the arrows connect. A text on an arrow is a shape within it."""
    labels: dict[str, str] = {}
    arrows: dict[str, tuple[str, str, list[str]]] = {}
    for cell in below(diagram, "mxCell", "object", "UserObject"):
        inner = next(below(cell, "mxCell"), cell)
        value = attribute(cell, "value") or attribute(cell, "label")
        shown, name = one_line(parse_html(value).text()) if value else "", attribute(cell, "id")
        if not name:
            continue  # the cell inside of an object, which was read with it
        if attribute(inner, "edge") == "1":
            arrows[name] = attribute(inner, "source"), attribute(inner, "target"), [shown] if shown else []
        elif attribute(inner, "parent") in arrows:
            arrows[attribute(inner, "parent")][2].append(shown)
        elif value:
            labels[name] = shown[:_LONGEST_END]
            write_html(builder, parse_html(value))
    for source, target, label in arrows.values():
        ends = [labels[end] for end in (source, target) if labels.get(end)]
        if len(ends) == 2 or label:
            builder.item(" → ".join(ends) + (": " if ends and label else "") + ", ".join(label))


def _unpacked(page: Element) -> Element:
    """A diagram is XML, or that deflated and encoded."""
    packed = (page.text or "").strip()
    if len(page) or not packed:
        return page
    unpacked = zlib.decompressobj(-15).decompress(base64.b64decode(packed), _MOST_UNPACKED)
    return parsed(unquote(unpacked.decode("utf-8")).encode(), "a diagram")
