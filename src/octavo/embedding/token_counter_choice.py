"""Chooses a model's token counter by its tokenizer, and the judge of how much of a text it can read."""

from __future__ import annotations

from octavo.algorithms.model_inputs.vocabulary_coverage_of_text import Readability, TaughtScripts
from octavo.embedding import bpe
from octavo.embedding.bpe import BpeCounter
from octavo.embedding.huggingface_tokenizer import TokenizersCounter
from octavo.embedding.model_folder import ModelDirectory
from octavo.embedding.wordpiece import WordPieceCounter


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
