"""New notes: one from a template, a text appended to one, the daily note of today."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from octavo.algorithms.text.document_name_normalisation import folded, last, without_ending
from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.projects_and_collections import Collection
from octavo.note_editing.blank_lines_and_line_endings import content_lines
from octavo.note_editing.heading_lines import one_line
from octavo.note_editing.new_note_text import from_template, new_note
from octavo.note_editing.note_change_transaction import NoteChange, NoteFile, WriteAnswer, WriteTerms
from octavo.note_editing.note_files import SUFFIXES, encoded, located, refuse_no_place
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.project_notes import ProjectNotes
from octavo.note_editing.section_edits import EditedText, append, append_to_end

_SUFFIX = ".md"


# What Windows forbids, what ends a path elsewhere, and what ends the target of a wikilink.
_UNSAFE = regex(r'[<>:"/\\|?*#^\[\]\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]+')
_RESERVED = regex(r"(?:CON|PRN|AUX|NUL|COM[0-9\u00b9\u00b2\u00b3]|LPT[0-9\u00b9\u00b2\u00b3])\Z", re.IGNORECASE)
_LONGEST = 200  # bytes: 255 is what most systems take, and a draft's name must fit beside it


def new_note_in_collection(
    notes: ProjectNotes,
    collection: str | None,
    folder: str | None,
    title: str,
    template: str | None,
    content: str,
    terms: WriteTerms,
) -> WriteAnswer:
    """A note of that title, in the folder given or configured, from a template if one is given."""
    title = one_line(title, "title")
    home = _collection(notes, collection)
    note = _made(notes, home, _folder(notes, template) if folder is None else folder, title)
    return _create(notes, note, title, template, content, terms, "notes_new")


def append_to_note(
    notes: ProjectNotes, collection: str | None, name: str, path: Sequence[str], content: str, terms: WriteTerms
) -> WriteAnswer:
    """Adds to a note that is there; without one of that name, a new one is made."""
    if not content_lines(content):
        raise InvalidArgument("there is nothing to append", hint="give the text, or pipe it in")
    home = _collection(notes, collection)
    note = _named(notes, home, name)
    if note is not None:
        return _append(notes, note, content, terms, "notes_append", path)
    if path:
        raise NotFound(f"there is no note {name}", hint="`octavo notes new` makes one")
    title = last(without_ending(name))
    made = _made(notes, home, name.rpartition("/")[0] or _folder(notes, None), title)
    answer = _create(notes, made, title, None, content, terms, "notes_append")
    return replace(answer, note=answer.note or f"there was no note {name}: it is new")


def note_of_today(notes: ProjectNotes, collection: str | None, content: str, terms: WriteTerms) -> WriteAnswer:
    """Today's note, made if it is not there yet, with a text at its end if one is given."""
    home, settings, title = _collection(notes, collection), notes.settings, _now(notes).strftime("%Y-%m-%d")
    folder = safe_folder(_filled(settings.daily_folder, notes, settings.daily_template))
    note = notes.find(f"{folder}/{title}{_SUFFIX}".lstrip("/"), home.name)
    if not note.path.exists():
        there = _template(notes, home, settings.daily_template).path.is_file()
        return _create(notes, note, title, settings.daily_template if there else None, content, terms, "notes_today")
    if content_lines(content):
        return _append(notes, note, content, terms, "notes_today")
    return notes.change(note, terms, "notes_today", lambda document: EditedText(document.text, 0, len(document.text)))


def _collection(notes: ProjectNotes, name: str | None) -> Collection:
    """The one named here or in the configuration, or the only one that may be written."""
    name = name or notes.settings.note_collection or None
    if name is not None:
        found = notes.library.collection(name)
        notes.refuse_unwritable(found)
        return found
    writable = [known for known in notes.library.collections() if known.on_disk and notes.library.is_writable(known)]
    if len(writable) == 1:
        return writable[0]
    if not writable:
        folders = [known for known in notes.library.collections() if known.on_disk]
        named = f"{shlex.quote(folders[0].place)} --name {folders[0].name}" if len(folders) == 1 else ""
        raise InvalidArgument(
            "no collection may be written",
            hint=f"allow it with `octavo add {named or 'FOLDER --name NAME'} --writable`",
        )
    names = ", ".join(collection.name for collection in writable)
    raise InvalidArgument(
        f"several collections may be written: {names}",
        hint="say which one with --collection, or set writing.note_collection",
    )


def _now(notes: ProjectNotes) -> datetime:
    """The time on the wall: a day's note is of the day where its writer is."""
    return datetime.fromtimestamp(notes.library.now()).astimezone()


def _folder(notes: ProjectNotes, template: str | None) -> str:
    """Where a new note goes, by the rules of the configuration."""
    writing = notes.settings
    name = last(without_ending(template)) if template else ""
    rules = dict(rule.split("=", 1) for rule in writing.note_folders if "=" in rule)
    return _filled(rules.get(name, writing.note_folder), notes, name)


def _filled(folder: str, notes: ProjectNotes, template: str) -> str:
    now = _now(notes)
    words = {"year": f"{now:%Y}", "month": f"{now:%m}", "date": f"{now:%Y-%m-%d}", "template": template}
    for word, value in words.items():
        folder = folder.replace("{{" + word + "}}", value)
    return folder


def _made(notes: ProjectNotes, collection: Collection, folder: str, title: str) -> NoteFile:
    """The place of a new note; one that some system would take for the same is a conflict."""
    uri = f"{safe_folder(folder)}/{safe_name(title)}{_SUFFIX}".lstrip("/")
    note = notes.find(uri, collection.name)
    try:
        names = [path.name for path in note.path.parent.iterdir()]
    except OSError:
        names = []
    same = next((name for name in names if _alike(name) == _alike(note.path.name)), None)
    if same is not None:
        raise Conflict(f"there is a note {uri} already", hint="`octavo notes append` adds to it")
    return note


def _alike(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _template(notes: ProjectNotes, collection: Collection, name: str) -> NoteFile:
    """By its uri, or by its name in the folder of templates."""
    named = name if Path(name).suffix.lower() in SUFFIXES else name + _SUFFIX
    inside = f"{notes.settings.templates.strip('/')}/{named}".lstrip("/")
    note = notes.find(inside, collection.name)
    return note if note.path.is_file() or "/" not in named else notes.find(named, collection.name)


def _create(
    notes: ProjectNotes,
    note: NoteFile,
    title: str,
    template: str | None,
    content: str,
    terms: WriteTerms,
    operation: str,
) -> WriteAnswer:
    now = _now(notes)
    fields = {"date": f"{now:%Y-%m-%d}", "time": f"{now:%H:%M}"}
    with notes.locked(note.collection):
        text = new_note(title, content)
        if template is not None:
            text = from_template(_template_text(notes, note.collection, template), title, content, fields)
        refuse_no_place(note.path, note.uri)
        if note.path.exists():
            raise Conflict(f"there is a file {note.uri} already", hint="`octavo notes append` adds to it")
        return notes.put(note, terms, operation, NoteChange(None, encoded(text)))


def _template_text(notes: ProjectNotes, collection: Collection, name: str) -> str:
    note = _template(notes, collection, name)
    if not note.path.is_file():
        folder = collection.root / notes.settings.templates
        names = sorted(path.stem for path in folder.glob("*") if path.suffix.lower() in SUFFIXES)
        raise NotFound(f"there is no template {name}", hint=f"templates: {', '.join(names) or 'none'} in {folder}")
    return notes.read(note).text


def _append(
    notes: ProjectNotes, note: NoteFile, content: str, terms: WriteTerms, operation: str, path: Sequence[str] = ()
) -> WriteAnswer:
    def edit(document: NoteOutline) -> EditedText:
        return append(document, path, content) if path else append_to_end(document, content)

    return notes.change(note, terms, operation, edit)


def _named(notes: ProjectNotes, collection: Collection, name: str) -> NoteFile | None:
    """The note at a uri, or the only one that is called so."""
    if Path(name).suffix.lower() in SUFFIXES:
        # Answers show a note as `collection/uri`; a folder of the collection's name goes first.
        uris = dict.fromkeys((name, name.removeprefix(f"{collection.name}/")))
        named = [notes.find(uri, collection.name) for uri in uris]
        return next((note for note in named if note.path.is_file()), None)
    name_folded = folded(name.strip("/"))
    files = notes.library.scan(collection).files
    every = [file.uri for file in files if Path(file.uri).suffix.lower() in SUFFIXES]
    matches = [uri for uri in every if folded(without_ending(uri)) == name_folded]
    matches = matches or [uri for uri in every if folded(without_ending(last(uri))) == name_folded]
    if len(matches) > 1:
        raise InvalidArgument(f"{len(matches)} notes are called {name}: {', '.join(matches[:5])}", hint="give the uri")
    return NoteFile(collection, matches[0], located(collection.root, matches[0])) if matches else None


def safe_name(title: str) -> str:
    """A title as a file's name without its ending, which every system can hold and every link can name."""
    words = _UNSAFE.sub(" ", unicodedata.normalize("NFC", title))
    name = " ".join(words.split()).lstrip(".").rstrip(". ").lstrip()
    name = name.encode()[:_LONGEST].decode("utf-8", "ignore").rstrip(". ")
    if not name:
        raise InvalidArgument(f"no file can be called {title!r}", hint="give a title with letters or digits in it")
    first, dot, rest = name.partition(".")
    return f"{first}_{dot}{rest}" if _RESERVED.match(first.rstrip()) else name


def safe_folder(folder: str) -> str:
    """A relative folder, each part of it a safe name."""
    parts = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise InvalidArgument(f"the folder {folder!r} leads out of the collection", hint="give a folder inside of it")
    return "/".join(safe_name(part) for part in parts)
