"""A lease: the right to do, for a while, what only one may do at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.model.ids import ProjectId


@dataclass(frozen=True, slots=True)
class Lease:
    """`holder` names a process and a run in it: no two are alike. `detail` is what the holder says of its work."""

    project_id: ProjectId
    name: str
    holder: str
    taken_at: float
    expires_at: float
    detail: Mapping[str, Any] = field(default_factory=dict)
