"""PowerPoint: a section for each slide with its title, text, tables, chart labels and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from xml.etree.ElementTree import Element

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.converting.zipped_xml import Package, attribute, below, child, core_facts, local
from octavo.model.converted_file import Converted, RefusedFile, Unit

CONVERTER = "pptx-2"
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"dt", "ftr", "sldNum", "hdr", "sldImg"})
_MOST_LABELS = 200


def read_pptx(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    builder = TextBuilder(Unit.SLIDE)
    titles: list[str] = []
    package = Package(data)
    slides = list(_slides(package))
    if not slides:
        return RefusedFile("damaged: it has no slides")
    facts = core_facts(package)
    with suppress(TooLong):
        for number, part in enumerate(slides, 1):
            builder.mark(str(number))
            titles.append(_write_slide(builder, package, part, number))
    title = facts.pop("title", "")
    if is_title_of_nothing(title):
        title = next((candidate for candidate in titles if candidate), "")
    return builder.converted(CONVERTER, title, {**facts, "slides": len(slides)})


def is_title_of_nothing(title: str) -> bool:
    """Whether a presentation is called what its program calls any."""
    return not title or title.casefold() in ("powerpoint presentation", "slide 1", "no slide title")


def _slides(package: Package) -> Iterator[str]:
    """The parts of the slides, in the order in which they are shown."""
    main = next((target for kind, target in package.related("").values() if kind == "officeDocument"), "")
    root = package.xml(main or "ppt/presentation.xml")
    related = package.related(main or "ppt/presentation.xml")
    for node in below(root, "sldId") if root is not None else ():
        for key, value in node.attrib.items():
            if key.endswith("}id") and value in related:
                yield related[value][1]


def _write_slide(builder: TextBuilder, package: Package, part: str, number: int) -> str:
    root = package.xml(part)
    if root is None:
        return ""
    related = package.related(part)
    shapes = list(_shapes(root))
    title = next((one_line(_text(shape)) for shape in shapes if _placeholder(shape) in _TITLES), "")
    builder.heading(1, title or f"Slide {number}")
    for shape in shapes:
        kind = _placeholder(shape)
        if kind not in _TITLES and kind not in _FURNITURE:
            _write_shape(builder, package, related, shape)
    for kind, target in related.values():
        if kind == "notesSlide" and (notes := _notes(package, target)):
            builder.paragraph(f"Notes: {notes}")
    return title


def _shapes(root: Element) -> Iterator[Element]:
    for node in root:
        if local(node) in ("sp", "graphicFrame", "pic"):
            yield node
        elif local(node) not in ("Fallback", "extLst", "timing", "transition"):
            yield from _shapes(node)


def _write_shape(builder: TextBuilder, package: Package, related: dict[str, tuple[str, str]], shape: Element) -> None:
    if local(shape) == "pic":
        described = next((attribute(node, "descr") for node in below(shape, "cNvPr")), "")
        builder.paragraph(described if len(described) > 3 else "")
        return
    for table in below(shape, "tbl"):
        builder.table([[one_line(_text(cell)) for cell in below(row, "tc")] for row in below(table, "tr")])
        return
    for diagram in below(shape, "relIds"):
        for label in diagram_labels(package, related.get(attribute(diagram, "dm"), ("", ""))[1]):
            builder.item(label)
    for chart in below(shape, "chart"):
        target = related.get(attribute(chart, "id"), ("", ""))[1]
        if target:
            builder.paragraph(chart_labels(package.xml(target)))
    body = child(shape, "txBody")
    paragraphs = [node for node in body if local(node) == "p"] if body is not None else []
    listed = len(paragraphs) > 1
    for paragraph in paragraphs:
        text = one_line(_text(paragraph))
        properties = child(paragraph, "pPr")
        depth = attribute(properties, "lvl") if properties is not None else ""
        if listed:
            builder.item(text, int(depth) if depth.isdigit() else 0)
        else:
            builder.paragraph(text)


def chart_labels(root: Element | None) -> str:
    """Titles, names of series and categories; numbers only where there are few."""
    if root is None:
        return ""
    labels = [node.text or "" for node in below(root, "t", "v")]
    return "Chart: " + ", ".join(dict.fromkeys(filter(None, labels[:_MOST_LABELS]))) if labels else ""


def diagram_labels(package: Package, part: str) -> Iterator[str]:
    """The texts of a SmartArt diagram, in the order in which its author wrote them."""
    root = package.xml(part) if part else None
    for point in below(root, "pt") if root is not None else ():
        if attribute(point, "type") in ("", "node"):
            yield one_line(_text(point))


def _notes(package: Package, part: str) -> str:
    root = package.xml(part)
    shapes = [shape for shape in _shapes(root) if _placeholder(shape) == "body"] if root is not None else []
    return "\n".join(one_line(_text(node)) for shape in shapes for node in below(shape, "p"))


def _placeholder(shape: Element) -> str:
    node = next(below(shape, "ph"), None)
    return "" if node is None else attribute(node, "type") or "body"


def _text(node: Element) -> str:
    parts = []
    for part in node.iter():
        name = local(part)
        if name == "t":
            parts.append(part.text or "")
        elif name in ("br", "p"):
            parts.append("\n")
        elif name == "tab":
            parts.append("\t")
    return "".join(parts)
