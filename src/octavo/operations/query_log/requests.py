"""Requests to list and to clear the log of queries."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field


class QueriesListRequest(Value):
    limit: Annotated[int, Field("How many at most.", ge=1, le=100_000, option="-n/--limit")] = 20


class QueriesClearRequest(Value):
    before: Annotated[
        str | None, Field("Only what was asked before: a date, or 30d, 2w.", max_length=100, metavar="WHEN")
    ] = None
