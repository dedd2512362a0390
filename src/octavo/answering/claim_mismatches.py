"""Compares a claim with one or two sentences of a passage: numbers, units, names, roles, negations, opposites.

Each word of the claim is aligned with a word of these sentences. A word without a partner, or whose partner has
another role, is a mismatch. Sentences without a mismatch support the claim.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise, zip_longest
from typing import NamedTuple

from octavo.answering.claim_word_alignment import HEADING, Window, WordPair, aligned
from octavo.answering.sentence_role_parsing import Reading, Token
from octavo.answering.wordnet_word_relations import is_verb, opposite

_NEAR_BY = 4  # words from a verb to the `by` of its agent: directed, written and produced by
_BESIDE = 3
_NEARLY = 10  # a claim reuses a sentence if at most one in ten of its words is not in that sentence


class MismatchKind(StrEnum):
    """The kinds of mismatch between a claim and a passage."""

    WORD = "word"
    NAME = "name"
    NUMBER = "number"
    UNIT = "unit"
    TIME = "time"
    COUNTED = "counted"
    DENIAL = "denial"
    OPPOSITE = "opposite"
    ROLES = "roles"
    SCATTERED = "scattered"


class Mismatch(NamedTuple):
    kind: MismatchKind
    token: Token


class Comparison(NamedTuple):
    problems: tuple[Mismatch, ...]
    unpaired: tuple[Token, ...]
    """Words of the place that the claim has not."""
    share: float
    """Of the claim's tokens, those that have a partner."""


def compare(claim: Reading, place: Window) -> Comparison:
    pairs, alone = aligned(claim, place)
    used = {(pair.sentence, pair.at) for pair in pairs}
    unpaired = tuple(
        token
        for number, reading in enumerate(place.sentences)
        for token in reading.tokens
        if (number, token.at) not in used and token.quantity is None
    )
    problems = [
        *_alone(alone, place),
        *_opposed(claim, alone, pairs, place, unpaired),
        *_denied(pairs),
        *_counted_otherwise(pairs, place),
        *_scattered(claim, pairs, place),
        *_borrowed(claim, pairs, place),
        *_other_neighbour(pairs, place, unpaired),
    ]
    if not claim.language:  # others order their words in other ways
        problems += (
            *_reordered(claim, pairs, place),
            *_swapped(pairs, place),
            *_other_condition(pairs),
            *_other_subject(pairs, place, unpaired),
        )
    if "than" in claim.polar and {problem.kind for problem in problems} == {MismatchKind.OPPOSITE, MismatchKind.ROLES}:
        problems = []  # the converse: x has more than y, y has less than x
    return Comparison(tuple(problems), unpaired, len(pairs) / max(1, len(claim.tokens)))


def _alone(tokens: Sequence[Token], place: Window) -> Iterator[Mismatch]:
    values = {token.quantity.value for reading in place.sentences for token in reading.tokens if token.quantity}
    for token in tokens:
        if token.quantity is None:
            named = MismatchKind.NAME if token.name and token.at else MismatchKind.WORD
            yield Mismatch(MismatchKind.TIME if token.timed else named, token)
        elif token.quantity.value != 1 or token.quantity.unit not in ("", "time"):
            yield Mismatch(MismatchKind.UNIT if token.quantity.value in values else MismatchKind.NUMBER, token)


def _opposed(
    claim: Reading, alone: Sequence[Token], pairs: Sequence[WordPair], place: Window, unpaired: Sequence[Token]
) -> Iterator[Mismatch]:
    """A word whose opposite is in the place: one without a partner, or one carried over from the first sentence."""
    homes = {pair.sentence for pair in pairs}
    carried = [pair.token for pair in pairs if pair.sentence == 0 and 1 in homes]
    theirs = {token.stem for token in unpaired}
    polar = (
        frozenset[str]().union(*(place.sentences[home].polar for home in homes if home >= 0)) if homes else frozenset()
    )
    for token in (*alone, *carried):
        if any(opposite(token.stem, other) for other in theirs | (polar - claim.polar)):
            yield Mismatch(MismatchKind.OPPOSITE, token)
    if "only" in claim.polar - polar and not theirs & {"sole", "exclus", "just"}:
        yield Mismatch(MismatchKind.OPPOSITE, claim.tokens[0])
    if any(opposite(word, other) for word in claim.polar - polar for other in (polar - claim.polar) | theirs):
        yield Mismatch(MismatchKind.OPPOSITE, claim.tokens[0])


def _denied(pairs: Sequence[WordPair]) -> Iterator[Mismatch]:
    for token, _, partner in pairs:
        if partner and ((token.denied and not partner.in_denial) or (partner.denied and not token.in_denial)):
            yield Mismatch(MismatchKind.DENIAL, token)


def _counted_otherwise(pairs: Sequence[WordPair], place: Window) -> Iterator[Mismatch]:
    """A number counts the word beside it: in the place no other number stands nearer to that word."""
    for pair, following in zip_longest(pairs, pairs[1:]):
        if following and _backwards(pair, following):
            yield Mismatch(MismatchKind.TIME, following.token)
        if pair.token.quantity is None or pair.partner is None or pair.token.name:
            continue
        phrase = [other for other in pairs if other.token.phrase == pair.token.phrase]
        words = [word for word in phrase if not word.token.timed and word.partner and word.sentence == pair.sentence]
        if not words:
            elsewhere = {word.sentence for word in phrase if word.partner and not word.token.timed}
            if any(token.quantity for at in elsewhere for token in place.sentences[at].tokens):
                yield Mismatch(MismatchKind.COUNTED, pair.token)
            continue
        word = next((word for word in words if word.token.at > pair.token.at), words[-1]).partner
        own = {other.token.quantity.value for other in phrase if other.token.quantity}
        rivals = [
            other
            for other in place.sentences[pair.sentence].tokens
            if other.quantity and other.quantity.value not in own and other.quantity.unit != "ordinal"
        ]
        elsewhere = {other.phrase for other in rivals} - {pair.partner.phrase}
        here = {token.stem for token in place.sentences[pair.sentence].tokens if token.phrase == pair.partner.phrase}
        if any(_reach(other, word) < _reach(pair.partner, word) for other in rivals if word) or (
            len(own) == 1
            and any(
                word.partner
                and word.partner.phrase in elsewhere
                and word.partner.stem not in here
                and word.at > _BESIDE
                for word in words
            )
        ):
            yield Mismatch(MismatchKind.COUNTED, pair.token)


def _backwards(start: WordPair, end: WordPair) -> bool:
    """`From April to September` where the place says `from September to April`."""
    ranged = end.token.ends_range and start.token.timed and end.token.timed
    return ranged and start.sentence == end.sentence and start.at > end.at


def _reach(number: Token, word: Token) -> tuple[int, int]:
    """A number before a word is nearer than one after it."""
    return abs(number.phrase - word.phrase), word.at - number.at if word.at > number.at else number.at - word.at + 1


def _scattered(claim: Reading, pairs: Sequence[WordPair], place: Window) -> Iterator[Mismatch]:
    """A clause that two sentences say together, where the second has no pronoun for what it takes from the first."""
    if len(place.sentences) < 2:
        return
    clauses: list[list[WordPair]] = [[]]
    for pair in pairs:
        if (
            clauses[-1]
            and pair.token.phrase != clauses[-1][-1].token.phrase
            and pair.token.phrase in claim.verbs.values()
        ):
            clauses.append([])
        if pair.sentence >= 0:
            clauses[-1].append(pair)
    for inside in clauses:
        first = [pair.sentence == 0 for pair in inside]
        runs = sum(here and not before for before, here in zip((False, *first), first, strict=False))
        last = max((pair.at for pair in inside if pair.sentence == 1), default=0)
        pronouns = [at for at in place.sentences[1].pronouns if at < last + _BESIDE]
        if inside and not all(first) and runs > max(0, len(pronouns) - len(claim.pronouns)):
            yield Mismatch(MismatchKind.SCATTERED, inside[0].token)
        if sum(first) not in (0, len(first)):
            home = int(2 * sum(first) < len(first))
            used = {pair.at for pair in inside if pair.sentence == home}
            spare = [token for token in place.sentences[home].tokens if token.quantity and token.at not in used]
            carried = [pair for pair in inside if pair.sentence != home and pair.token.quantity]
            if spare and carried:
                yield Mismatch(MismatchKind.COUNTED, carried[0].token)


def _reordered(claim: Reading, pairs: Sequence[WordPair], place: Window) -> Iterator[Mismatch]:
    """A sentence's words in an order that neither one moved part nor a passive explains."""
    for number, reading in enumerate(place.sentences):
        foreign = claim.words - reading.words
        if len(foreign) * _NEARLY > len(claim.words) or ("by" in claim.words) != ("by" in reading.words):
            continue
        inside = [pair for pair in pairs if pair.sentence == number and not pair.token.timed]
        back = [(before, after) for before, after in pairwise(inside) if after.at < before.at]
        if len(back) > 1 or any(_around_verb(claim, reading, before, after) for before, after in back):
            yield Mismatch(MismatchKind.ROLES, inside[0].token)


def _around_verb(claim: Reading, reading: Reading, before: WordPair, after: WordPair) -> bool:
    """`The leader is a president` for `The president is a leader`."""
    if before.token.phrase != after.token.phrase:
        return False
    between = any(before.token.at < at < after.token.at for at in claim.verbs)
    return between and any(after.at < at < before.at for at in reading.verbs)


def _borrowed(claim: Reading, pairs: Sequence[WordPair], place: Window) -> Iterator[Mismatch]:
    """A heading's word after a verb of the claim; it may only be a subject or replace a pronoun."""
    for token, sentence, _ in pairs:
        after_verb = any(at < token.at and phrase == token.phrase for at, phrase in claim.verbs.items())
        if sentence == HEADING and after_verb:
            homes = {pair.sentence for pair in pairs if pair.partner and pair.token.phrase == token.phrase}
            if all(len(place.sentences[home].pronouns) <= len(claim.pronouns) for home in homes):
                yield Mismatch(MismatchKind.NAME if token.name else MismatchKind.WORD, token)


def _other_neighbour(pairs: Sequence[WordPair], place: Window, unpaired: Sequence[Token]) -> Iterator[Mismatch]:
    """`The gallery in Cambridge`, where the place has Cambridge elsewhere and says `the gallery in Ipswich`."""
    for word, name in pairwise(pairs):
        if not (name.token.name and name.token.preposition and word.partner):
            continue
        if name.sentence == word.sentence and 0 < name.at - word.at <= 2 * _BESIDE:  # in the HBO series X
            continue
        if any(
            token.name and token in unpaired and token.preposition == name.token.preposition
            for token in place.sentences[word.sentence].tokens
            if 0 < token.at - word.at <= _BESIDE
        ):
            yield Mismatch(MismatchKind.NAME, name.token)


def _swapped(pairs: Sequence[WordPair], place: Window) -> Iterator[Mismatch]:
    """A word before a verb in the claim and after it in the place, or the reverse, unless one side is passive."""
    for pivot in pairs:
        if pivot.partner is None or pivot.token.timed or pivot.token.name:
            continue
        reading = place.sentences[pivot.sentence]
        around = [(pair, _offset(pair, pivot, reading)) for pair in pairs if pair.token.clause == pivot.token.clause]
        left = [(pair, at) for pair, at in around if at and not pair.token.timed and pair.token.at < pivot.token.at]
        right = [(pair, at) for pair, at in around if at and not pair.token.timed and pair.token.at > pivot.token.at]
        gone = [pair for pair, at in left if at > 0]
        come = [pair for pair, at in right if at < 0]
        swapped = any(pair.token.name for pair in gone) and any(pair.token.name for pair in come)
        by, agent = pivot.partner.by, False
        if is_verb(pivot.token.stem):
            phrase = pivot.token.phrase
            swapped |= all(any(pair.token.phrase == phrase for pair in side) for side in (gone, come))
            swapped |= any(_beside(pair, pivot) for pair in (*gone[-1:], *come[:1]))
            named = [at for pair, at in right if pair.token.name and pair.token.phrase == phrase]
            agent = 0 < by <= _NEAR_BY and not pivot.token.by and bool(named) and min(named) > by
        passive = by and not pivot.token.by and any(at > by for _, at in left)
        made_passive = (
            pivot.token.by and not by and any(pair.token.at - pivot.token.at > pivot.token.by for pair in come)
        )
        if agent or (swapped and not passive and not made_passive) or _other_agent(pivot, pairs, reading):
            yield Mismatch(MismatchKind.ROLES, pivot.token)


def _other_condition(pairs: Sequence[WordPair]) -> Iterator[Mismatch]:
    """`If a, then b` where the place says `if b, then a`."""
    for side in (True, False):
        crossed = [
            pair.partner.condition is not side for pair in pairs if pair.partner and pair.token.condition is side
        ]
        if not crossed or 2 * sum(crossed) < len(crossed):
            return
    yield Mismatch(MismatchKind.ROLES, pairs[0].token)


def _other_subject(pairs: Sequence[WordPair], place: Window, unpaired: Sequence[Token]) -> Iterator[Mismatch]:
    """A verb with its own subject in the place, where the claim's subject stands in another clause."""
    for subject, verb in pairwise(pairs):
        if not (subject.partner and verb.partner and verb.sentence == subject.sentence and verb.token.verbal):
            continue
        if subject.token.phrase != verb.token.phrase or subject.partner.clause == verb.partner.clause:
            continue
        if any(
            token.phrase == verb.partner.phrase and token.at < verb.at and token in unpaired and not token.verbal
            for token in place.sentences[verb.sentence].tokens
        ):
            yield Mismatch(MismatchKind.ROLES, verb.token)


def _offset(pair: WordPair, pivot: WordPair, reading: Reading) -> int | None:
    """The distance of a word from the pivot in a clause; of a word from the sentence before, its pronoun's."""
    if pair.sentence == pivot.sentence:
        together = pair.partner and pivot.partner and pair.partner.clause == pivot.partner.clause
        return pair.at - pivot.at if together else None
    if pair.sentence < pivot.sentence:
        return (reading.pronouns[0] if reading.pronouns else -1) - pivot.at
    return None


def _beside(pair: WordPair, pivot: WordPair) -> bool:
    """Whether a name stands beside the pivot on both sides."""
    if pair.sentence != pivot.sentence or not pair.token.name or not pair.partner:
        return False
    near = abs(pair.at - pivot.at) < _BESIDE and abs(pair.token.at - pivot.token.at) < _BESIDE
    return near and pair.partner.stem == pair.token.stem


def _other_agent(pivot: WordPair, pairs: Sequence[WordPair], reading: Reading) -> bool:
    """Whether the claim says `owned by X` where the place says `owned by Y`."""
    nearest = _NEAR_BY if is_verb(pivot.token.stem) else 1
    if pivot.partner is None or not (0 < pivot.token.by <= nearest and 0 < pivot.partner.by <= nearest):
        return False
    by = pivot.at + pivot.partner.by
    agents = (
        token.at for token in reading.tokens if token.at > by and 0 < token.by <= (_NEAR_BY if token.verbal else 1)
    )
    end = min(agents, default=None)
    agent = next(
        (pair for pair in pairs if pair.token.at > pivot.token.at + pivot.token.by and not pair.token.timed), None
    )
    if agent is None or not (agent.token.name or nearest > 1):
        return False
    return not (agent.sentence == pivot.sentence and by < agent.at and (end is None or agent.at < end))
