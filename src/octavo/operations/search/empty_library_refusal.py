"""Refuses to search an empty library, and names the excluded files with their reasons."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.errors import NotIndexed
from octavo.model.search_result import Freshness
from octavo.operations.library.collections import collection_state
from octavo.operations.library.excluded_file_counts import excluded_files_text, merged


def refuse_empty_library(engine: Engine, freshness: Freshness) -> None:
    """Says what stands in the way of a search; a folder that was read and held nothing gives an empty result."""
    unread = merged(
        group for collection in engine.collections() for group in collection_state(engine, collection).left_out or ()
    )
    if unread:
        raise NotIndexed(
            f"nothing could be read: {excluded_files_text(unread)}",
            hint=next(filter(None, (group.install_hint for group in unread)), None)
            or "`octavo status --problems` gives the reason for each file",
        )
    if engine.watched and engine.watcher.reads_first_time():
        raise NotIndexed("the folders are being read for the first time", hint="ask again in a few seconds")
    if freshness.age_seconds is None:
        added = any(collection.on_disk for collection in engine.collections())
        first = "" if added else "`octavo add FOLDER --name NAME`, then "
        raise NotIndexed("nothing is indexed yet", hint=f"run {first}`octavo index`")
