"""Packs the passages of canonical documents that answer a question into a token budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_MEMORIES
from octavo.fast_dataclass import dataclass, replace
from octavo.memory.canonical_documents import Canonical, CanonicalSpan, canonical, listed, passage
from octavo.memory.memories_from_hits import only
from octavo.memory.memory_quotations import quoted
from octavo.memory.project_memories import ProjectMemories
from octavo.model.memory import MemoryId, memory_of
from octavo.model.normalised_text_and_spans import Span
from octavo.model.query import Query
from octavo.model.search_result import Hit, Result
from octavo.retrieval.profiles_by_name import MEMORY_PROFILE, profile_named
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.document_cap_and_span_merging import MergeSpans

_CANDIDATES = 100  # chunks considered for a pack

SearchLibrary = Callable[[Query, RetrievalProfile], Result]


@dataclass(frozen=True, slots=True)
class Pack:
    """The passages that fit the budget, in document order; `left_out` counts the wanted ones that did not fit."""

    text: str
    passages: tuple[CanonicalSpan, ...]
    left_out: int


def packed(
    documents: Sequence[Canonical],
    requests: Iterable[tuple[MemoryId, tuple[Span, ...]]],
    budget: int,
    measure: Callable[[str], int],
    *,
    merge: bool,
) -> Pack:
    """Takes passages in the order they are wanted while the whole text, citations included, stays within the budget.

    Of each the first of its spans that fits is taken; one without any is skipped: the next may still fit. With
    `merge`, adjacent passages of a document become one; else each keeps the citation of its own section.
    """
    known = {document.item.id: document for document in documents}
    taken: dict[MemoryId, list[Span]] = {}
    left_out = 0
    for name, alternatives in requests:
        spans = taken.get(name, [])
        for span in alternatives:
            if any(other.start <= span.start and span.end <= other.end for other in spans):
                break
            extended = {**taken, name: _merged([*spans, span], known[name].shown.text if merge else None)}
            if measure(_pack_text(known, extended)) <= budget:
                taken = extended
                break
        else:
            left_out += 1
    return Pack(_pack_text(known, taken), tuple(_passages(known, taken)), left_out)


def _passages(known: dict[MemoryId, Canonical], taken: dict[MemoryId, list[Span]]) -> Iterator[CanonicalSpan]:
    for name in sorted(taken, key=lambda name: known[name].key):
        yield from (passage(known[name], span) for span in taken[name])


def _pack_text(known: dict[MemoryId, Canonical], taken: dict[MemoryId, list[Span]]) -> str:
    blocks = []
    for taken_span in _passages(known, taken):
        path = " → ".join(taken_span.section.path)
        about = f" {taken_span.citation}" + (f" {path}" if path else "")
        heading = "".join(character if character.isprintable() else " " for character in about)
        document = taken_span.document
        blocks.append(quoted(document.item.id, document.shown.version.number, heading, taken_span.text))
    return "\n\n".join(blocks)


def _merged(spans: Iterable[Span], text: str | None) -> list[Span]:
    """In order; those that overlap become one, and with the text those with nothing but white space between them."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if merged and (
            span.start < merged[-1].end or (text is not None and not text[merged[-1].end : span.start].strip())
        ):
            merged[-1] = merged[-1].union(span)
        else:
            merged.append(span)
    return merged


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
