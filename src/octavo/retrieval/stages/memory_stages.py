"""Memory stages: recall pinned and canonical ones, fuse, lift recent ones, lower those that no longer hold."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.algorithms.queries.query_intent_classification import Intent, intent_of
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.ids import ChunkKey
from octavo.model.memory import SUPERSEDES, MemoryFilter, MemoryId, memory_of, memory_uri
from octavo.model.projects_and_collections import MEMORIES
from octavo.model.query import Filters
from octavo.model.score_rounding import just_below
from octavo.model.search_result import Candidate, Ranking, ScoredChunk, best_first
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import ground, noted
from octavo.retrieval.stages.lexical_channel_joining import JoinedFusion
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion

_PINNED, _CANONICAL = "pinned", "canonical"
_DAY = 86_400.0
_TALK = 5  # words from which a query is a sentence rather than a handful of terms
_TRACE = regex(r"Traceback|\bat \S+:\d+|Error:|Exception\b")


@dataclass(frozen=True, slots=True)
class PinnedRecall:
    """Pinned memories, nearest by meaning first; by words while they have no vector."""

    depth: int = 50
    name: str = _PINNED

    def recall(self, search: Search) -> Ranking:
        return Ranking(self.name, _marked(search, MemoryFilter(pinned_only=True), self.depth))


@dataclass(frozen=True, slots=True)
class CanonicalRecall:
    """Canonical documents, nearest by meaning first; by words while they have no vector."""

    depth: int = 50
    name: str = _CANONICAL

    def recall(self, search: Search) -> Ranking:
        return Ranking(self.name, _marked(search, MemoryFilter(canonical_only=True), self.depth))


def _marked(search: Search, memory_filter: MemoryFilter, depth: int) -> tuple[ScoredChunk, ...]:
    store, project, query = search.library.store, search.library.project, search.query
    items = store.memories.named(project, memory_filter)
    if not items:
        raise SkipStage("no memory is marked so")
    only = Filters(collections=(MEMORIES,), uris=tuple(memory_uri(item) for item in items))
    filters = query.filters.narrowed_by(only)
    keys = store.documents.admitted(project, filters)
    if query.terms.text.strip() and search.trust > 0.0:
        cosines = search.library.meaning.vectors.score(search.vector, [ChunkKey(key) for key in keys])
        if cosines:
            return best_first(cosines.items(), depth)
    if query.terms.empty:
        raise SkipStage("the query has neither a meaning nor words to rank them by")
    return store.lexical.search(project, query.terms, filters, depth)


@dataclass(frozen=True, slots=True)
class MemoryFusion:
    """Weights by what kind of query it is; then what is pinned or canonical is lifted, by its rank among its like.

    `technical` is a handful of terms, `conversational` a sentence, `code` names, fragments and traces; each is the
    share of the lexical channel, the dense one having the rest. Words that were misspelt join the lexical channel with
    `trigram` of its best score. A marked memory of rank r gains share · best · (k + 1) / (k + r): as a channel of
    reciprocal rank fusion would, in the scale of the scores.
    """

    technical: float = 0.45
    conversational: float = 0.5
    code: float = 0.75
    trigram: float = 0.5
    pinned: float = 0.1
    canonical: float = 0.1
    k: int = 60
    name: str = "memory_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        kind = weight_profile(search.query.text)
        lexical = {"technical": self.technical, "conversational": self.conversational, "code": self.code}[kind]
        base = JoinedFusion((("typos", self.trigram),), ScoreFusion(dense=1.0 - lexical, lexical=lexical))
        channels = {name: ranking for name, ranking in rankings.items() if name not in (_PINNED, _CANONICAL)}
        candidates = base.fuse(search, channels)
        search.notes["profile"] = kind
        return self._lifted(candidates, rankings)

    def _lifted(self, candidates: tuple[Candidate, ...], rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        """Only what some channel found for its words or meaning: a pin alone is no answer."""
        # One more than the height: where there are few memories, their scores hardly differ, and marks still count.
        best = max((candidate.score for candidate in candidates), default=0.0) - ground(candidates) + 1.0
        gained: dict[ChunkKey, float] = {}
        details: dict[ChunkKey, str] = {}
        for name, share in ((_PINNED, self.pinned), (_CANONICAL, self.canonical)):
            for rank, chunk in enumerate(rankings[name].scored if name in rankings else (), 1):
                gained[chunk.key] = gained.get(chunk.key, 0.0) + share * best * (self.k + 1) / (self.k + rank)
                details[chunk.key] = f"{details[chunk.key]} and {name}" if chunk.key in details else name
        if not gained:
            return candidates
        lifted = in_order(
            [candidate.scored(candidate.score + gained.get(candidate.key, 0.0)) for candidate in candidates]
        )
        return noted(lifted, self.name, details)


def weight_profile(text: str) -> str:
    """Which weights a query gets: `technical`, `conversational` or `code`.

    >>> [weight_profile(text) for text in ("outbox retries", "how do retries of the outbox wait?", "claimEvents()")]
    ['technical', 'conversational', 'code']
    """
    intent = intent_of(text)
    if intent in (Intent.CODE, Intent.NAVIGATIONAL) or _TRACE.search(text):
        return "code"
    return "conversational" if intent is Intent.QUESTION or len(text.split()) >= _TALK else "technical"


@dataclass(frozen=True, slots=True)
class MemoryRecency:
    """What changed within so many days is worth `boost` times as much, measured from one below the lowest score.

    From there equal scores have a height too, and the newer of two equal memories comes first.
    """

    days: float = 7.0
    boost: float = 1.2
    name: str = "memory_recency"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        now, low = search.library.now(), ground(candidates) - 1.0
        recent = {candidate.key for candidate in candidates if now - candidate.modified_at <= self.days * _DAY}
        if not recent or self.boost == 1.0:
            raise SkipStage("nothing changed lately")
        search.notes["lifted"] = len(recent)
        if len(recent) == len(candidates):
            return candidates  # the same for all of them
        lifted = [
            candidate.scored(low + (candidate.score - low) * self.boost) if candidate.key in recent else candidate
            for candidate in candidates
        ]
        return noted(in_order(lifted), self.name, dict.fromkeys(recent, f"times {self.boost:g}"))


@dataclass(frozen=True, slots=True)
class Validity:
    """What is not true now keeps `share` of its score, and stays below the memory that took its place.

    A memory is superseded by an active one that says so, and holds from `valid_from` until `valid_to` of its version.
    """

    share: float = 0.5
    among: int = 100
    name: str = "validity"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        looked_at = {
            memory_of(candidate.uri) for candidate in candidates[: self.among] if candidate.collection == MEMORIES
        }
        if not looked_at:
            raise SkipStage("no memory is among the candidates")
        reasons = reasons_not_to_hold(search, tuple(sorted(looked_at)))
        if not reasons:
            raise SkipStage("every memory among the candidates holds")
        low = ground(candidates)
        scores = {
            memory_of(candidate.uri): candidate.score
            for candidate in reversed(candidates)
            if candidate.collection == MEMORIES
        }
        changed, details = [], {}
        for candidate in candidates:
            reason = reasons.get(memory_of(candidate.uri)) if candidate.collection == MEMORIES else None
            if reason is not None:
                score = low + (candidate.score - low) * self.share
                if reason.by in scores:
                    score = min(score, just_below(scores[reason.by]))
                details[candidate.key] = reason.said
                candidate = candidate.scored(score)
            changed.append(candidate)
        search.notes["lowered"] = len(details)
        return noted(in_order(changed), self.name, details)


@dataclass(frozen=True, slots=True)
class Reason:
    said: str
    by: MemoryId | None = None


def reasons_not_to_hold(search: Search, items: tuple[MemoryId, ...]) -> dict[MemoryId, Reason]:
    """Why a memory is not true now, for those that are not."""
    store, project, now = search.library.store, search.library.project, search.library.now()
    reasons: dict[MemoryId, Reason] = {}
    for item, (since, until) in store.memories.validity(project, items).items():
        if since > now:
            reasons[item] = Reason("not true yet")
        elif until is not None and until <= now:
            reasons[item] = Reason("no longer true")
    for link, by in store.memories.linking(project, items, [SUPERSEDES]):
        reasons[MemoryId(link.target)] = Reason(f"superseded by {by}", by)
    return reasons
