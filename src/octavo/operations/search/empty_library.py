"""Refuses to search an empty library, and names the excluded files with their reasons."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.errors import NotIndexed
from octavo.model.result import Freshness
from octavo.operations.library.collections import collection_state
from octavo.operations.library.excluded_files import INSTALL_HINT, excluded_files_text, merged


def refuse_empty_library(engine: Engine, freshness: Freshness) -> None:
    """Says what stands in the way of a search; a folder that was read and held nothing gives an empty result."""
    unread = merged(
        group for collection in engine.collections() for group in collection_state(engine, collection).left_out or ()
    )
    if unread:
        extra = any(group.needs_extra for group in unread)
        raise NotIndexed(
            f"nothing could be read: {excluded_files_text(unread)}",
            hint=INSTALL_HINT if extra else "`octavo status --problems` gives the reason for each file",
        )
    if freshness.age_seconds is None:
        added = any(engine.collections())
        first = "" if added else "`octavo add FOLDER --name NAME`, then "
        raise NotIndexed("nothing is indexed yet", hint=f"run {first}`octavo index`")
