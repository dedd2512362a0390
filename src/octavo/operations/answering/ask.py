"""Answer a question from the library: find passages, and say what they say with exact citations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from octavo.answering.answer_prompt import Mode, OwnPrompts, context
from octavo.answering.citable_passages import CitedSpan, NumberedPassage, passages_of, with_surroundings
from octavo.answering.citation_verification import CitationChecker
from octavo.answering.extractive_answer import Statement, statements
from octavo.answering.follow_up_question_rewriting import standalone
from octavo.answering.llm_answer_judge import verdicts
from octavo.answering.llm_answer_writing import UNKNOWN, AnswerWriting, WrittenSentence, written_answer
from octavo.answering.llm_usage_metering import MeteredModel
from octavo.answering.multi_hop_search import Planning, gathered
from octavo.answering.non_english_question_words import in_another_language, translated_words
from octavo.engine.engine import Engine
from octavo.errors import ProviderFailed
from octavo.fast_dataclass import replace
from octavo.model.normalised_text_and_spans import short
from octavo.model.query import Query
from octavo.model.search_result import Hit, Result
from octavo.operations.answer_conversion import filled
from octavo.operations.answering.requests import AskRequest
from octavo.operations.answering.results import (
    EXTRACTIVE,
    AnswerSentence,
    AskAnswer,
    ModelUsage,
    ModelVerdict,
    ReadPassage,
    SearchHop,
    SentenceCitation,
    ask_lines,
)
from octavo.operations.filter_field_names import narrowing
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_execution import find, with_publications
from octavo.operations.styled_answer_lines import written
from octavo.operations.token_counts_and_page_cursor import BYTES_PER_TOKEN, data_size, size
from octavo.ports import LanguageModel
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument

Tell = Callable[[AnswerSentence], None]

_USUAL_HOPS = 3
_LONG = 20  # chunks of a document for which one more passage of it is read
_CARRIES = 0.1  # the relevance of a passage in English from which it is quoted to a question in another language
_SENTENCES = 5  # of an extractive answer: more are a page, not an answer
NO_MATCH = "Nothing in the library answers this."
EXTRACTIVE_HINT = (
    "these sentences are quoted from your files; to have an answer written from them, name a model for the role "
    "answer: `octavo config describe llm`"
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
            # That something answers is known, and the best candidates have been judged in full. The fact may stand in
            # a passage that a list of hits need not show.
            wide = _read_widely(engine.retrieval_profile(request.profile or engine.defaults.profile))
            result = find(engine, replace(_search(request, question), show_all=True), wide)
        searches.append(with_publications(engine.roots, result))
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
        tell(model_sentence(sentence, passages))

    own = engine.own_prompts(request.profile or engine.defaults.profile)
    writing = AnswerWriting(model, checker, Mode(request.mode), request.budget, tell=said, own=own)
    try:
        draft = written_answer(request.question, passages, writing)
    except ProviderFailed as error:
        degraded = (*(answer.degraded or ()), f"answer: {error.message}")
        return _extracted(engine, request, replace(answer, degraded=degraded), passages, tell)
    sentences = tuple(model_sentence(sentence, passages) for sentence in draft.sentences)
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
    analyzer = engine.library.adapters.analyzer
    text: Sequence[NumberedPassage] = passages
    if not request.heading_contains:  # what surrounds may stand below another heading
        with engine.store.reading():
            text = with_surroundings(engine.store, engine.project.id, passages)
    question, most = request.question, _SENTENCES
    words = in_another_language(question, text[0].text, analyzer)
    terms = engine.reader.parsed(Query(question)).terms
    if terms.gloss:
        # The library answers in English, by words whose table may be wrong: one sentence, of the best passages.
        best = passages[0].hit.score
        text = [each for each in passages if best >= _CARRIES and each.hit.score >= best / 2]
        question, words, most = terms.gloss, translated_words(terms.english, analyzer), 1
    tokens = words or analyzer.query_tokens
    try:
        extracts = statements(
            question,
            text,
            lambda: engine.embedder,
            tokens,
            most,
            by_words=words is not None,
            translated=bool(terms.gloss),
        )
    except ProviderFailed as error:
        extracts = statements(question, text, None, tokens, most)
        degraded = (*(answer.degraded or ()), f"answer: chosen by words alone: {error.message}")
        answer = replace(answer, degraded=degraded)
    sentences = tuple(library_sentence(statement, passages) for statement in extracts)
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
        excluding=first.excluding,
    )


def read(passage: NumberedPassage, *, calibrated: bool) -> ReadPassage:
    hit = passage.hit
    return filled(
        ReadPassage,
        *(passage, hit, hit.citation, hit.citation.position),
        title=short(hit.title),
        heading_path=tuple(short(title) for title in hit.citation.heading_path),
        start_line=hit.citation.lines.first,
        end_line=hit.citation.lines.last,
        score=round(hit.score, 6) if calibrated else None,
    )


def library_sentence(statement: Statement, passages: Sequence[NumberedPassage]) -> AnswerSentence:
    cited, score = _cited(statement.cited, passages), round(statement.score, 4)
    return AnswerSentence(statement.text, "quoted", score, (cited,), above=statement.above or None)


def model_sentence(sentence: WrittenSentence, passages: Sequence[NumberedPassage]) -> AnswerSentence:
    checked = sentence.checked
    return AnswerSentence(
        text=sentence.text,
        support=checked.support.value,
        score=round(checked.score, 4),
        citations=tuple(_cited(span, passages) for span in checked.cited),
        inferred=sentence.inferred,
        attributed=sentence.attributed,
        differences=checked.evidence.problems or None,
    )


def usage_of(model: MeteredModel) -> ModelUsage:
    seconds, cost = round(model.usage.seconds, 3), round(model.usage.cost, 6)
    return filled(ModelUsage, model, model.usage, model=model.name, seconds=seconds, cost=cost)


def _cited(span: CitedSpan, passages: Sequence[NumberedPassage]) -> SentenceCitation:
    passage = passages[span.passage - 1]
    work = passage.hit.work
    return filled(
        SentenceCitation,
        *(span, span.span, span.position, passage, passage.hit),
        uri=passage.hit.citation.uri,
        heading_path=tuple(short(title) for title in span.heading_path),
        start_line=span.lines.first,
        end_line=span.lines.last,
        citation_key=work.key if work else None,
        reference=work.reference if work else None,
    )


_QUESTION_SHARE = 8  # of an answer's length, the most that repeating the question may take


def fitting(answer: AskAnswer, max_tokens: int) -> AskAnswer:
    """The answer with as much around its sentences as there is room for; one sentence at least."""
    room = max_tokens * BYTES_PER_TOKEN
    if answer.question and size(answer.question) > room // _QUESTION_SHARE:
        answer = replace(answer, question=None)  # its caller has it
    textless = tuple(replace(passage, text=None) for passage in answer.passages)
    for left_out in ({"passages": textless}, {"trace": None}):
        if _size(answer) > room:
            answer = replace(answer, **left_out)
    if _size(answer) > room:
        answer = _cited_alone(answer)
    while answer.context and _size(answer) > room:
        kept = max(0, min(len(answer.context) - 1, len(answer.context) * room // _size(answer) - 1))
        answer = replace(answer, context=answer.context[:kept])
    while len(answer.sentences) > 1 and _size(answer) > room:
        kept_sentences = answer.sentences[:-1]
        written_out = " ".join(sentence.marked for sentence in kept_sentences)
        answer = _cited_alone(replace(answer, sentences=kept_sentences, answer=written_out))
    return answer


def _cited_alone(answer: AskAnswer) -> AskAnswer:
    """With the passages that its sentences cite, or with the first where there are none."""
    cited = {citation.passage for sentence in answer.sentences for citation in sentence.citations}
    return replace(answer, passages=tuple(passage for passage in answer.passages if passage.number in (cited or {1})))


def _size(answer: AskAnswer) -> int:
    return max(data_size(answer), size(written(ask_lines(answer))))
