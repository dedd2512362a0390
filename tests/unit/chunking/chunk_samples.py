"""Documents built by hand for chunking tests, a counter to cut them with, and what holds of any chunking."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from octavo.chunking.section_chunker import SectionChunker
from octavo.model.chunk import Chunk
from octavo.model.document import ATOMIC, Block, BlockKind, Document, Kind, Section
from octavo.model.ids import DocumentId, section_id, text_hash
from octavo.model.index_recipe import ChunkSizes
from octavo.model.normalised_text_and_spans import LineIndex, Span
from octavo.ports import TokenCounter

_WORD = re.compile(r"\S+")
_TOKEN = re.compile(r"[\u3001-\u9fff]|[^\s\u3001-\u9fff]{1,12}")

SIZES = ChunkSizes(target_min=10, target_max=20, hard_max=24, min_preferred=4, overlap=0)


class WordCounter:
    """A token is a CJK character, or up to twelve others; white space separates and counts for nothing."""

    def count(self, text: str) -> int:
        return sum(len(_TOKEN.findall(word)) for word in text.split())

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def words(self, text: str) -> Sequence[tuple[int, int]]:
        return [(word.end(), self.count(word.group())) for word in _WORD.finditer(text)]


_KINDS = (
    ("#", BlockKind.HEADING),
    ("```", BlockKind.FENCE),
    ("    ", BlockKind.CODE),
    ("|", BlockKind.TABLE),
    ("- ", BlockKind.ITEM),
    (">", BlockKind.QUOTE),
    ("<", BlockKind.HTML),
    ("---\n", BlockKind.FRONT_MATTER),
)


def built(*sources: str, title: str = "") -> Document:
    """A document of the given blocks, a blank line between them, their kinds told by how they begin."""
    name = DocumentId("doc_1")
    blocks: list[Block] = []
    headings: list[tuple[int, int, str]] = []
    text = ""
    for source in sources:
        text += "\n" if text else ""
        kind = next((kind for prefix, kind in _KINDS if source.startswith(prefix)), BlockKind.PARAGRAPH)
        if kind is BlockKind.HEADING:
            headings.append((len(text), len(source) - len(source.lstrip("#")), source.lstrip("# ")))
        blocks.append(Block(kind, len(text), len(text) + len(source) + 1))
        text += source + "\n"
    first = headings[0][0] if headings else len(text)
    sections = [Section(section_id(name, (), 0), (), 0, "", Span(0, first))]
    open_titles: list[tuple[int, str]] = []
    for index, (start, level, heading) in enumerate(headings):
        open_titles = [*((deep, each) for deep, each in open_titles if deep < level), (level, heading)]
        end = next((at for at, other, _ in headings[index + 1 :] if other <= level), len(text))
        path = tuple(each for _, each in open_titles)
        sections.append(Section(section_id(name, path, index), path, level, f"h{index}", Span(start, end)))
    return Document(
        name, "a.md", Kind.NOTE, title, text, text_hash(text), 0.0, sections=tuple(sections), blocks=tuple(blocks)
    )


def words(number: int, word: str = "w") -> str:
    return " ".join(f"{word}{index}" for index in range(number))


def texts(document: Document, sizes: ChunkSizes = SIZES) -> list[str]:
    return [chunk.text for chunk in chunked(document, sizes)]


def paths(document: Document, sizes: ChunkSizes = SIZES) -> list[str]:
    return ["/".join(chunk.heading_path) for chunk in chunked(document, sizes)]


def chunked(document: Document, sizes: ChunkSizes = SIZES) -> tuple[Chunk, ...]:
    counter = WordCounter()
    chunks = SectionChunker(sizes, counter).chunk(document)
    assert_sound(document, chunks, sizes, counter)
    return chunks


def assert_sound(document: Document, chunks: Sequence[Chunk], sizes: ChunkSizes, counter: TokenCounter) -> None:
    """What the chunker promises of every document."""
    lines = LineIndex(document.text)
    sections = {(section.id, section.path) for section in document.sections}
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    for ordinal, chunk in enumerate(chunks):
        assert chunk.ordinal == ordinal
        assert chunk.text == chunk.span.of(document.text)
        assert chunk.text_hash == text_hash(chunk.text)
        assert chunk.lines == lines.lines(chunk.span.start, chunk.span.end)
        assert chunk.tokens == counter.count(chunk.text)
        assert (chunk.section_id, chunk.heading_path) in sections
        assert chunk.text.strip(), "a blank chunk"
        assert chunk.text.split("\n")[0].strip(), "a chunk that begins with a blank line"
        assert chunk.text == chunk.text.rstrip()
        if chunk.tokens > sizes.hard_max:
            _assert_one_atomic_block(document, chunk, sizes.min_preferred, counter)
    for one, next_one in pairwise(chunks):
        assert one.span.start < next_one.span.start
        assert one.span.end < next_one.span.end
    _assert_covered(document, chunks)


def _assert_one_atomic_block(document: Document, chunk: Chunk, least: int, counter: TokenCounter) -> None:
    """Over the hard maximum is only an atomic block, below nothing or a few words."""
    held = [block for block in document.blocks if block.start < chunk.span.end and block.end > chunk.span.start]
    last = held[-1]
    assert last.kind in ATOMIC or last.kind is BlockKind.FRONT_MATTER
    before = document.text[chunk.span.start : max(last.start, chunk.span.start)]
    assert not before or counter.count(before) < least


def _assert_covered(document: Document, chunks: Sequence[Chunk]) -> None:
    bodies = [block for block in document.blocks if block.kind is not BlockKind.FRONT_MATTER]
    left = list(document.text)
    if bodies:
        for block in document.blocks:
            if block.kind is BlockKind.FRONT_MATTER:
                left[block.start : block.end] = " " * (block.end - block.start)
    for chunk in chunks:
        left[chunk.span.start : chunk.span.end] = " " * chunk.span.length
    assert not "".join(left).strip(), f"not in any chunk: {''.join(left).strip()[:80]!r}"
