"""Lints notes as they are on disk, by the rules that are switched on, and closes heading jumps on request."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.fast_dataclass import replace
from octavo.model.lint_rules import HEADING_JUMP, RULES, SINGLE_H1, Severity
from octavo.model.projects_and_collections import Collection
from octavo.note_editing.collection_notes_reading import CollectionNotes, collection_notes
from octavo.note_editing.heading_checks import without_jumps
from octavo.note_editing.note_change_transaction import NoteFile
from octavo.note_editing.note_files import located
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.note_lint import Finding, linted
from octavo.note_editing.note_redaction import hidden
from octavo.note_editing.section_edits import EditedText
from octavo.observability.progress import Progress
from octavo.operations.note_editing.requests import LintRequest, WriteRequest
from octavo.operations.note_editing.results import FixedNote, LintAnswer


def lint(engine: Engine, request: LintRequest, progress: Progress) -> LintAnswer:
    collections = [engine.collection(name) for name in request.collections] or engine.collections()
    collections = [collection for collection in collections if collection.on_disk]
    files = _files_by_collection(collections, request.files)
    rules = _rules(engine, request)
    fixed: list[FixedNote] = []
    findings: list[Finding] = []
    unread: list[str] = []
    read = 0
    for collection in collections:
        only = files.get(collection.name) if request.files else None
        if request.files and not only:
            continue
        if request.fix:
            engine.notes.refuse_unwritable(collection)
        notes = collection_notes(engine.notes, collection, progress)
        if request.fix and HEADING_JUMP in rules:
            fixed += _fixed(engine, collection, notes, only, request)
            notes = notes if request.dry_run or not fixed else collection_notes(engine.notes, collection, progress)
        unread += (f"{collection.name}/{uri}" for uri in notes.unread)
        read += len(notes.linked.texts) if only is None else len(only)
        templates = engine.library.config.writing.templates
        broken = hidden(collection, tuple(linted(notes.linked, rules, only=only, templates=templates)))
        findings += (replace(finding, collection=collection.name) for finding in broken)
    counts = Counter(finding.rule for finding in findings)
    return LintAnswer(
        ok=all(finding.severity == Severity.NOTE for finding in findings) and not unread,
        notes=read,
        total=len(findings),
        counts={rule: counts[rule] for rule in RULES if counts[rule]},
        findings=tuple(findings[: request.limit]),
        fixed=tuple(fixed),
        unread=tuple(unread),
        dry_run=request.dry_run,
    )


def _rules(engine: Engine, request: LintRequest) -> frozenset[str]:
    """Those asked for, or all that the configuration has not switched off."""
    writing = engine.library.config.writing
    off = {*writing.lint_off, *(() if writing.single_h1 else (SINGLE_H1,))}
    return frozenset(request.rules) or frozenset(RULES) - off


def _files_by_collection(collections: Sequence[Collection], files: Iterable[str]) -> dict[str, set[str]]:
    """Which notes of which collection are named: by a path on disk, as a hook gives it, by a uri, or by
    `collection/uri`, as findings are shown."""
    by_collection: dict[str, set[str]] = {}
    for name in files:
        path = Path(os.path.realpath(name))
        homes = [
            (collection.name, path.relative_to(os.path.realpath(collection.root)).as_posix())
            for collection in collections
            if path.is_file() and path.is_relative_to(os.path.realpath(collection.root))
        ]
        homes = homes or [
            (collection.name, name) for collection in collections if located(collection.root, name).is_file()
        ]
        own, _, uri = name.partition("/")
        homes = homes or [
            (own, uri)
            for collection in collections
            if collection.name == own and located(collection.root, uri).is_file()
        ]
        if not homes:
            raise NotFound(f"there is no note {name}", hint="give a path, or a uri of a collection")
        for collection, uri in homes:
            by_collection.setdefault(collection, set()).add(uri)
    return by_collection


def _fixed(
    engine: Engine, collection: Collection, notes: CollectionNotes, only: set[str] | None, request: LintRequest
) -> Iterable[FixedNote]:
    for uri in sorted(notes.linked.texts if only is None else only & notes.linked.texts.keys()):
        text = notes.linked.texts[uri]
        if without_jumps(NoteOutline(text)) == text:
            continue
        note = NoteFile(collection, uri, located(collection.root, uri))
        write = WriteRequest(dry_run=request.dry_run, author="octavo lint", reason="closed heading jumps")
        answer = engine.notes.change(note, write, "lint", _without_jumps)
        yield FixedNote(collection.name, uri, answer.diff)


def _without_jumps(document: NoteOutline) -> EditedText:
    fixed = without_jumps(document)
    return EditedText(fixed, 0, len(fixed))
