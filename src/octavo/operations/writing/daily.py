"""Notes of every day: a new one from a template, a line added to one, the one of today."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from pathlib import Path

from octavo.algorithms.document_names import folded, last, without_ending
from octavo.dataclass import replace
from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.model.collection import Collection
from octavo.operations.library.collections import is_writable
from octavo.operations.writing.answers import WriteAnswer
from octavo.operations.writing.notes import (
    NoteChange,
    NoteFile,
    change,
    locked,
    note_in,
    present,
    put,
    refuse_unwritable,
)
from octavo.operations.writing.requests import NoteAppendRequest, NoteNewRequest, NoteTodayRequest, WriteRequest
from octavo.writing.create import from_template, new_note
from octavo.writing.edit import EditedText, append, append_to_end
from octavo.writing.files import SUFFIXES, encoded, located, refuse_no_place
from octavo.writing.headings import one_line
from octavo.writing.names import safe_folder, safe_name
from octavo.writing.outline import NoteOutline
from octavo.writing.spacing import content_lines

_Request = NoteNewRequest | NoteAppendRequest | NoteTodayRequest
_SUFFIX = ".md"


def note_new(engine: Engine, request: NoteNewRequest) -> WriteAnswer:
    title = one_line(request.title, "title")
    collection = _collection(engine, request.collection)
    folder = _folder(engine, request.template) if request.folder is None else request.folder
    note = _made(engine, collection, folder, title)
    return _create(engine, note, title, request.template, request.content_md, request, "note_new")


def note_append(engine: Engine, request: NoteAppendRequest) -> WriteAnswer:
    """Adds to a note that is there; without one of that name, a new one is made."""
    if not content_lines(request.content_md):
        raise InvalidArgument("there is nothing to append", hint="give the text, or pipe it in")
    collection = _collection(engine, request.collection)
    note = _named(engine, collection, request.note)
    if note is not None:
        return _append(engine, note, request, request.heading_path, "note_append")
    if request.heading_path:
        raise NotFound(f"there is no note {request.note}", hint="`octavo note new` makes one")
    title = last(without_ending(request.note))
    folder = request.note.rpartition("/")[0] or _folder(engine, None)
    made = _made(engine, collection, folder, title)
    answer = _create(engine, made, title, None, request.content_md, request, "note_append")
    return replace(answer, note=answer.note or f"there was no note {request.note}: it is new")


def note_today(engine: Engine, request: NoteTodayRequest) -> WriteAnswer:
    """Today's note, made if it is not there yet, with a text at its end if one is given."""
    collection = _collection(engine, request.collection)
    writing = engine.library.config.writing
    title = _now(engine).strftime("%Y-%m-%d")
    folder = safe_folder(_filled(writing.daily_folder, engine, writing.daily_template))
    note = note_in(engine, f"{folder}/{title}{_SUFFIX}".lstrip("/"), collection.name)
    if not note.path.exists():
        there = _template(engine, collection, writing.daily_template).path.is_file()
        template = writing.daily_template if there else None
        return _create(engine, note, title, template, request.content_md, request, "note_today")
    if content_lines(request.content_md):
        return _append(engine, note, request, (), "note_today")
    return change(
        engine, note, _write(request), "note_today", lambda document: EditedText(document.text, 0, len(document.text))
    )


def _collection(engine: Engine, name: str | None) -> Collection:
    """The one named here or in the configuration, or the only one that may be written."""
    name = name or engine.library.config.writing.note_collection or None
    if name is not None:
        found = engine.collection(name)
        refuse_unwritable(engine, found)
        return found
    writable = [known for known in engine.collections() if known.on_disk and is_writable(engine, known)]
    if len(writable) == 1:
        return writable[0]
    if not writable:
        raise InvalidArgument(
            "no collection may be written", hint="allow it with `octavo add FOLDER --name NAME --writable`"
        )
    names = ", ".join(collection.name for collection in writable)
    raise InvalidArgument(
        f"several collections may be written: {names}", hint="say which one, or set writing.note_collection"
    )


def _now(engine: Engine) -> datetime:
    """The time on the wall: a day's note is of the day where its writer is."""
    return datetime.fromtimestamp(engine.library.adapters.clock()).astimezone()


def _folder(engine: Engine, template: str | None) -> str:
    """Where a new note goes, by the rules of the configuration."""
    writing = engine.library.config.writing
    name = last(without_ending(template)) if template else ""
    rules = dict(rule.split("=", 1) for rule in writing.note_folders if "=" in rule)
    return _filled(rules.get(name, writing.note_folder), engine, name)


def _filled(folder: str, engine: Engine, template: str) -> str:
    now = _now(engine)
    words = {"year": f"{now:%Y}", "month": f"{now:%m}", "date": f"{now:%Y-%m-%d}", "template": template}
    for word, value in words.items():
        folder = folder.replace("{{" + word + "}}", value)
    return folder


def _made(engine: Engine, collection: Collection, folder: str, title: str) -> NoteFile:
    """The place of a new note; one that some system would take for the same is a conflict."""
    uri = f"{safe_folder(folder)}/{safe_name(title)}{_SUFFIX}".lstrip("/")
    note = note_in(engine, uri, collection.name)
    try:
        names = [found.name for found in note.path.parent.iterdir()]
    except OSError:
        names = []
    same = next((name for name in names if _alike(name) == _alike(note.path.name)), None)
    if same is not None:
        raise Conflict(f"there is a note {uri} already", hint="`octavo note append` adds to it")
    return note


def _alike(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _template(engine: Engine, collection: Collection, name: str) -> NoteFile:
    """By its uri, or by its name in the folder of templates."""
    named = name if Path(name).suffix.lower() in SUFFIXES else name + _SUFFIX
    inside = f"{engine.library.config.writing.templates.strip('/')}/{named}".lstrip("/")
    note = note_in(engine, inside, collection.name)
    return note if note.path.is_file() or "/" not in named else note_in(engine, named, collection.name)


def _create(
    engine: Engine, note: NoteFile, title: str, template: str | None, content: str, request: _Request, operation: str
) -> WriteAnswer:
    now = _now(engine)
    fields = {"date": f"{now:%Y-%m-%d}", "time": f"{now:%H:%M}"}
    with locked(engine, note.collection):
        text = new_note(title, content)
        if template is not None:
            text = from_template(_template_text(engine, note.collection, template), title, content, fields)
        refuse_no_place(note.path, note.uri)
        if note.path.exists():
            raise Conflict(f"there is a file {note.uri} already", hint="`octavo note append` adds to it")
        return put(engine, note, _write(request), operation, NoteChange(None, encoded(text)))


def _template_text(engine: Engine, collection: Collection, name: str) -> str:
    found = _template(engine, collection, name)
    if not found.path.is_file():
        folder = collection.root / engine.library.config.writing.templates
        names = sorted(path.stem for path in folder.glob("*") if path.suffix.lower() in SUFFIXES)
        raise NotFound(f"there is no template {name}", hint=f"templates: {', '.join(names) or 'none'} in {folder}")
    return present(engine, found).text


def _append(
    engine: Engine, note: NoteFile, request: NoteAppendRequest | NoteTodayRequest, path: tuple[str, ...], operation: str
) -> WriteAnswer:
    def edit(document: NoteOutline) -> EditedText:
        return append(document, path, request.content_md) if path else append_to_end(document, request.content_md)

    return change(engine, note, _write(request), operation, edit)


def _named(engine: Engine, collection: Collection, name: str) -> NoteFile | None:
    """The note at a uri, or the only one that is called so."""
    if Path(name).suffix.lower() in SUFFIXES:
        # Answers show a note as `collection/uri`; a folder of the collection's name goes first.
        uris = dict.fromkeys((name, name.removeprefix(f"{collection.name}/")))
        notes = [note_in(engine, uri, collection.name) for uri in uris]
        return next((note for note in notes if note.path.is_file()), None)
    wanted = folded(name.strip("/"))
    files = engine.library.scan(collection).files
    every = [file.uri for file in files if Path(file.uri).suffix.lower() in SUFFIXES]
    found = [uri for uri in every if folded(without_ending(uri)) == wanted]
    found = found or [uri for uri in every if folded(without_ending(last(uri))) == wanted]
    if len(found) > 1:
        raise InvalidArgument(f"{len(found)} notes are called {name}: {', '.join(found[:5])}", hint="give the uri")
    return NoteFile(collection, found[0], located(collection.root, found[0])) if found else None


def _write(request: _Request) -> WriteRequest:
    return WriteRequest(dry_run=request.dry_run, author=request.author, reason=request.reason)
