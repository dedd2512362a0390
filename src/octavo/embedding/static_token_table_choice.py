"""Finds the static token table that embeds for an encoder until the encoder's own vectors exist."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from octavo.embedding.bundled_embedder import FAST_DIRECTORY, bundled_fast_embedder
from octavo.embedding.installed_models import models_folder, table_for
from octavo.embedding.static_token_embedder import StaticEmbedder
from octavo.ports import Embedder


def fast_tier(embedder: Embedder) -> Embedder | None:
    """The table in this embedder's space, where there is one."""
    folder = table_folder(embedder.profile.revision)
    return None if folder is None else opened(folder)


def table_folder(revision: str) -> Path | None:
    """Of the tables in the space of an encoder the newest that was made here, or else the one that ships with it."""
    made = table_for(models_folder(), revision)
    if made is not None:
        return made
    return FAST_DIRECTORY if opened(FAST_DIRECTORY).space == revision else None


@cache
def opened(folder: Path) -> StaticEmbedder:
    """One for each folder: it holds the table in memory, and remembers words."""
    return bundled_fast_embedder() if folder == FAST_DIRECTORY else StaticEmbedder(folder)
