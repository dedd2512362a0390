"""What a person typed → terms and filters, by the rules of `boolean_query_grammar`. Nothing is an error.

    words                any of them, the more the better     tag:work tag:a/b      all of these tags
    "a phrase"           these words in this order, if the    path:docs/            below this path
                         query is not a whole sentence
    -word -"a phrase"    without it                           title:release         in the document's title
    begin* -begin*       words that start like this           kind:code kind:note   any of these kinds
    a AND (b OR c)       as they say, in capitals             in:notes              any of these collections
    a NOT b                                                   -tag:old -path:a/     not what such a filter lets through
                                                              after:2024-05 before:"2 weeks ago"     when it was changed

A query of filters or exclusions alone has no text: it lists what they let through.

What has none of these forms is plain words: `https://…`, `C:\\x`, `std::map`, `12:30`, `kind:unknown`, a lone quote,
`--flag`, `-m`, `-1`. So is a text of several lines or of great length: it was pasted, its punctuation is its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from octavo.algorithms.queries.boolean_query_grammar import Clause, clauses, malformed, operands, read_condition
from octavo.algorithms.text.language_detection_and_marked_stems import ENGLISH, function_words
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.algorithms.text.time_parsing_and_formatting import TIME_FORMS, TIME_IN_WORDS, moment
from octavo.algorithms.text.unicode_folding import is_ideograph
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import dataclass, replace
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.query import Condition, Filters, Terms, WordForms

MOST_WORDS = 1000
MOST_CLAUSES = 64
"""Of phrases, exclusions and prefixes, each; and of words in one of them."""

T = TypeVar("T")

_LONGEST_TYPED = 4000  # characters
_SENTENCE = 6  # words outside quotes: from here on a quoted phrase is mentioned, not demanded
_LONGEST_READ = 100_000  # a text longer than this has said its thousand words

_LONGEST_WHOLE = 400  # characters
_LONGEST_PHRASE = 8  # words
_AROUND = "()[]{}<>,;!?\"'`…"
# Digits, a capital inside a word, or signs between letters: versions, hashes, names in code, addresses, paths, dates.
_SHAPED = regex(r"[0-9]|[a-z][A-Z]|[^\W_][-_.@/:#\\]+[^\W_]")
_LEAST_SHAPED = 3  # characters: `scale a 1d array to between 0 and 1` names nothing
# Compiled for the first who needs it: wide ranges take their time.
_RUN = r"[\w.\x80-\U0010ffff-]+"
_ABBREVIATED = regex(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,39}")
"""The beginning of a hash, as git and people write them."""
_BOUNDS = ("after", "before")
_TIME_WITHOUT_QUOTES = regex(rf"(?<!\S)(-?(?:after|before):)({TIME_IN_WORDS})(?!\S)", re.IGNORECASE)
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = {name: kind for kind in Kind for name in (kind.value, f"{kind.value}s")}


def parse_query(
    text: str, analyzer: Analyzer, languages: Sequence[str] = (), now: datetime = _LONG_AGO
) -> tuple[Terms, Filters]:
    """The terms to look for and the filters that must hold. `Terms.text` is the text without its operators.

    `languages` are those beside English that the library has passages in; `now` is when `yesterday` is counted from.
    """
    clean = _encodable(text).strip()
    if "\n" in clean or len(clean) > _LONGEST_TYPED:
        reading = _Reading(analyzer.query_languages(clean, languages), words=[clean], said=[clean])
        return _terms(reading, analyzer), reading.filters
    clean = _TIME_WITHOUT_QUOTES.sub(r'\1"\2"', clean)
    lexemes = operands(clean)
    typed = list(clauses(clean)) if lexemes is None else [part for part in lexemes if isinstance(part, Clause)]
    # Operators, filters and quotations tell no language: `Haus AND Nachbar` is not in English.
    words = " ".join(clause.text for clause in typed if not clause.quoted and not _is_filter(clause))
    reading = _Reading(analyzer.query_languages(words, languages), operators=lexemes is not None, now=now)
    problem = _problem(clean, typed, reading)
    if lexemes is not None:
        leaf = partial(_leaf, analyzer=analyzer, languages=reading.languages, now=now)
        condition, positive = read_condition(lexemes, leaf)
        reading.conditions += [] if condition is None else [condition]
        typed = [clause._replace(minus=False) for clause in positive if not _is_filter(clause)]
    for clause in typed:
        _read(clause, reading, analyzer)
    terms = _terms(reading, analyzer)
    return replace(terms, problem=problem) if problem else terms, reading.filters


@dataclass(slots=True)
class _Reading:
    """The clauses met so far: filters and prefixes understood, the rest as typed."""

    languages: Sequence[str] = ()
    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    excluded: list[Clause] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    operators: bool = False
    filters: Filters = field(default_factory=Filters)
    now: datetime = _LONG_AGO


def _problem(text: str, typed: Sequence[Clause], reading: _Reading) -> str:
    """What of the syntax is not understood, and what becomes of it."""
    malformation = malformed(text) if reading.operators else ""
    unread = [clause.text for clause in typed if clause.field in _BOUNDS and clause.value and not _is_filter(clause)]
    dates = f"dates: {unread[0][:40]} has no date and is searched for as words; write {TIME_FORMS}" if unread else ""
    operators = f"operators: {malformation}, so it counts for nothing" if malformation else ""
    return " · ".join(filter(None, (operators, dates)))


def _read(clause: Clause, reading: _Reading, analyzer: Analyzer) -> None:
    word = "" if clause.quoted else clause.text
    prefix = _prefix(word, analyzer)
    if clause.minus and (refused := _narrow(Filters(), clause, reading.now)):
        # A path of nothing but a slash is every path, and nobody asks for nothing.
        more = () if refused.empty else (refused,)
        reading.filters = replace(reading.filters, without=_distinct((*reading.filters.without, *more))[:MOST_CLAUSES])
    elif clause.minus and prefix:
        refused_prefix = Condition("holds", (prefix,), prefix=True)
        reading.conditions.append(Condition("not", parts=(refused_prefix,)))
    elif clause.minus:
        reading.excluded.append(clause)
    elif narrowed := _narrow(reading.filters, clause, reading.now):
        reading.filters = narrowed
    elif clause.quoted:
        reading.words.append(clause.field)
        reading.phrases.append(clause.value)
        reading.said += filter(None, (clause.field, clause.value))
    else:
        start = _beginning(word) if prefix else ""
        reading.said.append(word.rstrip("*") if start else word)
        reading.words.append(word.rstrip("*").removesuffix(start) if start else word)
        reading.prefixes.append(prefix)


def _prefix(word: str, analyzer: Analyzer) -> str:
    """What the words begin with that a word asks for: one with a star, a lone character of Chinese, half a hash."""
    start = _beginning(word)
    # Chinese is indexed in pairs, so a character alone is found as part of one.
    whole = _ABBREVIATED.fullmatch(word) or is_ideograph(word)
    return analyzer.prefix(start or word) if start or whole else ""


def _leaf(clause: Clause, analyzer: Analyzer, languages: Sequence[str], now: datetime) -> Condition | None:
    if narrowed := _narrow(Filters(), clause, now):
        return Condition("passes", filters=narrowed)
    if not clause.quoted and (prefix := _prefix(clause.text, analyzer)):
        return Condition("holds", (prefix,), prefix=True)
    tokens = tuple(analyzer.tokens(clause.text)[:MOST_CLAUSES])
    if not tokens:
        return None
    forms = () if clause.quoted else _forms(clause.text, analyzer, languages)
    readings = tuple(Condition("holds", reading) for reading in _distinct((tokens, *forms)))
    return readings[0] if len(readings) == 1 else Condition("any", parts=readings)


def _is_filter(clause: Clause) -> bool:
    return _narrow(Filters(), clause) is not None


def _beginning(word: str) -> str:
    """The last run of letters in a word that ends in a star; empty in `**bold**`, `.*` and everything without one."""
    bare = word.rstrip("*")
    if bare == word or not bare or bare[0] == "*" or not (bare[-1].isalnum() or bare[-1] > "\x7f" or bare[-1] == "_"):
        return ""
    return str(re.findall(_RUN, bare)[-1])


def _narrow(filters: Filters, clause: Clause, now: datetime = _LONG_AGO) -> Filters | None:
    """The filters with one more condition; None if it is not one. Of several paths or titles the last counts."""
    value = clause.value.strip(' ",;')
    if not value or value.startswith(":"):
        return None
    match clause.field:
        case "tag":
            tag = value.lstrip("#")
            return replace(filters, tags_all=_distinct((*filters.tags_all, tag))) if tag else None
        case "path":
            return replace(filters, path_prefix=path_prefix(value))
        case "title":
            return replace(filters, title_contains=value)
        case "kind":
            kind = _KINDS.get(value.lower())
            return replace(filters, kinds=_distinct((*filters.kinds, kind))) if kind else None
        case "in" | "collection":
            return replace(filters, collections=_distinct((*filters.collections, value)))
        case "after" | "before":
            with suppress(InvalidArgument):
                time = moment(value, now)
                bound = Filters(modified_after=time) if clause.field == "after" else Filters(modified_before=time)
                return filters.narrowed_by(bound)
    return None


def path_prefix(typed: str | None) -> str | None:
    """A path as people write it, as stored paths begin; None for every path."""
    return None if typed is None else typed.replace("\\", "/").removeprefix("./").strip("*").lstrip("/") or None


def _terms(reading: _Reading, analyzer: Analyzer) -> Terms:
    phrases = _analysed(reading.phrases, analyzer)
    preferred: tuple[tuple[str, ...], ...] = ()
    plain = reading.words
    if reading.operators or len(" ".join(plain).split()) >= _SENTENCE:
        # `Who wrote the album called "Counterparts"?` mentions a name; `"exact words" nginx` demands one.
        phrases, preferred = (), phrases
        plain = [*plain, *reading.phrases]
    prefixes = _distinct(filter(None, reading.prefixes))[:MOST_CLAUSES]
    words = _distinct(analyzer.tokens(" ".join(plain)[:_LONGEST_READ]))
    letters = _function_letters(" ".join(plain)[:_LONGEST_READ], analyzer)
    telling = tuple(word for word in words if word not in analyzer.stop_words and word not in letters)
    text = " ".join(reading.said).strip()
    return Terms(
        text=text if any(map(_says, text)) else "",
        words=(telling if telling or phrases or prefixes else words)[:MOST_WORDS],
        phrases=phrases,
        preferred=preferred,
        prefixes=prefixes,
        excluded=_excluded(reading, analyzer),
        condition=_all(reading.conditions),
        forms=tuple(_word_forms(plain, reading.languages, analyzer)),
        **_found_whole(text, analyzer),
    )


def _forms(text: str, analyzer: Analyzer, languages: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """In each language the stems of what is one word as typed: those of `E-Mail-Adresse` follow each other."""
    return _distinct(filter(None, (tuple(analyzer.forms(text, language)) for language in languages)))


def _word_forms(plain: Sequence[str], languages: Sequence[str], analyzer: Analyzer) -> Iterable[WordForms]:
    if not languages:
        return
    for word in _distinct(" ".join(plain)[:_LONGEST_WHOLE].split()):
        tokens = tuple(token for token in analyzer.tokens(word) if token not in analyzer.stop_words)
        if tokens and (forms := _forms(word, analyzer, languages)):
            yield WordForms(tokens, _distinct(form for several in forms for form in several))


def _excluded(reading: _Reading, analyzer: Analyzer) -> tuple[tuple[str, ...], ...]:
    """With a word, its forms are excluded as well."""
    words = [clause.text for clause in reading.excluded]
    forms = (_forms(clause.text, analyzer, reading.languages) for clause in reading.excluded if not clause.quoted)
    return _distinct((*_analysed(words, analyzer), *(form for several in forms for form in several)))[:MOST_CLAUSES]


def _found_whole(text: str, analyzer: Analyzer) -> dict[str, Any]:
    """What of a query is to be found as it is written: see `Terms`.

    An identifier in a sentence is spoken of; alone, or beside one other word, it is what is looked for.
    """
    if len(text) > _LONGEST_WHOLE:
        return {}
    clauses = [clause.strip(_AROUND) for clause in text.split()]
    words = {clause: tuple(analyzer.tokens(clause)) for clause in clauses if clause}
    subject = {*analyzer.subject([token for tokens in words.values() for token in tokens])}
    content = {clause: tokens for clause, tokens in words.items() if not subject.isdisjoint(tokens)}
    shaped = tuple(
        tokens for clause, tokens in content.items() if len(clause) >= _LEAST_SHAPED and _SHAPED.search(clause)
    )
    fields: dict[str, Any] = {}
    if shaped and 2 * len(shaped) >= len(content):
        fields = {"exact": shaped, "shaped": True}
    elif len(content) == 1:
        fields = {"exact": tuple(content.values())}
    if 2 <= len(words) <= _LONGEST_PHRASE:
        fields["whole"] = tuple(analyzer.tokens(text))
    return fields


def _all(conditions: list[Condition]) -> Condition | None:
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return Condition("all", parts=tuple(conditions))


def _function_letters(text: str, analyzer: Analyzer) -> set[str]:
    """Letters that are words but no search words: those of Cyrillic, which are particles, and those of the language
    that a query tells, as `y` in Spanish. Others name things: vitamin C, β blockers."""
    words = text.split()
    letters = {token for word in words if len(word) == 1 for token in analyzer.tokens(word)}
    # Letters do not say which language they are of.
    language = analyzer.query_language(" ".join(word for word in words if len(word) > 1)) if letters else ""
    particles = analyzer.tokens(" ".join(word for word in function_words(language or ENGLISH) if len(word) == 1))
    return {letter for letter in letters if "\u0400" <= letter <= "\u052f" or letter in particles}


def _says(character: str) -> bool:
    """Whether a character says something: punctuation alone is no query."""
    return character.isalnum() or (character > "\x7f" and unicodedata.category(character) in ("So", "Sm", "Sc"))


def _analysed(clauses: list[str], analyzer: Analyzer) -> tuple[tuple[str, ...], ...]:
    tokens = (tuple(analyzer.tokens(clause)[:MOST_CLAUSES]) for clause in clauses)
    return _distinct(filter(None, tokens))[:MOST_CLAUSES]


def _distinct(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def _encodable(text: str) -> str:
    """Without NULs and lone surrogates, which engines and models refuse; command lines can hold both."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
