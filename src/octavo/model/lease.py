"""A lease: the exclusive right to a piece of work, for a limited time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

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
