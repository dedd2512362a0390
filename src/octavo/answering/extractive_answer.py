"""Answers without a language model: chooses the sentences of the top passages that fit the question, each cited."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.ranking.marginal_relevance import marginal_relevance
from octavo.algorithms.ranking.vector_nearest_neighbors import cosines
from octavo.answering.announced_list_detection import AnnouncedList
from octavo.answering.answer_candidates import AnswerCandidate, answer_candidates, plain_text, relevance
from octavo.answering.answer_evidence import absent_words, date_above, holds_kind, lacking_names
from octavo.answering.citable_passages import CitedSpan, NumberedPassage
from octavo.answering.expected_answer_kinds import AnswerKind, expected_kind
from octavo.answering.sentence_splitting import above
from octavo.fast_dataclass import dataclass, replace
from octavo.lazy_regex import regex
from octavo.model.score_rounding import rounded
from octavo.ports import Embedder

_LONGEST = 600  # characters of a sentence that are read: what is longer is a list or a table in disguise
_COSINE, _WORDS, _PASSAGE, _KIND, _SHAPE = 0.5, 0.35, 0.1, 0.08, 0.1
_STEPS = 2.5  # as a shape: where steps are asked for, a sentence of or about them is less
_LEAST_OF_STEPS = 0.85  # of the score of a sentence before them, which is about them
_FITTED_FOR = "octavo-encoder-2"  # the model whose cosines the next two constants are about
_LEAST_EVIDENCE = 0.46  # of meaning and words in one sentence; with less, nothing answers
_LEAST_COVERED = 0.35  # of the words, by weight, where meaning cannot tell: in other languages than English
_LEAST_MEANT, _LEAST_SAID = 0.6, 0.5  # of the cosine and of the words of a question that was translated word by word
_LACKING = 0.1  # of that, for each name of the question that a sentence is not about
_ABSENT = 0.12  # for each word of the question that its whole passage says nothing of
_FEW_WORDS = 2  # of a question: so few say little by being absent
_BALANCE = 0.75  # relevance against difference, when sentences are chosen
_LEAST_SHARE = 0.65  # of the best sentence's score that another needs
_LEAST_SHARE_BY_WORDS = 0.4  # words differ more than meanings do
_BRIEF = 8  # words: what is as short says what it is about in the headings above it
_ALL_COVERED = 0.99  # of the words: with the kind of answer that is named, that is as much more as one that is absent
_LEAST_SHARE_OF_BRIEF = 0.8  # of the best sentence's score: the headings above make brief ones alike
_ITEMS = 2.0  # as a shape: of a list below its heading, where several things are asked for

_ASKS_NUMBER = regex(
    r"\b(?:how (?:many|much|long|far|old|high|often|large|big|deep|fast)|what (?:year|date|time|percentage)|when)\b",
    re.I,
)
_ASKS_NAME = regex(r"\b(?:who|whom|whose|which (?:person|company|author|team))\b", re.I)
_ASKS_MEANING = regex(r"what (?:is|are) (?:an? |the )?(?P<term>[\w -]+?)s?\?*$", re.I)
_NO_DEFINITION = r"(?! (?:also|not|only|always|never|now|available|\w+ed|\w+ing)\b)"
_ASKS_HOW = regex(r"\bhow (?:do|does|can|could|should|to)\b|\bwhere\b|\bkeys?\b|\bshortcut", re.I)
_ASKS_STEPS = regex(
    r"\bhow (?:do|can|could|should|would) (?:i|you|we|one|someone|somebody)\b|\bhow to\b|\bsteps\b", re.I
)
_TASK = regex(r"to \w[^.]*:", re.I)
_ANNOUNCES = regex(
    r"[^.]*:$|here(?:'s| is| are)\b"
    r"|(?:in )?this (?:article|chapter|guide|lesson|module|page|section|tutorial)\b|(?:now|next),? (?:we|let's)\b",
    re.I,
)
_STEP = regex(
    r"(?:select|click|open|go to|press|enter|choose|navigate|next to|under|log in|run|create|add|use|drag)\b"
    r"|to \w[^.]*, \w|.*\b(?:click|select)\b",
    re.I,
)
_POINTS_ELSEWHERE = regex(
    r"(?:(?:yes|no)\W+)?(?:see|learn|refer|read|visit|check|consider)\b"
    r"|for (?:more|other|further)\b.*\b(?:see|refer)\b|[^:]+: ?!?\[\[[^\]]*\]\][.!]?$",
    re.I,
)
_CONDITIONAL = regex(r"^if\b|\bdepend(?:s|ing) on\b|\bbased on your\b", re.I)
_DEPENDS = regex(
    r"(?:this|that|these|those|it|they|however|unfortunately|otherwise|then|for example)\b|.*\bsuch cases?\b", re.I
)
_LIGHT = frozenset(
    {"get", "make", "put", "call", "work", "use", "need", "happen", "keep", "do", "have", "may", "most", "mani"}
    | {"much", "long", "old", "often", "larg", "big", "key", "mean"}
)
"""Words of a question, as they are analysed, that say little of what it is about."""
_NAMES_KIND = frozenset(
    {"cost", "price", "hot", "high", "deep", "far", "fast", "warm", "cold", "mani", "date", "time", "size", "appoint"}
    | {"_de_viel", "_de_kost", "_de_muss", "_de_lang", "_de_oft", "_de_hoch", "_de_termin", "_fr_temp", "_fr_coût"}
)
"""And those that say which kind of answer is expected, which its form says."""
_ASKS_KEYS = regex(r"\bkeys?\b|\bshortcut|\bhotkey", re.I)
_KEYS = regex(r"\b(?:Ctrl|Cmd|Alt|Shift|Option)\b")
_NUMBER = regex(r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b", re.I)
_NAME = regex(r"(?<!^)(?<![.!?]\s)\b[A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that was found, exactly as it stands, how well it answers from 0 to 1, and what it stands under."""

    text: str
    cited: CitedSpan
    score: float
    above: str = ""


def statements(
    question: str,
    passages: Sequence[NumberedPassage],
    embedder: Callable[[], Embedder] | None,
    tokenise: Callable[[str], Sequence[str]],
    most: int,
    *,
    by_words: bool = False,
    translated: bool = False,
) -> tuple[Statement, ...]:
    """At most so many sentences, best first, none saying what another has said; a list that answers is quoted whole.

    A sentence is judged by its cosine with the question, the share of the question's words in it (rare ones count
    more), the relevance of its passage, whether it has the number or the name that is asked for, and whether it has the
    form of an answer. Without an embedder, words stand for meaning. None where neither meaning nor words are near;
    `by_words`, of a language that the embedder hardly reads, words alone say whether something answers. `translated`,
    the question is English words that stand for another language's, some of them wrong: both have to be near.
    """
    kind = expected_kind(question)
    candidates = [candidate for candidate in answer_candidates(question, passages) if holds_kind(kind, candidate)]
    if not candidates:
        return ()
    texts = [(candidate.announced or candidate.first)[:_LONGEST] for candidate in candidates]
    # What a sentence is about often stands in the question or the headings above it.
    in_context = [f"{candidate.context} {candidate.sentence.text[:_LONGEST]}".lstrip() for candidate in candidates]
    words = [tokenise(text) for text in in_context]
    light = _LIGHT | _NAMES_KIND if kind else _LIGHT
    meaningful = [word for word in tokenise(question) if word not in light] or tokenise(question)
    coverage = _coverage(meaningful, words)
    carried = np.ones(len(candidates), dtype=bool)
    if embedder is None:
        meant, likeness = coverage, _overlap(words)
    else:
        model = embedder()
        brief = np.array([_brief(text) for text in texts])
        meant, likeness = _compared(question, texts, in_context, brief, model)
        if translated:
            said = np.array([len({*sentence} & {*meaningful}) / len({*meaningful}) for sentence in words])
            carried = (meant >= _LEAST_MEANT) & (said >= _LEAST_SAID)
            if not carried.any():
                return ()
        elif by_words:
            meant = coverage
            if float(coverage.max()) < _LEAST_COVERED:
                return ()
        elif model.profile.name == _FITTED_FOR:
            share = _WORDS if len(set(meaningful)) > _FEW_WORDS else 0.0
            lacking = np.array([lacking_names(question, candidate) for candidate in candidates], dtype=float)
            if kind:
                lacking -= coverage > _ALL_COVERED
            absent = absent_words(question, meaningful, candidates, words, tokenise)
            evidence = (_COSINE + _WORDS - share) * meant + share * coverage - _LACKING * lacking - _ABSENT * absent
            if float(evidence.max()) < _LEAST_EVIDENCE:
                return ()
    best = max(map(relevance, candidates))
    score = (
        _COSINE * meant
        + _WORDS * coverage
        + _PASSAGE * np.array([_standing(candidate, best) for candidate in candidates])
        + _KIND * np.array([_fits(question, text) for text in texts])
        + _SHAPE * np.array([_shape(question, candidate) for candidate in candidates])
    ) * carried
    order = [place for place, _ in marginal_relevance(score.tolist(), likeness, _BALANCE)]
    first = int(score.argmax())
    place = _list_place(question, candidates, score)
    whole = None if place is None else candidates[place]
    room = most if whole is None or whole.whole is None else max(int(place != first), most - len(whole.whole.sentences))
    order = [
        place for place in order if not candidates[place].is_list and not (whole and _is_item(candidates[place], whole))
    ]
    share = _LEAST_SHARE_BY_WORDS if by_words else _LEAST_SHARE
    of_brief = share if by_words else _LEAST_SHARE_OF_BRIEF
    least = np.array([of_brief if _brief(text) else share for text in texts]) * float(score[first])
    chosen = [(float(score[place]), place) for place in order[:room] if score[place] >= least[place]]
    if place is not None:
        chosen.append((float(score[place]), place))
    chosen.sort(key=lambda scored: (-scored[0], scored[1]))
    return tuple(
        _introduced_once(chain.from_iterable(_statements(candidates[place], value, kind) for value, place in chosen))
    )


def _list_place(question: str, candidates: Sequence[AnswerCandidate], score: NDArray[np.float64]) -> int | None:
    """Which list is quoted whole: one that answers best of all, or nearly as well as a sentence that says nothing to do
    where steps are asked for."""
    lists = [place for place, candidate in enumerate(candidates) if candidate.is_list]
    if not lists:
        return None
    first, best = int(score.argmax()), max(lists, key=lambda place: (score[place], -place))
    if candidates[first].is_list:
        return first
    shape = _shape(question, candidates[best])
    steps = shape == _STEPS and not _STEP.match(plain_text(candidates[first].sentence.text))
    return best if (steps or shape == _ITEMS) and score[best] >= _LEAST_OF_STEPS * score[first] else None


def _is_item(candidate: AnswerCandidate, whole: AnswerCandidate) -> bool:
    span, start = whole.sentence.span, candidate.sentence.span.start
    return candidate.passage is whole.passage and span.start <= start < span.end


def _compared(
    question: str, texts: Sequence[str], in_context: Sequence[str], brief: NDArray[np.bool_], model: Embedder
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each sentence's cosine with the question, from 0 to 1, by itself and behind what leads to it, and its likeness to
    every other. A brief one, such as an item of a list, means what the headings above it make of it."""
    query = model.embed_query(question)  # first: a service that is down says so at once
    vectors = model.embed([*texts, *in_context])
    alone = vectors[: len(texts)].astype(np.float64)
    cosine = np.clip(cosines(vectors, query), 0.0, 1.0)
    own, led = cosine[: len(texts)], cosine[len(texts) :]
    return np.where(brief, np.maximum(own, led), (own + led) / 2), np.clip(alone @ alone.T, -1.0, 1.0)


def _brief(text: str) -> bool:
    return len(text.split()) <= _BRIEF


def _standing(candidate: AnswerCandidate, best: float) -> float:
    """How much its place counts: the relevance of its passage beside the best one's, and half as much whether it stands
    at the head of its document, which mostly says what the rest is about."""
    path = candidate.passage.cited(candidate.sentence.span).heading_path
    share = relevance(candidate) / best if best > 0 else 1.0
    return share + 0.5 * (path in ((), (candidate.passage.hit.title,)))


def _overlap(sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Likeness by words: those that two sentences share, of all they have."""
    sets = [frozenset(words) for words in sentences]
    return np.array([[len(words & other) / (len(words | other) or 1) for other in sets] for words in sets])


def _coverage(question: Sequence[str], sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """For each sentence, the share of the question's words in it, by weight: a word in few sentences weighs more."""
    words = sorted(set(question))
    within = Counter(word for sentence in sentences for word in set(sentence))
    weights = {word: math.log(1.0 + len(sentences) / (1.0 + within[word])) for word in words}
    total = math.fsum(weights.values()) or 1.0
    return np.array(
        [math.fsum(weights[word] for word in words if word in set(sentence)) / total for sentence in sentences]
    )


def _fits(question: str, sentence: str) -> float:
    """Whether it has what is asked for: a number, keys to press, or somebody's name."""
    if _ASKS_NUMBER.search(question):
        return float(bool(_NUMBER.search(sentence)))
    if _ASKS_KEYS.search(question):
        return float(bool(_KEYS.search(sentence)))
    return float(bool(_NAME.search(sentence))) if _ASKS_NAME.search(question) else 0.0


def _shape(question: str, candidate: AnswerCandidate) -> float:
    """Whether it has the form of an answer, from -1 to 1: a definition where one is asked for, something to do where
    the question is how; nothing that announces what follows, points elsewhere, or stands under a condition."""
    text = plain_text(candidate.sentence.text)
    if candidate.whole:
        return _list_shape(question, candidate.whole)
    term = _ASKS_MEANING.match(question)
    if term:
        named = rf"(?:an? |the )?{re.escape(term['term'])}s?"
        if re.match(rf"{named} (?:is|are)\b{_NO_DEFINITION}", text, re.I):
            return 1.0
        if re.match(rf"(?:use {named} to|{named} (?:lets?|allows?|means?|refers? to))\b", text, re.I):
            return 0.5
    if _ANNOUNCES.match(text) or _POINTS_ELSEWHERE.match(text):
        return -1.0
    if text.startswith("|") or _CONDITIONAL.search(text):
        return -0.5  # of a table: a row says little without its head
    if _STEP.match(text):
        return 1.0 if _ASKS_STEPS.search(question) else 0.5 if _ASKS_HOW.search(question) else -0.5
    return -0.3 if _DEPENDS.match(text) else 0.0


def _list_shape(question: str, whole: AnnouncedList) -> float:
    """Steps answer who asks how, and nobody else; other lists are as good as what announces them."""
    if whole.code:
        return 1.0 if _ASKS_HOW.search(question) else -0.5
    if not (whole.announcement or whole.numbered):
        return _ITEMS
    if _ASKS_STEPS.search(question):
        return _STEPS if whole.numbered else float(bool(whole.announcement and _TASK.match(whole.announcement.text)))
    return -0.5 if whole.numbered else 0.0


def _statements(candidate: AnswerCandidate, score: float, kind: AnswerKind | None) -> Iterator[Statement]:
    """A sentence with what stands above it, or a list: what announces it, then each item."""
    passage, whole = candidate.passage, candidate.whole
    heading = "" if whole and whole.announcement else candidate.lead
    for sentence in whole.sentences if whole else (candidate.sentence,):
        lead = heading if whole else above(passage.text, sentence.span.start - passage.start)
        lead = lead or date_above(kind, candidate)
        yield Statement(sentence.text, passage.cited(sentence.span), rounded(min(1.0, max(0.0, score))), lead)


def _introduced_once(extracts: Iterable[Statement]) -> Iterator[Statement]:
    """What stands above several statements of a passage is said above the first of them."""
    said: set[tuple[int, str]] = set()
    for statement in extracts:
        key = (statement.cited.passage, statement.above)
        yield replace(statement, above="") if key in said else statement
        said.add(key)
