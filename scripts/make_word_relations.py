"""Writes the words that mean the same, the opposite, or are forms of one another, from WordNet 3.0's files.

    python scripts/make_word_relations.py /usr/share/wordnet src/octavo/answering/words.txt

Only words that the bundled encoder has as one token: the others are rare. Words mean the same where they share a
synset among the first three senses of both; words are stems, as the citation checker compares them.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from octavo.algorithms.text.stemming import snowball
from octavo.embedding.bundled_embedder import MODEL_DIRECTORY

_OPPOSITES = Path(__file__).with_name("opposites.txt")  # besides WordNet's
_SENSES = 3
_OWN_WORD = 20
_SIGNS = {"!": "!", "\\": "=", "+": "="}  # antonyms; Spanish, Spain; lose, loss
_VERB = "2"  # in a sense key
_PARTS = ("noun", "verb", "adj", "adv")
_HEAD = """\
# Made by scripts/make_word_relations.py from WordNet 3.0, Copyright 2006 by Princeton University: words.LICENSE.
# `= a b` mean the same, `! a b` the opposite, `< a b` a is a form of b, `v a` is a verb mostly.
"""


class Synset(NamedTuple):
    words: tuple[str, ...]
    pointers: tuple[tuple[str, str, str, str, int], ...]
    """Sign, word of this synset, the other synset's part of speech and offset, and the word's number there."""


def synsets(path: Path) -> Iterator[tuple[str, Synset]]:
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("  "):
            continue
        fields = line.partition(" | ")[0].split()
        count = int(fields[3], 16)
        words = tuple(re.sub(r"\(.*\)", "", word).lower() for word in fields[4 : 4 + 2 * count : 2])
        pointers = fields[5 + 2 * count :][: 4 * int(fields[4 + 2 * count])]
        lexical = tuple(
            (sign, words[int(ends[:2], 16) - 1], part, offset, int(ends[2:], 16) - 1)
            for sign, offset, part, ends in zip(*(pointers[at::4] for at in range(4)), strict=True)
            if sign in _SIGNS
        )
        yield fields[0], Synset(words, lexical)


def senses(path: Path) -> dict[tuple[str, str], int]:
    """(Word, offset of a synset) → which of the word's senses it is, the most frequent being 0."""
    ranks = {}
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("  "):
            fields = line.split()
            ranks |= {(fields[0], offset): rank for rank, offset in enumerate(fields[-int(fields[2]) :])}
    return ranks


def counted(path: Path) -> dict[str, Counter[str]]:
    """How often a word was which part of speech in the texts whose senses WordNet counted."""
    counts: dict[str, Counter[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        sense, _, count = line.split()
        word, _, kind = sense.partition("%")
        counts.setdefault(word, Counter())[kind[0]] += int(count)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wordnet", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    stem = snowball("english")
    known = {
        word for word in (MODEL_DIRECTORY / "vocab.txt").read_text("utf-8").split() if word.isascii() and word.isalpha()
    }
    lines: set[str] = set()
    counts = counted(asked.wordnet / "cntlist.rev")
    sets = {part[0] if part != "adv" else "r": dict(synsets(asked.wordnet / f"data.{part}")) for part in _PARTS}
    for part in _PARTS:
        ranks = senses(asked.wordnet / f"index.{part}")
        for offset, synset in sets[part[0] if part != "adv" else "r"].items():
            same = {stem(word) for word in synset.words if word in known and ranks.get((word, offset), 9) < _SENSES}
            lines |= {f"= {one} {other}" for one, other in combinations(sorted(same), 2)}
            for sign, word, other_part, other, number in synset.pointers:
                pair = sorted((word, sets[other_part.replace("s", "a")][other].words[number]))
                if known.issuperset(pair) and stem(pair[0]) != stem(pair[1]):
                    lines.add(f"{_SIGNS[sign]} {stem(pair[0])} {stem(pair[1])}")
        if part == "verb":
            verbs = {word for word, kinds in counts.items() if kinds[_VERB] > kinds.total() / 2}
            lines |= {f"v {stem(word)}" for word in verbs & known}
        for form, base, *_ in (
            line.split() for line in (asked.wordnet / f"{part}.exc").read_text("utf-8").splitlines()
        ):
            rare = counts.get(form, Counter[str]()).total() < _OWN_WORD  # left is a word of its own
            if rare and known.issuperset((form, base)) and stem(form) != stem(base):
                lines.add(f"< {stem(form)} {stem(base)}")
    for pair in (line.split() for line in _OPPOSITES.read_text("utf-8").splitlines()):
        for form in (str, stem):  # words that say little are compared as they are
            lines.add("! " + " ".join(sorted(map(form, pair))))
    asked.out.write_text(_HEAD + "\n".join(sorted(lines)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
