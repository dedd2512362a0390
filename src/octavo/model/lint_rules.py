"""The rules that notes are checked by: what each reports, and how serious that is."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """As SARIF calls them. A `note` fails no hook."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


HEADING_JUMP, DUPLICATE_SIBLING, SINGLE_H1 = "heading-jump", "duplicate-sibling", "single-h1"
BROKEN_WIKILINK, BROKEN_LINK, MISSING_ANCHOR = "broken-wikilink", "broken-link", "missing-anchor"
DUPLICATE_TITLE, ORPHAN_NOTE, FRONT_MATTER = "duplicate-title", "orphan-note", "unreadable-front-matter"


class Rule(NamedTuple):
    """What a rule reports, and how serious that is."""

    severity: Severity
    summary: str


RULES: Mapping[str, Rule] = {
    HEADING_JUMP: Rule(Severity.WARNING, "A heading is more than one level deeper than the one before it."),
    DUPLICATE_SIBLING: Rule(Severity.WARNING, "Two sections below one parent have the same heading."),
    SINGLE_H1: Rule(Severity.WARNING, "A note has a second heading of level 1."),
    FRONT_MATTER: Rule(Severity.ERROR, "The front matter cannot be read."),
    BROKEN_WIKILINK: Rule(Severity.ERROR, "A wikilink or an embed leads to no file."),
    BROKEN_LINK: Rule(Severity.ERROR, "A Markdown link to a file leads to no file."),
    MISSING_ANCHOR: Rule(Severity.WARNING, "A link names a heading or a block that its note does not have."),
    DUPLICATE_TITLE: Rule(Severity.WARNING, "Two notes have the same title."),
    ORPHAN_NOTE: Rule(Severity.NOTE, "No note links to this one, and it links to none."),
}
