"""Options of an indexing run: collections, uri prefix, re-reading, embedding, confirmed removals."""

from __future__ import annotations

from typing import NamedTuple


class IndexOptions(NamedTuple):
    """What a run of indexing looks at, and how far it goes.

    `names` are of collections, none meaning all. `reread` looks at every file, whatever its stamp says; `prefix`
    confines the run to uris that start so. Many full vectors are left to jobs, unless `wait_full`: fast ones stand in
    for them. With `confirm_removals`, files that are not there are gone even where their disk may not be mounted.
    """

    names: tuple[str, ...] = ()
    embed: bool = True
    reread: bool = False
    prefix: str = ""
    wait_full: bool = False
    confirm_removals: bool = False
