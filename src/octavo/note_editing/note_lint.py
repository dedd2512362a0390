"""What is wrong with the notes of a folder: their headings, their front matter, their links, their names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

from octavo.algorithms.text.document_name_normalisation import folded
from octavo.fast_dataclass import dataclass
from octavo.model.lint_rules import (
    BROKEN_LINK,
    BROKEN_WIKILINK,
    DUPLICATE_TITLE,
    FRONT_MATTER,
    MISSING_ANCHOR,
    ORPHAN_NOTE,
    RULES,
)
from octavo.model.normalised_text_and_spans import LineIndex
from octavo.note_editing.heading_checks import violations
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.note_link_resolution import LinkedNotes, NoteLink


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken rule, in which note and on which lines."""

    rule: str
    severity: str
    uri: str
    message: str
    start_line: int
    end_line: int
    suggested_fix: str | None = None
    collection: str = ""


def linted(
    notes: LinkedNotes, rules: Collection[str], *, only: Iterable[str] | None = None, templates: str = ""
) -> Iterator[Finding]:
    """By uri, line and rule. `only` are the uris whose findings are wanted; notes below `templates` are not linked."""
    chosen = sorted(notes.texts if only is None else set(only) & notes.texts.keys())
    linked = {ORPHAN_NOTE, BROKEN_WIKILINK, BROKEN_LINK, MISSING_ANCHOR} & set(rules)
    # A note is an orphan by what every other note says: only this rule needs all of their links.
    uris = notes.texts if ORPHAN_NOTE in linked else chosen
    links = {uri: tuple(notes.links(uri)) for uri in uris} if linked else {}
    alone = _orphans(notes, links, templates) if ORPHAN_NOTE in rules else frozenset()
    same_title = _titles(notes, templates) if DUPLICATE_TITLE in rules else {}
    for uri in chosen:
        findings = [*_headings(notes, uri), *_front_matter(notes, uri), *_links(notes, uri, links.get(uri, ()))]
        if uri in alone:
            findings.append(_finding(ORPHAN_NOTE, uri, "no note links to it, and it links to none", 1, 1))
        if uri in same_title:
            title = notes.document(uri).title
            findings.append(
                _finding(DUPLICATE_TITLE, uri, f"{title!r} is the title of {same_title[uri]} too", 1, 1, "rename one")
            )
        yield from sorted(
            (finding for finding in findings if finding.rule in rules),
            key=lambda finding: (finding.start_line, finding.rule, finding.message),
        )


def _finding(rule: str, uri: str, message: str, first: int, end: int, fix: str | None = None) -> Finding:
    return Finding(rule, RULES[rule].severity.value, uri, message, first, end, fix)


def _headings(notes: LinkedNotes, uri: str) -> Iterator[Finding]:
    for broken in violations(NoteOutline(notes.texts[uri]), single_h1=True):
        yield _finding(broken.rule, uri, broken.message, broken.start_line, broken.end_line, broken.suggested_fix)


def _front_matter(notes: LinkedNotes, uri: str) -> Iterator[Finding]:
    for warning in notes.document(uri).warnings:
        yield _finding(FRONT_MATTER, uri, warning, 1, 1, "mend it by hand")


def _links(notes: LinkedNotes, uri: str, links: Iterable[NoteLink]) -> Iterator[Finding]:
    lines: LineIndex | None = None
    for link in links:
        broken = _broken(notes, link)
        if broken is None:
            continue
        lines = lines or LineIndex(notes.texts[uri])
        rule, message, fix = broken
        line = lines.line(link.link.span.start)
        yield _finding(rule, uri, message, line, line, fix)


def _broken(notes: LinkedNotes, note_link: NoteLink) -> tuple[str, str, str | None] | None:
    link, target = note_link.link, note_link.target
    if target is None:
        if not note_link.wiki and (link.target.startswith("/") or "{{" in link.target):
            return None  # an address of a site, or a template's: what it means is known where it is published
        rule = BROKEN_WIKILINK if note_link.wiki else BROKEN_LINK
        return rule, f"there is no file {link.target!r}", None
    anchor = link.anchor
    if not anchor or target not in notes.texts or _has_anchor(notes, target, anchor):
        return None
    place = "it" if target == note_link.source else target
    kind = "block" if anchor.startswith("^") else "heading"
    return MISSING_ANCHOR, f"{place} has no {kind} {anchor!r}", None


def _has_anchor(notes: LinkedNotes, uri: str, anchor: str) -> bool:
    ways = (anchor, anchor.replace("_", "-"), anchor.replace("_", " "))
    if any(notes.section(uri, way) is not None for way in ways) or anchor.lower() in ("top", ""):
        return True
    named = re.escape(anchor)
    return re.search(rf"""(?:\b(?:id|name)=["']?|\{{#){named}["'\s}}>]""", notes.texts[uri]) is not None


def _orphans(notes: LinkedNotes, links: Mapping[str, tuple[NoteLink, ...]], templates: str) -> frozenset[str]:
    joined = set()
    for source, note_links in links.items():
        for link in note_links:
            if link.target is not None and link.target != source and link.target in notes.texts:
                joined |= {source, link.target}
    return frozenset(uri for uri in notes.texts if uri not in joined and not _below(uri, templates))


def _titles(notes: LinkedNotes, templates: str) -> dict[str, str]:
    """Of each note whose title an earlier one has, that one."""
    first: dict[str, str] = {}
    later: dict[str, str] = {}
    for uri in sorted(notes.texts):
        if _below(uri, templates):
            continue
        same = first.setdefault(folded(notes.document(uri).title), uri)
        if same != uri:
            later[uri] = same
    return later


def _below(uri: str, folder: str) -> bool:
    return bool(folder) and uri.startswith(folder.strip("/") + "/")
