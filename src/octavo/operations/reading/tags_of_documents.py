"""Ids of documents → the tags of each."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.model.ids import DocumentId
from octavo.operations.reading.requests import DocTagsRequest
from octavo.operations.reading.results import DocumentTagsAnswer, TaggedDocument


def doc_tags(engine: Engine, request: DocTagsRequest) -> DocumentTagsAnswer:
    nodes = engine.store.graph.nodes(engine.project.id, [DocumentId(name) for name in request.document_ids])
    return DocumentTagsAnswer(tuple(TaggedDocument(node.document, node.tags) for node in nodes if node.tags))
