"""Front matter: one property of a note set or removed."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.operations.writing.answers import WriteAnswer
from octavo.operations.writing.notes import change, note_in, refuse_unwritable
from octavo.operations.writing.requests import DocSetPropertyRequest
from octavo.writing.property import check_key, set_property


def doc_set_property(engine: Engine, request: DocSetPropertyRequest) -> WriteAnswer:
    check_key(request.key)
    note = note_in(engine, request.uri, request.collection)
    refuse_unwritable(engine, note.collection)
    return change(
        engine,
        note,
        request,
        "doc_set_property",
        lambda document: set_property(document, request.key, request.value, remove=request.remove),
    )
