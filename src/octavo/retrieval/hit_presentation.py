"""Candidates → hits: exact slices of the stored text, each with its citation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from octavo.fast_dataclass import replace
from octavo.model.converted_file import NOWHERE, Position, position, stretches
from octavo.model.document import Kind
from octavo.model.file_formats import format_of
from octavo.model.ids import DocumentId
from octavo.model.query import Query
from octavo.model.search_result import Candidate, Citation, CommitFacts, Hit
from octavo.retrieval.cited_section_choice import best_stretch, citations
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stages.match_kind_filter import matched


def present(candidates: Sequence[Candidate], query: Query, library: SearchedLibrary) -> tuple[Hit, ...]:
    """The best `query.limit`. A truncated excerpt keeps its span and says so."""
    shown = candidates[: query.limit]
    texts = library.texts(candidate.text_hash for candidate in shown)
    cited = citations(shown, texts, query, library)
    about = _metadata(shown, library)
    positions = _positions(shown, cited, texts, query, about)
    more = Counter(candidate.document_id for candidate in shown)
    hits = []
    for rank, (candidate, citation, where) in enumerate(zip(shown, cited, positions, strict=True), 1):
        excerpt = citation.span.of(texts[candidate.text_hash])
        cut = query.max_excerpt_chars is not None and len(excerpt) > query.max_excerpt_chars
        hits.append(
            Hit(
                rank=rank,
                score=candidate.score,
                collection=candidate.collection,
                kind=candidate.kind,
                title=candidate.title,
                citation=citation if where is NOWHERE else replace(citation, position=where),
                excerpt=excerpt[: query.max_excerpt_chars] if cut else excerpt,
                excerpt_truncated=cut,
                chunk_id=candidate.chunk_id,
                document_id=candidate.document_id,
                modified_at=candidate.modified_at,
                steps=candidate.steps,
                language=candidate.language,
                content_type=candidate.content_type,
                matched=matched(candidate),
                copies=candidate.copies,
                more=max(0, more.pop(candidate.document_id, 1) - 1),
                commit=_commit(about[candidate.document_id]) if candidate.kind is Kind.COMMIT else None,
            )
        )
    return tuple(hits)


def _metadata(candidates: Sequence[Candidate], library: SearchedLibrary) -> dict[DocumentId, Mapping[str, Any]]:
    """Of the documents that have pages and the like, and of commits: no others are looked up."""
    about: dict[DocumentId, Mapping[str, Any]] = {}
    for candidate in candidates:
        told = candidate.kind is Kind.COMMIT or format_of(candidate.uri) is not None
        if told and candidate.document_id not in about:
            document = library.store.documents.get(library.project, candidate.document_id)
            about[candidate.document_id] = document.metadata if document is not None else {}
    return about


def _commit(metadata: Mapping[str, Any]) -> CommitFacts:
    return CommitFacts(str(metadata.get("author", "")), tuple(map(str, metadata.get("files", ()))))


def _positions(
    candidates: Sequence[Candidate],
    citations: Sequence[Citation],
    texts: Mapping[str, str],
    query: Query,
    about: Mapping[DocumentId, Mapping[str, Any]],
) -> list[Position]:
    positions = []
    for candidate, citation in zip(candidates, citations, strict=True):
        metadata = {} if candidate.kind is Kind.COMMIT else about.get(candidate.document_id, {})
        best = best_stretch(stretches(metadata, citation.span), texts[candidate.text_hash], query) if metadata else None
        positions.append(position(metadata, citation.span, best))
    return positions
