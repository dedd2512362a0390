"""The Markdown scanner against markdown-it on real notes: a sample, or all of them with OCTAVO_WHOLE_CORPUS=1."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from octavo.model.document import Source
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.markdown.block_scanner import scan
from octavo.parsing.markdown.front_matter_parsing import front_matter
from octavo.parsing.markdown.parser import MarkdownParser

SHARED = Path(os.environ.get("OCTAVO_SHARED_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")
WHOLE = os.environ.get("OCTAVO_WHOLE_CORPUS") == "1"
REFERENCE = MarkdownIt("commonmark", {"maxNesting": 1000})
BLOCKS_ONLY = MarkdownIt("commonmark", {"maxNesting": 1000})
BLOCKS_ONLY.core.ruler.disable(["inline"])


def notes(name: str, sample: int) -> Iterator[tuple[str, str]]:
    """Every `sample`-th note of a corpus, or every one, as a path and its normalised text."""
    import zstandard

    path = SHARED / f"{name}.tar.zst"
    if not path.exists():
        pytest.skip(f"{path.name} is not here; OCTAVO_SHARED_DATA names the folder that holds it")
    with path.open("rb") as packed:
        archive = io.BytesIO(zstandard.ZstdDecompressor().stream_reader(packed).read())
    with tarfile.open(fileobj=archive) as tar:
        members = [member for member in tar if member.isfile() and member.name.endswith(".md")]
        for member in members[:: 1 if WHOLE else sample]:
            content = tar.extractfile(member)
            assert content is not None
            yield member.name, normalise(content.read().decode("utf-8", "replace"))


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "sample"), [("mdn-content", 20), ("obsidian-help-en", 1)])
def test_every_heading_and_fence_of_a_corpus_is_where_markdown_it_finds_it(name: str, sample: int) -> None:
    differing = []
    for path, text in notes(name, sample):
        body = text[front_matter(text).end :]
        tokens = BLOCKS_ONLY.parse(body)
        starts = [0, *accumulate(len(line) + 1 for line in body.split("\n"))]
        headings = [
            (int(token.tag[1]), starts[token.map[0]], starts[token.map[1]], tokens[number + 1].content.strip())
            for number, token in enumerate(tokens)
            if token.type == "heading_open" and token.level == 0 and token.map
        ]
        fences = [
            (starts[token.map[0]], starts[token.map[1]], token.info)
            for token in tokens
            if token.type == "fence" and token.map
        ]
        found = scan(body)
        if [tuple(heading) for heading in found.headings] != headings or [tuple(x) for x in found.fences] != fences:
            differing.append(path)
    assert differing == []


def targets(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("link_open", "image"):
            yield unquote(str(token.attrs.get("href") or token.attrs.get("src") or ""))
        yield from targets(token.children or ())


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "sample"), [("mdn-content", 60), ("obsidian-help-en", 2)])
def test_every_link_of_a_corpus_points_where_markdown_it_says(name: str, sample: int) -> None:
    differing = []
    parser = MarkdownParser()
    for path, text in notes(name, sample):
        if "[[" in text:
            continue  # to markdown-it, a wikilink is something else
        body = text[front_matter(text).end :]
        links = [
            unquote(link.target if link.anchor is None else f"{link.target}#{link.anchor}")
            for link in parser.parse(Source(DocumentId("doc"), path, body, 0.0)).links
            if not link.span.of(body).startswith("http")  # nor does it know a URL without brackets
        ]
        if sorted(links) != sorted(targets(REFERENCE.parse(body))):
            differing.append(path)
    assert differing == []


@pytest.mark.corpus
@pytest.mark.parametrize(("name", "sample"), [("mdn-content", 20), ("obsidian-help-en", 1)])
def test_every_note_of_a_corpus_is_parsed_without_a_warning_and_covered_by_its_blocks(name: str, sample: int) -> None:
    parser = MarkdownParser()
    for path, text in notes(name, sample):
        document = parser.parse(Source(DocumentId("doc"), path, text, 0.0))
        assert (path, document.warnings) == (path, ())
        pos = 0
        for block in document.blocks:
            assert block.start >= pos
            assert not text[pos : block.start].strip(" \t\n")
            pos = block.end
        assert not text[pos:].strip(" \t\n")
        for link in document.links:
            assert link.span.of(text).startswith(("[", "![", "<", "http"))
