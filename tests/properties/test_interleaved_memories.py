"""Random changes of memories by two processes, each breaking in on the other between its reads and its writes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from engines import engine_over, wired
from interleaving import Interleaved
from set_clock import SetClock

from octavo.errors import OctavoError
from octavo.memory import canonical_documents, memory_changes
from octavo.memory.draft import MemoryDraft, Provenance
from octavo.memory.folder_sync import sync
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.remember import remember
from octavo.model.memory import MemoryFilter, MemoryId
from octavo.stores.sqlite.store import SqliteStore

STEPS = 60
WORDS = ["harbour", "boiler", "lamp", "valve", "cellar", "roof", "winter", "ledger", "anchor", "signal"]


class Campaign:
    """What two writers did, and what has to be true of it: a version that was answered is in the history for ever."""

    def __init__(self, memories: ProjectMemories, folder: Path, seed: int) -> None:
        self.memories = memories
        self.folder = folder
        self.random = random.Random(seed)
        self.answered: dict[tuple[MemoryId, int], str] = {}
        self.number = 0

    def step(self) -> None:
        other = self.memories
        memories = replace(other, store=Interleaved(other.store, lambda: self.act(other)))
        self.act(memories)

    def act(self, memories: ProjectMemories) -> None:
        self.number += 1
        chosen = self.random.choice(
            [self.remember, self.revise, self.restore, self.archive, self.upsert, self.synchronise]
        )
        try:
            chosen(memories)
        except OctavoError as error:
            assert error.code in {"CONFLICT", "NOT_FOUND"}, error

    def text(self) -> str:
        return " ".join([*self.random.choices(WORDS, k=12), self.random.choice(["", str(self.number)])]).strip()

    def by(self) -> Provenance:
        return Provenance("campaign", key=self.random.choice([None, f"key {self.number}"]))

    def some(self, then: Callable[[MemoryId], memory_changes.Committed]) -> None:
        known = self.memories.repository.named(self.memories.project, MemoryFilter(status=None))
        if known:
            self.note(then(self.random.choice(known)))

    def note(self, made: memory_changes.Committed) -> None:
        versions = self.memories.repository.versions(self.memories.project, made.item.id)
        self.answered[made.item.id, made.commit.version] = versions[made.commit.version - 1].text_hash

    def remember(self, memories: ProjectMemories) -> None:
        self.note(remember(memories, MemoryDraft(self.text()), self.by()).committed)

    def revise(self, memories: ProjectMemories) -> None:
        self.some(lambda name: memory_changes.revise(memories, name, MemoryDraft(self.text()), self.by()))

    def restore(self, memories: ProjectMemories) -> None:
        self.some(lambda name: memory_changes.restore(memories, name, 1, self.by()))

    def archive(self, memories: ProjectMemories) -> None:
        self.some(lambda name: memory_changes.archive(memories, name, self.by()))

    def upsert(self, memories: ProjectMemories) -> None:
        key = self.random.choice(["spec/a", "spec/b"])
        self.note(canonical_documents.upsert(memories, key, MemoryDraft(self.text()), self.by()))

    def synchronise(self, memories: ProjectMemories) -> None:
        sync(memories, self.folder, accept_deletions=True)

    def check(self) -> None:
        repository, project = self.memories.repository, self.memories.project
        for item in repository.find(project, MemoryFilter(status=None)):
            numbers = [version.number for version in repository.versions(project, item.id)]
            assert numbers == list(range(1, item.version + 1))
        for (name, number), digest in self.answered.items():
            assert repository.versions(project, name)[number - 1].text_hash == digest
        assert self.memories.store.check() == ()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_interleaving_of_two_writers_loses_a_version_or_breaks_a_memory(tmp_path: Path, seed: int) -> None:
    clock = SetClock()
    with engine_over(SqliteStore.in_memory(clock), wired(tmp_path), clock) as engine:
        campaign = Campaign(engine.memories, tmp_path / "memories", seed)
        for step in range(STEPS):
            clock.now += 1.0
            campaign.step()
            if step % 10 == 9:
                campaign.check()
        engine.memories.ensure_collection()
        campaign.synchronise(engine.memories)
        campaign.check()
