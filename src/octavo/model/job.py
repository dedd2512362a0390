"""Jobs: queued work, recorded in the transaction that made it necessary; leases: the right to a piece of work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, NewType

from octavo.fast_dataclass import Value
from octavo.model.ids import ProjectId


class Lease(Value):
    """`holder` is unique to a process and a run in it; `detail` is what the holder reports about its work."""

    project_id: ProjectId
    name: str
    holder: str
    taken_at: float
    expires_at: float
    detail: Mapping[str, Any] = field(default_factory=dict)


JobId = NewType("JobId", int)
REBUILD = "rebuild"
"""The subject of a snapshot job that puts a new snapshot in the place of a damaged one."""


REPAIR_ALL = "library"
"""The subject of a job that makes anew whatever derived part of the library is damaged."""


class JobKind(StrEnum):
    EMBED = "embed"
    REINGEST = "reingest"
    REINDEX_PROFILE = "reindex_profile"
    COMMUNITIES = "communities"
    THEMATIC_LINKS = "thematic_links"
    ENTITIES = "entities"
    SNAPSHOT = "snapshot"
    SUMMARIES = "summaries"
    REPAIR = "repair"


class JobState(StrEnum):
    """`dead` has used up its attempts: it stays for inspection and runs again only on request."""

    READY = "ready"
    LEASED = "leased"
    DONE = "done"
    DEAD = "dead"


class Job(Value):
    """`attempts` grows when a job is claimed, so it also distinguishes one lease from the next.

    Jobs of one kind and one `subject` promise the same work: while one of them is pending, no other is added.
    """

    id: JobId
    project_id: ProjectId
    kind: JobKind
    subject: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    state: JobState = JobState.READY
    attempts: int = 0
    created_at: float = 0.0
    run_after: float = 0.0
    locked_by: str = ""
    lease_expires_at: float | None = None
    finished_at: float | None = None
    error: str = ""
