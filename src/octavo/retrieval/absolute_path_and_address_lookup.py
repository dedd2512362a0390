"""Resolves an absolute path, or a `file:` or `octavo:` address, to a collection and the path in it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from octavo.lazy_regex import regex
from octavo.model.projects_and_collections import Collection
from octavo.path_resolution_and_private_folders import real_path
from octavo.sql_repositories.project_of_open_library import ProjectLibrary

_ADDRESS = regex(r"octavo://(?P<project>[^/]*)/(?P<collection>[^/]*)/(?P<uri>.+)", re.DOTALL)
_FILE = regex(r"file:(?://(?:localhost)?)?(?P<path>/.+)", re.DOTALL)
_DRIVE = regex(r"/?(?P<path>[A-Za-z]:[\\/].*)", re.DOTALL)


def path_in_collection(collections: Iterable[Collection], path: str) -> tuple[Collection, str] | None:
    """The collection that an absolute path lies in, the innermost if several do, and the path from its folder on.

    What follows the file's name, such as `:10-20`, stays where it is.
    """
    if "\0" in path or not is_absolute(path):
        return None
    innermost = sorted((known for known in collections if known.on_disk), key=lambda known: -len(known.root.parts))
    for place in dict.fromkeys((Path(os.path.normpath(path)), real_path(Path(path)))):
        for collection in innermost:
            if place.is_relative_to(collection.root):
                inside = place.relative_to(collection.root).as_posix()
                return collection, "" if inside == "." else inside
    return None


def is_absolute(path: str) -> bool:
    return path.startswith("/") or (os.name == "nt" and bool(_DRIVE.match(path)))


def library_reference(library: ProjectLibrary, reference: str, collection: str | None) -> tuple[str, str | None]:
    """The reference as the library writes it, and the collection it is in where that is known.

    `/home/ann/src/shop/cart.py:3`, `file:///home/ann/src/shop/cart.py:3` and `octavo://default/shop/cart.py:3` are
    `cart.py:3` of the collection shop; `./cart.py` is `cart.py`.
    """
    address = _ADDRESS.fullmatch(reference)
    if address and unquote(address["project"]) == library.project.name:
        return unquote(address["uri"]), collection or unquote(address["collection"])
    written = _FILE.fullmatch(reference)
    path = unquote(written["path"]) if written else reference
    drive = _DRIVE.fullmatch(path)
    if inside := path_in_collection(library.collections(), drive["path"] if drive else path):
        return inside[1] or reference, collection or inside[0].name
    return reference.removeprefix("./"), collection
