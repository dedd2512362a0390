"""Candidates → hits: exact slices of the stored text, each with its citation."""

from __future__ import annotations

from collections.abc import Sequence

from recto.model.query import Query
from recto.model.result import Candidate, Citation, Hit
from recto.retrieval.stage import Library


def present(candidates: Sequence[Candidate], query: Query, library: Library) -> tuple[Hit, ...]:
    """The best `query.limit`. A truncated excerpt keeps its span and says so."""
    shown = candidates[: query.limit]
    texts = library.store.documents.texts(library.project, (one.text_hash for one in shown))
    hits = []
    for rank, one in enumerate(shown, 1):
        excerpt = one.span.of(texts[one.text_hash])
        cut = query.max_excerpt_chars is not None and len(excerpt) > query.max_excerpt_chars
        hits.append(
            Hit(
                rank=rank,
                score=one.score,
                collection=one.collection,
                kind=one.kind,
                title=one.title,
                citation=Citation(one.uri, one.heading_path, one.span, one.lines),
                excerpt=excerpt[: query.max_excerpt_chars] if cut else excerpt,
                excerpt_truncated=cut,
                chunk_id=one.chunk_id,
                document_id=one.document_id,
                modified_at=one.modified_at,
                steps=one.steps,
            )
        )
    return tuple(hits)
