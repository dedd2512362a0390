"""Access tokens as the library keeps them: hash, scope, projects and expiry; and the audit entry of a write."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import NamedTuple

from octavo.fast_dataclass import Value

TOKEN_PREFIX = "octavo_"


class AccessScope(StrEnum):
    """Each includes those before it: reading, changing memories and notes, changing how the library is set up."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


SCOPES = tuple(AccessScope)


class AccessToken(Value):
    """A token as the library keeps it: its SHA-256, never itself. It has 256 random bits, so no slower hash is needed.

    `projects` are those it is for, all where there are none; `rate` is how many requests a minute it may make.
    """

    name: str
    hash: str
    scope: AccessScope
    projects: tuple[str, ...]
    rate: int | None
    created_at: float
    expires_at: float | None = None
    revoked_at: float | None = None

    def holds(self, now: float) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class AuditedWrite(NamedTuple):
    """Who changed something in which project by which operation; `outcome` is `ok` or the code of an error."""

    at: float
    caller: str
    operation: str
    project: str
    outcome: str
