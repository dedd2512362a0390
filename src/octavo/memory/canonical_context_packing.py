"""What canonical documents say about something, packed into a token budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_MEMORIES
from octavo.fast_dataclass import replace
from octavo.memory.canonical_documents import Canonical, Pack, canonical, listed, packed
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.recall import only
from octavo.model.memory import MemoryId, memory_of
from octavo.model.normalised_text import Span
from octavo.model.query import Query
from octavo.model.search_result import Hit, Result
from octavo.retrieval.profiles import MEMORY_PROFILE, profile_named
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.document_cap_and_span_merging import MergeSpans

_CANDIDATES = 100  # chunks considered for a pack

SearchLibrary = Callable[[Query, RetrievalProfile], Result]


def context_pack(
    memories: ProjectMemories,
    search: SearchLibrary,
    question: str,
    max_tokens: int,
    tokens: Callable[[str], int],
    classes: Sequence[str] = (),
    keys: Sequence[str] = (),
) -> tuple[Pack, str, tuple[str, ...]]:
    """The pack, its text below a preface, and what could not be searched. Without a question it has every section."""
    with memories.store.reading():
        items = listed(memories, classes, keys)
        documents = [canonical(memories, item.canonical_key or "") for item in items]
    spans: Iterator[tuple[MemoryId, tuple[Span, ...]]] = ((name, (span,)) for name, span in _every_section(documents))
    degraded: tuple[str, ...] = ()
    has_question = bool(question.strip())
    if has_question:
        spans, degraded = _best_sections(search, documents, question)
    pack = packed(documents, spans, max_tokens, lambda text: tokens(_with_preface(text)), merge=not has_question)
    return pack, _with_preface(pack.text), degraded


def _with_preface(text: str) -> str:
    return f"{QUOTED_MEMORIES}\n\n{text}" if text else ""


def _best_sections(
    search: SearchLibrary, documents: Sequence[Canonical], question: str
) -> tuple[Iterator[tuple[MemoryId, tuple[Span, ...]]], tuple[str, ...]]:
    """The sections that hits lie in, best first, each whole or else by its hit alone; and what could not be searched.

    Hits are not merged before: together they would be longer than the section that answers.
    """
    filters = only(document.item.id for document in documents)
    if filters is None:
        return iter(()), ()
    profile = profile_named(MEMORY_PROFILE)
    apart = replace(profile, refine=tuple(stage for stage in profile.refine if not isinstance(stage, MergeSpans)))
    result = search(Query(question, _CANDIDATES, filters), apart)
    sections: dict[MemoryId, list[Span]] = {}
    for name, span in _every_section(documents):
        sections.setdefault(name, []).append(span)
    return _around(result.hits, sections), result.degraded


def _around(
    hits: Sequence[Hit], sections: Mapping[MemoryId, Sequence[Span]]
) -> Iterator[tuple[MemoryId, tuple[Span, ...]]]:
    for hit in hits:
        name, cited = memory_of(hit.citation.uri), hit.citation.span
        for section in sections.get(name, ()):
            if section.start < cited.end and cited.start < section.end:
                part = Span(max(section.start, cited.start), min(section.end, cited.end))
                yield name, tuple(dict.fromkeys((section, part)))


def _every_section(documents: Sequence[Canonical]) -> Iterator[tuple[MemoryId, Span]]:
    """Section by section, each up to where the next begins."""
    for document in documents:
        text = document.shown.text
        starts = [section.span.start for section in document.sections] + [len(text)]
        for start, end in pairwise(starts):
            body = text[start:end].rstrip()
            if body:
                yield document.item.id, Span(start, start + len(body))
