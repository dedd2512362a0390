"""Requests to list, retry and purge queued jobs."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.model.job import JobState
from octavo.operations.argument_types import TIME

STATES = [state.value for state in JobState]
ENDED = [JobState.DONE.value, JobState.DEAD.value]

StateName = Annotated[str, Field(choices=STATES)]
EndedState = Annotated[str, Field(choices=ENDED)]


class JobsListRequest(Value):
    states: Annotated[tuple[StateName, ...], Field("Only in these states.", max_length=4, option="--state")] = ()


class JobsRetryRequest(Value):
    numbers: Annotated[tuple[int, ...], Field("These jobs; else all that were given up.", argument="NUMBER")] = ()


class JobsPurgeRequest(Value):
    states: Annotated[
        tuple[EndedState, ...], Field("Which ended jobs; done ones if none is named.", max_length=2, option="--state")
    ] = ()
    before: Annotated[
        str | None, Field("Only what ended before: 2024-05-01, or an age such as 7d.", pattern=TIME, metavar="TIME")
    ] = None
