"""Redacts keys and tokens in what is shown of a note on disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from typing import TypeVar

from octavo.errors import InvalidArgument, OctavoError
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.ids import text_hash
from octavo.model.projects_and_collections import Collection
from octavo.note_editing.file_diff import unified
from octavo.note_editing.heading_checks import Violation
from octavo.note_editing.link_rewriting import LinkChange
from octavo.note_editing.note_lint import Finding
from octavo.note_editing.spliced_text import ChangedRange
from octavo.sources.ignore_rules import IgnoreRules
from octavo.sources.secret_file_names import secret_folder
from octavo.sources.secret_redaction import (
    MARK,
    MARKS,
    find_keys,
    new_marks,
    redacted,
    redacted_values,
    replaced_by_marks,
)
from octavo.sources.shown_files_of_git_commits import IGNORED, Withholding

Told = TypeVar("Told", Finding, Violation, LinkChange)

WITHHELD_CHANGES = "\\ a withheld line changes"
# Behind a redacted line, so that two lines with the same marks differ where their keys do; never shown.
_TAG = regex("^([-+ ])(.*)\0[0-9a-f]{64}$", re.MULTILINE)


_UNWRITABLE = regex(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\\]")  # a backslash is a folder's end on other systems


def hidden(collection: Collection, values: tuple[Told, ...]) -> tuple[Told, ...]:
    """The same findings or links, with the keys and tokens in what they quote blacked out."""
    if collection.settings.allow_secrets:
        return values
    return tuple(map(_hidden, values))


def key_in(value: object) -> str | None:
    """The kind of the first key or token in a text, or in a list of texts; None where there is none."""
    secrets = redacted_values(value)[1]
    return secrets[0].kind if secrets else None


def without_keys(text: str) -> str:
    return redacted(text)[0]


def left_out(collection: Collection, rules: IgnoreRules, uri: str, templates: str, *, new: bool = False) -> str | None:
    """Why the file at a uri is not read, or a `new` one not made: it may hold secrets, or the collection leaves it out.

    Templates may be ignored: whoever keeps them out of searches uses them all the same. What is hidden or ignored in
    their own folder is not one of them.
    """
    if new and (folder_reason := secret_folder(uri)):
        return folder_reason
    if new and _UNWRITABLE.search(uri):
        return "its name has a control character or a backslash"
    reason = Withholding(collection.root, rules).reason(uri)
    folder = templates.strip("/")
    if reason == IGNORED and folder and uri.startswith(f"{folder}/"):
        return Withholding(collection.root / folder, replace(rules, include=())).reason(uri[len(folder) + 1 :])
    return reason


def redacted_diff(
    collection: Collection, before: bytes, after: bytes, name: str, differences: Sequence[ChangedRange]
) -> str:
    """The diff without keys and tokens, which are looked for in both files: a diff may show a part of one."""
    if collection.settings.allow_secrets:
        return unified(before, after, name, differences)
    old, new = _tagged(before), _tagged(after)
    if old is before and new is after:
        return unified(before, after, name, differences)
    return _TAG.sub(
        lambda line: f"{line[1]}{line[2]}" + (f"\n{WITHHELD_CHANGES}" if line[1] != " " else ""),
        unified(old, new, name),
    )


def _tagged(content: bytes) -> bytes:
    """A file's content with each redacted line ending in a hash of what it says; the very same where nothing is."""
    text = content.decode("utf-8", "replace")
    redacted_text, secrets = redacted(text)
    if not secrets:
        return content
    lines = zip(text.split("\n"), redacted_text.split("\n"), strict=True)
    return "\n".join(shown if shown == line else f"{shown}\0{text_hash(line)}" for line, shown in lines).encode()


def refuse_marks(collection: Collection, before: bytes, after: bytes, uri: str) -> None:
    """What was shown redacted is not written back over the keys and tokens that the file has in its place."""
    if collection.settings.allow_secrets or MARK.encode() not in after:
        return
    old, new = (content.decode("utf-8", "replace").replace("\r\n", "\n") for content in (before, after))
    if secrets := replaced_by_marks(old, new):
        places = [{"kind": match.kind, "line": old.count("\n", 0, match.span.start) + 1} for match in secrets]
        named = ", ".join(f"{place['kind']} on line {place['line']}" for place in places)
        raise InvalidArgument(
            f"the text has redaction marks where {uri} holds a secret: {named}",
            hint="leave the withheld lines out of the edit, or edit the file itself",
            details={"secrets": places},
        )


def lacks_keys(collection: Collection, present: str, kept: str) -> bool:
    """Whether a text that the library kept has marks for keys and tokens, which the file does not have as well."""
    return not collection.settings.allow_secrets and bool(new_marks(present, kept))


def shown_text(collection: Collection, text: str) -> str:
    return text if collection.settings.allow_secrets else without_keys(text)


def with_keys(content: str, text: str, shown: str) -> str:
    """Content that was made from `shown`, with the keys and tokens of `text` in the place of its marks.

    A line that did not change comes back whole. In one that did, marks become a key where only one can be meant. What
    cannot be told, or would not be redacted any more, stays marks, which `refuse_marks` refuses.
    """
    lines = content.split("\n")
    withheld: dict[str, list[str]] = {}
    for line, redacted_line in zip(text.split("\n"), shown.split("\n"), strict=True):
        if line != redacted_line:
            withheld.setdefault(redacted_line, []).append(line)
    gone: list[str] = []
    for redacted_line, originals in withheld.items():
        places = [number for number, line in enumerate(lines) if line == redacted_line]
        gone += originals if not places else ()
        if len(places) == len(originals) or len(set(originals)) == 1:
            for place, line in zip(places, cycle(originals), strict=False):
                lines[place] = line
    keys = {match.span.of(line) for line in gone for match in find_keys(line)}

    def key(marks: re.Match[str]) -> str:
        fitting = [key for key in keys if len(key) == len(marks[0])]
        return fitting[0] if len(fitting) == 1 else marks[0]

    made = MARKS.sub(key, "\n".join(lines))
    # A letter put before the marks, or a line into a private key, would have the key shown from now on.
    return made if without_keys(made) == without_keys(content) else content


@contextmanager
def hiding(collection: Collection) -> Iterator[None]:
    """An error raised inside names headings of a file: it is told without the keys and tokens in them."""
    try:
        yield
    except OctavoError as error:
        if not collection.settings.allow_secrets:
            error.hide(lambda value: redacted_values(value)[0])
        raise


def _hidden(value: Told) -> Told:
    if isinstance(value, LinkChange):
        return replace(value, before=without_keys(value.before), after=value.after and without_keys(value.after))
    if isinstance(value, Violation):
        value = replace(value, heading_path=tuple(map(without_keys, value.heading_path)))
    return replace(
        value,
        message=without_keys(value.message),
        suggested_fix=value.suggested_fix and without_keys(value.suggested_fix),
    )
