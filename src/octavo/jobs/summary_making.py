"""Summaries of sections and files, a document at a time: by a model, or without one from the text itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.answering.extractive_summary import extracted
from octavo.errors import NotIndexed, ProviderFailed
from octavo.fast_dataclass import dataclass, replace
from octavo.jobs.token_budget_message import exhausted
from octavo.model.document import shown_path
from octavo.model.ids import ChunkKey
from octavo.model.language_model_settings import missing_model
from octavo.model.normalised_text_and_spans import Span
from octavo.model.projects_and_collections import Project
from octavo.model.summary import EXTRACT, SUMMARIES, NodeType, Summary, SummarySettings, Unsummarised
from octavo.ports import Embedder, Summariser, VectorIndex
from octavo.sql_repositories.project_of_open_library import StoredProject
from octavo.sql_repositories.store import Store

_SENTENCES = {NodeType.SECTION: 3, NodeType.FILE: 5}
_SHORT = 600  # characters: what is no longer says itself in as few words as a model would
_WRITTEN_AT_ONCE = 64  # documents whose extracted summaries are written in one transaction


class Summarising(StoredProject, Protocol):
    """What summaries are made with. An engine is one."""

    @property
    def embedder(self) -> Embedder: ...

    @property
    def vectors(self) -> VectorIndex: ...

    @property
    def tokenise(self) -> Callable[[str], Sequence[str]]: ...

    def summariser(self) -> Summariser | None: ...


@dataclass(frozen=True, slots=True)
class SummariesBuilt:
    """What a run made and took, or with a dry run what it would; `jobs` are those it was left to.

    `documents` and `sections` have summaries now that had none. `calls`, `tokens` and `cost` are of the model. `left`
    documents are still without, because of what `stopped` says.
    """

    documents: int = 0
    sections: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    left: int = 0
    stopped: str = ""
    dry_run: bool = False
    jobs: tuple[int, ...] = ()


class _Node(NamedTuple):
    """A section or a file that gets a summary, with the chunks that begin in it."""

    node: NodeType
    span: Span
    heading_path: tuple[str, ...]
    chunks: tuple[ChunkKey, ...]


def estimate(work: Summarising, settings: SummarySettings) -> SummariesBuilt:
    """Reads every text that would be summarised, and asks nobody."""
    store, project, summariser = work.store, work.project.id, _summariser(work, settings)
    documents = sections = calls = tokens = 0
    for missing in store.summaries.missing(
        project, work.embedder.profile, settings.maker(summariser.maker if summariser else None)
    ):
        with store.reading():
            text, nodes = _read(store, work.project, missing, settings)
        documents += 1
        sections += sum(node.node is NodeType.SECTION for node in nodes)
        if summariser is not None:
            token_counts = [summariser.tokens(*_asked(missing, text, node)) for node in nodes if not _short(node)]
            calls, tokens = calls + len(token_counts), tokens + sum(token_counts)
    cost = 0.0 if summariser is None else summariser.prices.cost(tokens, 0)
    return SummariesBuilt(documents, sections, calls, tokens, cost, dry_run=True)


def make_summaries(
    work: Summarising,
    settings: SummarySettings,
    most: int | None = None,
    advance: Callable[[int], None] = lambda count: None,
) -> SummariesBuilt:
    """Makes what is missing, of so many documents at most, within the budget; the next run goes on where this ended."""
    store, project, profile = work.store, work.project.id, work.embedder.profile
    summariser = _summariser(work, settings)
    maker = settings.maker(summariser.maker if summariser else None)
    missing = store.summaries.missing(project, profile, maker)
    batch = _Batch(store, work, maker)
    made, stopped = SummariesBuilt(), ""
    for number, document in enumerate(missing):
        if most is not None and number >= most:
            break
        with store.reading():
            text, nodes = _read(store, work.project, document, settings)
        if summariser is None:
            summaries = _extracted(work, text, nodes)
            spent = SummariesBuilt()
        else:
            room = settings.budget - made.tokens
            try:
                written = _written(work, summariser, document, text, nodes, room)
            except ProviderFailed as error:
                stopped = str(error)
                break
            if written is None:
                stopped = exhausted(settings.budget, room)
                break
            summaries, spent = written
        sections = batch.put(document, summaries)
        made = replace(
            made,
            documents=made.documents + 1,
            sections=made.sections + sections,
            calls=made.calls + spent.calls,
            tokens=made.tokens + spent.tokens,
            cost=made.cost + spent.cost,
        )
        advance(1)
    batch.write()
    with store.transaction():
        store.graph.note_run(project, SUMMARIES, settings.after(made.tokens).facts())
    left = len(store.summaries.missing(project, profile, maker))
    return replace(made, left=left, stopped=stopped)


class _Batch:
    """Summaries that are written together: a transaction for each document would take longer than making them."""

    def __init__(self, store: Store, work: Summarising, maker: str) -> None:
        self._store = store
        self._work = work
        self._maker = maker
        self._waiting: list[tuple[Unsummarised, list[Summary]]] = []

    def put(self, document: Unsummarised, summaries: list[Summary]) -> int:
        """How many of them are of sections."""
        self._waiting.append((document, summaries))
        if len(self._waiting) >= (_WRITTEN_AT_ONCE if self._maker.startswith(EXTRACT) else 1):
            self.write()
        return sum(summary.node is NodeType.SECTION for summary in summaries)

    def write(self) -> None:
        if not self._waiting:
            return
        project, profile = self._work.project.id, self._work.embedder.profile
        with self._store.transaction():
            for document, summaries in self._waiting:
                self._store.summaries.put(project, profile, document, self._maker, summaries)
        self._waiting.clear()


def _summariser(work: Summarising, settings: SummarySettings) -> Summariser | None:
    if not settings.by_model:
        return None
    summariser = work.summariser()
    if summariser is None:
        raise missing_model("summarise")
    return summariser


def _read(
    store: Store, project: Project, document: Unsummarised, settings: SummarySettings
) -> tuple[str, tuple[_Node, ...]]:
    text = store.documents.texts(project.id, [document.text_hash]).get(document.text_hash, "")
    chunks = store.summaries.chunks(project.id, document.document_id)
    whole = _Node(NodeType.FILE, Span(0, len(text)), (), tuple(chunk.key for chunk in chunks))
    sections: Iterator[_Node] = iter(())
    if settings.sections:
        sections = (
            _Node(
                NodeType.SECTION,
                section.span,
                section.path,
                tuple(chunk.key for chunk in chunks if section.span.start <= chunk.span.start < section.span.end),
            )
            for section in store.documents.sections(project.id, document.document_id)
        )
    return text, (whole, *(node for node in sections if node.chunks))


def _extracted(work: Summarising, text: str, nodes: Sequence[_Node]) -> list[Summary]:
    """Sentences of the text, and the middle of its chunks' vectors."""
    known = work.vectors.vectors_of(list(nodes[0].chunks))
    return [
        Summary(
            node.node,
            node.span,
            node.heading_path,
            extracted(text[node.span.start : node.span.end], work.tokenise, _SENTENCES[node.node]),
            _stored(_centroid([known[key] for key in node.chunks if key in known], work.embedder.profile.dimensions)),
        )
        for node in nodes
    ]


def _written(
    work: Summarising, summariser: Summariser, document: Unsummarised, text: str, nodes: Sequence[_Node], room: int
) -> tuple[list[Summary], SummariesBuilt] | None:
    """None where the budget leaves too little room for the whole document."""
    inputs = {node: _asked(document, text, node) for node in nodes}
    if sum(summariser.tokens(*inputs[node]) for node in nodes if not _short(node)) > room:
        return None
    texts, calls, tokens, cost = [], 0, 0, 0.0
    for node in nodes:
        if _short(node):
            texts.append(" ".join(inputs[node][1].split()))
            continue
        completion = summariser.summary(*inputs[node])
        texts.append(" ".join(completion.text.split()))
        if not completion.usage.cached:
            usage = completion.usage
            calls, tokens = calls + 1, tokens + usage.prompt_tokens + usage.completion_tokens
            cost += usage.cost
    # Under its headings, as the text of a chunk is embedded.
    vectors = work.embedder.embed([f"{inputs[node][0]}\n{message}" for node, message in zip(nodes, texts, strict=True)])
    made = [
        Summary(node.node, node.span, node.heading_path, message, _stored(vector))
        for node, message, vector in zip(nodes, texts, vectors, strict=True)
    ]
    return made, SummariesBuilt(calls=calls, tokens=tokens, cost=cost)


def _asked(document: Unsummarised, text: str, node: _Node) -> tuple[str, str]:
    path = tuple(dict.fromkeys((document.title, *node.heading_path)))
    return shown_path(path), text[node.span.start : node.span.end].strip()


def _short(node: _Node) -> bool:
    return node.span.end - node.span.start <= _SHORT


def _centroid(vectors: Sequence[NDArray[np.float32]], dimensions: int) -> NDArray[np.float32]:
    """Zeros where no chunk has a vector: such a section is found by its chunks alone."""
    if not vectors:
        return np.zeros(dimensions, dtype=np.float32)
    total = np.sum(np.stack(vectors).astype(np.float64), axis=0)
    unit: NDArray[np.float32] = (total / max(float(np.linalg.norm(total)), 1e-12)).astype(np.float32)
    return unit


def _stored(vector: NDArray[np.float32]) -> bytes:
    return vector.astype("<f2").tobytes()


def nothing_to_summarise(chunks: int, full: float) -> NotIndexed | None:
    """Why extracted summaries cannot be made yet: they are the middle of full vectors."""
    if not chunks:
        return NotIndexed("there is nothing to summarise", hint="run `octavo index` first")
    if full < 1.0:
        waiting = f"{round((1.0 - full) * chunks):,} chunks wait for their full vector"
        return NotIndexed(f"{waiting}, of which summaries are made", hint="run `octavo index --wait-full`")
    return None
