"""Decides which files of a commit may be shown, and which changes on disk matter: what its collection indexes today.

The content of a file that is denied, ignored or not included stays out of every diff; its name stays in the commit.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from octavo.sources.denied_names import DENIED_NEXT_TO
from octavo.sources.ignore_rules import (
    GITIGNORE,
    OWN_IGNORE_FILES,
    FolderRules,
    IgnoreRules,
    ignore_file,
    root_rules,
)
from octavo.sources.secret_file_names import is_secret_name

IGNORED = "the collection does not index it"


class Withholding:
    """Asked for one path after another; the ignore files of each folder are read once."""

    def __init__(self, root: Path, rules: IgnoreRules) -> None:
        self._root = root
        self._folders: dict[str, FolderRules | None] = {"": self._with_ignore_files(root_rules(rules))}
        self._known: dict[str, str | None] = {}

    def reason(self, uri: str) -> str | None:
        """Why the content of a file is withheld; None when it is shown. `uri` starts at the collection's root."""
        if uri not in self._known:
            folder, _, name = uri.rpartition("/")
            rules = self._rules(folder)
            admitted = rules is not None and bool(name) and rules.admits(name)
            self._known[uri] = is_secret_name(uri) or (None if admitted else IGNORED)
        return self._known[uri]

    def matters(self, path: str) -> bool:
        """Whether a scan could find something at a path where something happened, or miss what was there."""
        folder, _, name = path.rpartition("/")
        rules = self._rules(folder)
        if rules is None or not name:
            return rules is not None
        place = self._root / path
        if place.is_file():
            return (rules.readable(name) and rules.admits(name)) or rules.left_out(name) is not None
        # What is gone may have been a folder.
        as_file = not place.is_dir() and rules.admits(name)
        return as_file or rules.enter(name, self._siblings(folder, name)) is not None

    def _rules(self, folder: str) -> FolderRules | None:
        if folder not in self._folders:
            above, _, name = folder.rpartition("/")
            rules = self._rules(above)
            inner = rules.enter(name, self._siblings(above, name)) if rules is not None and name else None
            self._folders[folder] = None if inner is None else self._with_ignore_files(inner)
        return self._folders[folder]

    def _siblings(self, folder: str, name: str) -> Collection[str]:
        if name not in DENIED_NEXT_TO:
            return ()
        try:
            return [path.name for path in (self._root / folder).iterdir()]
        except OSError:
            return ()

    def _with_ignore_files(self, rules: FolderRules) -> FolderRules:
        folder = self._root / rules.prefix
        gitignore, own = _lines(folder / GITIGNORE), b"\n".join(_lines(folder / name) for name in OWN_IGNORE_FILES)
        return rules.with_ignore_files(gitignore, own) if gitignore or own.strip() else rules


def _lines(path: Path) -> bytes:
    """Of an ignore file; none where there is none, which is so in most folders of an old commit."""
    try:
        return ignore_file(path)[0] or b""
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError:
        return b"*"  # a scan does not look into such a folder
