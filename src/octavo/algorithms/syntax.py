"""What a person typed → terms and filters. Everything that can be typed means something; nothing is an error.

    words                any of them, the more the better     tag:work tag:a/b      all of these tags
    "a phrase"           these words in this order, if the    path:docs/            below this path
                         query is not a whole sentence
    -word -"a phrase"    without it                           title:release         in the document's title
    begin* -begin*       words that start like this           kind:code kind:note   any of these kinds
    a AND (b OR c)       as they say, in capitals             in:notes              any of these collections
    a NOT b                                                   -tag:old -path:a/     not what such a filter lets through

A query of filters or exclusions alone has no text: it lists what they let through.

What has none of these forms is plain words: `https://…`, `C:\\x`, `std::map`, `12:30`, `kind:unknown`, a lone quote,
`--flag`, `-m`, `-1`. So is a text of several lines or of great length: it was pasted, its punctuation is its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import partial
from typing import Any, TypeVar

from octavo.algorithms.analysis import Analyzer
from octavo.algorithms.booleans import is_boolean, read_condition
from octavo.algorithms.folding import CJK
from octavo.dataclass import dataclass, replace
from octavo.model.document import Kind
from octavo.model.query import Condition, Filters, Terms, WordForms

MOST_WORDS = 1000
MOST_CLAUSES = 64
"""Of phrases, exclusions and prefixes, each; and of words in one of them."""

T = TypeVar("T")

_LONGEST_TYPED = 4000  # characters
_SENTENCE = 6  # words outside quotes: from here on a quoted phrase is mentioned, not demanded
_LONGEST_READ = 100_000  # a text longer than this has said its thousand words

_QUOTES = str.maketrans("“”„‟«»", '""""""')
# A quote opens only where a word can start and closes only where one can end: `print("a")` and 5" are words.
# A sign before a number and a command's one-letter flag exclude nothing.
_CLAUSE = re.compile(
    r"""
    (?P<minus> - (?= [^\s\d-]\S ) )?
    (?: (?: (?P<field>[A-Za-z]+) : )? " (?P<quoted>[^"]*) " (?!\w) | (?P<word>\S+) )
    """,
    re.VERBOSE,
)
_LONGEST_WHOLE = 400  # characters
_LONGEST_PHRASE = 8  # words
_AROUND = "()[]{}<>,;!?\"'`…"
# Digits, a capital inside a word, or signs between letters: versions, hashes, names in code, addresses, paths, dates.
_SHAPED = re.compile(r"[0-9]|[a-z][A-Z]|[^\W_][-_.@/:#\\]+[^\W_]")
_LEAST_SHAPED = 3  # characters: `scale a 1d array to between 0 and 1` names nothing
# Seldom needed, so they are compiled for the first who does: wide ranges take their time.
_RUN = r"[\w.\x80-\U0010ffff-]+"
_LONE_CHARACTER = f"[{CJK}]"
_KINDS = {name: kind for kind in Kind for name in (kind.value, f"{kind.value}s")}


def parse_query(text: str, analyzer: Analyzer, languages: Sequence[str] = ()) -> tuple[Terms, Filters]:
    """The terms to look for and the filters that must hold. `Terms.text` is the text without its operators.

    `languages` are those beside English that the library has passages in.
    """
    clean = _encodable(text).strip()
    reading = _Reading(languages=analyzer.query_languages(clean, languages))
    typed = clean.translate(_QUOTES)
    if "\n" in clean or len(clean) > _LONGEST_TYPED:
        reading.words.append(clean)
        reading.said.append(clean)
    elif is_boolean(typed):
        _read_boolean(typed, reading, analyzer)
    else:
        for clause in _CLAUSE.finditer(typed):
            _read(clause, reading, analyzer)
    return _terms(reading, analyzer), reading.filters


@dataclass(slots=True)
class _Reading:
    """The clauses met so far: filters and prefixes understood, the rest as typed."""

    words: list[str] = field(default_factory=list)
    phrases: list[str] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    operators: bool = False
    languages: Sequence[str] = ()
    filters: Filters = field(default_factory=Filters)


def _read(clause: re.Match[str], reading: _Reading, analyzer: Analyzer) -> None:
    minus, name, quoted, word = clause.group("minus", "field", "quoted", "word")
    if word is not None:
        name, _, value = word.partition(":")
    else:
        name, value = name or "", quoted
    if minus and (refused := _narrow(Filters(), name.lower(), value)):
        # A path of nothing but a slash is every path, and nobody asks for nothing.
        more = () if refused.empty else (refused,)
        reading.filters = replace(reading.filters, without=_distinct((*reading.filters.without, *more))[:MOST_CLAUSES])
    elif minus and word and (start := _beginning(word)) and (prefix := analyzer.prefix(start)):
        refused_prefix = Condition("holds", (prefix,), prefix=True)
        reading.conditions.append(Condition("not", parts=(refused_prefix,)))
    elif minus:
        reading.excluded.append(clause.group())
    elif narrowed := _narrow(reading.filters, name.lower(), value):
        reading.filters = narrowed
    elif word is None:
        reading.words.append(name)
        reading.phrases.append(quoted)
        reading.said += [name, quoted] if name else [quoted]
    elif (start := _beginning(word)) and (prefix := analyzer.prefix(start)):
        reading.said.append(word.rstrip("*"))
        reading.words.append(word.rstrip("*").removesuffix(start))
        reading.prefixes.append(prefix)
    else:
        reading.said.append(word)
        reading.words.append(word)
        if not word.isascii() and re.fullmatch(_LONE_CHARACTER, word):
            # Such scripts are indexed in pairs, so a character alone is found as the start of one.
            reading.prefixes.append(analyzer.prefix(word))


def _read_boolean(typed: str, reading: _Reading, analyzer: Analyzer) -> None:
    """Its words are looked for as those of any query; what must hold of a hit is a condition."""
    reading.operators = True
    condition, clauses = read_condition(typed, partial(_leaf, analyzer=analyzer, languages=reading.languages))
    if condition is not None:
        reading.conditions.append(condition)
    for said in clauses:
        clause = _CLAUSE.fullmatch(said.text)
        if clause is not None and not said.negated and not _is_filter(said.text):
            _read(clause, reading, analyzer)


def _leaf(text: str, analyzer: Analyzer, languages: Sequence[str]) -> Condition | None:
    name, quoted, value = _named(text)
    if narrowed := _narrow(Filters(), name, value):
        return Condition("passes", filters=narrowed)
    if not quoted and (start := _beginning(text)) and (prefix := analyzer.prefix(start)):
        return Condition("holds", (prefix,), prefix=True)
    if re.fullmatch(_LONE_CHARACTER, text):
        return Condition("holds", (analyzer.prefix(text),), prefix=True)
    tokens = tuple(analyzer.tokens(text)[:MOST_CLAUSES])
    if not tokens:
        return None
    held = Condition("holds", tokens)
    forms = () if quoted else _forms(text, analyzer, languages)
    return Condition("any", parts=(held, *(Condition("holds", (form,)) for form in forms))) if forms else held


def _is_filter(text: str) -> bool:
    name, _, value = _named(text)
    return _narrow(Filters(), name, value) is not None


def _named(text: str) -> tuple[str, bool, str]:
    """The field in front of a clause, whether its value is quoted, and the value."""
    name, colon, value = text.partition(":")
    return (name.lower(), value.startswith('"'), value.strip('"')) if colon else ("", text.startswith('"'), "")


def _beginning(word: str) -> str:
    """The last run of letters in a word that ends in a star; empty in `**bold**`, `.*` and everything without one."""
    bare = word.rstrip("*")
    if bare == word or not bare or bare[0] == "*" or not (bare[-1].isalnum() or bare[-1] > "\x7f" or bare[-1] == "_"):
        return ""
    return str(re.findall(_RUN, bare)[-1])


def _narrow(filters: Filters, name: str, value: str) -> Filters | None:
    """The filters with one more condition; None if it is not one. Of several paths or titles the last counts."""
    value = value.strip(' ",;')
    if not value or value.startswith(":"):
        return None
    match name:
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
    told = tuple(word for word in words if word not in analyzer.stop_words)
    said = " ".join(reading.said).strip()
    return Terms(
        text=said if any(map(_says, said)) else "",
        words=(told if told or phrases or prefixes else words)[:MOST_WORDS],
        phrases=phrases,
        preferred=preferred,
        prefixes=prefixes,
        excluded=_excluded(reading, analyzer),
        condition=_all(reading.conditions),
        forms=tuple(_word_forms(plain, reading.languages, analyzer)),
        **_found_whole(said, analyzer),
    )


def _forms(text: str, analyzer: Analyzer, languages: Sequence[str]) -> tuple[str, ...]:
    return _distinct(form for language in languages for form in analyzer.forms(text, language))


def _word_forms(plain: Sequence[str], languages: Sequence[str], analyzer: Analyzer) -> Iterable[WordForms]:
    if not languages:
        return
    for word in _distinct(" ".join(plain)[:_LONGEST_WHOLE].split()):
        tokens = tuple(token for token in analyzer.tokens(word) if token not in analyzer.stop_words)
        if tokens and (forms := _forms(word, analyzer, languages)):
            yield WordForms(tokens, forms)


def _excluded(reading: _Reading, analyzer: Analyzer) -> tuple[tuple[str, ...], ...]:
    """With a word, its forms are excluded as well."""
    words = [clause for clause in reading.excluded if '"' not in clause]
    forms = ((form,) for clause in words for form in _forms(clause, analyzer, reading.languages))
    return _distinct((*_analysed(reading.excluded, analyzer), *forms))[:MOST_CLAUSES]


def _found_whole(said: str, analyzer: Analyzer) -> dict[str, Any]:
    """What of a query is to be found as it is written: see `Terms`.

    An identifier in a sentence is spoken of; alone, or beside one other word, it is what is looked for.
    """
    if len(said) > _LONGEST_WHOLE:
        return {}
    clauses = [clause.strip(_AROUND) for clause in said.split()]
    words = {clause: tuple(analyzer.tokens(clause)) for clause in clauses if clause}
    content = {clause: tokens for clause, tokens in words.items() if not analyzer.stop_words.issuperset(tokens)}
    shaped = tuple(
        tokens for clause, tokens in content.items() if len(clause) >= _LEAST_SHAPED and _SHAPED.search(clause)
    )
    found: dict[str, Any] = {}
    if shaped and 2 * len(shaped) >= len(content):
        found = {"exact": shaped, "shaped": True}
    elif len(content) == 1:
        found = {"exact": tuple(content.values())}
    if 2 <= len(words) <= _LONGEST_PHRASE:
        found["whole"] = tuple(analyzer.tokens(said))
    return found


def _all(conditions: list[Condition]) -> Condition | None:
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return Condition("all", parts=tuple(conditions))


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
