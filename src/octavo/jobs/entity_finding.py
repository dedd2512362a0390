"""Finds the entities of a library, a document at a time: by rules and, on request, by a model as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from octavo.errors import ProviderFailed
from octavo.fast_dataclass import dataclass, replace
from octavo.graph.entity_extraction import KnownNames, declared_names, entities_of, named_in
from octavo.jobs.token_budget_message import exhausted
from octavo.model.document import Kind
from octavo.model.entity import Mention, NamedDocument, ReadDocument, Unread
from octavo.model.ids import ProjectId
from octavo.model.language_model_settings import missing_model
from octavo.model.link_graph import ENTITIES
from octavo.ports import EntityFinder
from octavo.sql_repositories.project_of_open_library import StoredProject
from octavo.sql_repositories.store import Store

_AT_ONCE = 128  # documents whose entities are written in one transaction


class EntityWork(StoredProject, Protocol):
    """What entities are found with. An engine is one."""

    def entity_finder(self) -> EntityFinder | None: ...


@dataclass(frozen=True, slots=True)
class EntitySettings:
    """How entities are found. `budget` is how many tokens a model may read and write, all together."""

    by_model: bool = False
    budget: int = 0

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> EntitySettings:
        return cls(bool(facts.get("by_model")), int(facts.get("budget", 0)))

    def facts(self) -> dict[str, float]:
        return {"by_model": int(self.by_model), "budget": self.budget}


class EntityRunReport(NamedTuple):
    """What a run read and took; `stopped` says why `left` documents were not read."""

    documents: int = 0
    calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    left: int = 0
    stopped: str = ""


def estimate(work: EntityWork) -> EntityRunReport:
    """What a model would take, as far as it has not read the library yet. Nobody is asked."""
    finder = _finder(work)
    store, project = work.store, work.project.id
    with store.reading():
        sources = store.entities.sources(project)
        unread = store.entities.unread(project, f"{declared_names(sources.values()).maker} {finder.maker}")
    calls = tokens = 0
    for document in unread:
        source = sources[document.document_id]
        if _for_a_model(source):
            text = store.documents.texts(project, [document.text_hash]).get(document.text_hash, "")
            calls, tokens = calls + 1, tokens + finder.tokens(source.title, text)
    return EntityRunReport(len(unread), calls, tokens, finder.prices.cost(tokens, 0))


def find_entities(
    work: EntityWork,
    settings: EntitySettings,
    most: int | None = None,
    advance: Callable[[int], None] = lambda count: None,
) -> EntityRunReport:
    """Reads what was not read yet, of so many documents at most; the next run goes on where this ended."""
    store, project = work.store, work.project.id
    finder = _finder(work) if settings.by_model else None
    with store.reading():
        known = declared_names(store.entities.sources(project).values())
        maker = known.maker if finder is None else f"{known.maker} {finder.maker}"
        unread = store.entities.unread(project, maker, most)
    outcome = EntityRunReport()
    at_once = _AT_ONCE if finder is None else 1
    for start in range(0, len(unread), at_once):
        batch = unread[start : start + at_once]
        try:
            read, took = _read(store, project, batch, known, finder, settings.budget - outcome.tokens)
        except ProviderFailed as error:
            outcome = outcome._replace(stopped=str(error))
            break
        if read is None:
            outcome = outcome._replace(stopped=exhausted(settings.budget, settings.budget - outcome.tokens))
            break
        with store.transaction():
            store.entities.put(project, maker, read)
        outcome = outcome._replace(
            documents=outcome.documents + len(read),
            calls=outcome.calls + took.calls,
            tokens=outcome.tokens + took.tokens,
            cost=outcome.cost + took.cost,
        )
        advance(len(read))
    with store.transaction():
        left = replace(settings, budget=max(0, settings.budget - outcome.tokens))
        store.graph.note_run(project, ENTITIES, left.facts())
    return outcome._replace(left=store.entities.unread_count(project, maker))


def _finder(work: EntityWork) -> EntityFinder:
    finder = work.entity_finder()
    if finder is None:
        raise missing_model("summarise")
    return finder


def _for_a_model(document: NamedDocument) -> bool:
    return document.kind not in (Kind.CODE, Kind.CONFIG)


def _read(
    store: Store, project: ProjectId, batch: Sequence[Unread], known: KnownNames, finder: EntityFinder | None, room: int
) -> tuple[list[ReadDocument] | None, EntityRunReport]:
    """None where the budget does not suffice for a call."""
    with store.reading():
        sources = store.entities.sources(project, [document.document_id for document in batch])
        texts = store.documents.texts(project, {document.text_hash for document in batch})
    read, took = [], EntityRunReport()
    for document in batch:
        source, text = sources.get(document.document_id), texts.get(document.text_hash)
        if source is None or text is None:  # removed meanwhile
            continue
        mentions = entities_of(source, text, known)
        if finder is not None and _for_a_model(source) and text.strip():
            if finder.tokens(source.title, text) > room - took.tokens:
                return None, took
            names, completion = finder.names(source.title, text)
            mentions = _with(mentions, named_in(text, names), known)
            if not completion.usage.cached:
                usage = completion.usage
                spent = usage.prompt_tokens + usage.completion_tokens
                took = took._replace(calls=took.calls + 1, tokens=took.tokens + spent, cost=took.cost + usage.cost)
        read.append(ReadDocument(document, mentions))
    return read, took


def _with(mentions: tuple[Mention, ...], more: Sequence[Mention], known: KnownNames) -> tuple[Mention, ...]:
    """What the rules found comes first: a name that they know already has its kind."""
    named = {mention.entity.name for mention in mentions}
    added: dict[tuple[str, str], Mention] = {}
    for mention in more:
        entity = known.declared.get(mention.entity.name, mention.entity)
        if entity.name not in named:
            added.setdefault((entity.kind, entity.name), mention._replace(entity=entity))
    return (*mentions, *added.values())
