"""Pairs each word of a claim with a word of the cited passage: by stem, form, meaning or value."""

from __future__ import annotations

from typing import NamedTuple

from octavo.answering.quantity_parsing import UNITS
from octavo.answering.sentence_role_parsing import Reading, Token
from octavo.answering.wordnet_word_relations import same

HEADING, COLUMN = -1, -2  # instead of a sentence's number


class Window(NamedTuple):
    """One or two sentences, and the words of the headings above them."""

    sentences: tuple[Reading, ...]
    headings: frozenset[str]
    columns: frozenset[str] = frozenset()
    """The words above a table's row."""


class WordPair(NamedTuple):
    """A token of the claim with its partner: in which sentence, and where."""

    token: Token
    sentence: int
    partner: Token | None

    @property
    def at(self) -> int:
        return self.partner.at if self.partner else -1


def aligned(claim: Reading, place: Window) -> tuple[list[WordPair], list[Token]]:
    """Words of one phrase in one sentence where that has them, and near each other."""
    pairs: list[WordPair] = []
    alone: list[Token] = []
    phrases: dict[int, list[Token]] = {}
    for token in claim.tokens:
        phrases.setdefault(token.phrase, []).append(token)
    taken: set[tuple[int, int]] = set()
    for tokens in phrases.values():
        partners = [
            [
                (at, other)
                for at, reading in enumerate(place.sentences)
                for other in reading.tokens
                if _match(token, other)
            ]
            for token in tokens
        ]
        votes = [
            sum(any(at == each for each, _ in matches) for matches in partners) for at in range(len(place.sentences))
        ]
        home, before = votes.index(max(votes)), -1
        for token, matches in zip(tokens, partners, strict=True):
            if matches:
                at, partner = min(
                    matches,
                    key=lambda each: (
                        (each[0], each[1].at) in taken,
                        each[0] != home,
                        token.in_denial != each[1].in_denial,
                        token.stem != each[1].stem,
                        _step(before, each[1].at),
                    ),
                )
                taken.add((at, partner.at))
                pairs.append(WordPair(token, at, partner))
                before = partner.at if at == home else before
            elif any(same(token.stem, stem) for stem in place.columns):
                pairs.append(WordPair(token, COLUMN, None))
            elif any(same(token.stem, stem) for stem in place.headings):
                pairs.append(WordPair(token, HEADING, None))
            elif not any(_abbreviates(token, reading) for reading in place.sentences):
                alone.append(token)
    return sorted(pairs, key=lambda pair: pair.token.at), alone


def _abbreviates(token: Token, reading: Reading) -> bool:
    """`ALS` in a claim, `amyotrophic lateral sclerosis` in the place."""
    return (
        token.name and len(token.word) in (3, 4, 5) and token.word in "".join(other.word[0] for other in reading.tokens)
    )


def _step(before: int, at: int) -> int:
    return at - before if at > before else 2 * (before - at) + 2


def _match(token: Token, other: Token) -> bool:
    one, two = token.quantity, other.quantity
    if one and two:
        return one.value == two.value and (one.unit == two.unit or not one.unit or not two.unit)
    if one or two:  # one month, a month
        counted, word = (one, other) if one else (two, token)
        return counted is not None and counted.value == 1 and counted.unit == UNITS.get(word.stem, "-")
    if token.timed or other.timed:
        return token.stem == other.stem
    return same(token.stem, other.stem)
