"""Whole files in each language, what is found in them and how they are cut; OCTAVO_UPDATE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from chunk_samples import assert_sound

from octavo.chunking.code_chunker import CodeChunker, MixedChunker
from octavo.chunking.section_chunker import SectionChunker
from octavo.embedding.bundled_embedder import bundled_counter
from octavo.model.chunk import Chunk
from octavo.model.document import Document, Source
from octavo.model.ids import DocumentId
from octavo.model.index_recipe import default_sizes
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.registry import code_parser
from octavo.ports import TokenCounter

GOLDEN = Path(__file__).parents[2] / "golden" / "code"
EXPECTED = GOLDEN / "expected"
WINDOW = 128


@pytest.fixture(scope="module")
def counter() -> TokenCounter:
    return bundled_counter()


def outline(document: Document) -> dict[str, object]:
    return {
        "kind": document.kind.value,
        "language": document.language,
        "title": document.title,
        "description": document.description,
        "keywords": list(document.keywords),
        "sections": [
            f"{'  ' * each.level}{' → '.join(each.path)} #{each.anchor} {each.span.start}..{each.span.end}"
            for each in document.sections
        ],
        "links": [f"{link.kind} {link.target} ({link.shown or ''})" for link in document.links],
        "warnings": list(document.warnings),
    }


def described(chunk: Chunk) -> dict[str, object]:
    return {
        "path": " → ".join(chunk.heading_path),
        "lines": [chunk.lines.first, chunk.lines.last],
        "tokens": chunk.tokens,
        "type": chunk.content_type.value,
        "signature": chunk.signature,
        "begins": chunk.text[:48],
        "ends": chunk.text[-48:],
    }


SOURCES = sorted(path for path in GOLDEN.iterdir() if path.is_file())


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_a_known_file_is_read_and_cut_as_it_always_was(source: Path, counter: TokenCounter) -> None:
    text = normalise(source.read_text(encoding="utf-8"))
    sizes = default_sizes(WINDOW)
    parser = code_parser(source.name)
    assert parser is not None

    document = parser.parse(Source(DocumentId("doc_golden"), f"src/harbour/{source.name}", text, 0.0))
    chunks = MixedChunker(SectionChunker(sizes, counter), CodeChunker(sizes, counter)).chunk(document)

    assert_sound(document, chunks, sizes, counter)
    found = {"outline": outline(document), "chunks": [described(chunk) for chunk in chunks]}
    golden = EXPECTED / f"{source.name}.json"
    if os.environ.get("OCTAVO_UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == json.loads(golden.read_text(encoding="utf-8"))
