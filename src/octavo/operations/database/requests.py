"""What is asked of a whole library."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field


@dataclass(frozen=True, slots=True)
class DbBackupRequest:
    to: Annotated[str, Field(min_length=1, max_length=4_096, argument="FILE", description="The file to write.")]
    force: Annotated[bool, Field(description="Replace a file of that name.")] = False


@dataclass(frozen=True, slots=True)
class DbUpgradeRequest:
    background: Annotated[bool, Field(description="Leave new vectors to `octavo worker`.")] = False
    rebuild: Annotated[bool, Field(description="Read every file again, whatever its recipe.")] = False


@dataclass(frozen=True, slots=True)
class DbPruneRequest:
    """Without a condition, only what nothing refers to goes."""

    older_than: (
        Annotated[float, Field(ge=0, metavar="DAYS", description="Versions that were replaced so many days ago.")]
        | None
    ) = None
    keep: Annotated[int, Field(ge=0, description="All but so many earlier versions of a document.")] | None = None
    max_bytes: Annotated[int, Field(ge=0, description="The oldest, until earlier texts take no more.")] | None = None
    cache: Annotated[bool, Field(description="Also what language models answered and rerankers scored.")] = False
    dry_run: Annotated[bool, Field(description="Only say what would go.")] = False


@dataclass(frozen=True, slots=True)
class DbCheckRequest:
    quick: Annotated[bool, Field(description="Look at samples of every part only.")] = False
    full: Annotated[bool, Field(description="Read and compare everything, as without an option.")] = False


@dataclass(frozen=True, slots=True)
class DbRepairRequest:
    pass
