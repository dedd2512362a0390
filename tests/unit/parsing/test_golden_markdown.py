"""What the parser makes of whole notes, as files a person can read. OCTAVO_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from octavo.model.document import Document, Source
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import LineIndex, Span, normalise
from octavo.parsing.markdown.parser import MarkdownParser

GOLDEN = Path(__file__).parents[2] / "golden" / "markdown"


def shown(document: Document) -> dict[str, Any]:
    text = document.text
    lines = LineIndex(text)

    def line_range(span: Span) -> str:
        where = lines.lines(span.start, span.end)
        return f"{where.first}-{where.last}"

    return {
        "title": document.title,
        "description": document.description,
        "keywords": document.keywords,
        "aliases": document.aliases,
        "tags": document.tags,
        "metadata": document.metadata,
        "warnings": document.warnings,
        "sections": [
            f"{section.level} {line_range(section.span)} #{section.anchor} {' / '.join(section.path)}"
            for section in document.sections
        ],
        "blocks": [
            " ".join(filter(None, (line_range(Span(block.start, block.end)), block.kind, block.language)))
            for block in document.blocks
        ],
        "links": [
            {
                "kind": link.kind,
                "target": link.target,
                "anchor": link.anchor,
                "shown": link.shown,
                "written": link.span.of(text),
            }
            for link in document.links
        ],
    }


@pytest.mark.parametrize("note", sorted(GOLDEN.glob("*.md")), ids=lambda path: path.stem)
def test_a_note_is_read_as_its_golden_file_says(note: Path) -> None:
    text = normalise(note.read_text(encoding="utf-8"))
    document = MarkdownParser().parse(Source(DocumentId("doc"), f"notes/{note.name}", text, 0.0))
    written = json.dumps(shown(document), indent=2, ensure_ascii=False) + "\n"
    expected = note.with_suffix(".json")
    if os.environ.get("OCTAVO_UPDATE_GOLDEN") == "1":
        expected.write_text(written, encoding="utf-8")
    assert written == expected.read_text(encoding="utf-8")
