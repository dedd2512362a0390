"""The query as it was meant: its intent, its expansion to the library's words, and fusion by the intent.

Names and fragments of code want words, sentences want meaning.
"""

from __future__ import annotations

from collections.abc import Mapping

from octavo.algorithms.queries.query_intent_classification import Intent, intent_of
from octavo.algorithms.ranking.vector_nearest_neighbors import cosines
from octavo.fast_dataclass import Value, replace
from octavo.model.query import Query
from octavo.model.search_result import Candidate, Ranking
from octavo.retrieval.stage import Search, SkipStage, UsesQueryVector
from octavo.retrieval.stages.hypothetical_answer_recall import aim
from octavo.retrieval.stages.score_and_rank_fusion import ScoreFusion


class QueryIntent(Value):
    """Says in the trace what kind of query this is; changes nothing."""

    name: str = "intent"

    def expand(self, search: Search) -> Query:
        search.notes["intent"] = intent_of(search.query.text).value
        return search.query


class ConceptExpansion(Value):
    """Adds the words of the titles and headings nearest to the query by meaning.

    The vocabulary is that of the `passages` nearest chunks: what is far from the query in the library is far in its
    titles too, and only `looked_at` of them have to be embedded.
    """

    passages: int = 20
    looked_at: int = 12
    terms: int = 3
    least: float = 0.5
    name: str = "concepts"

    def expand(self, search: Search) -> Query:
        query, library = search.query, search.library
        if not query.terms.words:
            raise SkipStage("the query has no words to add to")
        near = library.meaning.vectors.search(search.vector, self.passages, search.admitted)
        known = library.store.documents.candidates(library.project, [chunk.key for chunk in near])
        query_words = set(query.terms.words)
        concepts: dict[str, tuple[str, ...]] = {}
        for chunk in near:
            candidate = known[chunk.key]
            for concept in (*reversed(candidate.heading_path), candidate.title):
                new = tuple(word for word in library.text.query_tokens(concept) if word not in query_words)
                if new and len(concepts) < self.looked_at:
                    concepts.setdefault(concept, new)
        if not concepts:
            raise SkipStage("no passage near the query has a title with other words")
        near_query = cosines(library.meaning.embedder.embed(list(concepts)), search.vector).tolist()
        ranked = sorted(zip(near_query, concepts, strict=True), key=lambda pair: (-pair[0], pair[1]))
        chosen = [(cosine, concept) for cosine, concept in ranked[: self.terms] if cosine >= self.least]
        if not chosen:
            raise SkipStage("no title is near enough")
        search.notes["concepts"] = {concept: round(cosine, 3) for cosine, concept in chosen}
        words = dict.fromkeys((*query.terms.words, *(word for _, concept in chosen for word in concepts[concept])))
        return replace(query, terms=replace(query.terms, words=tuple(words)))


class FeedbackRecall(UsesQueryVector, Value):
    """Dense recall, asked again from where the best passages are.

    q' = (1 - share) · q + share · mean of the nearest `passages`. Rocchio, "Relevance feedback in information
    retrieval", 1971, without the part about what was irrelevant.
    """

    depth: int = 100
    passages: int = 5
    share: float = 0.3
    name: str = "dense"

    def recall(self, search: Search) -> Ranking:
        index = search.library.meaning.vectors
        first = index.search(search.vector, self.passages, search.admitted)
        if not first:
            raise SkipStage("no chunk has a vector yet")
        near = index.vectors_of([chunk.key for chunk in first])
        aim(search, list(near.values()), self.share)
        search.notes["passages"] = len(near)
        return Ranking(self.name, index.search(search.vector, self.depth, search.admitted))


class IntentFusion(Value):
    """A weighted sum of normalised scores; the share of the lexical channel is that of the query's intent.

    The dense channel has the rest. `intent_of` says what the query is, by its form alone.
    """

    code: float = 0.75
    navigational: float = 0.75
    question: float = 0.4
    keyword: float = 0.5
    normaliser: str = "z"
    name: str = "intent_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        intent = intent_of(search.query.text)
        lexical = {
            Intent.CODE: self.code,
            Intent.NAVIGATIONAL: self.navigational,
            Intent.QUESTION: self.question,
            Intent.KEYWORD: self.keyword,
        }[intent]
        base = ScoreFusion(dense=1.0 - lexical, lexical=lexical, normaliser=self.normaliser, name=self.name)
        candidates = base.fuse(search, rankings)
        search.notes["intent"] = intent.value
        return candidates
