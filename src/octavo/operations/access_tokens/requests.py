"""Requests of the token operations: create with scope, projects, rate and days; list, revoke, audit."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.access_token import SCOPES, AccessScope
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types

TokenName = Annotated[
    str, Field("What the token is called.", min_length=1, max_length=100, pattern=r"^[\w.@-]+$", argument="NAME")
]
ProjectName = Annotated[str, Field(min_length=1, max_length=200)]


class TokensCreateRequest(Value):
    name: TokenName
    scope: Annotated[
        str,
        Field(
            "What it allows: read, write (memories and notes too) or admin (everything that is served).",
            choices=[scope.value for scope in SCOPES],
        ),
    ] = AccessScope.READ.value
    projects: Annotated[
        tuple[ProjectName, ...],
        Field("The projects it is for; all if none is named.", option="--for", metavar="PROJECT"),
    ] = ()
    rate: Annotated[int | None, Field("Requests a minute, of each server.", ge=1, le=1_000_000)] = None
    days: Annotated[int | None, Field("After how many days it ends.", ge=1, le=36_500)] = None


class TokensRevokeRequest(Value):
    name: TokenName


class TokensAuditRequest(Value):
    limit: Annotated[int, Field("How many at most.", ge=1, le=100_000, option="-n/--limit")] = 50
    who: Annotated[str | None, Field("Only writes with this token.", max_length=100)] = None


TokensListRequest = argument_types.NoArguments
