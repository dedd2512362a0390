"""The values that building and opening a project's snapshots need: store, folder, settings, profiles, clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from octavo.config.search_snapshot_settings import Snapshots
    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.ids import ProjectId
    from octavo.model.search_snapshot import Manifest
    from octavo.ports import SnapshotMarks, SnapshotSource
    from octavo.sql_repositories.store import Store


class SnapshotSetup(NamedTuple):
    """Source and profiles are asked for on use: most libraries are too small for a snapshot."""

    store: Store
    marks: Callable[[], SnapshotMarks]
    source: Callable[[], SnapshotSource]
    project: ProjectId
    root: Path
    settings: Snapshots
    analyzer: str
    profiles: Callable[[], tuple[EmbeddingProfile, ...]]
    clock: Callable[[], float] = time.time

    def fits(self, manifest: Manifest) -> bool:
        """Whether a snapshot is of this project and its words were analysed as queries are now."""
        return manifest.project == self.project and manifest.analyzer == self.analyzer
