"""A file as the library sees it, and why a search does or does not find it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.fast_dataclass import replace
from octavo.model.indexing_ledger import REDACTED, FileOutcome
from octavo.model.normalised_text_and_spans import short
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Query
from octavo.model.score_rounding import shown
from octavo.model.search_result import Candidate, Hit
from octavo.model.stored_rows import ChunkVectors, StoredDocument
from octavo.operations.answer_conversion import filled
from octavo.operations.reading.passage_reading import linking_documents
from octavo.operations.reading.requests import InspectRequest
from octavo.operations.reading.results import InspectAnswer, InspectedPassage, InspectedVersion
from octavo.retrieval.absolute_path_and_address_lookup import path_in_collection
from octavo.retrieval.reference_resolution import located, not_called

_COMPARED = 200  # candidates among which passages are looked for
_MOST_LINKS = 50
FULL, FAST, NONE = "full", "fast", "none"
_VECTORS = {FAST: "only a fast vector", NONE: "no vector"}
_CHANNELS = {"lexical": "words", "dense": "meaning", "code": "names", "trigram": "spelling", "title": "titles"}
"""Channels in plain words."""


def inspect(engine: Engine, request: InspectRequest) -> InspectAnswer:
    with engine.store.reading():
        document = _document(engine, request)
        if document is None:
            return _not_indexed(engine, request)
        answer = _described(engine, document)
        vectors = engine.store.embeddings.chunk_vectors(
            engine.project.id, document.id, engine.library.active.profile, engine.library.active.fast_profile
        )
        chunks = engine.store.documents.candidates(engine.project.id, [chunk.key for chunk in vectors])
    passages = [_passage(chunks[chunk.key], chunk) for chunk in vectors]
    if not request.query.strip():
        return replace(answer, passages=tuple(passages))
    profile = engine.retrieval_profile(request.profile or engine.defaults.profile)
    query = Query(request.query, _COMPARED, floor=False)
    ranked, fused = engine.search(query, profile).hits, engine.candidates(query, replace(profile, refine=()))
    place = ranked[0].citation if ranked else None
    return replace(
        answer,
        passages=tuple(_ranked(passage, ranked, fused) for passage in passages),
        query=request.query,
        first_hit=f"{ranked[0].collection}/{place.uri}:{place.lines.first}-{place.lines.last}" if place else None,
        candidates=len(ranked),
    )


def _document(engine: Engine, request: InspectRequest) -> StoredDocument | None:
    """By what the library calls it, or by the path of its file."""
    found = located(engine, request.reference, request.collection)
    if found is None and (place := _in_collection(engine, request.reference)):
        found = located(engine, place[1], place[0].name)
    return found


def _in_collection(engine: Engine, path: str) -> tuple[Collection, str] | None:
    """The collection that a file lies in, and its uri there."""
    return path_in_collection(engine.collections(), str(Path(path).absolute()))


def _not_indexed(engine: Engine, request: InspectRequest) -> InspectAnswer:
    """What the ledger says of a file that is no document; why nothing is known of one that it has not."""
    place = _in_collection(engine, request.reference)
    for collection in engine.collections():
        uris = {request.reference, request.reference.removeprefix(f"{collection.name}/")}
        uris |= {place[1]} if place and place[0].id == collection.id else set()
        entries = engine.store.ledger.at(engine.project.id, collection.id, sorted(uris))
        entry = next((entries[uri] for uri in sorted(uris) if uri in entries), None)
        if entry is not None and request.collection in (None, collection.name):
            return InspectAnswer(collection.name, entry.uri, entry.outcome.value, reason=entry.reason or None)
    if place and Path(request.reference).absolute().is_file():
        raise NotFound(
            f"{place[1]} of {place[0].name} is no document: it is ignored, or was not looked at yet",
            hint="`octavo index` looks at it; `octavo list` shows what the collection includes and ignores",
        )
    raise not_called(engine, request.reference, "`octavo list --documents` shows the documents")


def _described(engine: Engine, document: StoredDocument) -> InspectAnswer:
    """All but the passages."""
    store, project = engine.store, engine.project.id
    ledger = store.ledger.at(project, document.collection_id, [document.uri]).get(document.uri)
    warnings = ledger.warnings if ledger else ()
    out = store.graph.out(project, document.id, limit=_MOST_LINKS)
    ends = store.graph.nodes(project, sorted({edge.target for edge in out if edge.target}))
    names = {node.document: f"{node.collection}/{node.uri}" for node in ends}
    return filled(
        InspectAnswer,
        document,
        outcome=ledger.outcome.value if ledger else FileOutcome.INDEXED.value,
        title=short(document.title),
        document_id=document.id,
        reason=ledger.reason or None if ledger else None,
        warnings=tuple(warning for warning in warnings if not warning.startswith(REDACTED)),
        redactions=tuple(warning.removeprefix(REDACTED) for warning in warnings if warning.startswith(REDACTED)),
        links_out=tuple(
            dict.fromkeys((edge.target and names.get(edge.target)) or f"{edge.path} (not there)" for edge in out)
        ),
        links_in=tuple(f"{node.collection}/{node.uri}" for node in linking_documents(engine, document.id, _MOST_LINKS)),
        versions=tuple(filled(InspectedVersion, version) for version in store.documents.versions(project, document.id)),
    )


def _passage(chunk: Candidate, vectors: ChunkVectors) -> InspectedPassage:
    return filled(
        InspectedPassage,
        *(chunk, vectors),
        heading_path=tuple(short(title) for title in chunk.heading_path),
        start_line=chunk.lines.first,
        end_line=chunk.lines.last,
        vector=_tier(vectors),
    )


def _tier(vectors: ChunkVectors) -> str:
    """Of a chunk of several windows, the tier that all of them have."""
    if vectors.windows and vectors.full == vectors.windows:
        return FULL
    return FAST if vectors.windows and vectors.full + vectors.fast >= vectors.windows else NONE


def _ranked(passage: InspectedPassage, ranked: Sequence[Hit], fused: Sequence[Candidate]) -> InspectedPassage:
    """With its place among the candidates and what each channel said of it.

    Of those that were `fused`, some are no candidates in the end: better passages of their document stand for them.
    """
    rank, fused_rank = _rank(passage, ranked), _rank(passage, fused)
    if rank is None and fused_rank is None:
        behind = "" if passage.vector == FULL else f"; it has {_VECTORS[passage.vector]} so far"
        return replace(passage, because=f"neither words nor meaning brought it among the first {len(fused)}{behind}")
    found = ranked[rank - 1] if rank else fused[(fused_rank or 1) - 1]
    channels = _channels(found)
    reason = None if rank == 1 else _behind(channels, _channels(ranked[0]), passage)
    if rank is None:
        reason = f"left out, {fused_rank}. of {len(fused)}, where better passages of its document stand for it"
    return replace(
        passage,
        rank=rank,
        score=shown(found.score) if rank else None,
        channels=tuple(f"{_CHANNELS[name]} {place}" for name, place in channels.items()),
        because=reason,
    )


def _rank(passage: InspectedPassage, candidates: Sequence[Candidate | Hit]) -> int | None:
    return next((place for place, found in enumerate(candidates, 1) if found.chunk_id == passage.chunk_id), None)


def _channels(candidate: Candidate | Hit) -> Mapping[str, int]:
    """Its rank by each channel."""
    channels: dict[str, int] = {}
    for step in candidate.steps:
        if step.stage in _CHANNELS:
            channels.setdefault(step.stage, step.rank)
    return channels


def _behind(channels: Mapping[str, int], best: Mapping[str, int], passage: InspectedPassage) -> str:
    """Where the first hit is better, channel by channel."""
    reasons = []
    for name, place in best.items():
        here = channels.get(name)
        if here is None:
            reasons.append(f"not found by {_CHANNELS[name]}, where the first hit is number {place}")
        elif here > place:
            reasons.append(f"number {here} by {_CHANNELS[name]}, where the first hit is number {place}")
    if passage.vector != FULL:
        reasons.append(f"it has {_VECTORS[passage.vector]} so far")
    return "; ".join(reasons) or "no channel prefers the first hit: what follows the fusion does, see search --explain"
