"""Where memories are written: one project's library, how a text becomes chunks, and the clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from recto.errors import Conflict, InvalidArgument, NotFound
from recto.model.collection import Collection, CollectionSettings
from recto.model.document import Kind, Source
from recto.model.ids import ProjectId, collection_id
from recto.model.index import Prepared
from recto.model.memory import MEMORIES, MemoryFilter, MemoryId, MemoryItem, MemoryStatus
from recto.model.recipe import Recipe
from recto.ports import Store

_SHORTEST = len("mem_") + 4  # of an id somebody types: shorter beginnings fit too much


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

    @property
    def project(self) -> ProjectId:
        return self.collection.project_id

    def item(self, name: str) -> MemoryItem:
        """The memory with this id, with the only id that begins so, or with this title; what is put away comes last."""
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
            raise InvalidArgument(f"{len(fitting)} memories are called {name}", hint="give the whole id")
        raise NotFound(f"there is no memory {name}", hint="`recto recall` finds memories and shows their ids")


def memories_collection(store: Store, project: ProjectId) -> Collection:
    """The collection that holds the project's memories, made when it is not there yet."""
    wanted = Collection(
        collection_id(project, MEMORIES), project, MEMORIES, Path(), CollectionSettings(kind=Kind.MEMORY)
    )
    for known in store.catalog.collections(project):
        if known.name == MEMORIES:
            if known.on_disk:
                raise Conflict(
                    f"the folder {known.root} is a collection named {MEMORIES}, which is where memories are kept",
                    hint=f"`recto remove {MEMORIES}`, then add the folder under another name",
                )
            return known
    with store.transaction():
        store.catalog.put_collection(wanted)
    return wanted
