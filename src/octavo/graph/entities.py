"""What a document names, found by rules: people, projects, places, identifiers, DOIs and addresses.

Rules are chosen for precision: what is found is nearly always one, and much that a person would see is not found.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from octavo.algorithms.folding import entity_name
from octavo.model.document import Kind
from octavo.model.entity import RULES, Entity, EntityKind, Mention, MentionRole, NamedDocument
from octavo.model.text import Span

_MOST = 500  # mentions kept of one document, the most frequent: beyond that it is a list
_LONGEST = 120
_TITLES = frozenset({"dr", "prof", "professor", "mr", "mrs", "ms", "sir", "dame", "frau", "herr", "mme"})
_BETWEEN = frozenset({"de", "da", "del", "della", "der", "den", "van", "von", "la", "le", "al", "bin", "ibn", "y"})
_NOT_A_SURNAME = frozenset(
    [
        "and",
        "api",
        "april",
        "august",
        "blog",
        "book",
        "chapter",
        "day",
        "december",
        "documentation",
        "example",
        "february",
        "foundation",
        "friday",
        "guide",
        "home",
        "i",
        "institute",
        "january",
        "july",
        "june",
        "license",
        "march",
        "may",
        "monday",
        "november",
        "notes",
        "october",
        "page",
        "project",
        "road",
        "saturday",
        "section",
        "september",
        "server",
        "street",
        "sunday",
        "the",
        "thursday",
        "tuesday",
        "university",
        "wednesday",
    ]
)
_HIDDEN = re.compile(r"^(```|~~~).*?^\1[`~]*[ \t]*$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_DOI = re.compile(
    r"(?<![\w/.])(?:https?://(?:dx\.)?doi\.org/|doi:\s?)?(10\.[0-9]{4,9}/[^\s\"'<>|{}\\^`\[\]]+)", re.IGNORECASE
)
_URL = re.compile(r"https?://[^\s\"'<>|{}\\^`\[\]]+", re.IGNORECASE)
_HANDLE = re.compile(r"(?<![\w@/.\[])@([A-Za-z][A-Za-z0-9_-]{1,38})(?![\w@]|\.\w)")
_PERSON_LINK = re.compile(r"\[\[@([^\[\]|#\n]{2,80})(?:[|#][^\[\]\n]*)?\]\]")
_PROJECT = re.compile(r"\bProject[ \t]+([A-Z][\w-]{2,30}(?:[ \t]+[A-Z][\w-]{2,30})?)")
_REPOSITORY = re.compile(r"\b(?:github|gitlab|codeberg)\.(?:com|org)/([\w.-]{1,39}/[\w.-]{1,100})", re.IGNORECASE)
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
_NO_TICKET = re.compile(
    r"(?:UTF|SHA|MD|AES|RSA|CRC|BASE|ASCII|CP|KOI|GB|HTTP|IPV|USB|COVID|GPT|MP|HDMI|WPA|UTC|GMT|ISBN|ISO|RFC|PEP|X)-"
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
_MANIFEST = re.compile(r"(?:^|/)(?:pyproject\.toml|package\.json|Cargo\.toml|composer\.json)$")
_MANIFEST_NAME = re.compile(r"^[ \t]*\"?name\"?[ \t]*[:=][ \t]*\"([\w@./-]{2,100})\"", re.MULTILINE)
_TRACKING = re.compile(r"utm_\w+|fbclid|gclid|ref")
_SPLIT = re.compile(r"\s*(?:;|\band\b|\n|&)\s*")


class _Place(NamedTuple):
    entity: Entity
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Names of more than the rules know: what the library's own notes are about, by their folded words."""

    declared: Mapping[str, Entity]

    @property
    def maker(self) -> str:
        """Who reads with these names: with another it would find something else."""
        said = "\n".join(sorted(f"{name} {entity.kind.value}" for name, entity in self.declared.items()))
        return f"{RULES} {hashlib.sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def declared_names(documents: Iterable[NamedDocument]) -> KnownNames:
    """Notes about a person, a project or a place say so by their folder, their `type` or a tag."""
    found: dict[str, Entity] = {}
    for document in documents:
        kind = _declared_kind(document)
        if kind is None:
            continue
        title = document.title.lstrip("@").strip()
        for name in (title, *document.aliases):
            key = entity_name(name.lstrip("@"))
            # A single small word would be found everywhere.
            if 2 < len(key) <= _LONGEST and (name.lstrip("@")[:1].isupper() or " " in key):
                found.setdefault(key, Entity(kind, entity_name(title), title))
    return KnownNames(found)


def _declared_kind(document: NamedDocument) -> EntityKind | None:
    if document.kind not in (Kind.NOTE, Kind.DOC):
        return None
    said = {str(document.metadata.get(name, "")).casefold() for name in ("type", "kind", "category")}
    said |= {tag.casefold() for tag in document.tags}
    if kind := next((kind for kind, names in _DECLARED.items() if said & names), None):
        return kind
    above = set(document.uri.casefold().split("/")[-2:-1])
    kind = next((kind for kind, names in _DECLARED.items() if above & names), None)
    # A folder `people` also has notes about keys and evenings: those are not called as a person is.
    words = document.title.lstrip("@").split()
    named = all(word[:1].isupper() or word in _BETWEEN for word in words) and entity_name(document.title) not in _PAGES
    return kind if named and (len(words) > 1 or (words and kind is not EntityKind.PERSON)) else None


def entities_of(document: NamedDocument, text: str, known: KnownNames) -> tuple[Mention, ...]:
    """Every entity once for each role, with how often it is named and where first; the most frequent of very many."""
    found: dict[tuple[Entity, MentionRole], list[int]] = {}
    for entity, role in _in_front_matter(document, known):
        found.setdefault((entity, role), [0, 0, 0])[0] += 1
    for place in _in_text(document, text, known):
        at = found.setdefault((place.entity, MentionRole.MENTION), [0, place.start, place.end])
        at[0] += 1
        if at[1] == at[2]:
            at[1:] = [place.start, place.end]
    own = {entity[:2] for entity, role in found if role is MentionRole.OWN}
    mentions = [
        Mention(entity, role, count, Span(start, end))
        for (entity, role), (count, start, end) in found.items()
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


def _in_text(document: NamedDocument, text: str, known: KnownNames) -> Iterator[_Place]:
    if document.kind is Kind.CONFIG:
        if _MANIFEST.search(document.uri) and (found := _MANIFEST_NAME.search(text)):
            yield _placed(EntityKind.PROJECT, found[1], found.start(1), found.end(1))
        return
    text = _FRONT_MATTER.sub(_blanks, text)  # what it says was read as properties
    yield from _cited(text)
    # In what is shown as code, a word with a capital is a class and a word with an @ a decorator.
    prose = "" if document.kind is Kind.CODE else _HIDDEN.sub(_blanks, text)
    for pattern in _IDENTIFIERS:
        for match in pattern.finditer(prose or text):
            label = " ".join(match[1].split())
            if not _NO_TICKET.match(label) or pattern is not _IDENTIFIERS[-1]:
                yield _placed(EntityKind.IDENTIFIER, label, match.start(1), match.end(1), _compact(label))
    if not prose:
        return
    yield from _handles(prose)
    for match in _PROJECT.finditer(prose):
        yield _known_or(known, _placed(EntityKind.PROJECT, match[1], match.start(1), match.end(1)))
    yield from _names(prose, known)


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _known_or(known: KnownNames, place: _Place) -> _Place:
    return place._replace(entity=known.declared.get(place.entity.name, place.entity))


def _placed(kind: EntityKind, label: str, start: int, end: int, name: str = "") -> _Place:
    return _Place(Entity(kind, name or entity_name(label), label), start, end)


def _compact(label: str) -> str:
    """`RFC 9110`, `RFC-9110` and `RFC9110` are one."""
    head = re.match(r"(RFC|PEP|ISO(?:/IEC)?|PMID|ISBN(?:-1[03])?|ORCID|arXiv):?[ -]?", label, re.IGNORECASE)
    if head is None:
        return entity_name(label)
    rest = label[head.end() :]
    if head[1].upper().startswith("ISBN"):
        return f"isbn {rest.replace('-', '').replace(' ', '').casefold()}"
    return entity_name(f"{head[1]} {rest}")


def _cited(text: str) -> Iterator[_Place]:
    taken = []
    for match in _DOI.finditer(text):
        if found := doi(match[1]):
            taken.append(match.start())
            yield _Place(found, match.start(), match.start(1) + len(found.label))
    for match in _URL.finditer(text):
        if "doi.org/10." in match[0]:
            continue
        if found := address(match[0]):
            yield _Place(found, match.start(), match.start() + len(_without_end(match[0])))
    for match in _REPOSITORY.finditer(text):
        owner, _, name = match[1].removesuffix(".git").rstrip(".").partition("/")
        if owner.casefold() not in ("orgs", "topics", "users", "marketplace", "features", "settings"):
            yield _placed(EntityKind.PROJECT, f"{owner}/{name}", match.start(1), match.end(1))


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

    >>> address("http://www.Example.org/a/?utm_source=x#top").name
    'example.org/a'
    """
    match = _URL.match(text.strip())
    if match is None:
        return None
    label = _without_end(match[0])
    host, _, rest = label.partition("://")[2].partition("/")
    host = host.rpartition("@")[2].casefold().removeprefix("www.")
    if "." not in host or host.startswith(("127.", "localhost", "0.0.0.0", "example.")):
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


def _handles(prose: str) -> Iterator[_Place]:
    for match in _PERSON_LINK.finditer(prose):
        yield _placed(EntityKind.PERSON, match[1].strip(), match.start(1), match.end(1))
    for match in _HANDLE.finditer(prose):
        yield _placed(EntityKind.PERSON, f"@{match[1]}", match.start(), match.end())


def _names(prose: str, known: KnownNames) -> Iterator[_Place]:
    """People, and what the library or the gazetteer knows, among words that begin with a capital."""
    longest = max((name.count(" ") + 1 for name in known.declared), default=1)
    given, places = _given_names(), _places()
    firsts = {name.partition(" ")[0] for name in known.declared} | _place_starts()
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
                place, taken = _longest(prose, words, at, known.declared, max(longest, 4)) or (None, 1)
                if place is None:
                    place, taken = _longest(prose, words, at, places, 4) or (None, 1)
            if place is None and (folded in given or folded in _TITLES):
                place, taken = _person(prose, words, at, titled=folded in _TITLES) or (None, 1)
            if place is not None:
                yield _known_or(known, place)
            at += taken


_LINE = re.compile(r"[^\n]+")
_NAME_WORD = re.compile(r"[^\W\d_][\w'’-]*\.?")


def _bare(word: str) -> str:
    """Without the ending of a genitive."""
    return re.sub(r"['’]s?$", "", word)


def _adjacent(prose: str, words: list[tuple[str, int]], left: int) -> bool:
    """Whether nothing but blanks, or the point of an initial, is between a word and the next."""
    end = words[left][1] + len(words[left][0])
    between = prose[end : words[left + 1][1]]
    return between.strip(" \t") == "" or (between.strip(" \t") == "." and len(words[left][0]) <= 4)


def _longest(
    prose: str, words: list[tuple[str, int]], at: int, names: Mapping[str, Entity], longest: int
) -> tuple[_Place, int] | None:
    """The longest known name that begins at a word, and how many words it has."""
    last = at
    while last + 1 < len(words) and last + 1 < at + longest and _adjacent(prose, words, last):
        last += 1
    for end in range(last, at - 1, -1):
        spoken = " ".join(word for word, _ in words[at:end]) + (" " if end > at else "") + _bare(words[end][0])
        entity = names.get(entity_name(spoken))
        if entity is not None:
            start = words[at][1]
            return _Place(entity, start, words[end][1] + len(_bare(words[end][0]))), end - at + 1
    return None


def _person(prose: str, words: list[tuple[str, int]], at: int, *, titled: bool) -> tuple[_Place, int] | None:
    """A given name and what follows it: initials, small words of names, and at least one surname."""
    first = at + 1 if titled else at
    if first >= len(words) or (titled and not _adjacent(prose, words, at)):
        return None
    end, surnames = first, 1 if titled and words[first][0][:1].isupper() else 0
    while end + 1 < len(words) and _adjacent(prose, words, end) and end - first < 4:
        word = words[end + 1][0]
        if word[:1].isupper() and entity_name(_bare(word)) not in _NOT_A_SURNAME and not word.isupper():
            surnames += 1
        elif not (len(word) == 1 and word.isupper()) and word not in _BETWEEN:
            break
        end += 1
        if surnames >= (2 if titled else 1) and len(word) > 1 and word not in _BETWEEN and _bare(word) != word:
            break
    while end > first and (words[end][0] in _BETWEEN or len(words[end][0]) == 1):
        end -= 1
    if not surnames or (end == first and not titled) or not words[first][0][:1].isupper():
        return None
    start, stop = words[first][1], words[end][1] + len(_bare(words[end][0]))
    label = " ".join(prose[start:stop].split())
    return _Place(Entity(EntityKind.PERSON, entity_name(label.replace(".", "")), label), start, stop), end - at + 1


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
