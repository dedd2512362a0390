"""Scores how far cited passages support a sentence: words, meaning, numbers, bindings, negation, direction."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.answering.citable_passages import CitedSpan, NumberedPassage
from octavo.answering.claim_mismatches import Comparison, Mismatch, MismatchKind, compare
from octavo.answering.claim_word_alignment import Window
from octavo.answering.sentence_role_parsing import Reading, Token, read
from octavo.answering.sentence_splitting import sentences
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.normalised_text_and_spans import Span
from octavo.model.score_rounding import rounded
from octavo.ports import Embedder


class Support(StrEnum):
    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"


class SentenceEvidence(NamedTuple):
    """What speaks for a sentence in the passages it cites, and what against it."""

    words: float
    """The share of its words and numbers that have a partner in the best place."""
    words_anywhere: float
    """The share of them that stand anywhere in the passages."""
    cosine: float
    """With the best place; 1 where that binds everything as the sentence does, and nothing has to be embedded."""
    numbers_missing: float = 0.0
    """The share of its numbers that no passage has."""
    turned: bool = False
    """It goes one way and the nearest sentences only the other, or denies and none of them does."""
    problems: tuple[str, ...] = ()
    """What the best place binds otherwise, in words, in the order of the sentence."""


class Checked(NamedTuple):
    """What a sentence's citations are worth, as a score from 0 to 1 and in words, and the places that say it best."""

    support: Support
    score: float
    cited: tuple[CitedSpan, ...]
    evidence: SentenceEvidence


_NOTHING = Checked(Support.UNSUPPORTED, 0.0, (), SentenceEvidence(0.0, 0.0, 0.0))
_BELOW = 0.01


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model of "the passages say it", set by hand; what a place binds otherwise overrules it."""

    bias: float = -6.0
    words: float = 4.0
    words_anywhere: float = 2.0
    cosine: float = 5.0
    supported: float = 0.6
    partly: float = 0.2

    def score(self, evidence: SentenceEvidence) -> float:
        total = self.bias + math.fsum(
            (
                self.words * evidence.words,
                self.words_anywhere * evidence.words_anywhere,
                self.cosine * evidence.cosine,
            )
        )
        score = 1.0 / (1.0 + math.exp(-total))
        # However many words agree: a sentence whose numbers stand nowhere, or that turns round what is said, is not
        # supported, and one that binds anything otherwise is never wholly. One that binds all of it so, is.
        if evidence.numbers_missing == 1.0 or evidence.turned:
            score = min(score, self.partly - _BELOW)
        elif evidence.problems:
            score = min(score, self.supported - _BELOW)
        else:
            score = max(score, self.supported)
        return rounded(score)

    def support(self, score: float) -> Support:
        if score >= self.supported:
            return Support.SUPPORTED
        return Support.PARTLY if score >= self.partly else Support.UNSUPPORTED


_DENIALS = regex(
    r"\b(?:no|not|never|none|neither|nor|nothing|without|cannot|lacks?|lacking|fails?|failed|unable|absence|absent"
    r"|\w+n['’]t)\b",
    re.IGNORECASE,
)
# Words that say which way something goes, by how they begin.
_UP = regex(
    r"\b(?:accelerat|activat|benefi|better|elevat|enhanc|exceed|expand|extend|gain|greater|higher|improv|increas|induc"
    r"|larger|longer|more|overestimat|promot|protect|rais|rise|stimulat|strengthen|upregulat)",
    re.IGNORECASE,
)
_DOWN = regex(
    r"\b(?:abolish|abrogat|attenuat|block|deactivat|declin|decreas|delay|deplet|diminish|disrupt|downregulat|fewer"
    r"|harm|impair|inhibit|lack|less|limit|loss|lower|prevent|reduc|repress|restrict|shorter|smaller|suppress"
    r"|underestimat|weaken|worsen)",
    re.IGNORECASE,
)
# What speaks to who reads it instead of saying something: it supports nothing, nor does the rest of its paragraph.
_INSTRUCTION = regex(
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instructions?|prompts?|rules|guidelines|context)\b"
    r"|^\W*(?:please )?(?:(?:say|answer|reply|respond|state|claim)(?: only| exactly)? (?:that|with)\b"
    r"|tell (?:the )?(?:user|reader|human)\b)"
    r"|\byou (?:must|should|have to|are to|will)(?: now| always| only)? (?:say|answer|reply|respond|state|claim|tell)\b"
    r"|\byou are (?:now )?(?:an?|the) [^.]{0,30}\b(?:assistant|model|chatbot|AI)\b"
    r"|^\W*(?:system|assistant|user)(?: prompt| message)?\s*:|<\|?/?(?:im_start|system|instructions?)\b",
    re.IGNORECASE,
)
_DIFFERENCES = {
    MismatchKind.WORD: "not said",
    MismatchKind.NAME: "another name",
    MismatchKind.NUMBER: "another number",
    MismatchKind.UNIT: "another unit",
    MismatchKind.TIME: "another time",
    MismatchKind.COUNTED: "said of something else",
    MismatchKind.DENIAL: "denied in one of both",
    MismatchKind.OPPOSITE: "the opposite",
    MismatchKind.ROLES: "another role",
    MismatchKind.SCATTERED: "from sentences that do not belong together",
}
_HEADING = regex(r"^[ \t]*#{1,6}[ \t]+(.+)$", re.MULTILINE)
_SPEAKER = regex(r"(?:[-*>] )?\**([A-Z]\w+(?: [A-Z]\w+)?)\**:")  # of a dialogue: every sentence of the line is theirs
_NEAREST = 3  # sentences, by shared words, that say which way the passages go
_LOOKED_AT = 4  # sentences of a passage, by the words they share, that are compared
_WORDS_FORGIVEN = 6  # words of a claim for each of which one may be said in another way
_CLOSE = 0.73  # cosine of claim and place from which a verb may be another one
_CHANGES = 0.015  # by which the cosine may rise without that verb


class _Stated(NamedTuple):
    """A sentence of a passage as it is read, below its headings."""

    passage: NumberedPassage
    span: Span
    text: str
    reading: Reading
    headings: frozenset[str]
    columns: frozenset[str]
    bare: str


class _MatchedWindow(NamedTuple):
    """One sentence, or two that follow each other, and how they compare with a claim."""

    stated: tuple[_Stated, ...]
    compared: Comparison

    @property
    def text(self) -> str:
        return " ".join(each.text for each in self.stated)

    @property
    def span(self) -> Span:
        return self.stated[0].span.union(self.stated[-1].span)

    @property
    def order(self) -> tuple[float, int]:
        return len(self.compared.problems) - self.compared.share, len(self.stated)


class CitationChecker:
    """Checks sentences against passages. Each passage is read once, and what is compared by meaning embedded once."""

    def __init__(
        self,
        passages: Sequence[NumberedPassage],
        embedder: Callable[[], Embedder],
        analyzer: Analyzer,
        weights: Weights = Weights(),  # noqa: B008
    ) -> None:
        self._passages = {passage.number: passage for passage in passages}
        self._embedder = embedder
        self._analyzer = analyzer
        self._weights = weights
        self._stated: dict[int, tuple[_Stated, ...]] = {}
        self._languages: dict[int, str] = {}
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def check(self, sentence: str, numbers: Sequence[int]) -> Checked:
        """What the passages of these numbers say to a sentence; without any, nothing supports it.

        What is several sentences is worth what the least supported of them is.
        """
        passages = [self._passages[number] for number in dict.fromkeys(numbers) if number in self._passages]
        if not any(self._statements(passage) for passage in passages):
            return _NOTHING
        checked = [self._checked(claim.text, passages) for claim in sentences(sentence)] or [_NOTHING]
        least = min(checked, key=lambda each: each.score)
        return least._replace(cited=tuple(dict.fromkeys(span for each in checked for span in each.cited)))

    def best_passage(self, sentence: str) -> int | None:
        """The passage that says it best, for a sentence that cites none."""
        matches = [(self._best(sentence, passage), number) for number, passage in self._passages.items()]
        return min(((best.order, number) for best, number in matches if best), default=(None, None))[1]

    def _checked(self, claim: str, passages: Sequence[NumberedPassage]) -> Checked:
        best = [match for passage in passages if (match := self._best(claim, passage))]
        if not best:
            return _NOTHING
        first = min(best, key=lambda match: match.order)
        stated = [each for passage in passages for each in self._statements(passage)]
        reading = self._read(claim, first.stated[0].passage)
        problems = self._unforgiven(claim, reading, first)
        stems = frozenset[str]().union(*(each.reading.stems | each.headings | each.columns for each in stated))
        values = {token.quantity.value for each in stated for token in each.reading.tokens if token.quantity}
        counted = [token.quantity.value for token in reading.tokens if token.quantity]
        evidence = SentenceEvidence(
            words=first.compared.share,
            words_anywhere=len(reading.stems & stems) / max(1, len(reading.stems)),
            cosine=self._cosine(claim, first.text) if first.compared.problems else 1.0,
            numbers_missing=sum(value not in values for value in counted) / max(1, len(counted)),
            turned=bool(problems) and _turned(claim, _nearest(reading, stated)),
            problems=problems,
        )
        score = self._weights.score(evidence)
        cited = tuple(match.stated[0].passage.cited(match.span) for match in best)
        return Checked(self._weights.support(score), score, cited, evidence)

    def _best(self, claim: str, passage: NumberedPassage) -> _MatchedWindow | None:
        """The sentence, or the two that follow each other, that bind most of it as the claim does."""
        stated, reading = self._statements(passage), self._read(claim, passage)
        shared = sorted(range(len(stated)), key=lambda at: (-len(reading.stems & stated[at].reading.stems), at))
        near = [at for at in shared if stated[at].bare == _bare(claim)][:1] or shared[:_LOOKED_AT]
        spans = [*((at, at + 1) for at in near), *(span for at in near for span in ((at, at + 2), (at - 1, at + 1)))]
        matches: list[_MatchedWindow] = []
        for start, end in dict.fromkeys(spans):
            if start >= 0 and end <= len(stated):
                place = Window(
                    tuple(each.reading for each in stated[start:end]), stated[start].headings, stated[start].columns
                )
                matches.append(_MatchedWindow(stated[start:end], compare(reading, place)))
                if not matches[-1].compared.problems:
                    return matches[-1]
        return min(matches, key=lambda each: each.order, default=None)

    def _unforgiven(self, claim: str, reading: Reading, match: _MatchedWindow) -> tuple[str, ...]:
        """What the place binds otherwise; nothing, where it only says a word or two in another way."""
        problems = match.compared.problems
        if any(_bare(claim) == each.bare for each in match.stated):
            return ()
        if not reading.tokens:
            return ("nothing in it can be compared",)
        differences = _differences(problems)
        words = [problem.token.word for problem in problems if problem.kind is MismatchKind.WORD]
        if len(words) < len(problems) or len(words) > 1 + len(reading.tokens) // _WORDS_FORGIVEN:
            return differences
        elsewhere = self._statements(match.stated[0].passage)
        if any(problem.token.stem in each.reading.stems for problem in problems for each in elsewhere):
            return differences  # it is said of something else
        forgiven = all(self._adds_nothing(claim, problem.token, match) for problem in problems)
        return () if forgiven else differences

    def _adds_nothing(self, claim: str, token: Token, match: _MatchedWindow) -> bool:
        """Whether it is a verb without which the claim is no nearer to the place.

        Of nouns and adjectives a cosine does not tell: mice and rats, hidden and visible are as near as words are.
        """
        with_it = self._cosine(claim, match.text)
        if not token.verbal or with_it < _CLOSE:
            return False
        without = re.sub(rf"\b{re.escape(token.word)}\b", "", claim, flags=re.IGNORECASE)
        return self._cosine(without, match.text) <= with_it + _CHANGES

    def _cosine(self, one: str, other: str) -> float:
        new = [text for text in dict.fromkeys((one, other)) if text not in self._vectors]
        if new:
            self._vectors |= zip(new, self._embedder().embed(new), strict=True)
        vector, second = (self._vectors[text].astype(np.float64) for text in (one, other))
        return float(vector @ second / max(1e-12, float(np.linalg.norm(vector) * np.linalg.norm(second))))

    def _read(self, claim: str, passage: NumberedPassage) -> Reading:
        return read(claim, self._analyzer, self._languages[passage.number])

    def _statements(self, passage: NumberedPassage) -> tuple[_Stated, ...]:
        if passage.number not in self._stated:
            text = passage.text
            (language,) = self._analyzer.languages([self._analyzer.joined(text)], text)
            self._languages[passage.number] = language
            self._stated[passage.number] = tuple(_stated(passage, self._analyzer, language))
        return self._stated[passage.number]


def _stated(passage: NumberedPassage, analyzer: Analyzer, language: str) -> list[_Stated]:
    """Its sentences below what they are about: title, headings, the speaker of a line, the head of a table."""

    def stems(text: str) -> frozenset[str]:
        return read(text, analyzer, language).stems

    title = stems(" ".join((passage.hit.title, *passage.hit.citation.heading_path)))
    headings = [(match.start(), stems(match[1])) for match in _HEADING.finditer(passage.text)]
    stated: list[_Stated] = []
    ends, columns = 0, frozenset[str]()
    for sentence in passage.statements():
        start = sentence.span.start - passage.start
        if _INSTRUCTION.search(sentence.text):
            blank = passage.text.find("\n\n", start)
            ends = blank if blank >= 0 else len(passage.text)
        if start < ends:
            continue
        reading = read(sentence.text, analyzer, language)
        columns = (columns or reading.stems) if sentence.text.startswith("|") else frozenset()
        about = title | next((stems for at, stems in reversed(headings) if at < start), frozenset())
        if speaker := _SPEAKER.match(passage.text, passage.text.rfind("\n", 0, start) + 1):
            about |= stems(speaker[1])
        stated.append(_Stated(passage, sentence.span, sentence.text, reading, about, columns, _bare(sentence.text)))
    return stated


def _differences(problems: Sequence[Mismatch]) -> tuple[str, ...]:
    """The words by what is the matter with them: `not said: domes, green`."""
    words: dict[MismatchKind, dict[str, None]] = {}
    for problem in sorted(problems, key=lambda problem: problem.token.at):
        words.setdefault(problem.kind, {})[problem.token.word] = None
    return tuple(f"{_DIFFERENCES[kind]}: {', '.join(given)}" for kind, given in words.items())


def _bare(text: str) -> str:
    """A sentence without what does not change what it says."""
    return " ".join(re.findall(r"[\w%°$€£.,-]*\w", text.casefold()))


def _nearest(reading: Reading, stated: Sequence[_Stated]) -> list[str]:
    return [each.text for each in sorted(stated, key=lambda each: -len(reading.stems & each.reading.stems))[:_NEAREST]]


def _turned(sentence: str, nearest: Sequence[str]) -> bool:
    """Whether a sentence goes one way and the others only the other way, or denies where none of them does."""
    if len(_DENIALS.findall(sentence)) % 2 and not any(_DENIALS.search(text) for text in nearest):
        return True
    up, down = _directions(sentence)
    there = [_directions(text) for text in nearest]
    rises, falls = any(way[0] for way in there), any(way[1] for way in there)
    return (up and not down and falls and not rises) or (down and not up and rises and not falls)


def _directions(text: str) -> tuple[bool, bool]:
    return _UP.search(text) is not None, _DOWN.search(text) is not None
