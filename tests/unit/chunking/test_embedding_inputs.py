"""What is embedded of a chunk, and the sizes that follow from what an embedder can read."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chunk_samples import WordCounter, built, words

from octavo.chunking.embedding_inputs import context_line, inputs, joined
from octavo.chunking.section_chunker import SectionChunker
from octavo.model.chunk import EmbeddingInput
from octavo.model.document import Document
from octavo.model.ids import text_hash
from octavo.model.index_recipe import ChunkSizes, context_reserve, default_sizes

COUNTER = WordCounter()
LONG = ChunkSizes(target_min=35, target_max=70, hard_max=70, min_preferred=7, overlap=0)


def all_inputs(document: Document, window: int, sizes: ChunkSizes | None = None) -> list[tuple[EmbeddingInput, ...]]:
    chunks = SectionChunker(sizes or default_sizes(window), COUNTER).chunk(document)
    return [inputs(document, chunk, COUNTER, window) for chunk in chunks]


def test_the_context_is_title_and_heading_path_with_arrows_between() -> None:
    assert context_line("Note", ("A", "B")) == "Note → A → B"
    assert context_line("util.py", ("Cache",), "def get(key)") == "util.py → Cache → def get(key)"


def test_a_title_that_opens_the_path_is_said_once() -> None:
    assert context_line("A", ("A", "B")) == "A → B"


def test_without_title_and_path_there_is_no_context() -> None:
    assert context_line("", ()) == ""
    assert joined("", "text") == "text"


def test_the_context_stands_on_a_line_of_its_own_before_the_text() -> None:
    assert joined(context_line("Note", ("A",)), "## A\n\ntext") == "Note → A\n## A\n\ntext"


def test_a_chunk_that_fits_has_one_input_with_its_whole_text() -> None:
    document = built("# A", words(10), title="Note")

    ((only,),) = all_inputs(document, 64)

    text = "Note → A\n" + document.text.strip()
    assert only == EmbeddingInput(0, only.span, text_hash(text), "Note → A")
    assert only.span.of(document.text) == document.text.strip()


def test_a_chunk_within_the_hard_maximum_has_one_input_however_long_its_context() -> None:
    sizes = replace(default_sizes(64), overlap=0)
    document = built("# " + words(14, "h"), words(sizes.hard_max - 15), title=words(40, "t"))

    ((only,),) = all_inputs(document, 64, sizes)

    assert COUNTER.count(joined(only.context, only.span.of(document.text))) <= 62
    assert only.context.startswith("t0 t1 t2")


def test_a_long_context_loses_its_middle_before_its_ends() -> None:
    document = built("# " + words(9, "a"), "## " + words(9, "b"), "### C", words(40), title="T")

    ((whole,),) = all_inputs(document, 90, LONG)
    ((short,),) = all_inputs(document, 80, LONG)
    ((shorter,),) = all_inputs(document, 76, LONG)

    assert whole.context == f"T → {words(9, 'a')} → {words(9, 'b')} → C"
    assert short.context == f"T → {words(9, 'b')} → C"
    assert shorter.context == "T → C"


def test_an_oversized_block_has_consecutive_windows_cut_at_line_ends() -> None:
    lines = [words(9, f"l{line}") for line in range(30)]
    document = built("# A", "```\n" + "\n".join(lines) + "\n```", title="Note")

    (windows,) = all_inputs(document, 64)

    assert [each.window for each in windows] == list(range(len(windows)))
    assert len(windows) == 5
    texts = [joined(each.context, each.span.of(document.text)) for each in windows]
    assert all(COUNTER.count(text) <= 62 for text in texts)
    assert [each.context for each in windows] == ["Note → A"] * len(windows)
    assert [each.hash for each in windows] == [text_hash(text) for text in texts]
    assert "\n".join(each.span.of(document.text) for each in windows) == document.text.strip()


def test_windows_of_a_single_line_are_cut_between_words() -> None:
    document = built("    " + words(200))

    (windows,) = all_inputs(document, 64)

    assert " ".join(each.span.of(document.text) for each in windows) == words(200)
    assert len(windows) == 4


def test_equal_inputs_have_equal_hashes() -> None:
    one = all_inputs(built("# A", words(20), title="T"), 64)
    other = all_inputs(built("# A", words(20), title="T"), 64)

    assert one == other


def test_a_long_window_gets_the_sizes_for_long_windows() -> None:
    expected = ChunkSizes(target_min=600, target_max=1000, hard_max=1200, min_preferred=200, overlap=100)

    assert default_sizes(1446) == expected
    assert default_sizes(8192) == expected


def test_a_short_window_leaves_room_for_the_context() -> None:
    assert default_sizes(256) == ChunkSizes(target_min=94, target_max=156, hard_max=188, min_preferred=31, overlap=15)


@pytest.mark.parametrize("window", [1, 2, 3, 4, 8, 16, 32, 128, 512, 1024])
def test_any_window_has_sizes_that_fit_it(window: int) -> None:
    assert default_sizes(window).hard_max + context_reserve(window) <= max(1, window - 2)
