"""Token counters by a model's tokenizer, that of BERT's `vocab.txt` among them; how much of a text a model can read."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.algorithms.model_inputs.vocabulary_coverage_of_text import Readability, TaughtScripts
from octavo.embedding import bpe
from octavo.embedding.bpe import IDS, BpeCounter
from octavo.embedding.huggingface_tokenizer import TokenizersCounter, without_surrogates
from octavo.embedding.model_folder import ModelDirectory

if TYPE_CHECKING:
    from tokenizers import Tokenizer

UNKNOWN, START, END = "[UNK]", "[CLS]", "[SEP]"
_SPECIAL = ("[PAD]", UNKNOWN, START, END, "[MASK]")
_LONGEST = 100  # characters; a longer run is one unknown token


def read_vocabulary(text: str) -> dict[str, int]:
    """One token a line, numbered from 0."""
    # Not splitlines: some tokens are characters that it takes for line ends.
    numbered = {token: place for place, token in enumerate(text.split("\n"))}
    numbered.pop("", None)  # after the last line end
    return numbered


def wordpiece_tokenizer(vocabulary: Path) -> Tokenizer:
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

    words = read_vocabulary(vocabulary.read_text("utf-8"))
    tokenizer = Tokenizer(models.WordPiece(words, unk_token=UNKNOWN, max_input_chars_per_word=_LONGEST))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    known = [name for name in _SPECIAL if name in words]
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in known])
    return tokenizer


class WordPieceCounter(TokenizersCounter):
    """Fits `ports.TokenCounter` over a `vocab.txt`, which is read on first use."""

    def packed(self, texts: Sequence[str]) -> list[bytes]:
        encodings = self._tokenizer.encode_batch([*map(without_surrogates, texts)], add_special_tokens=False)
        return [array(IDS, encoding.ids).tobytes() for encoding in encodings]

    def fitted(self, text: str, room: int) -> list[int]:
        """The first ids that there is room for."""
        return self.ids(text, room)

    @cached_property
    def start(self) -> int:
        return self._tokenizer.get_vocab()[START]

    @cached_property
    def end(self) -> int:
        return self._tokenizer.get_vocab()[END]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return wordpiece_tokenizer(self._path)


def counter_of(directory: ModelDirectory) -> WordPieceCounter | BpeCounter:
    """The counter of a model that has its vocabulary in `vocab.txt`."""
    path = directory.file("vocab.txt")
    return bpe.counter_of(path) if directory.tokenizer == "bpe" else WordPieceCounter(path, directory.remedy)


def any_counter_of(directory: ModelDirectory) -> WordPieceCounter | BpeCounter | TokenizersCounter:
    if directory.tokenizer != "tokenizers":
        return counter_of(directory)
    return TokenizersCounter(directory.file("tokenizer.json"), directory.remedy)


def readability_of(directory: ModelDirectory) -> Readability | TaughtScripts:
    """By the pieces of the vocabulary, or by what the model was taught: bytes spell any script."""
    if directory.tokenizer == "bpe":
        return TaughtScripts(directory.scripts)
    counter = any_counter_of(directory)
    assert not isinstance(counter, bpe.BpeCounter)
    return Readability(counter.pieces, counter.size)
