"""Adds to hits in papers and fetched pages the publication that a bibliography near them records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from octavo.fast_dataclass import replace
from octavo.model.file_formats import FETCHED_PAGES
from octavo.model.search_result import Hit, Publication
from octavo.plugins import OURS, REFERENCES, load

_TEXT = ("md", "txt")  # which says nothing of where it is from


def with_works(roots: Mapping[str, Path], hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """The bibliography is asked when the hit is shown, so that a key that changed there is never shown as it was."""
    works: dict[tuple[str, str], Publication | None] = {}
    for hit in hits:
        uri, root = hit.citation.uri, roots.get(hit.collection)
        extension = PurePosixPath(uri).suffix[1:].lower()
        if root is None or (hit.collection, uri) in works:
            continue
        fetched = extension in _TEXT and (root / uri).with_name(FETCHED_PAGES).exists()
        if fetched or extension in OURS[REFERENCES]:
            work_of = load(REFERENCES, "pdf" if fetched else extension)
            works[hit.collection, uri] = work_of(root / uri, root, hit.citation.position.doi)
    return tuple(replace(hit, work=works.get((hit.collection, hit.citation.uri))) for hit in hits)
