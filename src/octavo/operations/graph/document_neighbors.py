"""Operations on a document's neighbours: what it points at, what points at it, and what else belongs to it."""

from __future__ import annotations

from contextlib import suppress

from octavo.engine.engine import Engine
from octavo.errors import NotFound, OctavoError
from octavo.graph.neighbors import NeighborsAnswer, missing_document, neighbors
from octavo.graph.related_documents import RelatedAnswer, related
from octavo.model.stored_rows import StoredDocument
from octavo.operations.filter_parsing import filters_of
from octavo.operations.graph.requests import GraphNeighborsRequest, GraphRelatedRequest
from octavo.retrieval.reference_resolution import read_passage


def graph_neighbors(engine: Engine, request: GraphNeighborsRequest) -> NeighborsAnswer:
    def find(reference: str) -> StoredDocument | None:
        with suppress(OctavoError):
            return read_passage(engine, reference).document
        return None

    try:
        document = read_passage(engine, request.reference, request.collection).document
    except NotFound:
        if ghost := missing_document(engine, request):
            return ghost
        raise
    return neighbors(engine, document, request, find)


def graph_related(engine: Engine, request: GraphRelatedRequest) -> RelatedAnswer:
    document = read_passage(engine, request.reference, request.collection).document
    vectors = engine.vectors if request.by_meaning else None
    return related(engine, vectors, document, filters_of(engine, request), request.limit)
