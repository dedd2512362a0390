"""Questions of the log with the passages that were opened for them: what to learn from, and what to measure by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from octavo.engine.engine import Engine


class OpenedPassage(NamedTuple):
    """A question, and the passage of a document that was shown for it and whose document was then read."""

    query: str
    place: str
    """The document as `collection/uri`."""
    text: str


def opened_passages(engine: Engine) -> Iterator[OpenedPassage]:
    """Each once, newest first; what is no longer in the library is left out."""
    documents, project = engine.store.documents, engine.project.id
    seen: set[OpenedPassage] = set()
    with engine.store.reading():
        for entry in engine.store.query_log.entries(project):
            for document in entry.opened:
                # The best of its hits: what made somebody open it.
                chunk = next(hit.chunk for hit in entry.hits if hit.document == document)
                key = documents.chunk_key(project, chunk)
                if key is None:
                    continue
                candidate = documents.candidates(project, [key])[key]
                text = documents.texts(project, [candidate.text_hash])[candidate.text_hash]
                place = f"{candidate.collection}/{candidate.uri}"
                opened = OpenedPassage(entry.query, place, text[candidate.span.start : candidate.span.end])
                if opened not in seen:
                    seen.add(opened)
                    yield opened
