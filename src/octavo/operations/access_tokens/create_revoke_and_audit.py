"""Make, list and revoke tokens; list what was changed with them."""

from __future__ import annotations

import secrets

from octavo.engine.engine import Engine
from octavo.errors import Conflict, NotFound
from octavo.fast_dataclass import Value
from octavo.model.access_token import TOKEN_PREFIX, AccessScope, AccessToken, token_hash
from octavo.operations.access_tokens.requests import (
    TokensAuditRequest,
    TokensCreateRequest,
    TokensListRequest,
    TokensRevokeRequest,
)
from octavo.operations.answer_conversion import filled

_DAY = 86_400.0


class TokenCreated(Value):
    """`token` is told here and nowhere else."""

    name: str
    token: str
    scope: str
    projects: tuple[str, ...]
    rate: int | None = None
    expires_at: str | None = None


class ListedToken(Value):
    """`projects` are all where none is named; `state` is `active`, `expired` or `revoked`."""

    name: str
    scope: str
    projects: tuple[str, ...]
    state: str
    created_at: str
    rate: int | None = None
    expires_at: str | None = None


class TokensListAnswer(Value):
    tokens: tuple[ListedToken, ...]


class TokenRevoked(Value):
    name: str


class AuditedRow(Value):
    """A write over HTTP; `outcome` is `ok` or the code of the error that it ended in."""

    at: str
    who: str
    operation: str
    project: str
    outcome: str


class TokensAuditAnswer(Value):
    writes: tuple[AuditedRow, ...]


def tokens_create(engine: Engine, request: TokensCreateRequest) -> TokenCreated:
    access, now = engine.store.access, engine.library.now()
    known = {project.name for project in engine.store.catalog.projects()}
    if missing := [name for name in request.projects if name not in known]:
        raise NotFound(
            f"there is no project {missing[0]}",
            hint="`octavo projects resolve --create --name NAME` makes it; `octavo projects list` shows all",
        )
    token = TOKEN_PREFIX + secrets.token_urlsafe(32)
    expires = None if request.days is None else now + request.days * _DAY
    with engine.store.transaction():
        if any(other.name == request.name for other in access.tokens()):
            raise Conflict(
                f"there is or was a token {request.name}",
                hint="choose another name: the audit tells writes apart by it",
            )
        scope = AccessScope(request.scope)
        made = AccessToken(request.name, token_hash(token), scope, request.projects, request.rate, now, expires)
        access.put(made)
    return filled(TokenCreated, made, token=token)


def tokens_list(engine: Engine, request: TokensListRequest) -> TokensListAnswer:
    now = engine.library.now()
    return TokensListAnswer(tuple(_listed(token, now) for token in engine.store.access.tokens()))


def tokens_revoke(engine: Engine, request: TokensRevokeRequest) -> TokenRevoked:
    access = engine.store.access
    with engine.store.transaction():
        if not any(token.name == request.name for token in access.tokens()):
            raise NotFound(f"there is no token {request.name}", hint="`octavo tokens list` shows the tokens")
        access.revoke(request.name, engine.library.now())
    return TokenRevoked(request.name)


def tokens_audit(engine: Engine, request: TokensAuditRequest) -> TokensAuditAnswer:
    writes = engine.store.access.writes(request.limit, request.who or "")
    return TokensAuditAnswer(tuple(filled(AuditedRow, write, who=write.caller) for write in writes))


def _listed(token: AccessToken, now: float) -> ListedToken:
    state = "revoked" if token.revoked_at is not None else "active" if token.holds(now) else "expired"
    return filled(ListedToken, token, state=state)
