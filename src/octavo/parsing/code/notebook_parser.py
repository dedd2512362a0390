"""Notebook parser: cells are rendered as Markdown with code in fences, and parsed as that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.document import Document, Kind, Source
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.code.code_outline import imports_in, limited, pattern_for
from octavo.parsing.code.parser import links_of
from octavo.ports import Parser

RENDERED_FROM = "ipynb"
_LONGEST_OUTPUT = 400  # characters; a longer output is data
_MOST_LINES = 12
_FENCE = regex(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_TICKS = regex(r"`{3,}")


class NotebookParser:
    """Fits `ports.Parser`. The document's text is the rendering: offsets and lines refer to that, not to the JSON.

    A file whose content is not a notebook goes to the JSON parser, with a warning.
    """

    version = "notebook-1"

    def __init__(self, markdown: Parser, fallback: Parser) -> None:
        self._markdown = markdown
        self._fallback = fallback

    def parse(self, source: Source) -> Document:
        try:
            notebook = json.loads(source.text)
            cells = list(_cells(notebook))
        except (ValueError, TypeError, AttributeError, RecursionError):
            document = self._fallback.parse(source)
            return replace(document, warnings=(*document.warnings, "not a notebook, by its content: read as JSON"))
        language = _language(notebook)
        text, code = _rendered(cells, language)
        document = self._markdown.parse(replace(source, text=text, kind=source.kind or Kind.CODE))
        pattern = pattern_for(language)
        imports = [item for start, end in code for item in imports_in(pattern, text, start, end)] if pattern else []
        links = sorted((*document.links, *links_of(limited(imports))), key=lambda link: link.span)
        metadata = {**document.metadata, "rendered_from": RENDERED_FROM}
        return replace(document, language=language, links=tuple(links), metadata=metadata)


def _cells(notebook: Any) -> Iterator[Mapping[str, Any]]:
    if "cells" not in notebook and "worksheets" not in notebook:
        raise ValueError("no cells")
    sheets = [notebook] if "cells" in notebook else notebook["worksheets"]
    for sheet in sheets:
        for cell in sheet.get("cells", ()):
            if not isinstance(cell, Mapping):
                raise TypeError("a cell is an object")
            yield cell


def _language(notebook: Mapping[str, Any]) -> str:
    about = notebook.get("metadata")
    for key, field in (("language_info", "name"), ("kernelspec", "language")):
        section = about.get(key) if isinstance(about, Mapping) else None
        name = section.get(field) if isinstance(section, Mapping) else None
        if isinstance(name, str) and re.fullmatch(r"[\w+#.-]{1,30}", name):
            return name.lower()
    return "python"


def _rendered(cells: list[Mapping[str, Any]], language: str) -> tuple[str, list[tuple[int, int]]]:
    """The text, and the ranges of code in it."""
    rendered_cells: list[str] = []
    code: list[tuple[int, int]] = []
    size = 0
    for cell in cells:
        source = normalise(_joined(cell.get("source", cell.get("input", "")))).rstrip("\n")
        kind = cell.get("cell_type")
        if not source.strip():
            continue
        if kind == "code":
            fenced = _fenced(source, language)
            begin = size + fenced.index("\n") + 1
            code.append((begin, begin + len(source)))
            rendered = "\n\n".join([fenced, *map(_fenced, _outputs(cell))])
        elif kind == "raw" and not source.startswith("---"):
            rendered = _fenced(source)
        elif kind == "heading":
            level = cell.get("level")
            rendered = "#" * (level if isinstance(level, int) and 0 < level < 7 else 1) + " " + " ".join(source.split())
        else:
            rendered = _closed(source)
        rendered_cells.append(rendered)
        size += len(rendered) + 2
    return normalise("\n\n".join(rendered_cells)), code


def _joined(source: Any) -> str:
    if isinstance(source, list):
        lines = [line for line in source if isinstance(line, str)]
        # Lines of the second format have no ends.
        return ("" if lines and lines[0].endswith(("\n", "\r")) else "\n").join(lines)
    return source if isinstance(source, str) else ""


def _fenced(text: str, language: str = "text") -> str:
    """Wrapped in a fence longer than any inside."""
    fence = "`" * max(3, max((len(match[0]) + 1 for match in _TICKS.finditer(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def _closed(markdown: str) -> str:
    """With an open fence closed: a cell's code must not extend into the next cell."""
    opened = ""
    for match in _FENCE.finditer(markdown):
        mark, rest = match[1], match[2]
        if not opened:
            opened = mark if mark[0] == "~" or "`" not in rest else ""
        elif mark[0] == opened[0] and len(mark) >= len(opened) and not rest.strip():
            opened = ""
    return f"{markdown}\n{opened}" if opened else markdown


def _outputs(cell: Mapping[str, Any]) -> Iterator[str]:
    """Short text outputs; images and data tables are omitted."""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, Mapping):
            continue
        data = output.get("data")
        shown = data if isinstance(data, Mapping) and not any(str(kind).startswith("image/") for kind in data) else {}
        text = _joined(output.get("text", shown.get("text/plain", "")))
        if output.get("output_type") == "error":
            text = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        text = normalise(text).strip("\n")
        if text.strip() and len(text) <= _LONGEST_OUTPUT and text.count("\n") < _MOST_LINES:
            yield text
