"""Hits in papers, with what a bibliography near the file says of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from octavo.fast_dataclass import replace
from octavo.model.search_result import Hit, Publication
from octavo.plugins import OURS, REFERENCES, load


def with_works(roots: Mapping[str, Path], hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
    """The bibliography is asked when the hit is shown, so that a key that changed there is never shown as it was."""
    works: dict[tuple[str, str], Publication | None] = {}
    for hit in hits:
        uri, root = hit.citation.uri, roots.get(hit.collection)
        extension = PurePosixPath(uri).suffix[1:].lower()
        if root is not None and extension in OURS[REFERENCES] and (hit.collection, uri) not in works:
            work_of = load(REFERENCES, extension)
            works[hit.collection, uri] = work_of(root / uri, root, hit.citation.position.doi)
    return tuple(replace(hit, work=works.get((hit.collection, hit.citation.uri))) for hit in hits)
