"""Recognises people, places and what a library knows itself in prose; DOIs, web addresses and repositories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from octavo.algorithms.text.unicode_folding import entity_name
from octavo.lazy_regex import regex
from octavo.model.entity import Entity, EntityKind

_DOI = regex(
    r"(?<![\w/.])(?:https?://(?:dx\.)?doi\.org/|doi:\s?)?(10\.[0-9]{4,9}/[^\s\"'<>|{}\\^`\[\]]+)", re.IGNORECASE
)
_URL = regex(r"https?://[^\s\"'<>|{}\\^`\[\]]+", re.IGNORECASE)
# At the host itself: gist., docs. and api. have other things at such a path.
_REPOSITORY = regex(
    r"(?<![\w.-])(?:www\.)?(?:github|gitlab|codeberg)\.(?:com|org)/([\w.-]{1,39}/[\w.-]{1,100})", re.IGNORECASE
)
_NO_OWNER = regex(
    r"(?:about|apps|collections|enterprise|explore|features|login|marketplace|orgs|search|security|settings|sponsors|topics"
    r"|users|(?:example|my|your)[-_].*|username)$",
    re.IGNORECASE,
)
_EXAMPLE = regex(r"(?:^|\.)example(?:\.(?:com|net|org|edu))?$|^example\.")  # RFC 2606
_TRACKING = regex(r"utm_\w+|fbclid|gclid|ref")


class NameMention(NamedTuple):
    """An entity and where in the text it stands."""

    entity: Entity
    start: int
    end: int


def name_mention(kind: EntityKind, label: str, start: int, end: int, name: str = "") -> NameMention:
    return NameMention(Entity(kind, name or entity_name(label), label), start, end)


def doi_and_web_links(text: str) -> Iterator[NameMention]:
    taken = []
    for match in _DOI.finditer(text):
        if entity := doi(match[1]):
            taken.append(match.start())
            yield NameMention(entity, match.start(), match.start(1) + len(entity.label))
    for match in _URL.finditer(text):
        if "doi.org/10." in match[0]:
            continue
        if entity := address(match[0]):
            yield NameMention(entity, match.start(), match.start() + len(_without_end(match[0])))
    for match in _REPOSITORY.finditer(text):
        owner, _, name = match[1].removesuffix(".git").rstrip(".").partition("/")
        if not _NO_OWNER.match(owner):
            yield name_mention(EntityKind.PROJECT, f"{owner}/{name}", match.start(1), match.end(1))


def doi(text: str) -> Entity | None:
    """A DOI however it is written: they are compared without case.

    >>> doi("https://doi.org/10.1000/ABC.").name
    '10.1000/abc'
    """
    match = _DOI.search(text)
    if match is None:
        return None
    label = _without_end(match[1])
    return Entity(EntityKind.DOI, label.casefold(), label)


def address(text: str) -> Entity | None:
    """An address of the web without what does not change where it leads: scheme, www, fragment, tracking.

    >>> address("http://www.Python.org/a/?utm_source=x#top").name
    'python.org/a'
    """
    match = _URL.match(text.strip())
    if match is None:
        return None
    label = _without_end(match[0])
    host, _, rest = label.partition("://")[2].partition("/")
    host = host.rpartition("@")[2].casefold().removeprefix("www.")
    if "." not in host or host.startswith(("127.", "localhost", "0.0.0.0")) or _EXAMPLE.search(host):
        return None
    path, _, query = rest.partition("#")[0].partition("?")
    kept = [(name, value) for name, value in parse_qsl(query) if not _TRACKING.fullmatch(name)]
    name = host + (f"/{path.rstrip('/')}" if path.strip("/") else "") + (f"?{urlencode(kept)}" if kept else "")
    return Entity(EntityKind.URL, name[:500], label[:500])


def _without_end(text: str) -> str:
    """Without what a sentence puts after an address: a full stop, a bracket that was opened before it."""
    text = text.rstrip(".,;:!?*_'’\"")
    while text.endswith((")", "]")) and text.count("(") + text.count("[") < text.count(")") + text.count("]"):
        text = text[:-1].rstrip(".,;:!?*_")
    return text


_TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms", "sir", "dame", "frau", "herr", "mme"})
BETWEEN = frozenset({"de", "da", "del", "della", "der", "den", "van", "von", "la", "le", "al", "bin", "ibn", "y"})
"""Small words inside names."""
_WORDS_AFTER_GIVEN_NAMES = """
    and api april august blog book chapter code day december desktop documentation example february foundation
    friday game guide haiku home i institute january july june license march may monday november numeral numerals
    notes october opus page project road saturday section september server sonnet street sunday the thursday tuesday
    university wednesday
"""
_NOT_A_SURNAME = frozenset(_WORDS_AFTER_GIVEN_NAMES.split())


_ALSO_THINGS = frozenset({"adam", "alexa", "carlo", "claude", "jan", "julia", "leo", "pascal"})
"""Given names that stand alone for a language, an assistant, a month or a star more often than for a person."""


def proper_names(prose: str, declared: Mapping[str, Entity]) -> Iterator[NameMention]:
    """People, and what the library or the gazetteer knows, among words that begin with a capital."""
    longest = max((name.count(" ") + 1 for name in declared), default=1)
    given, places = _given_names(), _places()
    firsts = {name.partition(" ")[0] for name in declared} | _place_starts()
    for line in _LINE.finditer(prose):
        words = [(match[0].rstrip("'’.-"), match.start() + line.start()) for match in _NAME_WORD.finditer(line[0])]
        at = 0
        while at < len(words):
            word = words[at][0]
            if not word[:1].isupper():
                at += 1
                continue
            place, taken = None, 1
            if (folded := entity_name(_bare(word))) in firsts:
                place, taken = _longest(prose, words, at, declared, max(longest, 4)) or (None, 1)
                if place is None and not _of_an_institution(words, at):
                    place, taken = _longest(prose, words, at, places, 4) or (None, 1)
            titled = folded in _TITLES and not word.isupper()  # MS and DR stand for other things
            if place is None and (folded in given or titled):
                place, taken = _person(prose, words, at, titled=titled) or (None, 1)
                if place is None and not titled and folded not in _ALSO_THINGS and _stands_alone(prose, words, at):
                    place = _named(prose, words[at][1], _bare(word))
            if place is not None:
                yield place._replace(entity=declared.get(place.entity.name, place.entity))
            at += taken


_LINE = regex(r"[^\n]+")
_NAME_WORD = regex(r"[^\W\d_][\w'’-]*\.?")


def _bare(word: str) -> str:
    """Without the ending of a genitive."""
    return re.sub(r"['’]s?$", "", word)


def _of_an_institution(words: list[tuple[str, int]], at: int) -> bool:
    """Whether a place is a part of an institution's name, as in `University of Southern California`."""
    before = " ".join(word for word, _ in words[max(0, at - 3) : at])
    return re.search(r"\b(?:University|Institute|Bank) of(?: [A-Z]\w+)?$", before) is not None


def _adjacent(prose: str, words: list[tuple[str, int]], left: int) -> bool:
    """Whether nothing but blanks, or the point of an initial, is between a word and the next."""
    end = words[left][1] + len(words[left][0])
    between = prose[end : words[left + 1][1]]
    return between.strip(" \t") == "" or (between.strip(" \t") == "." and len(words[left][0]) <= 4)


def _longest(
    prose: str, words: list[tuple[str, int]], at: int, names: Mapping[str, Entity], longest: int
) -> tuple[NameMention, int] | None:
    """The longest known name that begins at a word, and how many words it has."""
    last = at
    while last + 1 < len(words) and last + 1 < at + longest and _adjacent(prose, words, last):
        last += 1
    for end in range(last, at - 1, -1):
        spoken = " ".join(word for word, _ in words[at:end]) + (" " if end > at else "") + _bare(words[end][0])
        entity = names.get(entity_name(spoken))
        if entity is not None:
            start = words[at][1]
            return NameMention(entity, start, words[end][1] + len(_bare(words[end][0]))), end - at + 1
    return None


def _stands_alone(prose: str, words: list[tuple[str, int]], at: int) -> bool:
    """Whether a word with a capital follows a small one in a sentence and is no part of a longer name."""
    if at == 0 or not words[at - 1][0].islower() or not _adjacent(prose, words, at - 1):
        return False
    return at + 1 == len(words) or not (_adjacent(prose, words, at) and words[at + 1][0][:1].isupper())


def _named(prose: str, start: int, word: str) -> NameMention:
    return NameMention(Entity(EntityKind.PERSON, entity_name(word), word), start, start + len(word))


def _person(prose: str, words: list[tuple[str, int]], at: int, *, titled: bool) -> tuple[NameMention, int] | None:
    """A given name and what follows it: initials, small words of names, and at least one surname."""
    first = at + 1 if titled else at
    if first >= len(words) or (titled and not _adjacent(prose, words, at)):
        return None
    end, surnames = first, 1 if titled and words[first][0][:1].isupper() else 0
    while end + 1 < len(words) and _adjacent(prose, words, end) and end - first < 4:
        word = words[end + 1][0]
        if word[:1].isupper() and entity_name(_bare(word)) not in _NOT_A_SURNAME and not word.isupper():
            surnames += 1
        elif not (len(word) == 1 and word.isupper()) and word not in BETWEEN:
            break
        end += 1
        if surnames >= (2 if titled else 1) and len(word) > 1 and word not in BETWEEN and _bare(word) != word:
            break
    while end > first and (words[end][0] in BETWEEN or len(words[end][0]) == 1):
        end -= 1
    if not surnames or (end == first and not titled) or not words[first][0][:1].isupper():
        return None
    start, stop = words[first][1], words[end][1] + len(_bare(words[end][0]))
    label = " ".join(prose[start:stop].split())
    return NameMention(Entity(EntityKind.PERSON, entity_name(label.replace(".", "")), label), start, stop), end - at + 1


def _listed(name: str) -> Iterator[str]:
    for line in (files("octavo.graph") / "gazetteer" / name).read_text("utf-8").splitlines():
        if not line.startswith("#"):
            yield line


@cache
def _given_names() -> frozenset[str]:
    return frozenset(entity_name(name) for line in _listed("given_names.txt") for name in line.split())


@cache
def _places() -> Mapping[str, Entity]:
    labels = (label.strip() for line in _listed("places.txt") for label in line.split(";"))
    return {entity_name(label): Entity(EntityKind.PLACE, entity_name(label), label) for label in labels if label}


@cache
def _place_starts() -> frozenset[str]:
    return frozenset(name.partition(" ")[0] for name in _places())
