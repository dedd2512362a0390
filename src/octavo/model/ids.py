"""Ids, derived from content so that the same input always gets the same id."""

from __future__ import annotations

import hashlib
from typing import NewType

ProjectId = NewType("ProjectId", str)
CollectionId = NewType("CollectionId", str)
DocumentId = NewType("DocumentId", str)
SectionId = NewType("SectionId", str)
ChunkId = NewType("ChunkId", str)
RecipeId = NewType("RecipeId", str)
SnapshotId = NewType("SnapshotId", str)
ChunkKey = NewType("ChunkKey", int)
"""The store's own number for a chunk: dense, local to one library, never shown to a person."""

_SHORT = 20  # hex digits: 80 bits, so a billion chunks collide with probability below one in a million


def text_hash(text: str) -> str:
    """The full sha256 of a text: the key under which its content is stored once."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def short_id(prefix: str, *parts: str) -> str:
    """A short content hash of the parts together."""
    # NUL cannot occur in a path or a name we accept, so joined parts cannot run into each other.
    return prefix + hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:_SHORT]


def project_id(name: str) -> ProjectId:
    return ProjectId(short_id("prj_", name))


def collection_id(project: ProjectId, name: str) -> CollectionId:
    return CollectionId(short_id("col_", project, name))


def document_id(project: ProjectId, collection: CollectionId, uri: str) -> DocumentId:
    return DocumentId(short_id("doc_", project, collection, uri))


def section_id(document: DocumentId, path: tuple[str, ...], occurrence: int) -> SectionId:
    """`occurrence` counts earlier sections of the document with the same path, from 0."""
    # Lengths in front distinguish ("a", "b") from ("a\0b",), and () from ("",).
    return SectionId(short_id("sec_", document, *(f"{len(title)}:{title}" for title in path), str(occurrence)))


def chunk_id(document: DocumentId, hash_of_text: str, occurrence: int) -> ChunkId:
    """`occurrence` counts earlier chunks of the document with the same text, from 0.

    The span is left out on purpose: an edit elsewhere in the file does not rename a chunk.
    """
    return ChunkId(short_id("chk_", document, hash_of_text, str(occurrence)))


def recipe_id(canonical_json: str) -> RecipeId:
    return RecipeId(short_id("rec_", canonical_json))
