"""Ranks exact matches of a rare word, an identifier, a number or the query's phrase above similar passages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from octavo.algorithms.phrase_prefilter import MaybePhrase
from octavo.dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.query import Terms
from octavo.model.result import Candidate
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.steps import channel_score, noted, texts_of

EXACT = "exact_match"
HOLDS_WORD = "holds the word"
_SHORT = 5
"""Tokens of a query that is typed as a phrase, stop words and all; longer ones are questions, which no text repeats."""
_AROUND = "()[]{}<>,;.:!?\"'`…"


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """Ranks exact matches of `639ACE`, `1.4.4` or `ignoreIfPresent` first.

    The query's terms say what must match whole. A word is rare when fewer than `rare` chunks have it; among the first
    `rare` candidates with a rare word, or with an identifier that is the whole query, exact-case matches rank above
    stemmed ones. A query that is a phrase in fewer than `rare` chunks is searched as a phrase; otherwise, among the
    first `among` candidates, those with the phrase rank above those with scattered words. The order of scores stays:
    an exact match gets the score of the rank it moves to.
    """

    rare: int = 50
    among: int = 20
    name: str = EXACT

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        terms = search.query.terms
        if not candidates or not (terms.exact or len(terms.whole) > 1):
            raise SkipStage("the query names nothing to be found whole" if candidates else "there are no candidates")
        ordered, details = candidates, dict[ChunkKey, str]()
        if terms.exact:
            counts = self._held(search, candidates)
            most = max(counts.values(), default=0)
            message = "holds it whole" if terms.shaped else HOLDS_WORD
            # Of a sentence, one word that is no stop word is not what was typed.
            if terms.shaped or len(terms.whole) < 2:
                details = {key: message for key, count in counts.items() if count == most}
            ordered = _first(candidates, lambda candidate: -counts.get(candidate.key, 0))
            if counts and len(terms.exact) == 1 and (len(terms.text.split()) == 1 or not terms.shaped):
                # Those beyond are found whole as well, or were not found by words at all.
                looked_at = min(self.rare, len(counts))
                ordered = (*self._very_form_first(search, ordered[:looked_at]), *ordered[looked_at:])
        if len(terms.whole) > 1:
            ordered = self._with_phrase_first(search, ordered, details)
        search.notes["whole"] = len(details)
        return noted(ordered, self.name, details)

    def _held(self, search: Search, candidates: Sequence[Candidate]) -> dict[ChunkKey, int]:
        """How many of the things looked for each candidate holds whole."""
        terms = search.query.terms
        # What is written without spaces is one word of many tokens, each of which stands in much else.
        if terms.shaped or any(len(tokens) > 1 for tokens in terms.exact):
            whole = self._holding_whole(search, candidates)
            if whole or terms.shaped:
                return whole
        by_words = [
            candidate.key for candidate in candidates if any(step.stage == "lexical" for step in candidate.steps)
        ]
        return dict.fromkeys(by_words, 1) if len(by_words) < self.rare else {}

    def _holding_whole(self, search: Search, candidates: Sequence[Candidate]) -> dict[ChunkKey, int]:
        counts: dict[ChunkKey, int] = {}
        for tokens in search.query.terms.exact:
            for key in search.library.store.lexical.containing(search.library.project, tokens):
                counts[key] = counts.get(key, 0) + 1
        return {candidate.key: counts[candidate.key] for candidate in candidates if candidate.key in counts}

    def _very_form_first(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """`explained` before what only has `explain`, `right-clicking` before `right-click`, in any case."""
        typed = search.query.terms.text.strip(_AROUND).casefold()
        very = re.compile(rf"(?<!\w){re.escape(typed)}(?!\w)")
        texts = zip(candidates, texts_of(search, candidates), strict=True)
        named = {
            candidate.key: very.search("\n".join((candidate.title, *candidate.heading_path, text)).casefold()) is None
            for candidate, text in texts
        }
        return _first(candidates, lambda candidate: named[candidate.key])

    def _with_phrase_first(
        self, search: Search, candidates: tuple[Candidate, ...], details: dict[ChunkKey, str]
    ) -> tuple[Candidate, ...]:
        library, phrase = search.library, search.query.terms.whole
        # Postings of words that are everywhere are long: in a large library only a phrase without them is looked up.
        run = phrase if search.small else _run_without_stop_words(search.query.terms)
        if run != phrase and len(phrase) <= _SHORT:
            looked_at = self._with_run(search, candidates, run)
            keys = _saying(search, looked_at, phrase)
            details |= dict.fromkeys(keys, "holds the phrase")
            return _first(candidates, lambda candidate: candidate.key not in keys)
        if run == phrase:
            holding = frozenset(library.store.lexical.containing(library.project, phrase, most=self.rare))
            if 0 < len(holding) < self.rare:
                keys = _said(search, [candidate for candidate in candidates if candidate.key in holding], phrase)
                details |= dict.fromkeys(keys, "holds the phrase")
                return _first(candidates, lambda candidate: candidate.key not in keys)
            if not holding:
                return candidates
        return (*self._phrase_first(search, candidates[: self.among], details), *candidates[self.among :])

    def _with_run(
        self, search: Search, candidates: tuple[Candidate, ...], run: tuple[str, ...]
    ) -> tuple[Candidate, ...]:
        """The candidates with these words in a row, if they are few; else the first ones, and the first by words."""
        library = search.library
        holding = frozenset(library.store.lexical.containing(library.project, run, most=self.rare) if run else ())
        if run and len(holding) < self.rare:
            return tuple(candidate for candidate in candidates if candidate.key in holding)
        by_words = sorted(candidates, key=lambda candidate: -channel_score(candidate, "lexical"))
        first = (*candidates[: self.among], *by_words[: self.among])
        return tuple({candidate.key: candidate for candidate in first}.values())

    def _phrase_first(
        self, search: Search, candidates: tuple[Candidate, ...], details: dict[ChunkKey, str]
    ) -> tuple[Candidate, ...]:
        """Phrases before scattered words, in the places that either had; what holds less than all words stays."""
        phrase = search.query.terms.whole
        maybe, joined, tokenised = MaybePhrase(phrase), f" {' '.join(phrase)} ", search.library.text.joined
        texts = dict(zip((candidate.key for candidate in candidates), texts_of(search, candidates), strict=True))
        saying = {key for key, text in texts.items() if maybe.said(text) and joined in f" {tokenised(text)} "}
        if not saying:
            return candidates
        details |= {key: "holds the phrase" for key in texts if key in saying and key not in details}
        words = [f" {token} " for token in {*phrase}]
        places, some = [], []
        for place, candidate in enumerate(candidates):
            if maybe.most(text := texts[candidate.key]) < len(phrase):
                continue
            tokens = f" {tokenised(text)} "
            if all(word in tokens for word in words):
                places.append(place)
                some.append(candidate)
        moved = dict(zip(places, _first(some, lambda candidate: candidate.key not in saying), strict=True))
        return tuple(moved.get(place, candidate) for place, candidate in enumerate(candidates))


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
    maybe, joined, tokenised = MaybePhrase(phrase), f" {' '.join(phrase)} ", search.library.text.joined
    texts = zip(candidates, texts_of(search, candidates), strict=True)
    return frozenset(
        candidate.key for candidate, text in texts if maybe.said(text) and joined in f" {tokenised(text)} "
    )


def _run_without_stop_words(terms: Terms) -> tuple[str, ...]:
    """The longest part of a phrase that has no word that is everywhere; the first of several."""
    longest: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    for token in terms.whole:
        run = (*run, token) if token in terms.words else ()
        longest = max(longest, run, key=len)
    return longest


def _first(candidates: Sequence[Candidate], key: Callable[[Candidate], int]) -> tuple[Candidate, ...]:
    """In the order of the key and otherwise as they were, with the scores of the places they take."""
    ordered = sorted(candidates, key=key)
    return tuple(
        [
            candidate if candidate is place else candidate.scored(place.score)
            for candidate, place in zip(ordered, candidates, strict=True)
        ]
    )
