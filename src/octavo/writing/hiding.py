"""What is told of a note as it is on disk: without keys and tokens, as the library has it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from octavo.errors import OctavoError
from octavo.model.collection import Collection
from octavo.sources.ignore import IgnoreRules
from octavo.sources.redaction import redacted, redacted_values
from octavo.sources.withheld import IGNORED, Withholding
from octavo.writing.links import LinkChange
from octavo.writing.lint import Finding
from octavo.writing.validate import Violation

Told = TypeVar("Told", Finding, Violation, LinkChange)


def hidden(collection: Collection, told: tuple[Told, ...]) -> tuple[Told, ...]:
    """The same findings or links, with the keys and tokens in what they quote blacked out."""
    if collection.settings.allow_secrets:
        return told
    return tuple(map(_hidden, told))


def key_in(told: object) -> str | None:
    """The kind of the first key or token in a text, or in a list of texts; None where there is none."""
    found = redacted_values(told)[1]
    return found[0].kind if found else None


def without_keys(text: str) -> str:
    return redacted(text)[0]


def left_out(collection: Collection, rules: IgnoreRules, uri: str, templates: str) -> str | None:
    """Why the file at a uri is not read: it may hold secrets, or the collection does not index it.

    Templates may be ignored: whoever keeps them out of searches uses them all the same. What is hidden or ignored in
    their own folder is not one of them.
    """
    reason = Withholding(collection.root, rules).reason(uri)
    folder = templates.strip("/")
    if reason == IGNORED and folder and uri.startswith(f"{folder}/"):
        return Withholding(collection.root / folder, replace(rules, include=())).reason(uri[len(folder) + 1 :])
    return reason


def hidden_text(collection: Collection, content: bytes) -> bytes:
    """A file's content, the very same object where nothing is to be hidden."""
    if collection.settings.allow_secrets:
        return content
    text, found = redacted(content.decode("utf-8", "replace"))
    return text.encode() if found else content


@contextmanager
def hiding(collection: Collection) -> Iterator[None]:
    """An error raised inside names headings of a file: it is told without the keys and tokens in them."""
    try:
        yield
    except OctavoError as error:
        if not collection.settings.allow_secrets:
            error.hide(lambda told: redacted_values(told)[0])
        raise


def _hidden(told: Told) -> Told:
    if isinstance(told, LinkChange):
        return replace(told, before=without_keys(told.before), after=told.after and without_keys(told.after))
    if isinstance(told, Violation):
        told = replace(told, heading_path=tuple(map(without_keys, told.heading_path)))
    return replace(
        told, message=without_keys(told.message), suggested_fix=told.suggested_fix and without_keys(told.suggested_fix)
    )
