"""Whole documents and the chunks they are known to give; OCTAVO_UPDATE_GOLDEN=1 writes them anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from chunk_samples import assert_sound

from octavo.chunking.section_chunker import SectionChunker
from octavo.embedding.bundled_embedder import bundled_counter
from octavo.model.chunk import Chunk
from octavo.model.document import Source
from octavo.model.ids import DocumentId
from octavo.model.index_recipe import default_sizes
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.ports import TokenCounter

GOLDEN = Path(__file__).parents[2] / "golden" / "chunks"
WINDOW = 256


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return bundled_counter()


def described(chunk: Chunk) -> dict[str, object]:
    return {
        "path": list(chunk.heading_path),
        "span": [chunk.span.start, chunk.span.end],
        "lines": [chunk.lines.first, chunk.lines.last],
        "tokens": chunk.tokens,
        "type": chunk.content_type.value,
        "begins": chunk.text[:48],
        "ends": chunk.text[-48:],
    }


@pytest.mark.parametrize("source", sorted(GOLDEN.glob("*.md")), ids=lambda path: path.stem)
def test_a_known_document_is_cut_as_it_always_was(source: Path, counter: TokenCounter) -> None:
    text = normalise(source.read_text(encoding="utf-8"))
    document = MarkdownParser().parse(Source(DocumentId("doc_golden"), source.name, text, 0.0))
    sizes = default_sizes(WINDOW)

    chunks = SectionChunker(sizes, counter).chunk(document)

    assert_sound(document, chunks, sizes, counter)
    found = [described(chunk) for chunk in chunks]
    golden = source.with_suffix(".json")
    if os.environ.get("OCTAVO_UPDATE_GOLDEN"):
        golden.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == json.loads(golden.read_text(encoding="utf-8"))
