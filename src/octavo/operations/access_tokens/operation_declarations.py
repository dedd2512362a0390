"""Declares the operations on tokens: by the account itself, never by a client of a server."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import WRITES, Operation

_tokens = partial(Operation, module="octavo.operations.access_tokens.create_revoke_and_audit", remote=False)

TOKENS = (
    _tokens(
        name="tokens_create",
        summary="Make a token for a person or a program.",
        description="A token that servers of this library take. It is told once: only its hash is kept.",
        listing=Listing(columns=("name", "token", "scope", "projects", "rate", "expires_at"), exact="token"),
        examples=("octavo tokens create ci --scope write --rate 120",),
        example={"name": "ci"},
        annotations=WRITES,
    ),
    _tokens(
        name="tokens_list",
        summary="List the tokens of the library and what they allow.",
        description="Every token with its scope, its projects and whether it holds.",
        listing=Listing(
            rows="tokens",
            columns=("name", "scope", "projects", "rate", "state", "created_at", "expires_at"),
            shown=("{name}|title", "{scope}", "{projects}", "{state}|state", "{created_at:time}|dim"),
            empty="No tokens. `octavo tokens create NAME` makes one.",
        ),
        examples=("octavo tokens list",),
    ),
    _tokens(
        name="tokens_revoke",
        summary="End a token.",
        description="Servers refuse the token from then on, after five seconds at the latest.",
        listing=Listing(columns=("name",), confirms=True, shown=("Revoked {name}.",)),
        example=None,
        examples=("octavo tokens revoke laptop",),
        annotations=WRITES,
    ),
    _tokens(
        name="tokens_audit",
        summary="List what was changed over HTTP, by whom, newest first.",
        description="Every write over HTTP: when, by which token, which operation, and how it ended.",
        listing=Listing(
            rows="writes",
            columns=("at", "who", "operation", "project", "outcome"),
            empty="Nothing was changed over HTTP yet.",
        ),
        examples=("octavo tokens audit -n 20",),
        example={"limit": 20},
    ),
)
