"""BERT's vocabulary, which models that people bring have, and the reference tokenizer over it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.embedding.wordpiece import load_vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY = Path(__file__).parent.parent / "golden" / "wordpiece" / "vocab.txt"


@cache
def reference_tokenizer() -> Tokenizer:
    from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

    words = load_vocabulary(VOCABULARY)
    tokenizer = Tokenizer(models.WordPiece(words, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = [(name, words[name]) for name in ("[CLS]", "[SEP]")]
    pair = "[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1"
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", pair, special)
    tokenizer.add_special_tokens(
        [AddedToken(name, normalized=False, special=True) for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
    )
    return tokenizer
