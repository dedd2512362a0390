"""Indexes a memory's current text as its document, in the transaction that commits the memory."""

from __future__ import annotations

from functools import lru_cache

from octavo.fast_dataclass import replace
from octavo.graph.edge_extraction import linked
from octavo.memory.project_memories import ProjectMemories
from octavo.model.ids import RecipeId
from octavo.model.index_recipe import Recipe
from octavo.model.indexing_ledger import FileOutcome, FileStamp, LedgerEntry
from octavo.model.job import JobKind
from octavo.model.memory import CONTEXTUAL_CLASSES, MemoryItem
from octavo.model.prepared_document import PreparedDocument


def as_item(prepared: PreparedDocument, item: MemoryItem) -> PreparedDocument:
    """The document with the item's time of change, its place in its sequence, and inputs of its own where its chunks
    are embedded together."""
    document = replace(prepared.document, modified_at=item.updated_at)
    if item.sequence:
        position = {"sequence": item.sequence, "position": item.position}
        document = replace(document, metadata={**document.metadata, **position})
    chunks = prepared.chunks
    if item.canonical_key and item.doc_class in CONTEXTUAL_CLASSES:
        chunks = tuple(
            chunk._replace(inputs=tuple(text.in_document(document.id, document.content_hash) for text in chunk.inputs))
            for chunk in chunks
        )
    return replace(prepared, document=document, chunks=chunks)


def index_document(memories: ProjectMemories, prepared: PreparedDocument) -> None:
    """Indexes a memory's current text for every search and enqueues its vectors. Called inside a transaction."""
    store, project, document = memories.store, memories.project, prepared.document
    keys = store.documents.put(project, memories.collection.id, prepared)
    pairs = list(zip(keys, prepared.chunks, strict=True))
    store.lexical.put(project, [(key, indexed.lexical) for key, indexed in pairs])
    store.embeddings.expect(project, [(key, indexed.inputs) for key, indexed in pairs])
    store.graph.put(project, memories.collection.id, [linked(document)])
    entry = LedgerEntry(
        uri=document.uri,
        outcome=FileOutcome.INDEXED,
        stamp=FileStamp(len(document.text), int(document.modified_at * 1e9), 0),
        content_hash=document.content_hash,
        recipe_id=_recipe_id(memories.recipe),
        document_id=document.id,
        warnings=document.warnings,
    )
    store.ledger.record(project, memories.collection.id, [entry])
    # One waiting job embeds whatever is missing when it runs: a hundred commits do not need a hundred jobs.
    store.outbox.enqueue(project, JobKind.EMBED, "pending", {})


@lru_cache(maxsize=8)
def _recipe_id(recipe: Recipe) -> RecipeId:
    """Cached: computing a recipe's id takes a tenth of a commit."""
    return recipe.id
