"""BERT's vocabulary, which models that people bring have, and their tokenizer over it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.embedding.token_counters import wordpiece_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY = Path(__file__).parent.parent / "golden" / "wordpiece" / "vocab.txt"


@cache
def reference_tokenizer() -> Tokenizer:
    from tokenizers import processors

    tokenizer = wordpiece_tokenizer(VOCABULARY)
    special = [(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    pair = "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", pair, special)
    return tokenizer
