"""What a document names, found by rules: people, projects, places, identifiers, DOIs and addresses.

Rules are chosen for precision: what is found is nearly always one, and much that a person would see is not found.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from octavo.algorithms.markdown.front_matter_block import FRONT_MATTER
from octavo.algorithms.text.unicode_folding import entity_name
from octavo.fast_dataclass import Value
from octavo.graph.name_and_address_recognition import (
    BETWEEN,
    NameMention,
    address,
    doi,
    doi_and_web_links,
    name_mention,
    proper_names,
)
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.entity import RULES, Entity, EntityKind, Mention, MentionRole, NamedDocument
from octavo.model.normalised_text_and_spans import Span

_MOST = 500  # mentions kept of one document, the most frequent: beyond that it is a list
_LONGEST = 120
# Code in prose: between fences, also inside lists and quotes (a longer row of ~ underlines a heading); below `::` or a
# directive for code, as reStructuredText has them; between backquotes.
_HIDDEN = regex(
    r"""
      ^[ \t>]*(?P<fence>`{3,}+|~{3,5}(?!~)) [^\n]*\n .*? (?:^[ \t>]*(?P=fence)[`~]*[ \t]*$ | \Z)
    | ^(?P<indent>[ \t]*)(?=\S)
      (?: \.\.[ \t](?:code|sourcecode|code-block|testcode|testoutput|doctest|parsed-literal|prompt)::[^\n]*
        | (?!\.\.[ \t])[^\n]*::[ \t]* ) \n
      (?:[ \t]*\n | (?P=indent)[ \t]+\S[^\n]*(?:\n|\Z))+
    | ``[^\n]*?`` | `[^`\n]*`
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
# No handle: a quoted value, the scope of a package (`@scope/name`), what is called or opened (`@is(…)`, `@article{`).
_HANDLE = regex(r"(?<![\w@/.\[\"'“‘])@([A-Za-z][A-Za-z0-9_-]{1,38})(?![\w@/({<]|\.\w)")
# Annotations of languages, where nothing marks them as code.
_ANNOTATION = regex(
    r"(?:abstractmethod|author|classmethod|dataclass|deprecated|export|extends|final|font-face|implements|import|keyframes"
    r"|layer|media|namespace|nullable|override|page|param|private|property|protected|public|returns?|see|since|staticmethod"
    r"|supports|test|throws|todo|type|typedef)$",
    re.IGNORECASE,
)
_PERSON_LINK = regex(r"\[\[@([^\[\]|#\n]{2,80})(?:[|#][^\[\]\n]*)?\]\]")
_PROJECT = regex(
    # `Project Page`, `Project Manager` and the like speak of any project.
    r"\bProject[ \t]+"
    r"(?!(?:Board|Files|Folder|Goals|Home|Lead|Leader|Managements?|Managers?|Names?|Notes|Overview|Owners?"
    r"|Pages?|Plan|Planning|Roadmap|Root|Settings|Setup|Status|Structure|Summary|Teams?|Templates?|Website|Wiki)\b)"
    r"([A-Z][\w-]{2,30}(?:[ \t]+[A-Z][\w-]{2,30})?)"
)
_IDENTIFIERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(CVE-[0-9]{4}-[0-9]{4,7})\b",
        r"\b(RFC[ -]?[0-9]{2,5})\b",
        r"\b(PEP[ -]?[0-9]{1,4})\b",
        r"\b(ISO(?:/IEC)?[ -]?[0-9]{3,5}(?:-[0-9]{1,2})?)\b",
        r"\b(arXiv:\s?[0-9]{4}\.[0-9]{4,5})",
        r"\b(PMID:?\s?[0-9]{5,8})\b",
        r"\b(ISBN(?:-1[03])?:?\s?(?:97[89][ -]?)?[0-9][0-9 -]{8,14}[0-9Xx])\b",
        r"\b(ORCID:?\s?[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X])\b",
        r"(?<![\w-])([A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,5})(?![\w-]|\.[0-9])",
    )
)
# Written like the key of a ticket, and none: encodings, hashes, standards without a body.
_NO_TICKET = regex(
    r"(?:UTF|SHA|MD|AES|RSA|CRC|BASE|ASCII|CP|KOI|GB|HTTP|IPV|USB|COVID|GPT|MP|HDMI|WPA|UTC|GMT|ISBN|ISO|RFC|PEP|EAN|ES|ECMA|MPEG|X)-"
)
_AUTHORS = ("author", "authors", "creator", "creators", "by", "written_by")
_PEOPLE = ("people", "person", "attendees", "participants", "with", "contact", "contacts")
_PLACES = ("location", "place", "city", "country")
_PROJECTS = ("project", "projects")
_OWN = {"doi": EntityKind.DOI, "url": EntityKind.URL, "source": EntityKind.URL, "canonical": EntityKind.URL}
_DECLARED = {
    EntityKind.PERSON: frozenset({"person", "people", "persons", "contact", "contacts"}),
    EntityKind.PROJECT: frozenset({"project", "projects"}),
    EntityKind.PLACE: frozenset({"place", "places", "location", "locations"}),
}
_PAGES = frozenset({"index", "home", "overview", "readme", "introduction", "archive", "template"})
_MANIFEST = regex(r"(?:^|/)(?:pyproject\.toml|package\.json|Cargo\.toml|composer\.json)$")
_MANIFEST_NAME = regex(r"^[ \t]*\"?name\"?[ \t]*[:=][ \t]*\"([\w@./-]{2,100})\"", re.MULTILINE)
_SPLIT = regex(r"\s*(?:;|\band\b|\n|&)\s*")


class KnownNames(Value):
    """Names of more than the rules know: what the library's own notes are about, by their folded words."""

    declared: Mapping[str, Entity]

    @property
    def maker(self) -> str:
        """Who reads with these names: with another it would find something else."""
        declared = "\n".join(sorted(f"{name} {entity.kind.value}" for name, entity in self.declared.items()))
        return f"{RULES} {hashlib.sha256(declared.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def declared_names(documents: Iterable[NamedDocument]) -> KnownNames:
    """Notes about a person, a project or a place say so by their folder, their `type` or a tag."""
    entities: dict[str, Entity] = {}
    for document in documents:
        kind = _declared_kind(document)
        if kind is None:
            continue
        title = document.title.lstrip("@").strip()
        for name in (title, *document.aliases):
            key = entity_name(name.lstrip("@"))
            # A single small word would be found everywhere.
            if 2 < len(key) <= _LONGEST and (name.lstrip("@")[:1].isupper() or " " in key):
                entities.setdefault(key, Entity(kind, entity_name(title), title))
    return KnownNames(entities)


def _declared_kind(document: NamedDocument) -> EntityKind | None:
    if document.kind not in (Kind.NOTE, Kind.DOC):
        return None
    kinds = {str(document.metadata.get(name, "")).casefold() for name in ("type", "kind", "category")}
    if kind := next((kind for kind, names in _DECLARED.items() if kinds & names), None):
        return kind
    above = {*document.uri.casefold().split("/")[-2:-1], *(tag.casefold() for tag in document.tags)}
    kind = next((kind for kind, names in _DECLARED.items() if above & names), None)
    # A folder or a tag `people` also has notes about keys and evenings: those are not called as a person is.
    words = document.title.lstrip("@").split()
    named = all(word[:1].isupper() or word in BETWEEN for word in words) and entity_name(document.title) not in _PAGES
    return kind if named and (len(words) > 1 or (words and kind is not EntityKind.PERSON)) else None


def entities_of(document: NamedDocument, text: str, known: KnownNames) -> tuple[Mention, ...]:
    """Every entity once for each role, with how often it is named and where first; the most frequent of very many."""
    places: dict[tuple[Entity, MentionRole], list[int]] = {}
    for entity, role in _in_front_matter(document, known):
        places.setdefault((entity, role), [0, 0, 0])[0] += 1
    for place in _in_text(document, text, known):
        at = places.setdefault((place.entity, MentionRole.MENTION), [0, place.start, place.end])
        at[0] += 1
        if at[1] == at[2]:
            at[1:] = [place.start, place.end]
    own = {entity[:2] for entity, role in places if role is MentionRole.OWN}
    mentions = [
        Mention(entity, role, count, Span(start, end))
        for (entity, role), (count, start, end) in places.items()
        # A page that gives its own address does not refer to it.
        if role is not MentionRole.MENTION or entity[:2] not in own
    ]
    mentions = _one_label(mentions)
    mentions.sort(key=lambda mention: (mention.role is MentionRole.MENTION, -mention.times, mention.span.start))
    return tuple(mentions[:_MOST])


def _one_label(mentions: list[Mention]) -> list[Mention]:
    """Spellings of one entity as one mention, under the one that is written most."""
    grouped: dict[tuple[EntityKind, str, MentionRole], list[Mention]] = {}
    for mention in mentions:
        grouped.setdefault((mention.entity.kind, mention.entity.name, mention.role), []).append(mention)
    merged = []
    for same in grouped.values():
        best = max(same, key=lambda mention: (mention.times, -mention.span.start))
        spans = [mention.span for mention in same if mention.span.length] or [best.span]
        merged.append(best._replace(times=sum(mention.times for mention in same), span=min(spans)))
    return merged


def _in_front_matter(document: NamedDocument, known: KnownNames) -> Iterator[tuple[Entity, MentionRole]]:
    values = {name.casefold(): value for name, value in document.metadata.items()}
    for name in _AUTHORS:
        for author in _people(values.get(name)):
            yield known.declared.get(author.name, author), MentionRole.AUTHOR
    for name in _PEOPLE:
        for person in _people(values.get(name)):
            yield known.declared.get(person.name, person), MentionRole.MENTION
    for names, kind in ((_PLACES, EntityKind.PLACE), (_PROJECTS, EntityKind.PROJECT)):
        for name in names:
            for label in _strings(values.get(name)):
                if 2 <= len(label) <= _LONGEST:
                    entity = Entity(kind, entity_name(label), label)
                    yield known.declared.get(entity.name, entity), MentionRole.MENTION
    for name, kind in _OWN.items():
        for label in _strings(values.get(name)):
            own = doi(label) if kind is EntityKind.DOI or "doi.org/" in label else address(label)
            if own is not None:
                yield own, MentionRole.OWN
    declared = _declared_kind(document)
    title = document.title.lstrip("@").strip()
    if declared is not None and 2 < len(title) <= _LONGEST:
        yield Entity(declared, entity_name(title), title), MentionRole.OWN


def _people(value: Any) -> Iterator[Entity]:
    """`Doe, Jane` and `Jane Doe <jane@example.org>` are Jane Doe; several have `;` or `and` between them."""
    for text in _strings(value):
        for part in _SPLIT.split(text):
            name = re.sub(r"[<(][^<>()]*[>)]", "", part).strip(" ,.@[]")
            halves = [half.strip() for half in name.split(",")]
            several = len(halves) > 2 or (len(halves) == 2 and all(" " in half for half in halves))
            names = halves if several else [" ".join(reversed(halves)) if len(halves) == 2 else name]
            for each in names:
                if 2 < len(each) <= _LONGEST and "@" not in each and "://" not in each:
                    yield Entity(EntityKind.PERSON, entity_name(each), each)


def _strings(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        text = item.get("name", "") if isinstance(item, dict) else item
        if isinstance(text, str) and text.strip():
            yield re.sub(r"^\[\[([^\[\]|#]+)[^\[\]]*\]\]$", r"\1", text.strip()).lstrip("@")


def _in_text(document: NamedDocument, text: str, known: KnownNames) -> Iterator[NameMention]:
    if document.kind is Kind.CONFIG:
        if _MANIFEST.search(document.uri) and (name_match := _MANIFEST_NAME.search(text)):
            yield name_mention(EntityKind.PROJECT, name_match[1], name_match.start(1), name_match.end(1))
        return
    text = FRONT_MATTER.sub(_blanks, text)  # what it says was read as properties
    yield from doi_and_web_links(text)
    # In what is shown as code, a word with a capital is a class and a word with an @ a decorator.
    prose = "" if document.kind is Kind.CODE else _HIDDEN.sub(_blanks, text)
    for pattern in _IDENTIFIERS:
        for match in pattern.finditer(prose or text):
            label = " ".join(match[1].split())
            if not _NO_TICKET.match(label) or pattern is not _IDENTIFIERS[-1]:
                yield name_mention(EntityKind.IDENTIFIER, label, match.start(1), match.end(1), _compact(label))
    if not prose:
        return
    yield from _handles(prose)
    for match in _PROJECT.finditer(prose):
        yield _known_or(known, name_mention(EntityKind.PROJECT, match[1], match.start(1), match.end(1)))
    yield from proper_names(prose, known.declared)


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _known_or(known: KnownNames, place: NameMention) -> NameMention:
    return place._replace(entity=known.declared.get(place.entity.name, place.entity))


def _compact(label: str) -> str:
    """`RFC 9110`, `RFC-9110` and `RFC9110` are one."""
    head = re.match(r"(RFC|PEP|ISO(?:/IEC)?|PMID|ISBN(?:-1[03])?|ORCID|arXiv):?[ -]?", label, re.IGNORECASE)
    if head is None:
        return entity_name(label)
    rest = label[head.end() :]
    if head[1].upper().startswith("ISBN"):
        return f"isbn {rest.replace('-', '').replace(' ', '').casefold()}"
    return entity_name(f"{head[1]} {rest}")


def _handles(prose: str) -> Iterator[NameMention]:
    for match in _PERSON_LINK.finditer(prose):
        yield name_mention(EntityKind.PERSON, match[1].strip(), match.start(1), match.end(1))
    for match in _HANDLE.finditer(prose):
        if not _ANNOTATION.match(match[1]):
            yield name_mention(EntityKind.PERSON, f"@{match[1]}", match.start(), match.end())


def named_in(text: str, names: Iterable[tuple[EntityKind, str]]) -> tuple[Mention, ...]:
    """What somebody else found, as far as it stands in the text: as whole words, whatever the case."""
    counted: Counter[Entity] = Counter()
    spans: dict[Entity, Span] = {}
    for kind, name in names:
        label = " ".join(name.split())
        if not 2 <= len(label) <= _LONGEST:
            continue
        pattern = r"(?<!\w)" + r"\s+".join(map(re.escape, label.split())) + r"(?!\w)"
        matches = list(re.finditer(pattern, text, re.IGNORECASE))
        if matches:
            entity = Entity(kind, entity_name(label), label)
            counted[entity] = len(matches)
            spans.setdefault(entity, Span(matches[0].start(), matches[0].end()))
    return tuple(Mention(entity, MentionRole.MENTION, count, spans[entity]) for entity, count in counted.items())
