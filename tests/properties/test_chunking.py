"""What holds of the chunks of any document, whatever its blocks, the sizes wanted and the way tokens are counted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from long_runs import examples

sys.path.append(str(Path(__file__).parents[1] / "unit" / "chunking"))

from chunk_samples import WordCounter, assert_sound, built

from octavo.chunking.embedding_inputs import inputs, joined
from octavo.chunking.section_chunker import SectionChunker
from octavo.embedding.bundled_embedder import bundled_counter
from octavo.model.document import Source
from octavo.model.ids import DocumentId, text_hash
from octavo.model.index_recipe import ChunkSizes, default_sizes
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.ports import TokenCounter


class Unknowing(WordCounter):
    """Calls any word one token, however long."""

    def count(self, text: str) -> int:
        return len(text.split())


class Spelling(WordCounter):
    """Calls any character two tokens, as a tokenizer of bytes may."""

    def count(self, text: str) -> int:
        return 2 * sum(map(len, text.split()))


counters = st.sampled_from((WordCounter(), Unknowing(), Spelling()))

_word = st.one_of(
    st.text(max_size=8).map(lambda text: "".join(text.split()) or "w"),
    st.sampled_from(("word", "end.", "(so.)", "一二三。", "four。五", "naïve", "x" * 60, "y" * 400)),
)
_words = st.tuples(_word, st.sampled_from((" ", "\n")), st.integers(1, 40)).map(lambda of: (of[0] + of[1]) * of[2])
_line = _words.map(lambda text: " ".join(text.split()))
_lines = st.lists(_words, min_size=1, max_size=3).map(lambda parts: "".join(parts).rstrip())
_prose = _lines.map(lambda text: "p" + text)
_block = st.one_of(
    _prose,
    _prose,
    st.builds(lambda level, title: "#" * level + " " + title, st.integers(1, 6), st.sampled_from(("A", "B", "C d"))),
    _lines.map(lambda text: "```\n" + text + "\n\n```"),
    _line.map(lambda text: "    " + text),
    _lines.map(lambda text: "| " + text),
    _lines.map(lambda text: "- " + text),
    _lines.map(lambda text: "> " + text),
    _lines.map(lambda text: "<" + text),
)


@st.composite
def chunk_sizes(draw: st.DrawFn) -> ChunkSizes:
    small, lower, upper, hard = sorted(draw(st.lists(st.integers(4, 120), min_size=4, max_size=4)))
    return ChunkSizes(
        target_min=lower,
        target_max=upper,
        hard_max=hard,
        min_preferred=small,
        overlap=draw(st.integers(0, upper - 1)),
        max_heading_depth=draw(st.none() | st.integers(0, 6)),
        intelligent_heading_depth=draw(st.booleans()),
    )


@given(st.lists(_block, max_size=14), st.booleans(), chunk_sizes(), counters)
@settings(max_examples=examples(120), deadline=None)
def test_chunks_are_exact_slices_in_order_that_cover_the_text_within_their_sizes(
    blocks: Sequence[str], front_matter: bool, sizes: ChunkSizes, counter: TokenCounter
) -> None:
    document = built(*(["---\ntitle: A\n---"] if front_matter else []), *blocks)

    chunks = SectionChunker(sizes, counter).chunk(document)

    assert_sound(document, chunks, sizes, counter)
    assert chunks == SectionChunker(sizes, counter).chunk(document)


@given(
    st.lists(_block, max_size=8), chunk_sizes(), counters, st.integers(24, 140), st.sampled_from(("", "T", "t " * 90))
)
@settings(max_examples=examples(60), deadline=None)
def test_every_word_of_a_chunk_is_in_a_window_the_embedder_can_read(
    blocks: Sequence[str], sizes: ChunkSizes, counter: TokenCounter, window: int, title: str
) -> None:
    document = built(*blocks, title=title)

    for chunk in SectionChunker(sizes, counter).chunk(document):
        found = inputs(document, chunk, counter, window)
        assert [each.window for each in found] == list(range(len(found)))
        assert "".join("".join(each.span.of(document.text) for each in found).split()) == "".join(chunk.text.split())
        for each in found:
            text = joined(each.context, each.span.of(document.text))
            assert counter.count(text) <= window - 2
            assert each.hash == text_hash(text)


_bundled = bundled_counter()
_markup = st.sampled_from(
    (
        "# ",
        "## ",
        "###### ",
        "\n",
        "\n\n",
        "- ",
        "  - ",
        "1. ",
        "> ",
        "```",
        "~~~\n",
        "    ",
        "\t",
        "|",
        "|---|---|\n",
        "---\n",
    )
)
_sentence = st.sampled_from(
    ("One word. ", "Is this so? ", "这是一句话。", "naïve café\u0301 ", "\x0c", "\x85", "\u2028", "[SEP]")
)
_markdown = st.lists(
    st.one_of(
        _markup,
        _sentence,
        st.tuples(_sentence, st.integers(1, 90)).map(lambda pair: pair[0] * pair[1]),
        st.text(max_size=20),
        st.just("\n"),
    ),
    max_size=40,
).map("".join)


@given(_markdown, st.sampled_from((default_sizes(24), default_sizes(64), default_sizes(256))), st.booleans())
@settings(max_examples=examples(120), deadline=None)
def test_any_markdown_is_cut_soundly_as_the_bundled_model_counts(text: str, sizes: ChunkSizes, deep: bool) -> None:
    source = Source(DocumentId("doc_1"), "a.md", normalise(text), 0.0)
    document = MarkdownParser().parse(source)
    chosen = replace(sizes, intelligent_heading_depth=deep)

    chunks = SectionChunker(chosen, _bundled).chunk(document)

    assert_sound(document, chunks, chosen, _bundled)
