"""Finds DOIs, web addresses and repositories in a text and normalises them."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
