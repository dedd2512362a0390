"""The relevance of what a search found, and how much of it is an answer at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from operator import attrgetter

from octavo.algorithms.queries.phrase_prefilter import PhrasePrefilter
from octavo.algorithms.ranking.relevance_calibration import AnswerEvidence, Calibration, HitSigns
from octavo.algorithms.text.unicode_folding import is_ideograph
from octavo.errors import LibraryError
from octavo.fast_dataclass import dataclass, replace
from octavo.model.document import Kind
from octavo.model.ids import DocumentId
from octavo.model.query import Terms
from octavo.model.score_rounding import SAYS_NOTHING, rounded, shown
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.candidate_scores_and_texts import (
    channel_score,
    given_title,
    ground,
    subject_of,
    texts_of,
)
from octavo.retrieval.stages.declaration_folding_and_ordering import ONLY_COMMENT
from octavo.retrieval.stages.document_name_promotion import NAMED
from octavo.retrieval.stages.exact_match_boost import EXACT, HOLDS_FORMS, HOLDS_IN_TEXT, HOLDS_WORD
from octavo.retrieval.stages.named_definition_boost import DEFINED

BY_WORDS = Calibration(bias=-11.646, share=7.795, cosine=0.0, words=6.229, exact=2.0)
"""Fitted on `lexical_only`; what scores mean too where meaning has nothing to say, as in scripts no model reads, and
in profiles and beside encoders whose scores were not fitted."""

_FLOOR_BY_WORDS, _FLOOR_OF_TRANSLATIONS = 0.03, 0.016
"""For a question in another language than English: its cosine to an answer in English is lower, to one in its own the
scale was not learnt."""
_ENDS_OF_TRANSLATIONS = 0.02
"""The share of the best relevance at which their list ends: which of several passages answers is less sure."""
_LOOKED_AT, _COMPARED = 5, 5
"""Of so many passages, those that are best by words are compared with the query's words."""
_SURE = frozenset((EXACT, NAMED, DEFINED))
_FAR_AHEAD = 0.31
"""Beyond this a lead says no more: of a few candidates the last has nothing, and everything else is far ahead."""
_LONGEST_NAME = 4  # words: "where is Client.send defined"
_score = attrgetter("score")
_RANKED = 100
"""The candidates that take places by their relevance; those of a longer list follow."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the scores of one query are measured by: its best hit in the whole library, whatever filters let through."""

    calibration: Calibration
    evidence: AnswerEvidence
    low: float
    height: float
    subject: tuple[DocumentId, int]
    title: str
    scores: Mapping[int, float] = field(default_factory=dict)
    """The relevance of each of the whole library's candidates, by its chunk's key."""
    with_only_word: frozenset[int] = frozenset()
    """Of a question around one word, the chunks that are best by that word alone."""

    def signs(self, candidates: Iterable[Candidate]) -> Iterator[HitSigns]:
        low, height, document, title = self.low, self.height, self.subject[0], self.title
        new = tuple.__new__
        for candidate in candidates:
            share = (candidate.score - low) / height if height > 0 else 1.0
            share = 0.0 if share < 0.0 else 1.0 if share > 1.0 else share
            # Nearly all are of another document and have another title, which is known sooner than the rest.
            maybe = candidate.document_id == document or candidate.title == title
            kin = maybe and _is_kin(candidate, self.subject, title)
            yield new(HitSigns, (share, kin, _exactness(candidate)))

    def remembering(self, candidates: Sequence[Candidate]) -> Scale:
        """The same, by which each of these candidates has its relevance wherever else it is found."""
        keys = [candidate.key for candidate in candidates]
        return replace(self, scores=dict(zip(keys, self.relevances(candidates), strict=True)))

    def relevance(self, candidate: Candidate) -> float:
        return self.relevances((candidate,))[0]

    def relevances(self, candidates: Sequence[Candidate]) -> list[float]:
        scores = self.scores
        if unknown := [candidate for candidate in candidates if candidate.key not in scores]:
            measured = map(rounded, self.calibration.relevances(self.evidence, self.signs(unknown)))
            scores = {**scores, **{candidate.key: each for candidate, each in zip(unknown, measured, strict=True)}}
        return [scores[candidate.key] for candidate in candidates]


def judged(search: Search, candidates: Sequence[Candidate], own: Scale, scale: Scale) -> tuple[Candidate, ...]:
    """The hits among the candidates that a query's filters let through, by their relevance in the whole library.

    `own` is the scale that the candidates make themselves, which says whether one of them is an answer.
    """
    # Which hits say nothing more is known by their order; one by the query's only word stands wherever it is.
    most = None if own.with_only_word else search.query.limit
    hits = by_relevance(candidates, scale, most)
    if search.query.floor:
        hits = answers(hits, own)
    least = shown(search.query.min_score)
    return tuple(hit for hit in hits if shown(hit.score) >= least)


def scale_of(search: Search, candidates: Sequence[Candidate], calibration: Calibration) -> Scale:
    """The scale that these candidates make, which are those of the whole library at the profile's own depths."""
    if candidates[0].kind is Kind.CODE and not _names(search, candidates[0]):
        calibration = calibration.code or calibration
    signs, with_only_word = evidence(search, candidates), _with_only_word(search)
    if any(candidate.key in with_only_word for candidate in candidates):
        signs = signs._replace(words=1.0)
    if signs.cosine == 0.0:
        calibration = replace(BY_WORDS, floor=0.0)
    elif search.query.terms.gloss:
        calibration = replace(calibration, ends=_ENDS_OF_TRANSLATIONS)
    elif not calibration.is_answered(signs, _exactness_of_first(candidates)) and search.in_another_language:
        # What has any of its words may be an answer, wherever it stands.
        signs = evidence(search, candidates, among=len(candidates))
        scales = replace(calibration, floor=_FLOOR_OF_TRANSLATIONS), replace(BY_WORDS, floor=_FLOOR_BY_WORDS)
        answering = [scale for scale in scales if scale.is_answered(signs, _exactness_of_first(candidates))]
        calibration = max(answering or scales, key=lambda scale: scale.relevance(signs, HitSigns(1.0)))
    low, best = ground(candidates), candidates[0]
    height = _height(search, candidates)
    return Scale(calibration, signs, low, height, subject_of(best), _title(best), with_only_word=with_only_word)


def by_relevance(candidates: Sequence[Candidate], scale: Scale, most: int | None = None) -> tuple[Candidate, ...]:
    """The candidates with their relevance for a score, the most relevant first; equal ones stay in their order.

    Those of a longer list keep their places, as a shorter one has them, so none shows more than what stands above it.
    The first `most` are enough, if somebody says so.
    """
    ranked = candidates[:_RANKED]
    relevances = scale.relevances(ranked)
    order = sorted(range(len(ranked)), key=relevances.__getitem__, reverse=True)
    hits = [ranked[place].scored(relevances[place]) for place in order[:most]]
    if most is None or most > len(ranked):
        for candidate in candidates[_RANKED:]:
            hits.append(candidate.scored(min(scale.relevance(candidate), hits[-1].score)))
    return tuple(hits)


def answers(candidates: Sequence[Candidate], scale: Scale) -> tuple[Candidate, ...]:
    """Of candidates with their relevance those that are hits: none where nothing answers, and else up to where the
    list says nothing more. Where no floor was fitted, all."""
    if not candidates or scale.calibration.floor == 0.0:
        return tuple(candidates)
    if not scale.calibration.is_answered(scale.evidence, _exactness_of_first(candidates)):
        return ()
    return tuple(
        candidate
        for candidate in candidates
        if scale.calibration.is_shown(candidate.score, candidates[0].score)
        or (candidate.key in scale.with_only_word and candidate.score >= SAYS_NOTHING)
    )


def _height(search: Search, candidates: Sequence[Candidate]) -> float:
    """The best score above the ground, without what a text gets for a phrase: that makes the others no worse an answer.
    In code a line that says it is the answer more often."""
    low = ground(candidates)
    if len(search.query.terms.whole) < 2:
        highest: float = max(map(_score, candidates))
    else:
        highest = max(_score_without_phrase(candidate, low) for candidate in candidates)
    return highest - low


def _score_without_phrase(candidate: Candidate, low: float) -> float:
    if candidate.kind is not Kind.CODE:
        before = low
        for step in candidate.steps:
            if step.stage == EXACT and step.detail in HOLDS_IN_TEXT:
                return before
            before = step.score
    return candidate.score


def _lead(search: Search, candidates: Sequence[Candidate]) -> float:
    """How far the best is ahead of the first about something else, as a share of its score."""
    subject, title = subject_of(candidates[0]), _title(candidates[0])
    other = next((candidate for candidate in candidates if not _is_kin(candidate, subject, title)), None)
    height = _height(search, candidates)
    share = 1.0 if other is None or height <= 0 else max(0.0, (other.score - ground(candidates)) / height)
    return min(_FAR_AHEAD, 1.0 - share)


def _is_kin(candidate: Candidate, subject: tuple[DocumentId, int], title: str) -> bool:
    """Whether it is of the best one's document or declaration, or below its title: answers to one question, days of one
    journey. What is said around a turn of a conversation is about something else, so a turn has no kin, nor is one."""
    if candidate.is_turn:
        return False
    return (title != "" and _title(candidate) == title) or subject_of(candidate) == subject


def _title(candidate: Candidate) -> str:
    return candidate.title if given_title(candidate) else ""


def _exactness(candidate: Candidate) -> float:
    """How far a passage holds what was typed, or is what it names. A plain word is in many passages; a comment that was
    put below the code is not what a sentence asks for."""
    sure = 0.0
    for stage, _, _, detail in candidate.steps:
        if detail == ONLY_COMMENT:
            return 0.0
        if stage in _SURE:
            sure = max(sure, 0.5 if detail in (HOLDS_WORD, HOLDS_FORMS) else 1.0)
    return sure


def _names(search: Search, candidate: Candidate) -> bool:
    """Whether the query is what a passage of code is called or holds, and no sentence, of which much has a part."""
    return _exactness(candidate) == 1.0 and len(search.query.text.split()) <= _LONGEST_NAME


def _exactness_of_first(candidates: Sequence[Candidate]) -> float:
    return max(map(_exactness, candidates[:_LOOKED_AT]))


def _with_only_word(search: Search) -> frozenset[int]:
    """Where a question has one word that does not only frame it: the chunks that are best by it. What the other words
    find says nothing of whether there is an answer."""
    terms = search.query.terms
    words = search.library.text.subject(terms.text)
    if len(words) != 1 or not words.issubset(terms.words) or terms.condition is not None:
        return frozenset()
    with suppress(LibraryError):  # an index that is damaged is named by the stage that asks it first
        return frozenset(chunk.key for chunk in search.holding(Terms("", words=tuple(words)), _COMPARED))
    return frozenset()


def evidence(search: Search, candidates: Sequence[Candidate], among: int = _LOOKED_AT) -> AnswerEvidence:
    cosines = (step.score for candidate in candidates for step in candidate.steps if step.stage == "dense")
    by_words = sorted(candidates[:among], key=lambda candidate: -channel_score(candidate, "lexical"))
    words = _words(search, by_words[:_COMPARED])
    return AnswerEvidence(
        max(cosines, default=0.0), words, _lead(search, candidates), _said_by_title(search, candidates[0])
    )


def _said_by_title(search: Search, best: Candidate) -> float:
    """How many of the words of a title and the query, without those that only frame a question, are words of both.
    The title of a file of code says little of its declarations."""
    if best.kind is Kind.CODE:
        return 0.0
    words = search.library.text.subject
    asked, named = words(search.query.terms.text), words(_title(best))
    return len(asked & named) / max(1, len(asked | named))


def _words(search: Search, candidates: Sequence[Candidate]) -> float:
    """The largest share of the query's words that a passage holds, its title and headings included."""
    terms = search.query.terms
    analysed = search.library.text
    subject = analysed.subject(terms.text).intersection(terms.words) or terms.words
    words = analysed.content(subject, terms.text)
    expected = frozenset((*words, *(token for phrase in (*terms.phrases, *terms.preferred) for token in phrase)))
    if not expected:
        return 1.0 if terms.prefixes else 0.0
    if len(terms.words) == 1 and candidates and channel_score(candidates[0], "lexical") > 0.0:
        return 1.0  # also where its path or an alias has the word
    other_forms = {token: {*word.forms, *word.compounds} for word in terms.forms for token in word.tokens}
    languages = {form.split("_", 2)[1] for word in terms.forms for form in word.forms}
    best, in_english, maybe = 0, 0.0, PhrasePrefilter(tuple(expected))
    passages = [
        (" ".join((candidate.title, *candidate.heading_path)), text)
        for candidate, text in zip(candidates, texts_of(search, candidates), strict=True)
    ]
    most = [len(expected) if other_forms or terms.english else maybe.most(" ".join(passage)) for passage in passages]
    for (named, text), count in sorted(zip(passages, most, strict=True), key=lambda known: -known[1]):
        if count <= best:
            break  # no other has more of them
        # Apart: the text was tokenised by others, or for the key that was typed before this one.
        tokens = f" {analysed.joined(named)} {analysed.joined(text)} "
        present = {token for token in expected if f" {token} " in tokens or (is_ideograph(token) and token in tokens)}
        if other_forms and len(present) < len(expected):
            passage = f"{named}\n{text}"
            forms = {form for language in languages for form in analysed.forms(passage, language)}
            present |= {token for token in expected - present if not forms.isdisjoint(other_forms.get(token, ()))}
        best = max(best, len(present))
        if terms.english:
            said = sum(any(f" {token} " in tokens for token in meant) for meant in terms.english)
            in_english = max(in_english, said / max(len(terms.english), len(expected)))
    return max(in_english, best / len(expected))
