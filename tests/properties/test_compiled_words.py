"""The compiled part against Python: the same tokens, counts, languages, sums and keys for anything a file can hold."""

from __future__ import annotations

import logging
import threading
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from bpe_words import VOCABULARY
from hypothesis import example, given, settings
from hypothesis import strategies as st

from octavo.algorithms.compiled import library_loading
from octavo.algorithms.compiled.hint_search import CompiledHints
from octavo.algorithms.compiled.library_loading import BETWEEN_WORDS, VARIABLE, compiled_library
from octavo.algorithms.compiled.word_table import WordTable
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.embedding.bpe import BpeCounter
from octavo.embedding.static_token_table import CompiledRowSums, TokenTable
from octavo.model.prepared_document import FIELD_SEPARATOR
from octavo.search_snapshots.lexical_segment import CompiledTermNumbers, TermNumbers
from octavo.sources import secret_redaction

pytestmark = [
    pytest.mark.one_engine,
    pytest.mark.skipif(compiled_library() is None, reason="no compiled library: there was no compiler"),
]

PADDING = "padding of words that makes a call worth its while " * 10
SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
PARTS = st.one_of(
    st.sampled_from("abcXYZ019'\"-_.,;:!?()[]{}<>#*`~|/\\@&%$^+="),
    st.sampled_from(SPACES),
    st.sampled_from(["  ", "\n\n", "\n\n\n", " \n", "\n ", "\r\n", "\t\t", "\n\n\nword", "word\n\n"]),
    st.sampled_from(
        ["getUserById", "parse_json", "__init__", "C++", ".NET", "3.11", "l'homme", "don't", "it's", "'ll"]
    ),
    st.sampled_from(["der", "die", "und", "nicht", "the", "of", "and", "le", "les", "dans", "и", "не", "の", "です"]),
    st.sampled_from("\x00\x01\x02\x08\x7f\xad\u200d\u2060\ufffd\ue000\ud800\udfff\U0010ffff\xff"),
    st.sampled_from("éÉñüÅßſıİΣσςẞǅ①²½Ⅷ٣ﬁＡ가각힣한の東京漢字一々𠀀豈⺀ंािกำ\u0301\u0327\u302e👍👩‍👩‍👧🏽🇫🇷—…“”«»¿「」।"),
    st.sampled_from(["```\ncode der die und\n```\n", "`span`", "| der | die |\n", "~~~\n"]),
)
TEXTS = st.lists(st.one_of(PARTS, st.text(max_size=5)), max_size=40).map("".join)
SEVERAL = st.lists(TEXTS, min_size=1, max_size=5)
HOSTILE = ["", "\x00", "\x01 a", " a ", "\n", "x" * 700, "é" * 600, "\ud800" * 30, "=" * 1_000_000, "a\u0301 " * 300]


@cache
def counters() -> tuple[BpeCounter, BpeCounter]:
    vocabulary = VOCABULARY.read_bytes()
    in_python, compiled = BpeCounter(vocabulary, compiled=False), BpeCounter(vocabulary)
    compiled.counts([PADDING * 300])  # a table is made for much text alone
    return in_python, compiled


@cache
def analyzers() -> tuple[Analyzer, Analyzer]:
    in_python, compiled = Analyzer(compiled=False), Analyzer()
    compiled.all_joined([PADDING * 300])
    return in_python, compiled


@given(SEVERAL)
@example(HOSTILE)
def test_token_ids_and_counts_are_those_of_python(texts: list[str]) -> None:
    in_python, compiled = counters()
    assert compiled.units is not None
    padded = [*texts, PADDING]
    assert compiled.packed(padded) == in_python.packed(padded)
    assert compiled.counts(padded) == in_python.counts(padded)
    whole = "".join(padded)
    assert compiled.words(whole) == in_python.words(whole)
    assert compiled.count(whole) == in_python.count(whole)


@given(SEVERAL)
@example(HOSTILE)
def test_search_tokens_and_languages_are_those_of_python(texts: list[str]) -> None:
    in_python, compiled = analyzers()
    assert compiled.word_table is not None
    padded = [*texts, PADDING, "der die das und ist nicht ein eine " * 20]
    bodies = in_python.all_joined(padded)
    assert compiled.all_joined(padded) == bodies
    whole = "\n".join(padded)
    for code in (False, True):
        expected = in_python.languages(bodies, whole, texts=padded, code=code)
        assert compiled.languages(bodies, whole, texts=padded, code=code) == expected


@given(SEVERAL)
@example(HOSTILE)
def test_the_words_of_fields_are_numbered_as_by_python(texts: list[str]) -> None:
    library = compiled_library()
    assert library is not None
    # Neither occurs in a field.
    fields = [text.replace(FIELD_SEPARATOR, " ").replace("\0", " ") for text in texts]
    found = []
    for term_numbers in (TermNumbers(), CompiledTermNumbers(library)):
        numbers, counts = term_numbers.of(FIELD_SEPARATOR.join(fields), len(fields))
        names = term_numbers.names()
        found.append(([names[number] for number in numbers.tolist()], counts.tolist()))
        with pytest.raises(ValueError, match="fields"):
            term_numbers.of(FIELD_SEPARATOR.join([*fields, ""]), len(fields))
    assert found[0] == found[1]


@given(st.lists(st.lists(st.integers(0, 199), max_size=60), min_size=8, max_size=12), st.integers(1, 3))
def test_sums_of_rows_are_the_same_to_the_bit(texts: list[list[int]], lead: int) -> None:
    random = np.random.default_rng(len(texts))
    archive = {
        "rows": random.integers(-127, 128, (200, 48)).astype(np.int8),
        "scales": random.random(200).astype(np.float32),
    }
    packed = [np.array(ids, np.intc).tobytes() for ids in texts]

    class Counter(BpeCounter):
        def packed(self, texts: object) -> list[bytes]:
            return packed

    counter = Counter(VOCABULARY.read_bytes())
    counter.start, counter.end = 3, 5
    compiled, in_python = TokenTable(archive, 0.7, float(lead)), TokenTable(archive, 0.7, float(lead))
    assert isinstance(compiled.row_sums, CompiledRowSums)
    in_python.row_sums = None
    names = [""] * len(packed)
    assert compiled.embed(names, counter).tobytes() == in_python.embed(names, counter).tobytes()


@given(
    st.lists(
        st.sampled_from(["AKIA", "sk-", "MT", "eyJ", " ", "\u2003", "\n", "x" * 13, "é", "\ud800", "ghp_", "\x00"])
    )
)
def test_no_hint_in_a_long_word_is_missed(parts: list[str]) -> None:
    library = compiled_library()
    assert library is not None
    text, hints = "".join(parts), ["sk-", "AKIA", "eyJ", "ghp_", "MT", "sk-ant"]
    words = [word for word in text.split() if len(word) >= 14]
    expected = {number for number, hint in enumerate(hints) if any(hint in word for word in words)}
    assert expected <= set(CompiledHints(library, hints).occurring(text, 14))


@given(TEXTS)
@example("token ghp_" + "a1B2" * 9 + " and AKIA" + "ABCDEFGHIJKLMNOP")
@example("MTAxMjM0NTY3ODkwMTIzNDU2.Gabcde.abcdefghijklmnopqrstuvwxyz0123")
def test_keys_are_found_as_python_finds_them(text: str) -> None:
    padded = f"{text} {PADDING * 5}"
    compiled = secret_redaction.find_keys(padded)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secret_redaction, "compiled_hints", lambda: None)
        assert secret_redaction.find_keys(padded) == compiled


@settings(max_examples=5)
@given(st.lists(TEXTS, min_size=8, max_size=8))
def test_a_table_that_forgets_while_threads_share_it_answers_all_the_same(texts: list[str]) -> None:
    library = compiled_library()
    assert library is not None
    table = WordTable(library, lambda words: [word.encode("utf-8", "surrogatepass") for word, _ in words])
    expected = [" ".join(text.split()).encode("utf-8", "surrogatepass") for text in texts]
    answers: list[list[bytes | None]] = []

    def ask() -> None:
        for _ in range(20):
            answers.append(table.rewritten(texts, BETWEEN_WORDS, ord(" ")))
            table.forget()

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 80


def test_a_word_that_python_fails_at_is_asked_about_again() -> None:
    library = compiled_library()
    assert library is not None
    failing = [True]

    def make(words: object) -> list[bytes]:
        if failing.pop():
            raise ArithmeticError
        return [b"value"]

    failing.append(False)
    failing.reverse()
    table = WordTable(library, make)
    with pytest.raises(ArithmeticError):
        table.rewritten(["word"], BETWEEN_WORDS)
    assert table.rewritten(["word word"], BETWEEN_WORDS, ord(" ")) == [b"value value"]


@pytest.mark.parametrize("content", [b"", b"no library", b"\x7fELF" + bytes(200)])
def test_a_library_that_cannot_be_loaded_is_left_alone_with_a_warning(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "word_tables.so"
    file.write_bytes(content)
    monkeypatch.setenv(VARIABLE, str(file))
    with caplog.at_level(logging.WARNING):
        assert compiled_library() is None
    assert str(file) in caplog.text
    much = [PADDING * 300]
    assert BpeCounter(VOCABULARY.read_bytes()).counts(much) == counters()[0].counts(much)


def test_the_compiled_library_is_left_alone_where_the_environment_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    assert compiled_library() is None
    assert library_loading.in_use() == f"not in use ({VARIABLE} is 0)"
