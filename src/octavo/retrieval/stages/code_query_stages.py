"""Stages for code queries: by name, by place, by printed message, by fragment."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from octavo.algorithms.queries.code_query_parsing import (
    CodeQueryForm,
    read_code_query,
    share_in_order,
    share_of_runs,
)
from octavo.fast_dataclass import dataclass, replace
from octavo.lazy_regex import regex
from octavo.model.query import Query, Terms
from octavo.model.search_result import Candidate, Ranking
from octavo.retrieval.stage import Fuse, Search, SkipStage, UsesQueryVector, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted, texts_of
from octavo.retrieval.stages.declaration_folding_and_ordering import LITERAL, WRITTEN, by_declaration
from octavo.retrieval.stages.lexical_and_dense_recall import DenseRecall
from octavo.retrieval.stages.lexical_channel_joining import JoinedFusion
from octavo.retrieval.stages.query_weighted_fusion import Balance, BalancedFusion
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion
from octavo.retrieval.stages.symbol_and_path_recall import beginnings

_MEANING_FIRST = Balance(base=0.03)
_BESIDE_PLACES = 0.2
# Names that are a word of their own (go, c, swift, ruby) count only after "in", "with" or "using".
_LANGUAGE = regex(
    r"\b(?:(?:in|with|using|for)\s+)?(?:python|javascript|typescript|java|golang|php|kotlin|haskell|perl)\b\s?[23]?(?:\.\d+)?"
    r"|\b(?:in|with|using)\s+(?:go|c|r|rust|ruby|swift|scala|julia|lua|bash)\b(?![+#\w])|(?<!\w)(?:in\s+)?[cC](?:\+\+|#)(?!\w)",
    re.IGNORECASE,
)
_FILTER = regex(r"(?:^|\s)-?(?:tag|path|title|kind|in|collection):\S", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadCode:
    """Takes traces, messages, patterns and fragments literally: their quotes, minus signs and stars are their own.

    A quotation beside other words is wished for, and demanded only when it is the whole query.

    Of a trace only what went wrong and the innermost functions are looked for by word and meaning: its paths are a
    channel of their own. Up to `runs` runs of three words count as phrases.
    """

    runs: int = 12
    name: str = "read_code"

    def expand(self, search: Search) -> Query:
        query, terms, analyse = search.query, search.query.terms, search.library.text.query_tokens
        read = read_code_query(query.text)
        search.notes["asked"] = read.asked.value
        if read.asked in LITERAL and not _FILTER.search(query.text):
            words = tuple(dict.fromkeys(analyse(read.words)))
            # Word by word, because stop words count in a phrase.
            runs = (tuple(token for word in run.split() for token in analyse(word)) for run in read.runs[: self.runs])
            preferred = (*terms.preferred, *terms.phrases, *runs)
            prefixes = beginnings(search, read.parts)
            literal = Terms(text=read.words, words=words, preferred=preferred, prefixes=prefixes)
            return replace(query, terms=literal)
        if terms.phrases and terms.words:
            # Beside other words a quotation is a value or a literal, and code may write it otherwise.
            words = tuple(dict.fromkeys((*terms.words, *(word for phrase in terms.phrases for word in phrase))))
            softer = replace(terms, words=words, preferred=(*terms.preferred, *terms.phrases), phrases=())
            return replace(query, terms=softer)
        return query


@dataclass(frozen=True, slots=True)
class CodeDense(UsesQueryVector):
    """Dense recall that makes less of the name of a language: "in python" says where to look rather than what for.

    q' = q + aside · (q without the language), at length 1. Fusion sees the new vector, so its cosines are of one kind.
    """

    depth: int = 100
    aside: float = 0.3
    name: str = "dense"

    def recall(self, search: Search) -> Ranking:
        text = search.query.terms.text
        bare = " ".join(_LANGUAGE.sub(" ", text).split())
        if bare and bare != text and self.aside > 0.0 and not search.query.hypothesis:
            search.notes["meant"] = bare
            moved = search.vector + self.aside * search.library.meaning.embedder.embed_query(bare)
            search.vector = (moved / max(float(np.linalg.norm(moved)), 1e-12)).astype(np.float32)
        return DenseRecall(self.depth, self.name).recall(search)


@dataclass(frozen=True, slots=True)
class CodeFusion:
    """Meaning and words decide for a question, words for a name, a trace or a fragment; who is named comes first.

    A declaration is scored as one thing: by its words as a whole and by its nearest chunk.

    `words` says what a point of BM25 is worth beside the cosine in the first case; `named` is the share of meaning in
    the other. `symbols` and `places` are what an exact match of a name or a place adds to the lexical score, in best
    lexical scores; `mentioned` is for names in what was pasted, which speaks of them and stands elsewhere, and
    `spoken_of` for those in a sentence, whose meaning is asked for as well. The frames of a stack trace, and what
    uses a name where that is asked, stand in their own order, whatever words and meaning say of them.
    """

    words: Balance = _MEANING_FIRST
    named: float = 0.3
    symbols: float = 1.0
    mentioned: float = 0.2
    spoken_of: float = 0.5
    places: float = 2.0
    name: str = "code_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        rankings = by_declaration(search, rankings)
        read = read_code_query(search.query.text)
        form = read.asked
        exact = any(rankings[name].scored for name in ("symbols", "places") if name in rankings)
        if not exact and form not in WRITTEN:
            return BalancedFusion(self.words, self.name).fuse(search, rankings)
        symbols = self.mentioned if form in LITERAL else self.symbols
        base: Fuse = ScoreFusion(self.named, 1.0 - self.named)
        if read.sentence:
            symbols, base = self.spoken_of, BalancedFusion(self.words)
        joined = JoinedFusion((("symbols", symbols), ("places", self.places)), base, self.name)
        candidates = joined.fuse(search, rankings)
        first = "places" if form is CodeQueryForm.TRACE else "symbols" if read.uses else ""
        return _above(candidates, rankings.get(first))


def _above(candidates: tuple[Candidate, ...], ranking: Ranking | None) -> tuple[Candidate, ...]:
    """What a channel found above everything else, in its order."""
    if ranking is None or not candidates:
        return candidates
    worth = {chunk.key: chunk.score for chunk in ranking.scored}
    top = candidates[0].score
    height = (top - ground(candidates)) or 1.0
    return in_order([each.scored(top + height * worth[each.key]) if each.key in worth else each for each in candidates])


@dataclass(frozen=True, slots=True)
class Fragments:
    """Lifts candidates that hold the literal parts of a pattern in their order, or runs of words of a message.

    What a message quotes and counts is left out: the code that says it has a placeholder there. `weight` is how far one
    that holds all is lifted, in the height of the first candidate above the ground.
    """

    weight: float = 1.0
    among: int = 100
    name: str = "fragments"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        read = read_code_query(search.query.text)
        if not candidates or not (read.pieces or read.runs):
            raise SkipStage("the query quotes nothing" if candidates else "there are no candidates")
        first = candidates[: self.among]
        height = (first[0].score - ground(candidates)) or 1.0
        # Who is on the trace is surer than who says the same words.
        weight = self.weight * (_BESIDE_PLACES if read.asked is CodeQueryForm.TRACE else 1.0)
        lifted, details = [], {}
        for candidate, text in zip(first, texts_of(search, first), strict=True):
            ways = (share_in_order(pieces, text) for pieces in read.pieces)
            share = max(ways) if read.pieces else share_of_runs(read.runs, text)
            if share > 0.0:
                details[candidate.key] = f"{share:.0%} of what was quoted"
                candidate = candidate.scored(candidate.score + weight * height * share * share)
            lifted.append(candidate)
        search.notes |= {"quoted": list(read.pieces or read.runs), "lifted": len(details)}
        return noted(in_order([*lifted, *candidates[self.among :]]), self.name, details)
