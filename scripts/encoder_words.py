"""Adds merges for other languages to granite's byte-level BPE, and leaves out its rarest ones where asked.

    python scripts/encoder_words.py TOKENIZER PARALLEL OUT [--keep N] [--more 8000]

TOKENIZER is granite's tokenizer.json, PARALLEL what harvest_parallel.py chose. Writes OUT (a tokenizer.json) and beside
it `.rows.json`: for each token the granite tokens whose mean its row begins with. Merges are kept in the order in which
they were learnt, so that what a kept merge joins is kept too. New ones are learnt on what the kept ones leave of the
translations, every language counting the same, and come last.
"""

from __future__ import annotations

import argparse
import heapq
import json
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from tokenizers import Tokenizer
from weights_data import lines, say

SAMPLE = 3_000  # texts of each language
# Indentation costs BPE a third more tokens in code than WordPiece, which does not see it.
NORMALIZER = {
    "type": "Sequence",
    "normalizers": [{"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": "[ \\t]+"}, "content": " "}],
}


def counted(tokenizer: Tokenizer, parallel: Path) -> Counter[str]:
    """Pre-tokens of the translations, as often as if every language had as many."""
    texts: dict[str, list[str]] = defaultdict(list)
    for row in lines(parallel):
        for language, text in row[1].items():
            if len(texts[language]) < SAMPLE:
                texts[language].append(text)
    found: Counter[str] = Counter()
    for some in texts.values():
        own: Counter[str] = Counter()
        for text in some:
            own.update(piece for piece, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text))
        share = 1_000_000 / max(sum(own.values()), 200_000)
        for piece, times in own.items():
            found[piece] += times * share
    return found


def learnt(words: list[list[str]], weights: list[float], wanted: int) -> list[tuple[str, str]]:
    """Byte-pair encoding (Sennrich 2016): the most frequent pair of neighbours becomes one token, again and again."""
    pairs: Counter[tuple[str, str]] = Counter()
    where: dict[tuple[str, str], set[int]] = defaultdict(set)
    for place, word in enumerate(words):
        for pair in pairwise(word):
            pairs[pair] += weights[place]
            where[pair].add(place)
    heap = [(-count, pair) for pair, count in pairs.items()]
    heapq.heapify(heap)
    merges: list[tuple[str, str]] = []
    while len(merges) < wanted and heap:
        count, best = heapq.heappop(heap)
        if abs(pairs.get(best, 0.0) + count) > 1e-6:
            if pairs.get(best, 0.0) > 0:
                heapq.heappush(heap, (-pairs[best], best))
            continue
        merges.append(best)
        changed: set[tuple[str, str]] = set()
        for place in sorted(where.pop(best)):
            word, weight = words[place], weights[place]
            for pair in pairwise(word):
                pairs[pair] -= weight
                if pair != best:
                    where[pair].discard(place)
            words[place] = word = _joined(word, best)
            for pair in pairwise(word):
                pairs[pair] += weight
                where[pair].add(place)
                changed.add(pair)
        pairs.pop(best, None)
        for pair in changed:
            heapq.heappush(heap, (-pairs[pair], pair))
    return merges


def _joined(word: list[str], pair: tuple[str, str]) -> list[str]:
    after, at = [], 0
    while at < len(word):
        together = at + 1 < len(word) and (word[at], word[at + 1]) == pair
        after.append(word[at] + word[at + 1] if together else word[at])
        at += 2 if together else 1
    return after


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the words of octavo-encoder-2.")
    parser.add_argument("tokenizer", type=Path)
    parser.add_argument("parallel", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--keep", type=int, default=60_000, help="how many tokens of granite's")
    parser.add_argument("--more", type=int, default=8_000)
    arguments = parser.parse_args()
    described = json.loads(arguments.tokenizer.read_text())
    model = described["model"]
    ids: dict[str, int] = dict(model["vocab"])
    merges = [tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in model["merges"]]
    made = {left + right for left, right in merges}
    basis = [token for token in ids if token not in made]
    kept = merges[: arguments.keep - len(basis)]
    # In the order of their merges, so that a token's number is its rank: the counter needs no second file.
    tokens = list(dict.fromkeys([*sorted(basis, key=ids.__getitem__), *(left + right for left, right in kept)]))
    model["vocab"] = {token: place for place, token in enumerate(tokens)}
    model["merges"] = [list(merge) for merge in kept]
    _renumber(described)
    described["normalizer"] = NORMALIZER
    smaller = Tokenizer.from_str(json.dumps(described))
    counts = counted(smaller, arguments.parallel)
    say(f"{len(tokens)} tokens kept, {len(counts)} distinct words of translations")
    frequent = [(word, weight) for word, weight in counts.most_common(90_000)]
    words = [[token.value for token in smaller.model.tokenize(word)] for word, _ in frequent]
    before = sum(weight * len(word) for (_, weight), word in zip(frequent, words, strict=True))
    new = learnt(words, [weight for _, weight in frequent], arguments.more)
    after = sum(weight * len(word) for (_, weight), word in zip(frequent, words, strict=True))
    say(f"{len(new)} merges learnt, tokens of translations {after / before:.3f} of before")
    rows = {token: [ids[token]] for token in tokens}
    for left, right in new:
        if left + right not in rows:
            rows[left + right] = rows[left] + rows[right]
            model["vocab"][left + right] = len(model["vocab"])
    model["merges"] += [list(merge) for merge in new]
    arguments.out.write_text(json.dumps(described, ensure_ascii=False))
    ordered = sorted(model["vocab"], key=model["vocab"].__getitem__)
    arguments.out.with_suffix(".rows.json").write_text(json.dumps([rows[token] for token in ordered]))
    say(f"{len(ordered)} tokens")
    return 0


def _renumber(described: dict) -> None:
    """Special tokens have their ids in three places."""
    vocabulary = described["model"]["vocab"]
    for added in described.get("added_tokens", []):
        added["id"] = vocabulary[added["content"]]
    processor = described.get("post_processor") or {}
    for name in ("sep", "cls"):
        if name in processor:
            processor[name] = [processor[name][0], vocabulary[processor[name][0]]]
    for special in (processor.get("special_tokens") or {}).values():
        special["ids"] = [vocabulary[token] for token in special["tokens"]]


if __name__ == "__main__":
    raise SystemExit(main())
