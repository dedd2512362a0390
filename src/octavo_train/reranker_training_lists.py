"""Candidate lists that the search gives for a library's own questions, to train and evaluate a reranker."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.fast_dataclass import Value
from octavo.model.document import Source
from octavo.model.ids import document_id
from octavo.model.normalised_text_and_spans import normalise
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Query, Terms
from octavo.model.search_result import Candidate
from octavo.observability.progress import Progress
from octavo.retrieval.built_in_profiles.cross_encoder import RERANK, before_shaping
from octavo.retrieval.built_in_profiles.notes_and_documentation import HYBRID
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.reranking import merged, passages
from octavo_train.training_pairs_from_document import TrainingPair


class CandidateList(Value):
    """A question with the passages that the search found for it, best first, and the score of each. `answers` are the
    places of those that answer; none where the search did not find it."""

    query: str
    passages: tuple[str, ...]
    scores: tuple[float, ...]
    answers: frozenset[int]


DEPTH = 10
_COLLECTION = "answers"
_QUESTION_CHARACTERS = 400
_TITLE_CHARACTERS = 200


class FoundList(Value):
    """A pair's question with the candidates that reranking would be given, their passages, and which of them answer."""

    query: str
    candidates: tuple[Candidate, ...]
    passages: tuple[str, ...]
    answers: frozenset[int]

    def learnt(self) -> CandidateList:
        return CandidateList(
            self.query, self.passages, tuple(candidate.score for candidate in self.candidates), self.answers
        )

    def ndcg(self, score: Callable[[str, Sequence[str]], Sequence[float]] | None = None) -> float:
        """nDCG@10 with one answer: 1 / log2(1 + its rank); in the order of the search, or as `hybrid_rerank` would
        have it with these scores of a question and its passages."""
        ranked = self.candidates
        first = ranked[: RERANK.most]
        if score is not None and first and not RERANK.is_settled(first):
            read = RERANK.read_of(self.passages[: RERANK.most])
            ranked = merged(ranked, score(self.query, read), RERANK.share, RERANK.name)
        right = {self.candidates[place].key for place in self.answers}
        places = (place for place, candidate in enumerate(ranked[:DEPTH]) if candidate.key in right)
        first_right = next(places, None)
        return 0.0 if first_right is None else 1.0 / math.log2(2 + first_right)


class _Kept(Value):
    """A stage that changes nothing and keeps the first `most` of what it was given."""

    most: int
    found: list[tuple[Candidate, str]] = field(default_factory=list)
    name: str = "kept"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        first = candidates[: self.most]
        self.found[:] = zip(first, passages(search, first), strict=True)
        return candidates


def found_lists(
    engine: Engine,
    pairs: Sequence[TrainingPair],
    others: Iterable[str],
    root: Path,
    progress: Progress,
    most: int = RERANK.most,
) -> tuple[FoundList, ...]:
    """The answers of the pairs, and `others` to choose among, become a library in memory, which `hybrid` is asked the
    questions of. Each answer stands there as it was harvested, so that no question finds its own heading. `root` is any
    folder: a collection has one."""
    number = {text: place for place, text in enumerate(dict.fromkeys([*(pair.positive for pair in pairs), *others]))}
    stage = _Kept(most)
    profile = before_shaping(HYBRID, stage)
    lists = []
    with engine.in_memory() as scratch:
        collection = scratch.add_collection(_COLLECTION, root)
        sources = [_source(collection, place, text) for text, place in number.items()]
        scratch.writer.index_texts(collection, sources, progress=progress)
        progress.start("searching", len(pairs), "questions")
        try:
            for pair in pairs:
                stage.found.clear()
                asked = pair.query[:_QUESTION_CHARACTERS]
                # Its words alone: a heading such as "tag: release" asks for no tag.
                scratch.candidates(Query(asked, limit=DEPTH, terms=Terms(asked)), profile)
                lists.append(_list(pair, f"{number[pair.positive]}.txt", stage.found))
                progress.advance(1)
        finally:
            progress.finish()
    return tuple(lists)


def _source(collection: Collection, place: int, text: str) -> Source:
    """Where an answer was harvested with its title and headings, they are its first line."""
    uri, (above, _, below) = f"{place}.txt", normalise(text).partition("\n")
    title, own = (above, below) if below.strip() and len(above) <= _TITLE_CHARACTERS else ("", normalise(text))
    identity = document_id(collection.project_id, collection.id, uri)
    return Source(identity, uri, own, 0.0, title=title, allow_secrets=True)


def _list(pair: TrainingPair, uri: str, found: Sequence[tuple[Candidate, str]]) -> FoundList:
    right = frozenset(
        place for place, (candidate, _) in enumerate(found) if any(at == uri for _, at in candidate.places)
    )
    return FoundList(pair.query, tuple(candidate for candidate, _ in found), tuple(text for _, text in found), right)
