"""Adds to the score of passages that hold what was typed: an identifier, a number, a rare word, the whole phrase."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter

from octavo.algorithms.model_inputs.question_mark_completion import asks
from octavo.algorithms.queries.phrase_prefilter import PhrasePrefilter
from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.query import Terms
from octavo.model.search_result import Candidate
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import channel_score, ground, noted, texts_of

EXACT = "exact_match"
HOLDS_WHOLE, HOLDS_WORD, HOLDS_PHRASE = "holds it whole", "holds the word", "holds the phrase"
HOLDS_FORMS, HOLDS_TITLE = "holds the phrase in another form", "holds the phrase in its title"
HOLDS_IN_TEXT = frozenset((HOLDS_PHRASE, HOLDS_FORMS))
_HOLDS_WORD_BY_WORD = HOLDS_IN_TEXT | {HOLDS_TITLE}
_QUOTED = 3
"""Words from which on a phrase is more likely quoted than made up."""
_OTHER_FORMS = 0.3
"""What `installing` for `install` brings, as a share of the words as they were typed."""
_WHOLE = 20_000
"""Chunks up to which the postings of stop words are short."""
_WORD, _BETWEEN = re.compile(r"[^\W_]+"), r"[\W_]+"
_AROUND = "()[]{}<>,;.:!?\"'`…"
_steps, _detail = attrgetter("steps"), attrgetter("detail")


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """Adds to a passage's score, in the height of the first candidate, for what it holds as it was typed.

    `identifier` is for `639ACE`, `1.4.4` or `ignoreIfPresent`, a part of it where several are named and some are held;
    `word` for the only word of a query, where fewer than `rare` candidates have it, and `form` more for the word in the
    form that was typed; `phrase` for the words of a short query as they were typed or in a title, a share of it for
    two words, which more often name a subject than quote a text, and for other forms. A phrase with stop words
    gets `identifier`: no channel counts them, so what holds it is fetched even where none found it. A phrase that fewer
    than `rare` chunks have is looked up; of another one the `among` best candidates are read.
    """

    identifier: float = 1.0
    word: float = 0.5
    form: float = 1.0
    phrase: float = 0.5
    rare: int = 50
    among: int = 20
    name: str = EXACT

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        terms = search.query.terms
        if not candidates or not (terms.exact or len(terms.whole) > 1):
            raise SkipStage("the query names nothing to be found whole" if candidates else "there are no candidates")
        lifts, details = dict[ChunkKey, float](), dict[ChunkKey, str]()
        if terms.exact:
            counts = self._held(search, candidates)
            share = self.identifier if terms.shaped else self.word
            lifts = {key: share * count / len(terms.exact) for key, count in counts.items()}
            # Of a sentence, one word that is no stop word is not what was typed.
            if terms.shaped or len(terms.whole) < 2:
                most, detail = max(counts.values(), default=0), HOLDS_WHOLE if terms.shaped else HOLDS_WORD
                details = {key: detail for key, count in counts.items() if count == most}
            if len(terms.exact) == 1 and (len(terms.text.split()) == 1 or not terms.shaped):
                some = [candidate for candidate in candidates if candidate.key in counts][: self.rare]
                typed = re.escape(terms.text.strip(_AROUND).casefold())
                for key in _saying_as_typed(search, some, typed):
                    lifts[key] += self.form
        if len(terms.whole) > 1:
            known = {candidate.key for candidate in candidates}
            holding = self._holding_phrase(search, candidates)
            for candidate, detail in zip(holding, _where_held(search, holding), strict=True):
                lifts[candidate.key] = lifts.get(candidate.key, 0.0) + self._lift_of_phrase(terms, detail)
                details[candidate.key] = detail
                if candidate.key not in known:
                    candidates = (*candidates, candidate.scored(candidates[-1].score))
        search.notes["whole"] = len(details)
        if not lifts:
            return candidates
        height = (candidates[0].score - ground(candidates)) or 1.0
        lifted = [
            candidate.scored(candidate.score + height * lifts[candidate.key]) if candidate.key in lifts else candidate
            for candidate in candidates
        ]
        return noted(in_order(lifted), self.name, details)

    def _lift_of_phrase(self, terms: Terms, detail: str) -> float:
        if detail == HOLDS_FORMS:
            return self.phrase * _OTHER_FORMS
        # In a question stop words only frame what is asked for.
        if _has_stop_words(terms) and not asks(terms.text):
            return self.identifier
        return self.phrase if detail == HOLDS_TITLE else self.phrase * min(1.0, len(terms.whole) / _QUOTED)

    def _held(self, search: Search, candidates: Sequence[Candidate]) -> dict[ChunkKey, int]:
        """How many of the things looked for each candidate holds whole."""
        terms = search.query.terms
        # What is written without spaces is one word of many tokens, each of which stands in much else; and where there
        # are other words, they only frame the question.
        if terms.shaped or len(terms.words) > 1 or any(len(tokens) > 1 for tokens in terms.exact):
            whole = self._holding_whole(search, candidates)
            if terms.shaped or 0 < len(whole) < self.rare:
                return whole
        by_words = [
            candidate.key for candidate in candidates if any(step.stage == "lexical" for step in candidate.steps)
        ]
        return dict.fromkeys(by_words, 1) if len(by_words) < self.rare else {}

    def _holding_whole(self, search: Search, candidates: Sequence[Candidate]) -> dict[ChunkKey, int]:
        # A common word is in half of the library: only the candidates among its chunks are counted.
        keys = frozenset(candidate.key for candidate in candidates)
        counts = Counter(
            key for tokens in search.query.terms.exact for key in keys.intersection(search.library.containing(tokens))
        )
        return {candidate.key: counts[candidate.key] for candidate in candidates if candidate.key in counts}

    def _holding_phrase(self, search: Search, candidates: tuple[Candidate, ...]) -> Sequence[Candidate]:
        library, phrase = search.library, search.query.terms.whole
        # Postings of words that are everywhere are long: in a large library only a phrase without them is looked up.
        looked_up = search.small or library.has_at_most(_WHOLE)
        run = phrase if looked_up else _run_without_stop_words(search.query.terms)
        holding = library.containing(run, self.rare) if run else ()
        if run and len(holding) < self.rare:
            keys = frozenset(holding)
            some = [candidate for candidate in candidates if candidate.key in keys]
            if run == phrase and _has_stop_words(search.query.terms):
                known, admitted = {candidate.key for candidate in some}, search.admitted
                missing = [key for key in holding if key not in known and (admitted is None or key in admitted)]
                some += in_order(library.candidates(missing).values())
            said = _said if run == phrase else _saying
        else:
            by_words = sorted(candidates, key=lambda candidate: -channel_score(candidate, "lexical"))
            first = (*candidates[: self.among], *by_words[: self.among])
            some, said = [*{candidate.key: candidate for candidate in first}.values()], _saying
        saying = said(search, some, phrase)
        return [candidate for candidate in some if candidate.key in saying]


def any_holds_phrase(candidates: Sequence[Candidate]) -> bool:
    """Whether the stage found the query in one of them, word by word."""
    found = map(_detail, chain.from_iterable(map(_steps, candidates)))
    return not _HOLDS_WORD_BY_WORD.isdisjoint(found)


def _where_held(search: Search, candidates: Sequence[Candidate]) -> list[str]:
    """Of each that holds the phrase: in the title, an alias or a heading; in the text as it was typed; or not quite."""
    tokenised, phrase = search.library.text.joined, f" {' '.join(search.query.terms.whole)} "
    typed = _BETWEEN.join(_WORD.findall(search.query.terms.text.casefold()))
    as_typed = _saying_as_typed(search, candidates, typed)
    return [
        HOLDS_TITLE
        if phrase in f" {tokenised(' '.join((candidate.title, *candidate.heading_path)))} "
        or phrase not in f" {tokenised(text)} "
        else HOLDS_PHRASE
        if candidate.key in as_typed
        else HOLDS_FORMS
        for candidate, text in zip(candidates, texts_of(search, candidates), strict=True)
    ]


def _saying_as_typed(search: Search, candidates: Sequence[Candidate], typed: str) -> frozenset[ChunkKey]:
    """Those with `explained`, not only `explain`; `right-clicking`, not only `right-click`; in any case."""
    form = re.compile(rf"(?<!\w){typed}(?!\w)")
    texts = zip(candidates, texts_of(search, candidates), strict=True)
    return frozenset(
        candidate.key
        for candidate, text in texts
        if form.search("\n".join((candidate.title, *candidate.heading_path, text)).casefold())
    )


def _said(search: Search, candidates: Sequence[Candidate], phrase: Sequence[str]) -> frozenset[ChunkKey]:
    """Those that say a phrase themselves; where title or aliases do, which every chunk has, the document's first."""
    documents = Counter(candidate.document_id for candidate in candidates)
    several = [candidate for candidate in candidates if documents[candidate.document_id] > 1]
    saying = _saying(search, several, phrase)
    first = {candidate.document_id: candidate.key for candidate in reversed(candidates)}
    saying_documents = {candidate.document_id for candidate in several if candidate.key in saying}
    return frozenset(saying | {key for document, key in first.items() if document not in saying_documents})


def _saying(search: Search, candidates: Sequence[Candidate], phrase: Sequence[str]) -> frozenset[ChunkKey]:
    """Those whose own text has the phrase."""
    maybe, joined, tokenised = PhrasePrefilter(phrase), f" {' '.join(phrase)} ", search.library.text.joined
    texts = zip(candidates, texts_of(search, candidates), strict=True)
    return frozenset(
        candidate.key for candidate, text in texts if maybe.said(text) and joined in f" {tokenised(text)} "
    )


def _has_stop_words(terms: Terms) -> bool:
    """Whether a phrase has words that no channel counts, so that none may bring what holds it."""
    return not set(terms.whole).issubset(terms.words)


def _run_without_stop_words(terms: Terms) -> tuple[str, ...]:
    """The longest part of a phrase that has no word that is everywhere; the first of several."""
    longest: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    for token in terms.whole:
        run = (*run, token) if token in terms.words else ()
        longest = max(longest, run, key=len)
    return longest
