"""The document's fields by which each of its chunks is found too: title, keywords, description, tags, names."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.model.document import Document, Kind

SHARED_CHARACTERS = 4_000
"""Stored again with every chunk: without a bound, a page of nothing but tags would cost its size times its chunks."""

_UNNAMED = (Kind.COMMIT, Kind.MEMORY)  # their uris are made up from an id


def _file_names(document: Document) -> Iterator[str]:
    """The file's name and its folders, where these are not the title anyway: people look for a note by them."""
    if document.kind in _UNNAMED:
        return
    *folders, name = document.uri.split("/")
    stem = name.rsplit(".", 1)[0] or name
    if stem != document.title:
        yield stem
    yield from folders


def shared_texts(document: Document) -> dict[str, str]:
    """What every chunk of a document shares."""
    fields = {
        "title": document.title,
        "keywords": " ".join(document.keywords),
        "description": document.description,
        "tags": " ".join(document.tags),
        "aliases": " ".join((*document.aliases, *_file_names(document))),
    }
    return {name: text[:SHARED_CHARACTERS] for name, text in fields.items()}
