"""What holds of the analyzer for every text."""

from __future__ import annotations

import io
import os
import re
import tarfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from octavo.algorithms.queries.phrase_prefilter import PhrasePrefilter
from octavo.algorithms.text.search_tokenizer import LONGEST, Analyzer, is_latin
from octavo.algorithms.text.unicode_folding import EMOJI, FLAG, fold

ANALYZER = Analyzer()
EMOJI_ONLY = re.compile(f"[{EMOJI}]|[{FLAG}]{{1,2}}")

ANYTHING = st.text(st.characters(exclude_categories=()))
PIECES = st.sampled_from(
    [
        *(
            "getUserById",
            "parse_json",
            "HTTPServer",
            "C++",
            "C#",
            ".NET",
            "node.js",
            "__init__",
            "_x_",
            "utf-8",
            "3.11",
        ),
        *(
            "user's",
            "don't",
            "café",
            "cafe\u0301",
            "東京都",
            "日",
            "한국어",
            "ภาษาไทย",
            "हिन्दी",
            "🚀",
            "🇫🇷",
            "👩\u200d💻",
            "ё",
        ),
        *(
            " ",
            " ",
            "\n",
            "-",
            ".",
            "_",
            "'",
            "+",
            "#",
            "(",
            ")",
            "`",
            "\u200b",
            "\u00a0",
            "™",
            "\ud800",
            "\0",
            "A",
            "b",
            "9",
        ),
    ]
)
MIXED = st.lists(PIECES, max_size=12).map("".join)
TEXTS = ANYTHING | MIXED


def is_token_character(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


@given(TEXTS)
def test_every_token_is_short_and_holds_nothing_an_engine_would_cut(text: str) -> None:
    for token in ANALYZER.tokens(text):
        assert 0 < len(token) <= LONGEST
        assert all(map(is_token_character, token)) or EMOJI_ONLY.fullmatch(token), ascii(token)
        token.encode()


@given(TEXTS)
def test_joined_is_the_tokens_with_single_spaces(text: str) -> None:
    assert ANALYZER.joined(text) == " ".join(ANALYZER.tokens(text))


@given(ANYTHING)
def test_a_text_in_other_letters_has_a_token_in_them(text: str) -> None:
    assert is_latin(text) or not all(map(str.isascii, ANALYZER.tokens(text)))


@given(TEXTS, TEXTS, st.sampled_from([" ", "\n", "\t", "\u3000", ", ", " (", "; "]))
def test_words_are_analysed_alike_wherever_they_stand(before: str, after: str, between: str) -> None:
    assert ANALYZER.tokens(before + between + after) == ANALYZER.tokens(before) + ANALYZER.tokens(after)


@given(st.lists(TEXTS, min_size=1), st.data())
def test_a_phrase_cut_out_at_spaces_is_a_run_of_the_tokens_of_its_text(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    tokens, phrase = ANALYZER.tokens(" ".join(words)), ANALYZER.tokens(" ".join(words[start:end]))
    assert any(tokens[i : i + len(phrase)] == phrase for i in range(len(tokens) - len(phrase) + 1))


@given(TEXTS)
def test_composed_and_decomposed_texts_are_the_same(text: str) -> None:
    assert ANALYZER.tokens(unicodedata.normalize("NFC", text)) == ANALYZER.tokens(unicodedata.normalize("NFD", text))


@given(TEXTS)
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.from_regex(r"[a-z]{1,12}( [a-z]{1,12}){0,3}", fullmatch=True))
def test_plain_words_do_not_depend_on_case(text: str) -> None:
    assert ANALYZER.tokens(text) == ANALYZER.tokens(text.upper()) == ANALYZER.tokens(text.capitalize())


@given(st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=2, max_size=4))
def test_spellings_of_a_compound_share_the_tokens_of_their_parts(parts: list[str]) -> None:
    spellings = ["_".join(parts), "-".join(parts), ".".join(parts), parts[0] + "".join(map(str.capitalize, parts[1:]))]
    assume("".join(parts) not in {"github", "gitlab", "latex", "macos", "mysql", "oauth", "sqlite"})
    expected = [token for part in parts for token in ANALYZER.tokens(part)]
    assert [ANALYZER.tokens(spelling)[1:] for spelling in spellings] == [expected] * 4
    whole = ANALYZER.tokens("".join(parts))
    assert [ANALYZER.tokens(spelling)[:1] for spelling in spellings[1:]] == [whole] * 3


@given(TEXTS)
def test_analysing_tokens_again_keeps_every_word_that_has_no_stem(text: str) -> None:
    tokens = [token for token in ANALYZER.tokens(text) if not token.isascii()]
    assert set(tokens) <= set(ANALYZER.tokens(" ".join(tokens)))


@given(TEXTS)
def test_a_query_is_a_part_of_its_analysis_and_empty_only_when_that_is(text: str) -> None:
    tokens, query = ANALYZER.tokens(text), ANALYZER.query_tokens(text)
    assert set(query) <= set(tokens)
    assert bool(query) == bool(tokens)


@given(TEXTS)
def test_a_prefix_is_one_token_or_nothing(text: str) -> None:
    assert all(map(is_token_character, ANALYZER.prefix(text)))


@pytest.mark.corpus
def test_every_phrase_of_a_real_page_is_a_run_of_its_tokens() -> None:
    shared = Path(os.environ.get("OCTAVO_SHARED_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
    archive = shared / "obsidian-help-en.tar.zst"
    if not archive.exists():
        pytest.skip(f"no corpus at {archive}")
    import zstandard

    with archive.open("rb") as packed:
        unpacked = zstandard.ZstdDecompressor().stream_reader(packed).read()
    with tarfile.open(fileobj=io.BytesIO(unpacked)) as pages:
        texts = [pages.extractfile(page).read().decode() for page in pages if page.name.endswith(".md")]  # type: ignore[union-attr]
    assert texts
    for text in texts:
        words = text.split()
        tokens = f" {ANALYZER.joined(text)} "
        for start in range(0, len(words), 7):
            phrase = ANALYZER.joined(" ".join(words[start : start + 5]))
            assert not phrase or f" {phrase} " in tokens


ENGLISH = st.sampled_from(
    ("dying", "libraries", "hoping", "relational", "skies", "generously", "running", "agreed", "the", "of", "a")
)


@given(TEXTS | st.lists(PIECES | ENGLISH, max_size=12).map(" ".join), st.data())
def test_no_text_that_says_a_phrase_fails_the_quick_test_for_it(text: str, data: st.DataObject) -> None:
    tokens = ANALYZER.tokens(text)
    assume(tokens)
    start = data.draw(st.integers(0, len(tokens) - 1))
    phrase = tokens[start : data.draw(st.integers(start + 1, len(tokens)))]
    assert PhrasePrefilter(phrase).said(text), ascii((text, phrase))
    assert PhrasePrefilter(phrase).most(text) == len(phrase)
