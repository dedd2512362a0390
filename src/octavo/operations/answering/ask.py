"""Answer a question from the library: find passages, and say what they say with exact citations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from octavo.answering.answer_prompt import Mode, OwnPrompts, context
from octavo.answering.citable_passages import NumberedPassage, passages_of, with_surroundings
from octavo.answering.citation_support import CitationChecker
from octavo.answering.extractive_answer import statements
from octavo.answering.follow_up import standalone
from octavo.answering.model_judge import verdicts
from octavo.answering.model_usage import MeteredModel
from octavo.answering.multi_hop import Planning, gathered
from octavo.answering.written_answer import UNKNOWN, AnswerWriting, WrittenSentence, written_answer
from octavo.dataclass import replace
from octavo.engine.engine import Engine
from octavo.errors import ProviderFailed
from octavo.model.result import Hit, Result
from octavo.operations.answering.answer_parts import quoted, read, usage_of, written
from octavo.operations.answering.length_limit import fitting
from octavo.operations.answering.lines import EXTRACTIVE
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import AnswerSentence, AskAnswer, ModelVerdict, SearchHop
from octavo.operations.filter_fields import narrowing
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.run_search import find, with_publications
from octavo.ports import LanguageModel
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.caps_and_merging import CapPerDocument

Tell = Callable[[AnswerSentence], None]

_USUAL_HOPS = 3
_LONG = 20  # chunks of a document for which one more passage of it is read
_SENTENCES = 5  # of an extractive answer: more are a page, not an answer
NO_MATCH = "Nothing in the library answers this."
EXTRACTIVE_HINT = (
    "these sentences stand so in your files; to have an answer written from them, name a model for the role answer "
    "in your configuration: docs/answers.md"
)


def ask(engine: Engine, request: AskRequest) -> AskAnswer:
    """What the passages say: written by the model that answers, if there is one, or else in their own sentences."""
    return fitting(answered(engine, request), request.max_tokens)


def answered(engine: Engine, request: AskRequest, tell: Tell = lambda sentence: None) -> AskAnswer:
    """The whole answer, however long. `tell` gets each sentence once it is certain to stay."""
    started = time.perf_counter()
    model = None if request.show_context else _model(engine, request.model)
    own = engine.own_prompts(request.profile or engine.defaults.profile)
    meant = standalone(request.question, request.previous, model, own)
    request = replace(request, question=meant.question)
    searches: list[Result] = []

    def search(question: str) -> tuple[NumberedPassage, ...]:
        result = find(engine, _search(request, question), judged_in_full=True)
        if result.hits and model is None:
            # That something answers is known. The fact may stand in a passage that a list of hits need not show.
            wide = _read_widely(engine.retrieval_profile(request.profile or engine.defaults.profile))
            result = find(engine, replace(_search(request, question), show_all=True), wide, judged_in_full=True)
        searches.append(with_publications(engine, result))
        with engine.store.reading():
            return passages_of(engine.store, engine.project.id, searches[-1].hits)

    passages, hops = gathered(request.question, search, _planning(request, model, own))
    answer = _without_sentences(request, searches, passages)
    if request.previous:
        degraded = (*(answer.degraded or ()), *((f"answer: {meant.problem}",) if meant.problem else ()))
        answer = replace(answer, standalone=meant.question, degraded=degraded or None)
    if len(hops) > 1:
        shown = tuple(SearchHop(hop.question, hop.found, hop.new, hop.because) for hop in hops)
        answer = replace(answer, hops=shown)
    if hops[-1].unplanned:
        warning = f"answer: no further search could be planned: {hops[-1].unplanned}"
        answer = replace(answer, degraded=(*(answer.degraded or ()), warning))
    if request.show_context:
        prompt = context(Mode(request.mode), request.question, passages, request.budget, own).prompt
        answer = replace(answer, mode=request.mode, context=prompt.text)
    elif passages and model is not None:
        answer = _by_model(engine, request, answer, passages, model, tell)
    elif passages:
        answer = _extracted(engine, request, answer, passages, tell)
        answer = replace(answer, hint=EXTRACTIVE_HINT if answer.sentences else _nearest(passages[0].hit))
    return replace(answer, took_ms=round((time.perf_counter() - started) * 1e3, 3))


def _nearest(hit: Hit) -> str:
    """Where to read on when no sentence answers: what surrounds a table or an example often does."""
    cited = hit.citation
    return f"the nearest passage is {hit.collection}/{cited.uri}:{cited.lines.first}; a search lists the others"


def _planning(request: AskRequest, model: LanguageModel | None, own: OwnPrompts) -> Planning | None:
    """Who plans further searches, if anybody does."""
    if model is None:
        return None
    hops, budget = request.max_hops or _USUAL_HOPS, min(request.budget, model.window // 2)
    return Planning(model, hops, budget, request.limit, request.max_hops is not None, own)


def _model(engine: Engine, name: str | None) -> MeteredModel | None:
    model = engine.library.language_model("answer", name)
    return None if model is None else MeteredModel(model)


def _judge(engine: Engine) -> MeteredModel | None:
    model = engine.library.language_model("judge")
    return None if model is None else MeteredModel(model)


def _by_model(
    engine: Engine,
    request: AskRequest,
    answer: AskAnswer,
    passages: Sequence[NumberedPassage],
    model: MeteredModel,
    tell: Tell,
) -> AskAnswer:
    """What the model writes, checked; the passages' own sentences where it does not answer."""
    checker = CitationChecker(passages, lambda: engine.embedder, engine.library.adapters.analyzer)

    def said(sentence: WrittenSentence) -> None:
        tell(written(sentence, passages))

    own = engine.own_prompts(request.profile or engine.defaults.profile)
    writing = AnswerWriting(model, checker, Mode(request.mode), request.budget, tell=said, own=own)
    try:
        draft = written_answer(request.question, passages, writing)
    except ProviderFailed as error:
        degraded = (*(answer.degraded or ()), f"answer: {error.message}")
        return _extracted(engine, request, replace(answer, degraded=degraded), passages, tell)
    sentences = tuple(written(sentence, passages) for sentence in draft.sentences)
    problems = tuple(f"answer: {problem}" for problem in draft.problems)
    judge = _judge(engine) if sentences else None
    if judge is not None:
        try:
            given = verdicts([sentence.text for sentence in sentences], passages, judge, own)
            sentences = tuple(
                replace(sentence, verdict=ModelVerdict(judge.name, support.value))
                for sentence, support in zip(sentences, given, strict=True)
            )
        except ProviderFailed as error:
            problems += (f"judge: {error.message}",)
    return replace(
        answer,
        mode=request.mode,
        answered=bool(sentences),
        answer=" ".join(sentence.marked for sentence in sentences) or UNKNOWN,
        sentences=sentences,
        dropped=draft.dropped or None,
        usage=usage_of(model),
        judging=usage_of(judge) if judge is not None else None,
        degraded=(*(answer.degraded or ()), *problems) or None,
    )


def _extracted(
    engine: Engine, request: AskRequest, answer: AskAnswer, passages: Sequence[NumberedPassage], tell: Tell
) -> AskAnswer:
    tokens = engine.library.adapters.analyzer.query_tokens
    text: Sequence[NumberedPassage] = passages
    if not request.heading_contains:  # what surrounds may stand below another heading
        with engine.store.reading():
            text = with_surroundings(engine.store, engine.project.id, passages)
    try:
        extracts = statements(request.question, text, lambda: engine.embedder, tokens, _SENTENCES)
    except ProviderFailed as error:
        extracts = statements(request.question, text, None, tokens, _SENTENCES)
        degraded = (*(answer.degraded or ()), f"answer: chosen by words alone: {error.message}")
        answer = replace(answer, degraded=degraded)
    sentences = tuple(quoted(statement, passages) for statement in extracts)
    for sentence in sentences:
        tell(sentence)
    return replace(
        answer,
        answered=bool(sentences),
        answer=" ".join(sentence.marked for sentence in sentences) or NO_MATCH,
        sentences=sentences,
    )


def _search(request: AskRequest, question: str) -> SearchRequest:
    return SearchRequest(query=question, limit=request.limit, profile=request.profile, **narrowing(request))


def _read_widely(profile: RetrievalProfile) -> RetrievalProfile:
    """With more places for a long document than a list of hits gives it: it answers in any of its parts."""
    stages = (
        replace(stage, per_chunks=_LONG) if isinstance(stage, CapPerDocument) else stage for stage in profile.refine
    )
    return replace(profile, refine=tuple(stages))


def _without_sentences(
    request: AskRequest, searches: Sequence[Result], passages: Sequence[NumberedPassage]
) -> AskAnswer:
    first = searches[0]
    degraded = dict.fromkeys(part for result in searches for part in result.degraded)
    return AskAnswer(
        mode=EXTRACTIVE,
        answered=False,
        answer=NO_MATCH if not passages else "",
        sentences=(),
        passages=tuple(read(passage, calibrated=first.calibrated) for passage in passages),
        took_ms=0.0,
        freshness=replace(first.freshness, full_vectors=round(first.freshness.full_vectors, 4)),
        question=request.question,
        trace=tuple(stage for result in searches for stage in result.trace) if request.explain else None,
        degraded=tuple(degraded) or None,
    )
