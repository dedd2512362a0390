"""`octavo lint`: notes checked; also as SARIF, which code scanning reads."""

from __future__ import annotations

from octavo.interfaces.cli.from_request import command
from octavo.operations.writing.requests import LintRequest


@command(LintRequest, "lint", action="lint:lint", formats=["sarif"])
def lint() -> None: ...
