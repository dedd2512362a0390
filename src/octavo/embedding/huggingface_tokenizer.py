"""Tokens counted and numbered by a model's own tokenizer.json: exact, slower than Octavo's own BPE."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.errors import ModelUnavailable
from octavo.lazy_regex import regex

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

_WORD = regex(r"\S+")
_SURROGATE = regex("[\ud800-\udfff]")


def load_tokenizer(path: Path, remedy: str) -> Tokenizer:
    """Whole texts, unpadded, whatever the file says."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more precise
        raise ModelUnavailable(f"{path} is not a tokenizer: {error}", hint=remedy) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def without_surrogates(text: str) -> str:
    """As long as the text, with a replacement character for each half of a pair, which UTF-8 cannot hold."""
    return _SURROGATE.sub("\ufffd", text)


class TokenizersCounter:
    """Fits `ports.TokenCounter` over a `tokenizer.json`, which is read on first use."""

    def __init__(self, path: Path, remedy: str = "give the path of a tokenizer.json") -> None:
        self._path = path
        self._remedy = remedy

    def count(self, text: str) -> int:
        return len(self._encoded(text).ids)

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def ids(self, text: str, limit: int | None = None) -> list[int]:
        """The token ids without the special ones around them; only the first `limit`, if there is one."""
        return list(self._encoded(text).ids)[:limit]

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        """The text of each token and whether it begins a word; empty for an unknown one."""
        unknown, marks_insides = self._unknown, type(self._tokenizer.model).__name__ == "WordPiece"
        encoding = self._encoded(text)
        return [
            ("", True)
            if token == unknown
            else (piece.removeprefix("##"), not piece.startswith("##"))
            if marks_insides
            else (piece.lstrip("▁Ġ"), piece[0] in "▁Ġ")
            for token, piece in zip(encoding.ids, encoding.tokens, strict=True)
        ]

    @property
    def size(self) -> int:
        return self._tokenizer.get_vocab_size()

    @cached_property
    def _unknown(self) -> int | None:
        names = ("[UNK]", "<unk>", "<UNK>")
        return next((token for name in names if (token := self._tokenizer.token_to_id(name)) is not None), None)

    def words(self, text: str) -> Sequence[tuple[int, int]]:
        """A token belongs to the word in which it ends; whitespace at the end of the text to the last word."""
        ends = [word.end() for word in _WORD.finditer(text)] or [len(text)]
        tokens = [0] * len(ends)
        for _, end in self._encoded(text).offsets:
            tokens[min(bisect_left(ends, end), len(ends) - 1)] += 1
        return list(zip(ends, tokens, strict=True)) if text else []

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return load_tokenizer(self._path, self._remedy)

    def _encoded(self, text: str) -> Encoding:
        return self._tokenizer.encode(without_surrogates(text), add_special_tokens=False)
