"""The caller of a request, known to all that works for it: what its token allows; the rest is refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from octavo.errors import Forbidden
from octavo.fast_dataclass import dataclass
from octavo.model.access_token import SCOPES, AccessScope, AccessToken


@dataclass(frozen=True, slots=True)
class Caller:
    """`projects` are those it may enter, all where there are none. `project` is where its request works, where it says
    so. `rate` is how many requests a minute it may make."""

    name: str
    scope: AccessScope = AccessScope.ADMIN
    projects: tuple[str, ...] = ()
    project: str | None = None
    rate: int | None = None

    def may(self, scope: AccessScope) -> bool:
        return SCOPES.index(self.scope) >= SCOPES.index(scope)

    def sees(self, project: str) -> bool:
        return not self.projects or project in self.projects

    def works_in(self, usual: str) -> str:
        """The project of its request; `usual` is the server's."""
        return self.project or (usual if self.sees(usual) else self.projects[0])


OWNER = Caller("owner")
"""Who has the server's own token or its socket."""
ANYONE = Caller("anyone")
"""Whoever asks a server that needs no token."""

CALLER = "octavo.caller"
"""Where the scope of an HTTP request has its caller."""

_CURRENT: ContextVar[Caller | None] = ContextVar("octavo_caller", default=None)


def caller_with(token: AccessToken) -> Caller:
    return Caller(token.name, token.scope, token.projects, rate=token.rate)


def current_caller() -> Caller | None:
    """None outside of a server over HTTP: the account itself is at work."""
    return _CURRENT.get()


@contextmanager
def acting_as(caller: Caller | None) -> Iterator[None]:
    token = _CURRENT.set(caller)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def authorise(operation: str, scope: AccessScope) -> None:
    """Raises where the caller may not do this. What it is about is not looked at before."""
    caller = current_caller()
    if caller is not None and not caller.may(scope):
        raise Forbidden(
            f"the token {caller.name} may {caller.scope.value}, and {operation} needs {scope.value}",
            hint="ask for a token with that scope",
            details={"scope": scope.value},
        )


def refuse_bound_caller(operation: str) -> None:
    """Raises where the caller's token is for some projects alone: this reaches beyond them."""
    caller = current_caller()
    if caller is not None and caller.projects:
        raise Forbidden(
            f"the token {caller.name} is for {', '.join(caller.projects)}, and {operation} reaches beyond",
            hint="ask for a token for all projects",
        )
