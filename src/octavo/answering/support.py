"""Whether what a sentence cites says it: words, numbers, meaning, and signs that it says the opposite."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.nearest import cosines
from octavo.answering.passages import CitedSpan, Passage
from octavo.dataclass import dataclass
from octavo.model.scores import rounded
from octavo.model.text import Span
from octavo.ports import Embedder


class Support(StrEnum):
    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"


class Evidence(NamedTuple):
    """What speaks for a sentence in the passages it cites, and what against it."""

    words: float
    """The share of its content words in the best place."""
    words_anywhere: float
    """The share of them in all of the passages together."""
    cosine: float
    numbers_missing: float
    """The share of its numbers that no passage has."""
    negated: float
    """1 where one of sentence and best place denies and the other does not."""
    opposed: float
    """1 where the best place has the opposite of one of its words: increase, decrease."""
    turned: float = 0.0
    """1 where it goes one way and the nearest sentences only the other, or denies and none of them does."""
    names_missing: float = 0.0
    """The share of the names in it that no passage has."""


class Checked(NamedTuple):
    """What a sentence's citations are worth, as a score from 0 to 1 and in words, and the places that say it best."""

    support: Support
    score: float
    cited: tuple[CitedSpan, ...]
    evidence: Evidence


_BELOW = 0.01
_BY_HAND = Evidence(4.0, 2.0, 5.0, -2.5, -0.8, -1.0)


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model of "the passages say it".

    Its weights are set by hand: fitted on claims whose opposite has the same words they learn to doubt everything.
    `partly` is the threshold, of four, at which most of SciFact's training pairs that are called unsupported are so.
    """

    bias: float = -6.0
    evidence: Evidence = _BY_HAND
    supported: float = 0.6
    partly: float = 0.2

    def score(self, evidence: Evidence) -> float:
        total = self.bias + math.fsum(weight * value for weight, value in zip(self.evidence, evidence, strict=True))
        score = 1.0 / (1.0 + math.exp(-total))
        # However many words agree: a sentence whose numbers stand nowhere, or that turns round what is said, is not
        # supported, and one with a name that stands nowhere, or of which one side denies, is never wholly.
        if evidence.numbers_missing == 1.0 or evidence.turned:
            score = min(score, self.partly - _BELOW)
        elif evidence.numbers_missing or evidence.names_missing or evidence.negated or evidence.opposed:
            score = min(score, self.supported - _BELOW)
        return rounded(max(0.0, score))

    def support(self, score: float) -> Support:
        if score >= self.supported:
            return Support.SUPPORTED
        return Support.PARTLY if score >= self.partly else Support.UNSUPPORTED


_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)*")
_DENIALS = re.compile(
    r"\b(?:no|not|never|none|neither|nor|nothing|without|cannot|lacks?|lacking|fails?|failed|unable|absence|absent"
    r"|\w+n['’]t)\b",
    re.IGNORECASE,
)
_OPPOSITES = (
    ("increas", "decreas"),
    ("increas", "reduc"),
    ("rais", "lower"),
    ("higher", "lower"),
    ("more", "less"),
    ("more", "fewer"),
    ("activat", "inhibit"),
    ("activat", "suppress"),
    ("promot", "inhibit"),
    ("promot", "prevent"),
    ("promot", "suppress"),
    ("induc", "inhibit"),
    ("enabl", "disabl"),
    ("allow", "forbid"),
    ("allow", "prevent"),
    ("allow", "den"),
    ("open", "clos"),
    ("start", "stop"),
    ("before", "after"),
    ("above", "below"),
    ("positiv", "negativ"),
    ("improv", "worsen"),
    ("improv", "impair"),
    ("gain", "loss"),
    ("upregulat", "downregulat"),
    ("sensitiv", "resistan"),
    ("maximum", "minimum"),
    ("first", "last"),
    ("always", "never"),
    ("tru", "fals"),
    ("add", "remov"),
    ("presen", "absen"),
    ("short", "long"),
    ("earl", "late"),
)
# Words that say which way something goes, by how they begin.
_UP = re.compile(
    r"\b(?:accelerat|activat|benefi|better|elevat|enhanc|exceed|expand|extend|gain|greater|higher|improv|increas|induc"
    r"|larger|longer|more|overestimat|promot|protect|rais|rise|stimulat|strengthen|upregulat)",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:abolish|abrogat|attenuat|block|deactivat|declin|decreas|delay|deplet|diminish|disrupt|downregulat|fewer"
    r"|harm|impair|inhibit|lack|less|limit|loss|lower|prevent|reduc|repress|restrict|shorter|smaller|suppress"
    r"|underestimat|weaken|worsen)",
    re.IGNORECASE,
)
# A capital in the middle of a sentence. What is written in capitals, or begins a sentence, may be no name.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]+\b")
_NEAREST = 3  # sentences, by shared words, that say which way the passages go
_WORD = re.compile(r"[^\W\d_]+")


_LOOKED_AT = 4  # sentences of a passage, by the words they share, that are compared by meaning


class _Stated(NamedTuple):
    """A sentence of a passage with its words."""

    passage: Passage
    span: Span
    text: str
    words: frozenset[str]


class _Place(NamedTuple):
    """A sentence of a passage, or two that follow each other."""

    stated: _Stated
    vector: NDArray[np.float32]


class CitationChecker:
    """Checks sentences against passages. What is compared by meaning is embedded once."""

    def __init__(
        self,
        passages: Sequence[Passage],
        embedder: Callable[[], Embedder],
        tokenise: Callable[[str], Sequence[str]],
        weights: Weights = Weights(),  # noqa: B008
    ) -> None:
        self._passages = {passage.number: passage for passage in passages}
        self._embedder = embedder
        self._tokenise = tokenise
        self._weights = weights
        self._stated: dict[int, tuple[_Stated, ...]] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def check(self, sentence: str, numbers: Sequence[int]) -> Checked:
        """What the passages of these numbers say to a sentence; without any, nothing supports it."""
        passages = [self._passages[number] for number in dict.fromkeys(numbers) if number in self._passages]
        stated = [each for passage in passages for each in self._statements(passage)]
        if not stated:
            return Checked(Support.UNSUPPORTED, 0.0, (), Evidence(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        words = frozenset(self._tokenise(sentence))
        places = self._places(words, passages)
        cosine = self._cosines(sentence, places)
        order = np.argsort(-(_coverage(words, places) + np.clip(cosine, 0.0, 1.0)), kind="stable").tolist()
        best: dict[int, _Stated] = {}
        for at in order:
            best.setdefault(places[at].stated.passage.number, places[at].stated)
        first = places[order[0]].stated
        evidence = Evidence(
            words=_share(words, first.words),
            words_anywhere=_share(words, frozenset().union(*(each.words for each in stated))),
            cosine=float(cosine.max()),
            numbers_missing=_missing(sentence, " ".join(each.text for each in stated)),
            negated=float(_denies(sentence) != _denies(first.text)),
            opposed=float(_opposed(sentence, first.text)),
            turned=float(_turned(sentence, _nearest(words, stated))),
            names_missing=_names_missing(sentence, passages),
        )
        score = self._weights.score(evidence)
        cited = tuple(passage.cited(best[passage.number].span) for passage in passages if passage.number in best)
        return Checked(self._weights.support(score), score, cited, evidence)

    def best_passage(self, sentence: str) -> int | None:
        """The passage that says it best, for a sentence that cites none."""
        words = frozenset(self._tokenise(sentence))
        places = self._places(words, tuple(self._passages.values()))
        if not places:
            return None
        worth = _coverage(words, places) + np.clip(self._cosines(sentence, places), 0.0, 1.0)
        return places[int(worth.argmax())].stated.passage.number

    def _places(self, words: frozenset[str], passages: Sequence[Passage]) -> list[_Place]:
        """In each passage, the sentences that share most words with what was said, and each with the one after it."""
        found: list[_Place] = []
        for passage in passages:
            stated = self._statements(passage)
            shared = sorted(range(len(stated)), key=lambda at: (-len(words & stated[at].words), at))[:_LOOKED_AT]
            after = [at + 1 for at in shared if at + 1 < len(stated)]
            self._embed([stated[at] for at in dict.fromkeys((*shared, *after))])
            found += (_Place(stated[at], self._vectors[stated[at].text]) for at in sorted(shared))
            found += (_joined(stated[at - 1], stated[at], self._vectors) for at in sorted(after))
        return found

    def _embed(self, stated: Sequence[_Stated]) -> None:
        new = [text for text in dict.fromkeys(each.text for each in stated) if text not in self._vectors]
        if new:
            self._vectors |= zip(new, self._embedder().embed(new), strict=True)

    def _cosines(self, sentence: str, places: Sequence[_Place]) -> NDArray[np.float64]:
        if sentence not in self._vectors:
            self._vectors |= zip([sentence], self._embedder().embed([sentence]), strict=True)
        return cosines(np.stack([place.vector for place in places]), self._vectors[sentence])

    def _statements(self, passage: Passage) -> tuple[_Stated, ...]:
        if passage.number not in self._stated:
            self._stated[passage.number] = tuple(
                _Stated(passage, sentence.span, sentence.text, frozenset(self._tokenise(sentence.text)))
                for sentence in passage.statements()
            )
        return self._stated[passage.number]


def _coverage(words: frozenset[str], places: Sequence[_Place]) -> NDArray[np.float64]:
    return np.array([_share(words, place.stated.words) for place in places])


def _joined(one: _Stated, other: _Stated, vectors: Mapping[str, NDArray[np.float32]]) -> _Place:
    total = vectors[one.text] + vectors[other.text]
    vector = (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)
    text, words = f"{one.text} {other.text}", one.words | other.words
    return _Place(_Stated(one.passage, one.span.union(other.span), text, words), vector)


def _share(words: frozenset[str], within: frozenset[str]) -> float:
    return len(words & within) / len(words) if words else 1.0


def _missing(sentence: str, text: str) -> float:
    """The share of a sentence's numbers that a text has nowhere; `1,000` is `1000`."""
    wanted = {_plain(number) for number in _NUMBER.findall(sentence)}
    there = {_plain(number) for number in _NUMBER.findall(text)}
    return len(wanted - there) / len(wanted) if wanted else 0.0


def _names_missing(sentence: str, passages: Sequence[Passage]) -> float:
    """The share of a sentence's names that the passages, their titles and their headings have nowhere."""
    wanted = {name.casefold() for name in _NAME.findall(sentence)}
    cited = (passage.hit for passage in passages)
    said = " ".join(" ".join((hit.excerpt, hit.title, *hit.citation.heading_path)) for hit in cited)
    there = {*_WORD.findall(said.casefold())}
    return sum(not _is_there(name, there) for name in wanted) / len(wanted) if wanted else 0.0


def _is_there(name: str, words: Set[str]) -> bool:
    """In languages with capitals for every noun, a long one may have another ending: `Vektoren`, `Vektor`."""
    return name in words or (len(name) > 5 and any(word.startswith(name[:-2]) for word in words))


def _plain(number: str) -> str:
    grouped = re.fullmatch(r"[-+]?\d{1,3}(?:,\d{3})+", number)
    return (number.replace(",", "") if grouped else number.replace(",", ".")).lstrip("+")


def _denies(text: str) -> bool:
    return len(_DENIALS.findall(text)) % 2 == 1


def _opposed(sentence: str, text: str) -> bool:
    """Whether the text has the opposite of a word of the sentence, and not the word itself."""
    said, there = (" ".join(_WORD.findall(each.lower())) for each in (sentence, text))
    for pair in _OPPOSITES:
        for word, opposite in (pair, pair[::-1]):
            if _has(said, word) and not _has(there, word) and _has(there, opposite) and not _has(said, opposite):
                return True
    return False


def _nearest(words: frozenset[str], stated: Sequence[_Stated]) -> list[str]:
    return [each.text for each in sorted(stated, key=lambda each: -len(words & each.words))[:_NEAREST]]


def _turned(sentence: str, nearest: Sequence[str]) -> bool:
    """Whether a sentence goes one way and the others only the other way, or denies where none of them does."""
    if _denies(sentence) and not any(_DENIALS.search(text) for text in nearest):
        return True
    up, down = _directions(sentence)
    there = [_directions(text) for text in nearest]
    rises, falls = any(way[0] for way in there), any(way[1] for way in there)
    return (up and not down and falls and not rises) or (down and not up and rises and not falls)


def _directions(text: str) -> tuple[bool, bool]:
    return _UP.search(text) is not None, _DOWN.search(text) is not None


def _has(words: str, stem: str) -> bool:
    return words.startswith(stem) or f" {stem}" in words
