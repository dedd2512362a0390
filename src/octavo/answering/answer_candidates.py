"""What may answer a question: the sentences of passages that say something, and whole lists and blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from octavo.answering.announced_list_detection import AnnouncedList, announced_lists
from octavo.answering.citable_passages import NumberedPassage
from octavo.answering.sentence_splitting import Sentence, sentences, whole_items
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.normalised_text_and_spans import Span

_MOST_SENTENCES = 120  # of all passages that are looked at: reading more would keep somebody waiting
_FEWEST_WORDS = 3
_ASKS_SEVERAL = regex(
    r"\bwhat (?:all )?(?:do|does|should|must|will) \w+ need\b|\bwhat goes into\b"
    r"|\bingredients\b|\bzutaten\b|\bingrédients\b"
    r"|\b(?:what|which) [\w ]+ are (?:there|in)\b|\bwas brauch\w+\b",
    re.I,
)
_BRIEF_FACT = regex(r"\d+ ?\w|^[^\s:][^:]*: ?\S|@")
_MARKUP = regex(r"[*_`]+|\^[\w-]+$")
_LINK = regex(r"!?\[\[[^\]\n]*\]\]|!?\[[^\]\n]*\]\([^)\n]*\)|https?://\S+|\{\{[^}\n]*\}\}")
_ANSWERED_ELSEWHERE = regex(rf"(?:why|how|when)\b[^:\n]*: *(?:{_LINK.pattern})[.!]?$", re.I)
_WRITTEN_AS_HTML = regex(r"</?(?:t[hdr]|li|a|p|div)\b", re.I)
_CODE_SPAN = regex(r"`[^`]*`")
_TABLE_RULE = regex(r"[ \t]*\n[ \t]*\|[ \t:|-]*-[ \t:|-]*(?:\n|\Z)")
_BOLD_ALONE = regex(r"(\*\*|__)[^*_]+\1[.:]?|[^.!?]+:\*\*")
_BARE_REPLY = regex(r"(?:yes|no|maybe|not yet|it depends)[.!,]?", re.I)
_ANSWERS = 3  # sentences behind a question that answer it
_LEAST_BESIDE_LINKS = 8  # letters


class AnswerCandidate(NamedTuple):
    """A sentence that may answer, or a whole list with what announces it. `lead` is the question that it follows, the
    heading that it stands below, or else the title of its document."""

    passage: NumberedPassage
    sentence: Sentence
    lead: str
    whole: AnnouncedList | None = None

    @property
    def is_list(self) -> bool:
        return self.whole is not None and not self.whole.code

    @property
    def context(self) -> str:
        """What says what it is about: the title, the headings, and the question that it follows."""
        if self.passage.hit.kind is Kind.COMMIT:
            return self.lead if self.lead.endswith("?") else ""
        path = self.passage.cited(self.sentence.span).heading_path
        return " ".join(dict.fromkeys((self.passage.hit.title, *path, self.lead)))

    @property
    def first(self) -> str:
        """The sentence, or the first of an item of several, which says what the others are about."""
        return next((sentence.text for sentence in sentences(self.sentence.text)), self.sentence.text)

    @property
    def announced(self) -> str:
        """What a list is about."""
        if self.whole and self.whole.announcement:
            return self.whole.announcement.text
        return self.lead if self.whole else ""


def answer_candidates(question: str, passages: Sequence[NumberedPassage]) -> list[AnswerCandidate]:
    """Sentences that say something, once each, from the best passages first. Code takes the sentence that announces it
    along; a list that only its heading announces is one where several things are asked for."""
    candidates: dict[str, AnswerCandidate] = {}
    for passage in passages:
        lists = [
            whole
            for whole in announced_lists(passage.text, passage.start)
            if passage.has_lists and (whole.announcement or whole.numbered or _ASKS_SEVERAL.search(question))
        ]
        before_code = {whole.sentences[0].span.start for whole in lists if whole.code}
        for sentence, lead in _with_leads(passage):
            if sentence.span.start not in before_code:
                candidates.setdefault(sentence.text.lstrip("+-").casefold(), AnswerCandidate(passage, sentence, lead))
        for whole in lists:
            text = " ".join(sentence.text for sentence in whole.sentences)
            span = Span(whole.sentences[0].span.start, whole.sentences[-1].span.end)
            lead = _heading(passage, span)
            candidates.setdefault(text.casefold(), AnswerCandidate(passage, Sentence(text, span), lead, whole))
    return sorted(candidates.values(), key=relevance, reverse=True)[:_MOST_SENTENCES]


def relevance(candidate: AnswerCandidate) -> float:
    return candidate.passage.relevance(candidate.sentence.span)


def _with_leads(passage: NumberedPassage) -> Iterator[tuple[Sentence, str]]:
    """The sentences of a passage that say something; a bare Yes or No with the sentence behind it."""
    question, following = "", 0
    short: Sentence | None = None
    for sentence in whole_items(passage.statements(), passage.text, passage.start):
        if short is not None:
            span = Span(short.span.start, sentence.span.end)
            sentence, short = Sentence(f"{short.text} {sentence.text}", span), None
        plain = plain_text(sentence.text)
        if _TABLE_RULE.match(passage.text, sentence.span.end - passage.start):
            continue  # the head of a table, which its rows are shown with
        if plain.endswith("?"):
            question, following = plain, 0
        elif _BARE_REPLY.fullmatch(plain):
            short = sentence
        elif not _BOLD_ALONE.fullmatch(sentence.text) and _says_something(sentence.text, plain):
            following += 1
            yield sentence, question if question and following <= _ANSWERS else _heading(passage, sentence.span)


def _heading(passage: NumberedPassage, span: Span) -> str:
    return "".join(passage.cited(span).heading_path[-1:]) or passage.hit.title


def plain_text(text: str) -> str:
    return _MARKUP.sub("", text).strip()


def _says_something(text: str, plain: str) -> bool:
    """Whether there are words beside links, and enough of them: a line of links leads elsewhere and says nothing, as
    does a question with a link for its answer. What is written as HTML, such as a cell, says nothing without what is
    around it."""
    if _WRITTEN_AS_HTML.search(_CODE_SPAN.sub("", text)) or _ANSWERED_ELSEWHERE.match(text):
        return False
    unlinked = _LINK.sub(" ", text)
    if unlinked != text and sum(character.isalnum() for character in unlinked) < _LEAST_BESIDE_LINKS:
        return False
    return len(plain.split()) >= _FEWEST_WORDS or not plain.isascii() or bool(_BRIEF_FACT.search(plain))
