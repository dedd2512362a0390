"""Stages that ask a language model: hypotheses, further queries, judgements. Without one they are skipped by name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Annotated, Literal

from octavo.errors import ProviderFailed
from octavo.fast_dataclass import dataclass, replace
from octavo.model.field_constraints_and_cli_options import Field
from octavo.model.ids import text_hash
from octavo.model.language_model_settings import missing_model
from octavo.model.query import Query
from octavo.model.search_result import NO_TIME_FOR, Candidate
from octavo.ports import QueryWriter
from octavo.retrieval.reranker_cost_measurement import MeasuredReranker
from octavo.retrieval.stage import AsksLanguageModel, Search, SkipStage
from octavo.retrieval.stages.reranking import keep_scores, merged, passages, scored_before, scores_within

_ESCAPES = "; the query is asked as it is"


@dataclass(frozen=True, slots=True)
class Hypothesise(AsksLanguageModel):
    """HyDE: passages that might answer the question are embedded in its place. The words stay the question's.

    Gao et al., "Precise Zero-Shot Dense Retrieval without Relevance Labels", 2022. `pooling` is how the vectors of
    several become one: their `mean`, or the `max` of each dimension. What is not said is as configured
    (`retrieval.hyde_num_samples` …). `prompt` names a file of instructions.
    """

    num_samples: Annotated[int, Field(ge=1, le=3)] | None = None
    temperature: float | None = None
    pooling: Literal["mean", "max"] | None = None
    deadline_ms: float = 20_000.0
    prompt: str = "hypothesise"
    name: str = "hyde"

    def expand(self, search: Search) -> Query:
        query = search.query
        if query.hypothesis:
            raise SkipStage("the query brings its own hypothesis")
        writer, question = _writer(search)
        usual = search.library.settings
        pooling = self.pooling or usual.hyde_pooling
        try:
            hypotheses = writer.hypotheses(
                question,
                count=self.num_samples or usual.hyde_num_samples,
                temperature=usual.hyde_temperature if self.temperature is None else self.temperature,
                deadline=self.deadline_ms / 1e3,
                prompt=self.prompt,
            )
        except ProviderFailed as error:
            raise SkipStage(error.message + _ESCAPES, degrades=True) from error
        search.notes |= {
            "model": hypotheses.model,
            "hypotheses": list(hypotheses.texts),
            "pooling": pooling,
            "cached": hypotheses.cached,
            "completion_tokens": hypotheses.usage.completion_tokens,
        }
        return replace(query, hypotheses=hypotheses.texts, pooling=pooling)


@dataclass(frozen=True, slots=True)
class ModelExpansion(AsksLanguageModel):
    """Further things to look for, by type: words join the query's, meanings and passages become variants of it.

    For profiles with a `dense_hypothesis` channel, which embeds variants.
    """

    deadline_ms: float = 20_000.0
    prompt: str = "subqueries"
    name: str = "subqueries"

    def expand(self, search: Search) -> Query:
        writer, question = _writer(search)
        try:
            subqueries = writer.subqueries(question, deadline=self.deadline_ms / 1e3, prompt=self.prompt)
        except ProviderFailed as error:
            raise SkipStage(error.message + _ESCAPES, degrades=True) from error
        search.notes |= {
            "model": subqueries.model,
            "lex": list(subqueries.lex),
            "vec": list(subqueries.vec),
            "hyde": list(subqueries.hyde),
            "cached": int(subqueries.usage.cached),
        }
        query, library = search.query, search.library
        new = (word for text in subqueries.lex for word in library.text.query_tokens(text))
        words = tuple(dict.fromkeys((*query.terms.words, *new)))
        return replace(
            query,
            terms=replace(query.terms, words=words),
            variants=tuple(dict.fromkeys((*query.variants, *subqueries.vec, *subqueries.hyde))),
        )


@dataclass(frozen=True, slots=True)
class ModelRerank:
    """A language model reads the first candidates again, as many as the deadline allows by what they cost so far.

    `pointwise` asks for a score from 0 to 10 for each, `listwise` for the order of all at once. `share` of the new
    score is the model's, the rest what the candidate had.
    """

    most: Annotated[int, Field(ge=1, le=50)] = 10
    style: Literal["pointwise", "listwise"] = "pointwise"
    deadline_ms: float = 20_000.0
    share: float = 0.5
    prompt: str = ""
    name: str = "llm_rerank"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        models = search.library.models
        judges = () if models is None else models.judges(self.style, self.prompt, self.deadline_ms)
        if not judges:
            raise SkipStage(missing_model("rerank").message, degrades=True)
        if not candidates:
            raise SkipStage("there are no candidates")
        if search.before:
            raise SkipStage("the first of the list were read again")
        scores = self._scores(search, judges, passages(search, candidates[: self.most]))
        if not scores:
            raise SkipStage("there was no time for a single passage", degrades=True)
        return merged(candidates, scores, self.share, self.name)

    def _scores(self, search: Search, judges: Sequence[MeasuredReranker], read: Sequence[str]) -> list[float]:
        """By the first judge that does not fail, in what the others have left of the time."""
        ends, failed = judges[0].clock() + self.deadline_ms / 1e3, list[str]()
        cause: ProviderFailed | None = None
        for judge in judges:
            left = (ends - judge.clock()) * 1e3
            if failed and left <= 0:
                break
            try:
                if self.style == "listwise":
                    scores = self._order(search, judge, read, left)
                else:
                    scores = scores_within(search, judge, read, left, batch=judge.at_once)
            except ProviderFailed as error:
                failed.append(error.message)
                cause = error
                continue
            search.notes |= {"failed": failed} if failed else {}
            return scores
        raise SkipStage(f"{'; '.join(failed)}; the order is as it was", degrades=True) from cause

    def _order(self, search: Search, judge: MeasuredReranker, read: Sequence[str], deadline_ms: float) -> list[float]:
        """Not stored in the library: a place says something only among those that were ranked with it."""
        library, question = search.library, search.query.terms.text or search.query.text
        question_hash, hashes = text_hash(question), [text_hash(passage) for passage in read]
        known = scored_before(library, judge, question_hash, hashes)
        if not known:
            several = read[: judge.pairs_within(deadline_ms / 1e3, len(read))]

            def ask() -> None:
                scores = judge.score(question, several, deadline_ms / 1e3) if several else ()
                keep_scores(library, judge, question_hash, dict(zip(hashes, map(float, scores), strict=False)))

            library.outside(ask)
            known = scored_before(library, judge, question_hash, hashes)
        search.notes |= {"model": judge.name, "scored": len(known), NO_TIME_FOR: len(read) - len(known)}
        return [known[digest] for digest in takewhile(known.__contains__, hashes)]


def _writer(search: Search) -> tuple[QueryWriter, str]:
    question = (search.query.terms.text or search.query.text).strip()
    if not question:
        raise SkipStage("the query has no text")
    models = search.library.models
    writer = None if models is None else models.query_writer()
    if writer is None:
        raise SkipStage(missing_model("hypothesise").message + _ESCAPES, degrades=True)
    return writer, question
