"""Where memories are written: one project's library, how a text becomes chunks, and the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recto.errors import Conflict, InvalidArgument, NotFound
from recto.model.collection import MEMORIES, Collection, CollectionSettings
from recto.model.document import Kind, Source
from recto.model.ids import ProjectId, collection_id
from recto.model.index import Prepared
from recto.model.memory import MemoryFilter, MemoryId, MemoryItem, MemoryStatus
from recto.model.recipe import Recipe
from recto.ports import Store

_SHORTEST = len("mem_") + 4  # of an id somebody types: shorter beginnings fit too much

_LISTED = 5  # memories that are named where several could be meant


@dataclass(frozen=True, slots=True)
class Desk:
    """What every change of a memory needs. Made once for an open library."""

    store: Store
    collection: Collection
    recipe: Recipe
    prepare: Callable[[Source], Prepared]
    prepare_canonical: Callable[[Source], Prepared]
    """Without overlap between chunks."""
    analyse: Callable[[str], Sequence[str]]
    clock: Callable[[], float]
    settle: Callable[[], None]
    """Before the first memory is written: the recipe and the collection are recorded. Reading leaves no trace."""

    @property
    def project(self) -> ProjectId:
        return self.collection.project_id

    def item(self, name: str, *, partly: bool = False) -> MemoryItem:
        """The memory with this id, with the only id that begins so, or with this title; what is put away comes last.

        With `partly` also the only one whose title holds the name, in capitals or not. Only what reads asks so: a
        change must not find another memory than was meant.
        """
        found = self.store.memories.get(self.project, MemoryId(name))
        if found is not None:
            return found
        every = self.store.memories.find(self.project, MemoryFilter(status=None))
        begins = name.startswith("mem_") and len(name) >= _SHORTEST
        fitting = [item for item in every if item.title == name or (begins and item.id.startswith(name))]
        fitting = [item for item in fitting if item.status is MemoryStatus.ACTIVE] or fitting
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise InvalidArgument(f"{len(fitting)} memories are called {name}", hint=_candidates(fitting))
        near = [item for item in every if name and name.casefold() in item.title.casefold()]
        near = [item for item in near if item.status is MemoryStatus.ACTIVE] or near
        if partly and len(near) == 1:
            return near[0]
        if partly and near:
            raise InvalidArgument(f"{len(near)} memories have {name} in their title", hint=_candidates(near))
        hint = _candidates(near) if near else "`recto recall` finds memories and shows their ids"
        raise NotFound(f"there is no memory {name}", hint=hint)


def _candidates(items: Sequence[MemoryItem]) -> str:
    more = f", and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
    return "give the id: " + ", ".join(f"{item.id} ({item.title[:60]})" for item in items[:_LISTED]) + more


def memories_collection(store: Store, project: ProjectId) -> Collection:
    """The collection that holds the project's memories, or will once there are any."""
    for known in store.catalog.collections(project):
        if known.name == MEMORIES:
            if known.on_disk:
                raise Conflict(
                    f"the folder {known.root} is a collection named {MEMORIES}, which is where memories are kept",
                    hint=f"`recto remove {MEMORIES}`, then add the folder under another name",
                )
            return known
    return Collection(collection_id(project, MEMORIES), project, MEMORIES, Path(), CollectionSettings(kind=Kind.MEMORY))


def record_collection(store: Store, wanted: Collection) -> None:
    if wanted not in store.catalog.collections(wanted.project_id):
        with store.transaction():
            store.catalog.put_collection(wanted)
