"""Ignore rules: which files and folders of a collection are indexed, decided name by name while walking down.

Strongest first: the collection's `ignore` globs, `.octavoignore` (innermost first; a `.edgecoderignore` beside it is
its first lines), hidden names and the built-in list, `.gitignore` (innermost first), and last the `include` globs,
outside of which nothing is indexed.
A hidden, built-in or git-ignored name is still indexed when an `include` glob contains it literally (`build/**`), and
then only what that glob matches; a `!` line in a `.octavoignore` does the same (`!build/`).
A wildcard is not literal: `**/*.md` does not open `node_modules`.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from octavo.bounded_file_reading import read_small
from octavo.fast_dataclass import dataclass, replace
from octavo.model.file_formats import MAILDIR_FOLDERS, ending
from octavo.sources.denied_names import DENIED_FOLDERS, DENIED_NEXT_TO, is_denied_file, is_silently_denied
from octavo.sources.gitignore_patterns import IgnorePattern, IgnorePatterns, from_globs, parse
from octavo.sources.secret_file_names import FOLDERS_OF_SECRETS, is_secret_name

_FORMER_JOURNAL = ".octavo-writes.journal"
GITIGNORE = ".gitignore"
OWN_IGNORE_FILES = (".edgecoderignore", ".octavoignore")
"""Octavo's own, and EdgeCoder's before it: lines of a later one go first."""
IGNORE_FILES = (GITIGNORE, *OWN_IGNORE_FILES)
_MOST_COSTLY = 1 << 18  # of one ignore file: patterns of that cost take about a second to compile on a slow machine
_WILDCARD_COST = 20  # that of a plain character is 1
_MOST_COSTLY_TOGETHER = 8 * _MOST_COSTLY

_TELLING = FOLDERS_OF_SECRETS.union(MAILDIR_FOLDERS)
_ANY_NAME = b"\x7f"  # a name that no pattern has literally: what matches it matches every name


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """Which files one collection indexes. `extensions` are lower case with their dot; "" means no extension.

    Files of `converted` extensions, which are among them, may be larger. `left_out` says why a name that nothing reads
    is left out.
    """

    extensions: frozenset[str]
    max_bytes: int
    include: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    converted: frozenset[str] = frozenset()
    max_converted_bytes: int = 0
    left_out: Callable[[str], str] | None = None

    def by_name(self) -> Callable[[str], FileName]:
        """What names say under these rules. Names repeat from folder to folder, so the latest are remembered."""

        @lru_cache(maxsize=4096)
        def by_name(name: str) -> FileName:
            extension = ending(name)
            # An image or an archive is among these only where somebody asked for what is in it.
            converted = extension in self.converted
            readable = extension in self.extensions
            denied = is_silently_denied(name) if converted else is_denied_file(name)
            secret = is_secret_name(name)
            return FileName(
                readable=readable,
                denied=denied,
                most_bytes=self.max_converted_bytes if converted else self.max_bytes,
                secret=secret,
                plain=readable and not denied and secret is None and name.isascii(),
            )

        return by_name


class FileName(NamedTuple):
    """What a file's name says by itself, wherever the file lies. `secret` is why it is assumed to contain secrets; a
    `plain` name is that of a file to index, unless a folder or a pattern says otherwise."""

    readable: bool
    denied: bool
    most_bytes: int
    secret: str | None
    plain: bool


@dataclass(frozen=True, slots=True)
class _IgnoreFile:
    depth: int  # how many bytes of a path lead to the folder that contains the file
    patterns: IgnorePatterns


class FolderRules(NamedTuple):
    """The rules in effect inside one folder. `prefix` is its path with a trailing slash, "" for the root.

    `accepts_all` means everything not ignored is indexed: there are no include globs, or one matched a folder above.
    `plain` means that a file's name alone says what it is: no folder above it has a say in it. `unpatterned` means
    that neither the collection nor an ignore file, here or above, has a pattern.
    """

    rules: IgnoreRules
    prefix: str
    ignore: IgnorePatterns
    include: IgnorePatterns
    accepts_all: bool
    by_name: Callable[[str], FileName]
    octavo: tuple[_IgnoreFile, ...] = ()
    git: tuple[_IgnoreFile, ...] = ()
    plain: bool = True
    unpatterned: bool = False

    def with_ignore_files(self, gitignore: bytes, octavoignore: bytes) -> FolderRules:
        depth = len(_bytes(self.prefix))
        octavo = (_IgnoreFile(depth, parse(octavoignore)), *self.octavo) if octavoignore else self.octavo
        git = (_IgnoreFile(depth, parse(gitignore)), *self.git) if gitignore else self.git
        return self._replace(octavo=octavo, git=git, unpatterned=self.unpatterned and not (octavo or git))

    def names_decide(self) -> bool:
        """Whether a file in this folder is indexed if its name is plain."""
        return self.unpatterned and self.accepts_all and self.plain

    def enter(self, name: str, siblings: Collection[str]) -> FolderRules | None:
        """The rules inside the sub-folder `name`, or None when it is ignored."""
        markers = DENIED_NEXT_TO.get(name)
        denied = name[0] == "." or name in DENIED_FOLDERS or (markers is not None and not markers.isdisjoint(siblings))
        include = self.include if self.unpatterned and not denied else self._judge(name, True, denied)
        if include is None:
            return None
        opened = include is not self.include
        path = self.prefix + name
        accepts_all = (self.accepts_all and not opened) or _includes(include, path, name, True)
        if not accepts_all and not any(line.may_match_below(path) for line in include):
            return None
        # A `.gitignore` above no longer counts in a folder that an include glob names.
        git = () if opened else self.git
        plain = self.plain and name.lower() not in _TELLING
        return FolderRules(
            self.rules,
            path + "/",
            self.ignore,
            include,
            accepts_all,
            self.by_name,
            self.octavo,
            git,
            plain,
            self.unpatterned,
        )

    def below(self, name: str) -> FolderRules:
        """The rules inside of `name`, a file that holds others and was chosen already."""
        return self._replace(prefix=f"{self.prefix}{name}/")

    def admits(self, name: str) -> bool:
        """Whether the rules leave a file of this name, in this folder, to whoever can read it."""
        return self._admits(name, self.by_name(name).denied)

    def left_out(self, name: str) -> str | None:
        """Why a file that nothing reads is left out; None for one that is ignored anyway."""
        if name == _FORMER_JOURNAL:
            return "pending writes as an earlier version kept them: nothing in a folder is replayed, so remove it"
        explain = self.rules.left_out
        if explain is None or not self._admits(name, is_silently_denied(name)):
            return None
        return explain(name)

    def _admits(self, name: str, denied: bool) -> bool:
        include = self._judge(name, False, denied)
        if include is None:
            return False
        return (self.accepts_all and include is self.include) or _includes(include, self.prefix + name, name, False)

    def hides_everything(self) -> bool:
        """Whether a line such as `skip/**` ignores all there is in this folder, which `skip/` would not even enter.

        Lines of the folder itself and lines about bare names do not count: they say which files it offers.
        """
        if not self.prefix:
            return False
        path, depth = _bytes(self.prefix) + _ANY_NAME, len(_bytes(self.prefix))
        decision = self.ignore.match_path(path)
        for file in (*self.octavo, *self.git):
            if decision is None and file.depth < depth:
                decision = file.patterns.match_path(path[file.depth :])
        return decision is not None and not decision.negated

    def readable(self, name: str) -> bool:
        """Whether any parser reads files of this name."""
        return self.by_name(name).readable if self.plain else ending(self.prefix + name) in self.rules.extensions

    def secret(self, name: str) -> str | None:
        """Why a file of this name, in this folder, is assumed to contain secrets; None for any other."""
        return self.by_name(name).secret if self.plain else is_secret_name(self.prefix + name)

    def _judge(self, name: str, is_folder: bool, denied: bool) -> IgnorePatterns | None:
        """None for a name that is ignored; otherwise the include globs that apply to it.

        Those are fewer than the folder's own when the name is indexed only because some of them contain it literally.
        """
        if self.ignore or self.octavo or self.git:
            path, last = _bytes(self.prefix + name), _bytes(name)
            decision = self.ignore.match(path, last, is_folder) or _first(self.octavo, path, last, is_folder)
            if decision is None:
                by_git = _first(self.git, path, last, is_folder)
                denied = denied or (by_git is not None and not by_git.negated)
            elif not decision.negated:
                return None
            elif decision.contains_literally(name):
                denied = False
        if not denied:
            return self.include
        naming = [line for line in self.include if line.contains_literally(name) and not line.negated]
        return IgnorePatterns(naming) if naming else None


def ignore_file(path: Path, spent: int = 0) -> tuple[bytes | None, int]:
    """The lines of an ignore file, None for a link, a pipe or a folder of that name; and what they and those before,
    which `spent` so much, cost to compile.

    `OSError` where there are too many: with some of them left out, what they hide would be read.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        return None, spent
    lines = read_small(path)
    cost = len(lines) + _WILDCARD_COST * sum(map(lines.count, (b"*", b"?", b"[")))
    if cost > _MOST_COSTLY or spent + cost > _MOST_COSTLY_TOGETHER:
        raise OSError(errno.EFBIG, f"its {path.name} has too many patterns")
    return lines, spent + cost


def member_reason(rules: IgnoreRules, uri: str, size: int) -> str | None:
    """Why a file inside of another is left out: None if it is read, empty if it is ignored.

    Include globs chose the file that holds it, and say nothing about what is in there.
    """
    *folders, name = uri.split("/")
    folder = root_rules(replace(rules, include=()))
    for above in folders:
        inner = folder.below(above) if ending(above) in rules.converted else folder.enter(above, ())
        if inner is None:
            return ""
        folder = inner
    secret = is_secret_name(uri)
    if secret is not None:
        return secret
    if not folder.readable(name):
        return folder.left_out(name) or ""
    if not folder.admits(name):
        return ""
    most = folder.by_name(name).most_bytes
    return f"too large: {size:,} bytes, the limit is {most:,}" if size > most else None


def root_rules(rules: IgnoreRules) -> FolderRules:
    """The rules at a collection's root."""
    include = from_globs(rules.include)
    ignore = from_globs(rules.ignore)
    return FolderRules(rules, "", ignore, include, not include, rules.by_name(), unpatterned=not ignore)


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _first(files: tuple[_IgnoreFile, ...], path: bytes, name: bytes, is_folder: bool) -> IgnorePattern | None:
    for file in files:
        pattern = file.patterns.match(path[file.depth :], name, is_folder)
        if pattern is not None:
            return pattern
    return None


def _includes(include: IgnorePatterns, path: str, name: str, is_folder: bool) -> bool:
    pattern = include.match(_bytes(path), _bytes(name), is_folder)
    return pattern is not None and not pattern.negated
