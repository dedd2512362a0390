"""Reranking: a cross-encoder or language model rescores the first candidates within a deadline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate, takewhile

from octavo.algorithms.ranking.score_normalisation import min_max, z_scores
from octavo.errors import ProviderFailed
from octavo.fast_dataclass import dataclass
from octavo.model.document import shown_path
from octavo.model.ids import text_hash
from octavo.model.search_result import NO_TIME_FOR, Candidate
from octavo.retrieval.reranker_cost_measurement import MeasuredReranker
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import Search, SkipStage, in_order
from octavo.retrieval.stages.candidate_scores_and_texts import noted, texts_of

_FIRST = 4  # pairs before anything is known of their cost
_READ = 1_200  # characters of a passage, more than fit into a model's window beside a question
_LEAST_HEIGHT = 1e-3  # over which new scores are spread: over less, rounding would make many of them equal


@dataclass(frozen=True, slots=True)
class Rerank:
    """Scores the first `most` candidates, as many as hold `characters` together; with a deadline, as many as it allows.

    Without a deadline the same question has the same answer on a slow machine and on a fast one: `characters` bounds
    the work, and a deadline the time (docs/decisions/0019). Nothing is scored where the first candidate stands
    `settled` standard deviations or more above the second: it would stay there.
    What was scored before is looked up and costs nothing. `share` of the new score is the reranker's, the rest what the
    candidate had, both as z-scores. The reranked stay above those there was no time for; where `keep` is set, so many
    stay in all.
    """

    most: int = 50
    deadline_ms: float | None = None
    batch: int = 8
    share: float = 1.0
    keep: int | None = None
    characters: int | None = None
    settled: float | None = None
    name: str = "rerank"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        models = search.library.models
        if models is None:
            raise SkipStage("no reranker is configured")
        if not candidates:
            raise SkipStage("there are no candidates")
        if search.before:
            raise SkipStage("the first of the list were read again")
        looked_at = candidates[: self.most]
        if self.is_settled(looked_at):
            raise SkipStage("the first stands far above the second")
        reranker = models.reranker
        texts = self.read_of(passages(search, looked_at))
        scores = scores_within(search, reranker, texts, self.deadline_ms, self.batch)
        if not scores:
            raise SkipStage("there was no time for a single pair", degrades=True)
        reordered = merged(candidates, scores, self.share, self.name)
        return reordered if self.keep is None else reordered[: self.keep]

    @property
    def cuts_list(self) -> bool:
        return self.keep is not None

    def is_settled(self, candidates: Sequence[Candidate]) -> bool:
        return self.settled is not None and _lead(candidates) >= self.settled

    def read_of(self, texts: Sequence[str]) -> Sequence[str]:
        """Those that are scored."""
        return texts if self.characters is None else holding(texts, self.characters)


def scores_within(
    search: Search, reranker: MeasuredReranker, texts: Sequence[str], deadline_ms: float | None, batch: int
) -> list[float]:
    """Of the first passages, as far as they are known or time allows."""
    library, question = search.library, search.query.terms.text or search.query.text
    question_hash, hashes = text_hash(question), [text_hash(passage) for passage in texts]
    known = dict(library.store.rerank_scores.known(library.project, reranker.name, question_hash, hashes))
    cached = len(known)
    known |= scored_before(library, reranker, question_hash, hashes)
    unknown = {digest: text for digest, text in zip(hashes, texts, strict=True) if digest not in known}
    if unknown:
        library.outside(partial(_ask, library, reranker, question, unknown, deadline_ms, batch))
    fresh = scored_before(library, reranker, question_hash, list(unknown))
    known |= fresh
    search.notes |= {"model": reranker.name, "scored": len(known) - cached, "known": cached}
    search.notes[NO_TIME_FOR] = len(unknown) - len(fresh)
    return [known[digest] for digest in takewhile(known.__contains__, hashes)]


def scored_before(
    library: SearchedLibrary, reranker: MeasuredReranker, question_hash: str, hashes: Sequence[str]
) -> dict[str, float]:
    """What this reranker said in this search already."""
    by = f"{question_hash} {reranker.name}"
    return {digest: library.run.reranked[by, digest] for digest in hashes if (by, digest) in library.run.reranked}


def keep_scores(
    library: SearchedLibrary, reranker: MeasuredReranker, question_hash: str, scores: Mapping[str, float]
) -> None:
    by = f"{question_hash} {reranker.name}"
    library.run.reranked.update({(by, digest): score for digest, score in scores.items()})


def _ask(
    library: SearchedLibrary,
    reranker: MeasuredReranker,
    question: str,
    unknown: Mapping[str, str],
    deadline_ms: float | None,
    batch: int,
) -> None:
    """Has passages scored until the deadline; the scores go into `library.run.reranked`, and are stored later.

    A reranker that fails in the middle leaves what it has said: the passages after that are as those without time.
    """
    reranker.prepare()
    ends = None if deadline_ms is None else reranker.clock() + deadline_ms / 1e3
    fresh: dict[str, float] = {}
    waiting, question_hash = list(unknown), text_hash(question)
    while waiting:
        left = None if ends is None else ends - reranker.clock()
        size = batch if left is None else min(batch, reranker.pairs_within(left, _FIRST))
        if size < 1:
            break
        now, waiting = waiting[:size], waiting[size:]
        try:
            scores = reranker.score(question, [unknown[digest] for digest in now], left)
        except ProviderFailed:
            if not fresh:
                raise
            break
        fresh |= zip(now, map(float, scores), strict=True)
    keep_scores(library, reranker, question_hash, fresh)
    if fresh:
        put = library.store.rerank_scores.put
        library.run.later.append(partial(put, library.project, reranker.name, question_hash, fresh))


def passages(search: Search, candidates: Sequence[Candidate]) -> list[str]:
    """As the embedder sees them: the title and the headings in front."""
    return [
        f"{shown_path(tuple(dict.fromkeys((candidate.title, *candidate.heading_path))))}\n{text}"
        for candidate, text in zip(candidates, texts_of(search, candidates), strict=True)
    ]


def holding(texts: Sequence[str], characters: int) -> list[str]:
    """The first texts that hold so many characters together, and always the first; of none more than a model reads."""
    sums = accumulate(min(len(text), _READ) for text in texts)
    return [
        text for place, (text, total) in enumerate(zip(texts, sums, strict=True)) if total <= characters or not place
    ]


def _lead(candidates: Sequence[Candidate]) -> float:
    """How far the first stands above the second, in standard deviations of all."""
    spread = z_scores([candidate.score for candidate in candidates])
    return spread[0] - spread[1] if len(spread) > 1 else 0.0


def merged(
    candidates: tuple[Candidate, ...], scores: Sequence[float], share: float, stage: str
) -> tuple[Candidate, ...]:
    """The first candidates by their new scores, spread over the height they had; the rest as it was, below them."""
    first, rest = candidates[: len(scores)], candidates[len(scores) :]
    low = rest[0].score if rest else first[-1].score
    height = max(first[0].score - low, _LEAST_HEIGHT)
    before = z_scores([candidate.score for candidate in first])
    mixed = [share * new + (1.0 - share) * old for new, old in zip(z_scores(scores), before, strict=True)]
    worth = min_max(mixed)
    # A little above the ground: the last of the reranked does not tie with the first of the rest.
    raised = [candidate.scored(low + height * (0.01 + value)) for candidate, value in zip(first, worth, strict=True)]
    details = {
        candidate.key: f"{score:.3f}, from place {rank}"
        for rank, (candidate, score) in enumerate(zip(first, scores, strict=True), 1)
    }
    return noted((*in_order(raised), *rest), stage, details)
