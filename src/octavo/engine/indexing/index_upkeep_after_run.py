"""Compacts the store after a run, then publishes a due snapshot or has a database server build its indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.errors import LibraryError, StorageError
from octavo.observability.logs import logger

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary
    from octavo.observability.progress import Progress


def publish(library: OpenLibrary, progress: Progress) -> None:
    """Makes a snapshot if one is due. The old one answers until it is there."""
    try:
        library.store.compact()
        if (accelerator := library.active.accelerator) is not None:
            if not accelerator.is_up_to_date():
                accelerator.upkeep.publish_if_due(progress)
        else:
            # A server makes indexes of its own instead, where it has one to make.
            library.store.maintain(library.project.id, library.active.profile)
    except (StorageError, LibraryError) as error:
        # The library is whole and answers by itself: a full disk must not fail the run that filled it.
        logger("engine").warning("no snapshot was made: %s", error.message)
