"""The memories of one project: where they are stored, how a text becomes chunks, and how a memory is named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.fast_dataclass import dataclass
from octavo.model.document import Kind, Source
from octavo.model.ids import ProjectId, collection_id
from octavo.model.index_recipe import Recipe
from octavo.model.memory import MemoryFilter, MemoryId, MemoryItem, MemoryStatus
from octavo.model.prepared_document import PreparedDocument
from octavo.model.projects_and_collections import MEMORIES, Collection, CollectionSettings
from octavo.sql_repositories.memories import MemoryRepository
from octavo.sql_repositories.store import Store

_SHORTEST_PREFIX = len("mem_") + 4  # characters of an id somebody types: a shorter prefix matches too many
_MOST_CANDIDATES = 5  # listed in a hint when a name is ambiguous


@dataclass(frozen=True, slots=True)
class ProjectMemories:
    """Everything that reads or writes memories takes this as its first argument; an open library makes it once."""

    store: Store
    collection: Collection
    recipe: Recipe
    prepare: Callable[[Source], PreparedDocument]
    prepare_canonical: Callable[[Source], PreparedDocument]
    """Chunks without overlap, so that a pack of them repeats nothing."""
    analyse: Callable[[str], Sequence[str]]
    clock: Callable[[], float]
    ensure_collection: Callable[[], None]
    """Records the recipe and the collection before the first memory is written. Reading writes nothing."""

    @property
    def project(self) -> ProjectId:
        return self.collection.project_id

    @property
    def repository(self) -> MemoryRepository:
        return self.store.memories

    def item(self, name: str, *, partly: bool = False) -> MemoryItem:
        """The memory with this id, with a unique id prefix, or with this title; active memories before archived ones.

        `partly` also accepts a part of a title that only one memory has, in any case. Only reads and what can be taken
        back use it: a change must not hit another memory than was meant.
        """
        stored = self.repository.get(self.project, MemoryId(name))
        if stored is not None:
            return stored
        items = self.repository.find(self.project, MemoryFilter(status=None))
        is_prefix = name.startswith("mem_") and len(name) >= _SHORTEST_PREFIX
        exact = _active_first(
            [item for item in items if item.title == name or (is_prefix and item.id.startswith(name))]
        )
        if len(exact) == 1:
            return exact[0]
        if exact:
            raise InvalidArgument(f"{len(exact)} memories are called {name}", hint=_candidates(exact))
        similar = _active_first([item for item in items if name and name.casefold() in item.title.casefold()])
        if partly and len(similar) == 1:
            return similar[0]
        if partly and similar:
            raise InvalidArgument(f"{len(similar)} memories have {name} in their title", hint=_candidates(similar))
        hint = _candidates(similar) if similar else "`octavo recall` finds memories and shows their ids"
        raise NotFound(f"there is no memory {name}", hint=hint)


def _active_first(items: Sequence[MemoryItem]) -> Sequence[MemoryItem]:
    """The active ones; all of them when none is active."""
    return [item for item in items if item.status is MemoryStatus.ACTIVE] or items


def _candidates(items: Sequence[MemoryItem]) -> str:
    more = f", and {len(items) - _MOST_CANDIDATES} more" if len(items) > _MOST_CANDIDATES else ""
    return "give the id: " + ", ".join(f"{item.id} ({item.title[:60]})" for item in items[:_MOST_CANDIDATES]) + more


def memories_collection(store: Store, project: ProjectId) -> Collection:
    """The collection that holds the project's memories, or will once there are any."""
    for known in store.catalog.collections(project):
        if known.name == MEMORIES:
            if known.on_disk:
                raise Conflict(
                    f"the folder {known.root} is a collection named {MEMORIES}, which is where memories are kept",
                    hint=f"`octavo remove {MEMORIES}`, then add the folder under another name",
                )
            return known
    return Collection(collection_id(project, MEMORIES), project, MEMORIES, Path(), CollectionSettings(kind=Kind.MEMORY))


def record_collection(store: Store, collection: Collection) -> None:
    if collection not in store.catalog.collections(collection.project_id):
        with store.transaction():
            store.catalog.put_collection(collection)
