"""The bundled encoder's vocabulary, and the reference tokenizer over it."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from octavo.embedding.bundled_embedder import MODELS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY = MODELS / "octavo-encoder-2" / "vocab.txt"


@cache
def reference_tokenizer() -> Tokenizer:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    ranks = {token: rank for rank, token in enumerate(VOCABULARY.read_text("utf-8").removesuffix("\n").split("\n"))}
    merges = [merge for token in ranks if (merge := merged_last(token, ranks))]
    tokenizer = Tokenizer(models.BPE(ranks, merges))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex("[ \t]+"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def merged_last(token: str, ranks: dict[str, int]) -> tuple[str, str] | None:
    """The pair that makes a token, by merging what comes before it in the vocabulary; none for bytes."""
    parts = list(token)
    while len(parts) > 2:
        pairs = [ranks.get(left + right, len(ranks)) for left, right in pairwise(parts)]
        at = min(range(len(pairs)), key=pairs.__getitem__)
        if pairs[at] >= ranks[token]:
            return None
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return (parts[0], parts[1]) if len(parts) == 2 else None
