"""Requests to back up, upgrade, prune, check and repair a whole library."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types


class DbBackupRequest(Value):
    to: Annotated[argument_types.Place, Field("The file to write.", argument="FILE")]
    force: Annotated[bool, Field("Replace a file of that name.")] = False


class DbUpgradeRequest(Value):
    background: Annotated[bool, Field("Leave new vectors to `octavo worker`.")] = False
    rebuild: Annotated[bool, Field("Read every file again, whatever its recipe.")] = False


class DbPruneRequest(Value):
    older_than: Annotated[
        float | None, Field("Versions that were replaced so many days ago.", ge=0, metavar="DAYS")
    ] = None
    keep: Annotated[int | None, Field("All but so many earlier versions of a document.", ge=0)] = None
    max_bytes: Annotated[int | None, Field("The oldest, until earlier texts take no more.", ge=0)] = None
    cache: Annotated[bool, Field("Also what language models answered and rerankers scored.")] = False
    dry_run: Annotated[bool, Field("Only say what would go.")] = False


class DbCheckRequest(Value):
    quick: Annotated[bool, Field("Look at samples of every part only.")] = False
    full: Annotated[bool, Field("Read and compare everything, as without an option.")] = False


DbRepairRequest = argument_types.NoArguments
