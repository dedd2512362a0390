"""Several searches for one question: what the first found says what the next looks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.answering.answer_prompt import OwnPrompts, no_prompts, prompt_of, quoted_passages, single_line
from octavo.answering.citable_passages import NumberedPassage
from octavo.errors import ProviderFailed
from octavo.fast_dataclass import dataclass, replace
from octavo.lazy_regex import regex
from octavo.model.language_model_calls import CompletionRequest
from octavo.ports import LanguageModel

_PLAN: Mapping[str, Any] = {
    "type": "object",
    "properties": {"sufficient": {"type": "boolean"}, "next": {"type": "string", "maxLength": 400}},
    "required": ["sufficient", "next"],
}
_PLAN_TOKENS = 150
_CONTENT_WORDS = 5  # words that say something, which a single question has at most
_CLAUSES = regex(r"\w[,;，；、]\s*\w")
_NAMES = regex(r"(?<=[^\W\d_] )[^\W\d_a-zß-ÿ][\w.'’-]*(?: [^\W\d_a-zß-ÿ][\w.'’-]*)*")


class Hop(NamedTuple):
    """One search: what was asked, how many passages were new, and why it was the last or went on.

    `unplanned` is why nobody could say what to look for after it.
    """

    question: str
    found: int
    new: int
    because: str
    unplanned: str = ""


@dataclass(frozen=True, slots=True)
class Planning:
    """Who plans the next search, and within what."""

    model: LanguageModel
    max_hops: int
    budget: int
    limit: int
    """How many passages are kept of all searches."""
    always: bool = False
    """Whether the model is asked what is missing even where the question looks single."""
    own: OwnPrompts = no_prompts


def gathered(
    question: str, search: Callable[[str], Sequence[NumberedPassage]], planning: Planning | None
) -> tuple[tuple[NumberedPassage, ...], tuple[Hop, ...]]:
    """The passages of every search, once each and numbered in the order they were found, with what each was for.

    Without planning, or for a question that is plainly single, one search is all.
    """
    passages: list[NumberedPassage] = []
    hops: list[Hop] = []
    query, because = question, "the question"
    while True:
        results = search(query)
        known = {passage.hit.chunk_id for passage in passages}
        new = [passage for passage in results if passage.hit.chunk_id not in known]
        # Of later searches only the best: they look for one thing that was missing.
        new = new if not hops else new[: max(2, len(results) // 2)]
        passages += new
        hops.append(Hop(query, len(results), len(new), because))
        if planning is None or len(hops) >= planning.max_hops or not passages:
            break
        if not (planning.always or composite(question)):
            break
        try:
            query, because, unplanned = *_next(question, hops, passages, planning), ""
        except ProviderFailed as error:
            query, because, unplanned = "", f"no plan: {error.message}", error.message
        if not query:
            hops[-1] = hops[-1]._replace(because=f"{hops[-1].because}; then {because}", unplanned=unplanned)
            break
    most = planning.limit if planning else len(passages)
    return tuple(
        replace(passage, number=number) for number, passage in enumerate(_best(passages, hops, most), 1)
    ), tuple(hops)


def composite(question: str) -> bool:
    """Whether a question may need more than one search, in any language: it has clauses, two names, or many words
    besides function words. In German every noun has a capital, so names do not tell."""
    analyzer = shared_analyzer()
    if _CLAUSES.search(question):
        return True
    language = analyzer.query_language(question)
    names = set() if language == "de" else {name for name in _NAMES.findall(question) if name.lower() != name}
    return len(names) > 1 or len(analyzer.content_words(question, language)) > _CONTENT_WORDS


def _best(passages: Sequence[NumberedPassage], hops: Sequence[Hop], most: int) -> list[NumberedPassage]:
    """The first of every search in turn, so that a later one is not crowded out by the first."""
    lists: list[list[NumberedPassage]] = []
    at = 0
    for hop in hops:
        lists.append(list(passages[at : at + hop.new]))
        at += hop.new
    chosen: list[NumberedPassage] = []
    while len(chosen) < most and any(lists):
        for each in lists:
            if each and len(chosen) < most:
                chosen.append(each.pop(0))
    return chosen


def _next(
    question: str, hops: Sequence[Hop], passages: Sequence[NumberedPassage], planning: Planning
) -> tuple[str, str]:
    """What to look for now, and why; nothing where that is enough. Raises ProviderFailed."""
    numbered = [replace(passage, number=number) for number, passage in enumerate(passages, 1)]
    shown, _ = quoted_passages(numbered, planning.budget)
    searched = "\n".join(f"- {single_line(hop.question)}" for hop in hops)
    prompt = prompt_of("next_question", planning.own, question=single_line(question), asked=searched, passages=shown)
    plan = planning.model.structured(CompletionRequest(prompt, max_tokens=_PLAN_TOKENS, schema=_PLAN)).value
    query = single_line(str(plan["next"]))
    if plan["sufficient"] or not query:
        return "", "sufficient"
    if query.casefold() in {single_line(hop.question).casefold() for hop in hops}:
        return "", "the same question again"
    return query, "something was missing"
