"""For a scan of some paths only: the tree of names to visit, and a test whether a uri lies at or below one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

PathTree = dict[str, "PathTree"] | None
"""The names to visit in a folder, each with the names to visit below it; None is everything."""


def path_tree(paths: Iterable[str]) -> PathTree:
    """The names to visit, folder by folder; None where everything is visited."""
    tree: dict[str, PathTree] = {}
    for path in sorted(paths):
        if not path:
            return None
        branch = tree
        *above, last = path.split("/")
        for name in above:
            inner = branch.setdefault(name, {})
            if inner is None:
                break
            branch = inner
        else:
            branch[last] = None
    return tree


def within(paths: Iterable[str]) -> Callable[[str], bool]:
    """Whether a uri is one of the paths or lies below one."""
    known = frozenset(paths)

    def is_within(uri: str) -> bool:
        while uri:
            if uri in known:
                return True
            uri = uri.rpartition("/")[0]
        return "" in known

    return is_within
