"""Declares the operations on a whole library, for whoever runs it on its machine."""

from __future__ import annotations

from functools import partial

from octavo.operations.answer_table_rendering import Listing
from octavo.operations.operation import WRITES, Operation

_copies = partial(Operation, module="octavo.operations.database.copy_backup_and_restore")
_upkeep = partial(Operation, module="octavo.operations.database.upgrade_repair_and_prune", remote=False, watched=True)
_pruning = partial(Operation, module="octavo.operations.database.upgrade_repair_and_prune")

DATABASE = (
    _copies(
        name="db_backup",
        summary="Save the library to a file, while it is in use.",
        description="Save the library to a file.",
        listing=Listing(
            columns=("path", "bytes", "sha256"),
            path="path",
            confirms=True,
            shown=("Saved the library to {path} ({bytes:size}).",),
        ),
        examples=("octavo db backup saved.db",),
        example={"to": "saved.db"},
        remote=False,
    ),
    _upkeep(
        name="db_upgrade",
        summary="Bring the library up to this version of Octavo and to the configuration.",
        description="Index again what was indexed another way than the configuration says.",
        help=(
            "Schema, chunks, words and vectors. A file of an older schema is saved beside itself first; save a "
            "server's library with `pg_dump` before. Files that were indexed another way than the configuration says "
            "are indexed again; texts are embedded again only where the model changed."
        ),
        listing=Listing(columns=("differences", "promised", "saved"), confirms=True),
        examples=("octavo db upgrade",),
        annotations=WRITES,
    ),
    _pruning(
        name="db_prune",
        summary="Let earlier versions of documents go, with the texts and vectors nothing else needs.",
        description="Delete earlier versions by age, number or size.",
        help=(
            "What is current and what was remembered stays, whatever is asked. Without an option, what nothing refers "
            "to goes."
        ),
        listing=Listing(columns=("versions", "texts", "vectors", "bytes", "dry_run"), confirms=True),
        examples=("octavo db prune --older-than 30 --keep 5 --dry-run", "octavo db prune --cache"),
        example={"keep": 3, "dry_run": True},
        annotations=WRITES,
        remote=False,
    ),
    _upkeep(
        name="db_check",
        summary="Read the whole library and say what is wrong with it.",
        description="Read the whole library and compare its parts.",
        help=(
            "Compares spans, hashes and line numbers of chunks with the texts, the word index with the stored words, "
            "and checksums of vectors, words and snapshots. --quick looks at samples. Exit code 6 means that something "
            "is wrong; `octavo db repair` makes anew what can be computed again."
        ),
        listing=Listing(columns=("sound", "problems"), succeeds="sound"),
        examples=("octavo db check", "octavo db check --quick"),
    ),
    _upkeep(
        name="db_repair",
        summary="Make anew what can be computed again: words, vectors, chunks of files and memories, snapshots.",
        description="Make anew what can be computed again, and say what is lost.",
        help=(
            "Files are read again where they still are in their folders. Versions are never made up: where one is "
            "damaged, restore a backup. Exit code 6 means that something is still wrong."
        ),
        listing=Listing(columns=("found", "left"), succeeds="sound"),
        examples=("octavo db repair",),
        annotations=WRITES,
    ),
)
