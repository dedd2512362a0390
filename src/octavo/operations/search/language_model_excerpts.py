"""Which few lines of a hit a language model is shown: those that answer, within some bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.lazy_regex import regex
from octavo.operations.styled_answer_lines import Quote
from octavo.operations.token_counts_and_page_cursor import size

_LONG = 160  # characters of a line: a longer one is a paragraph, which is shown by sentences
_SENTENCE_END = regex(r"(?<=[.!?。！？])\s+")
_SAYS_NOTHING = regex(r"\s*(?:[`~]{3,}.*|[-=*_]{3,}|<!--.*|)\s*")
_NUMBER = 6  # bytes that a line's number and bar take


class ExcerptPart(NamedTuple):
    """A line of an excerpt, or a sentence of a long one. `answered` are the query's tokens in it."""

    line: int
    text: str
    answered: frozenset[str]

    @property
    def size(self) -> int:
        return size(self.text) + _NUMBER


def answering_lines(
    excerpt: str, first_line: int, query: str, room: int, *, titles: Collection[str] = (), declares: bool = False
) -> Iterator[Quote]:
    """The lines with most of the query's words that fit into `room` bytes; without any, the first.

    What `declares` something is shown with its first line, which says what. Headings among `titles` are left out.
    """
    parts = _parts(excerpt, first_line, frozenset(shared_analyzer().query_tokens(query)), titles)
    head = parts[:1] if declares else []
    window = _best_window(parts, room - sum(part.size for part in head))
    shown = window if not head or head[0] in window else [*head, *window]
    shown = shown or [part._replace(text=_cut(part.text, room)) for part in parts[:1]]
    for _, run in groupby(enumerate(_joined(shown)), key=lambda numbered: numbered[1].line - numbered[0]):
        lines = [part for _, part in run]
        yield Quote("\n".join(part.text for part in lines), lines[0].line)


def _parts(excerpt: str, first_line: int, tokens: frozenset[str], titles: Collection[str]) -> list[ExcerptPart]:
    analyzer = shared_analyzer()
    parts = []
    for number, line in enumerate(excerpt.rstrip().split("\n"), first_line):
        if _SAYS_NOTHING.fullmatch(line) or line.lstrip("#").strip() in titles:
            continue
        for sentence in _SENTENCE_END.split(line) if len(line) > _LONG else (line,):
            parts.append(ExcerptPart(number, sentence.rstrip(), tokens.intersection(analyzer.tokens(sentence))))
    return parts


def _best_window(parts: Sequence[ExcerptPart], room: int) -> list[ExcerptPart]:
    """Neighbouring parts that fit. Of several with as many words, the one that begins where they begin."""
    best: list[ExcerptPart] = []
    best_value = (-1, -1, -1)
    for start in range(len(parts)):
        window, left = [], room
        for part in parts[start:]:
            left -= part.size
            if left < 0:
                break
            window.append(part)
        answered = frozenset[str]().union(*(part.answered for part in window))
        value = (len(answered), sum(len(part.answered) for part in window), int(bool(window and window[0].answered)))
        if window and value > best_value:
            best, best_value = window, value
    return best


def _joined(parts: Sequence[ExcerptPart]) -> Iterator[ExcerptPart]:
    """Sentences of one line together again."""
    for _, same in groupby(parts, key=lambda part: part.line):
        sentences = list(same)
        yield sentences[0]._replace(text=" ".join(part.text for part in sentences))


def _cut(text: str, room: int) -> str:
    """As much of a text as fits, with whole words."""
    shown = text.encode()[: max(0, room - _NUMBER - 4)].decode("utf-8", "ignore")
    return f"{shown.rpartition(' ')[0] or shown} …" if shown != text else text
