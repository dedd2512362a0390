"""Which document a reference means, among those that have the name it asks for.

As Obsidian does it: the whole path if one fits, else the shortest path that ends so, those at or below the folder of
the source before others. Case and the way accents were typed matter only where both spellings exist. A document's own
file name goes before its aliases, these before the addresses it is published at, and all before names it had once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from recto.graph.names import ROOT, folded
from recto.model.graph import Candidate, Lookup, NameKind, Reference
from recto.model.ids import CollectionId

_RANKS = (
    frozenset({NameKind.FILE, NameKind.PATH}),
    frozenset({NameKind.MODULE}),
    frozenset({NameKind.FOLDER}),
    frozenset({NameKind.ALIAS}),
    frozenset({NameKind.SLUG}),
    frozenset({NameKind.FORMER}),
)
_LABELS = (frozenset({NameKind.LABEL}),)
_MODULES = (frozenset({NameKind.MODULE, NameKind.FOLDER}), frozenset({NameKind.FORMER}))
_ROOTS = ("", "src/", "lib/", "app/", "source/", "python/")
_ELSEWHERE = frozenset({Lookup.WIKI, Lookup.CHANGED, Lookup.PACKAGE})
"""References that may mean a document of another collection; a path in Markdown or an import stays at home."""


@dataclass(slots=True)
class _Shelf:
    """Candidates of one name, rank and collection, so kept that no reference has to look at all of them."""

    exact: dict[str, list[Candidate]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    endings: dict[str, Candidate] = field(default_factory=dict)
    """For every end of a path, from a slash on, the best candidate that has it."""

    def add(self, candidates: Iterable[Candidate]) -> None:
        for one in sorted(candidates, key=_shortest):
            path = folded(one.path)
            self.exact.setdefault(path, []).append(one)
            for ending in _endings(path):
                self.endings.setdefault(ending, one)
        self.paths = sorted(self.exact)

    def at(self, path: str) -> Candidate | None:
        """Exactly there; of several that differ in case alone, the one that is written the same."""
        found = self.exact.get(folded(path))
        return next((one for one in found if one.path == path), found[0]) if found else None

    def below(self, scope: str, path: str) -> Candidate | None:
        """The shortest path at or below a folder that ends so."""
        wanted = folded(path)
        if not scope or wanted not in self.endings:
            return None
        if direct := self.at(f"{scope}/{path}"):
            return direct
        inside = folded(scope) + "/"
        best: Candidate | None = None
        for at in range(bisect_left(self.paths, inside), len(self.paths)):
            here = self.paths[at]
            if not here.startswith(inside):
                break
            if here == wanted or here.endswith("/" + wanted):
                for one in self.exact[here]:
                    best = one if best is None else min(best, one, key=_shortest)
        return best

    def ending(self, path: str) -> Candidate | None:
        return self.endings.get(folded(path))


class Resolver:
    """Answers references from the candidates there are for their names."""

    def __init__(self, candidates: Iterable[tuple[str, Candidate]]) -> None:
        self._by_name: dict[str, dict[NameKind, list[Candidate]]] = {}
        for name, candidate in candidates:
            self._by_name.setdefault(name, {}).setdefault(candidate.kind, []).append(candidate)
        self._shelves: dict[tuple[str, frozenset[NameKind], CollectionId | None], _Shelf] = {}

    def resolve(self, reference: Reference, home: CollectionId) -> int | None:
        kinds = self._by_name.get(reference.name)
        if kinds is None:
            return None
        lookup = reference.lookup
        ranks: tuple[frozenset[NameKind], ...] = _RANKS
        if lookup is Lookup.MODULE or lookup is Lookup.PACKAGE:
            ranks = _MODULES
        elif lookup is Lookup.LABEL:
            ranks = _LABELS
        for place in (home, None) if lookup in _ELSEWHERE else (home,):
            for rank in ranks:
                if not rank.isdisjoint(kinds):
                    found = _found(self._shelf(reference.name, rank, place), reference, rank)
                    if found is not None:
                        return found.document
        return None

    def _shelf(self, name: str, rank: frozenset[NameKind], place: CollectionId | None) -> _Shelf:
        key = (name, rank, place)
        shelf = self._shelves.get(key)
        if shelf is None:
            shelf = self._shelves[key] = _Shelf()
            kinds = self._by_name[name]
            held = (one for kind in sorted(rank) if kind in kinds for one in kinds[kind])
            shelf.add(one for one in held if place in (None, one.collection))
        return shelf


def _found(shelf: _Shelf, reference: Reference, rank: frozenset[NameKind]) -> Candidate | None:
    path, scope = reference.path, reference.scope
    match reference.lookup:
        case Lookup.PATH | Lookup.SOURCE | Lookup.LABEL:
            return shelf.at(path)
        case Lookup.CHANGED:
            return shelf.at(path) or (shelf.at(f"{scope}/{path}") if scope else None) or shelf.ending(path)
        case Lookup.MODULE:
            return _module(shelf, path, scope)
        case Lookup.PACKAGE:
            return next((one for ending in _endings(folded(path)) if (one := shelf.at(ending))), None)
        case Lookup.MARKDOWN | Lookup.INCLUDE if not scope.startswith(ROOT):
            if beside := shelf.at(f"{scope}/{path}" if scope else path):
                return beside
    if NameKind.SLUG in rank:
        # A site's own address is longer than what the page says of itself: /en-US/docs/ in front, as a rule.
        return next((one for ending in _endings(folded(path)) if (one := shelf.at(ending))), None)
    if scope.startswith(ROOT):
        # The site may be a folder of what is indexed (docs/), so that its top lies above the source and below ours; or
        # what is indexed may be a folder of the site, so that its top lies above.
        tops = _tops(scope.removeprefix(ROOT)) if folded(path) in shelf.endings else ()
        below = (f"{top}/{path}" for top in tops)
        long_ones = (one for one in _endings(path) if "/" in one and one != path)
        return next((found for one in (path, *below, *long_ones) if (found := shelf.at(one))), None)
    return shelf.at(path) or shelf.below(scope, path) or shelf.ending(path)


def _module(shelf: _Shelf, path: str, scope: str) -> Candidate | None:
    """Beside the source, in a folder above it, at a root; by the end of its path only if that has two parts."""
    above: str | None = scope
    while above is not None:
        if found := shelf.at(f"{above}/{path}" if above else path):
            return found
        above = above.rpartition("/")[0] if above else None
    for root in _ROOTS:
        if found := shelf.at(root + path):
            return found
    return shelf.below(scope, path) or shelf.ending(path) if "/" in path else None


def _endings(path: str) -> Iterator[str]:
    """A path and what is left of it when its folders are taken off one by one."""
    while True:
        yield path
        _, slash, path = path.partition("/")
        if not slash:
            return


def _tops(folder: str) -> Iterator[str]:
    """A folder and those above it, the outermost first."""
    parts = folder.split("/") if folder else []
    yield from ("/".join(parts[: at + 1]) for at in range(len(parts)))


def _shortest(one: Candidate) -> tuple[int, bool, int, str, str, CollectionId]:
    """Shorter paths first; then, where several files stand for one folder, the one that is named like it."""
    uri = one.uri
    stem = uri.rpartition("/")[2].partition(".")[0]
    return len(one.path), stem != one.path.rpartition("/")[2], len(uri), one.path, uri, one.collection
