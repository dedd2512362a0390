"""The two main recall channels: lexical (BM25) and dense (nearest vectors)."""

from __future__ import annotations

from functools import partial

from octavo.algorithms.text.language_detection_and_marked_stems import unmarked
from octavo.fast_dataclass import dataclass
from octavo.model.embedding_profile import embed_anew, made_by_another
from octavo.model.search_result import Ranking, ScoredChunk
from octavo.ports import ChoosingIndex, TieredIndex, VectorIndex
from octavo.retrieval.stage import Search, SkipStage, UsesQueryVector
from octavo.retrieval.stages.git_commit_caps import beside_commits
from octavo.retrieval.stages.score_and_rank_fusion import NO_VECTOR
from octavo.retrieval.tie_breaking import best

IN_SMALL = 400
"""How deep a channel looks where there is little to look through; 0 never asks whether there is."""
_SPARE = 16
"""Chunks beyond the depth: of one query in five some tie with the last, of one in a hundred more than so many."""


def depth_in(search: Search, depth: int, in_small: int) -> int:
    return in_small if in_small > depth and search.small else depth


def vectors_for(search: Search) -> VectorIndex:
    """The index to ask for a query that has something to embed."""
    if not (search.query.hypothesis or search.query.terms.text).strip():
        raise SkipStage("the query has no text to embed")
    if search.trust == 0.0:
        raise _unread(search)
    index = search.library.meaning.vectors
    index.prepare()  # before the query's vector is asked for: on a cold start the model is still loading
    return index


def _unread(search: Search) -> SkipStage:
    """That words alone decide; where the query has letters, another model would read it."""
    if not any(map(str.isalpha, search.query.by_meaning)):
        return SkipStage("the query has no letters to read: words alone decide")
    name = search.library.meaning.embedder.profile.name
    message = f"{name} cannot read the query's script: words alone decide; a multilingual model such as bge-m3 reads it"
    return SkipStage(f"{message}: `octavo config describe embedding.model`", degrades=True)


def none_near(search: Search) -> SkipStage:
    """Why nothing was found: no vector yet, or the library's vectors are of another model than the one in use."""
    if search.admitted is not None:
        return SkipStage("no chunk with a vector passes the filters")
    library = search.library
    made, profile = library.store.catalog.recipe(library.project), library.meaning.embedder.profile
    if made is not None and made.embedding != profile:
        message = made_by_another(made.embedding, profile)
        return SkipStage(f"{message}: `{embed_anew(made.embedding, profile)}` embeds it anew", degrades=True)
    return SkipStage("no chunk has a vector yet")


@dataclass(frozen=True, slots=True)
class LexicalRecall:
    """BM25 over the boosted fields.

    Where there is little to look through, `in_small` of it are looked at: what a chunk beyond the depth scores is only
    guessed, and in one conversation that is half of them.
    """

    depth: int = 100
    name: str = "lexical"
    in_small: int = IN_SMALL

    def recall(self, search: Search) -> Ranking:
        query, library = search.query, search.library
        if query.terms.empty:
            raise SkipStage("the query has no words to look for")

        depth = depth_in(search, self.depth, self.in_small)

        def ask(part: Search) -> tuple[ScoredChunk, ...]:
            # Forms of words are looked up to the same depth as words: how deep says what their scores add up to.
            return best(part, partial(part.holding, query.terms), depth, 1 if query.terms.forms else _SPARE)

        chunks = ask(search)
        if query.terms.forms:
            forms = (form for word in query.terms.forms for form in (*word.forms, *word.compounds))
            search.notes["forms"] = unmarked(forms)
        if query.terms.gloss:
            search.notes["in_english"] = query.terms.gloss
        if isinstance(library.store.lexical, ChoosingIndex) and (message := library.store.lexical.answered()):
            search.notes["words_by"] = message
        scored = beside_commits(search, chunks, depth, ask)
        # Where files were asked for apart, what lies beyond is another thing for them and for commits.
        cut = chunks and len(chunks) >= depth and scored is chunks
        return Ranking(self.name, scored, beyond=chunks[-1].score if cut else 0.0)


@dataclass(frozen=True, slots=True)
class DenseRecall(UsesQueryVector):
    """Nearest chunks by meaning, more of them where there is little to look through."""

    depth: int = 100
    name: str = "dense"
    in_small: int = IN_SMALL

    def recall(self, search: Search) -> Ranking:
        index = vectors_for(search)
        depth = depth_in(search, self.depth, self.in_small)

        def ask(part: Search) -> tuple[ScoredChunk, ...]:
            def near(most: int) -> tuple[ScoredChunk, ...]:
                chunks = index.search(part.vector, most, part.admitted)
                return tuple(chunk for chunk in chunks if chunk.score != NO_VECTOR)

            return best(part, near, depth)

        chunks = ask(search)
        if not chunks:
            raise none_near(search)
        fast = index.fast_among([chunk.key for chunk in chunks]) if isinstance(index, TieredIndex) else 0
        if fast:
            search.notes["fast_vectors"] = f"{fast} of {len(chunks)}"
        return Ranking(
            self.name, beside_commits(search, chunks, depth, ask), fast=fast / len(chunks), trust=search.trust
        )
