"""A file on its way into a library: prepared, unpacked or failed; and the collection it comes from."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass
from octavo.model.document import Kind
from octavo.model.folder_scan import SeenFile
from octavo.model.ids import CollectionId, ProjectId
from octavo.model.prepared_document import PreparedDocument


@dataclass(frozen=True, slots=True)
class PreparationFailure:
    """A file that costs only itself, and why.

    `refused` is a decision (a binary file), not an accident. `passing` trouble is not the file's content's, so that
    the same file is tried again on the next run.
    """

    reason: str
    refused: bool = False
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A file that is nothing but others: a mailbox, an archive."""

    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """What became of one file: prepared, unpacked, or failed with a reason.

    `members` are the uris of all that was found in it, None for a file that cannot hold others. What is `inside` of
    another file has the stamp of that file.
    """

    file: SeenFile
    result: PreparedDocument | Unpacked | PreparationFailure
    members: tuple[str, ...] | None = None
    inside: bool = False

    @property
    def size(self) -> int:
        """Bytes on the disk: those of a file are counted once, whatever is inside of it."""
        return 0 if self.inside else self.file.stamp.size


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a batch of files belongs, and what the collection says about all of them."""

    project: ProjectId
    collection: CollectionId
    kind: Kind | None
    tags: tuple[str, ...]
    max_file_bytes: int
    max_document_bytes: int = 100_000_000
    """Of files that are converted, which are larger than their text."""
    allow_secrets: bool = False
    inputs: bool = True
    """Whether what is embedded is made with the rest; else whoever embeds makes it first."""
