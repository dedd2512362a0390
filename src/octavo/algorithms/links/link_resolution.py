"""Which document a reference means, among those that have the name it asks for.

As Obsidian does it: the whole path if one fits, else the shortest path that ends so, those at or below the folder of
the source before others. Case and the way accents were typed matter only where both spellings exist. A document's own
file name goes before its aliases, these before a file of code without its ending and the page of a folder, and last
come the addresses a page is published at. The names it had before it moved resolve nothing: a folder that is indexed
anew has the same links as one whose changes were followed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import field

from octavo.algorithms.links.document_link_names import ROOT
from octavo.algorithms.text.document_name_normalisation import folded
from octavo.fast_dataclass import dataclass
from octavo.model.ids import CollectionId
from octavo.model.link_graph import Lookup, NameKind, NameMatch, Reference

_Rank = frozenset[NameKind]

_RANKS: tuple[_Rank, ...] = (
    frozenset({NameKind.FILE, NameKind.PATH}),
    frozenset({NameKind.ALIAS}),
    frozenset({NameKind.MODULE}),
    frozenset({NameKind.FOLDER}),
    frozenset({NameKind.SLUG}),
)
_LABELS: tuple[_Rank, ...] = (frozenset({NameKind.LABEL}),)
_MODULES: tuple[_Rank, ...] = (frozenset({NameKind.MODULE, NameKind.FOLDER}),)
_RANKS_OF = {Lookup.MODULE: _MODULES, Lookup.PACKAGE: _MODULES, Lookup.LABEL: _LABELS}
_ROOTS = ("", "src/", "lib/", "app/", "source/", "python/")
_EXACT = frozenset({Lookup.PATH, Lookup.SOURCE, Lookup.LABEL})
_BESIDE = frozenset({Lookup.MARKDOWN, Lookup.INCLUDE})
_ELSEWHERE = frozenset({Lookup.WIKI, Lookup.CHANGED, Lookup.PACKAGE})
"""References that may mean a document of another collection; a path in Markdown or an import stays at home."""


@dataclass(slots=True)
class _Shelf:
    """Candidates of one name, rank and collection, so kept that no reference has to look at all of them."""

    exact: dict[str, list[NameMatch]] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    endings: dict[str, NameMatch] = field(default_factory=dict)
    """For every end of a path, from a slash on, the best candidate that has it."""
    addresses: dict[str, NameMatch | None] = field(default_factory=dict)
    long_ends: dict[str, NameMatch | None] = field(default_factory=dict)
    """What was answered before, from whatever folder it was asked: a site's pages are pointed at from many."""

    def add(self, candidates: Iterable[NameMatch]) -> None:
        for match in sorted(candidates, key=_shortest):
            path = folded(match.path)
            self.exact.setdefault(path, []).append(match)
            for ending in _endings(path):
                self.endings.setdefault(ending, match)
        self.paths = sorted(self.exact)

    def at(self, path: str) -> NameMatch | None:
        """Exactly there; of several that differ in case alone, the one that is written the same."""
        matches = self.exact.get(folded(path))
        return next((match for match in matches if match.path == path), matches[0]) if matches else None

    def below(self, scope: str, path: str) -> NameMatch | None:
        """The shortest path at or below a folder that ends so."""
        folder = folded(path)
        if not scope or folder not in self.endings:
            return None
        if direct := self.at(f"{scope}/{path}"):
            return direct
        inside = folded(scope) + "/"
        best: NameMatch | None = None
        for at in range(bisect_left(self.paths, inside), len(self.paths)):
            here = self.paths[at]
            if not here.startswith(inside):
                break
            if here == folder or here.endswith("/" + folder):
                for match in self.exact[here]:
                    best = match if best is None else min(best, match, key=_shortest)
        return best

    def ending(self, path: str) -> NameMatch | None:
        return self.endings.get(folded(path))

    def address(self, path: str) -> NameMatch | None:
        """The longest end of a path that somebody is at."""
        if path not in self.addresses:
            endings = _endings(folded(path))
            self.addresses[path] = next((match for ending in endings if (match := self.at(ending))), None)
        return self.addresses[path]

    def long_end(self, path: str) -> NameMatch | None:
        """The same, of ends with a folder in them, without the path itself."""
        if path not in self.long_ends:
            endings = (ending for ending in _endings(path) if "/" in ending and ending != path)
            self.long_ends[path] = next((match for ending in endings if (match := self.at(ending))), None)
        return self.long_ends[path]


class Resolver:
    """Answers references from the candidates there are for their names."""

    def __init__(self, candidates: Iterable[tuple[str, NameMatch]]) -> None:
        self._by_name: dict[str, dict[NameKind, list[NameMatch]]] = {}
        for name, candidate in candidates:
            self._by_name.setdefault(name, {}).setdefault(candidate.kind, []).append(candidate)
        self._shelves: dict[tuple[str, tuple[_Rank, ...], CollectionId | None], list[tuple[_Shelf, bool]]] = {}

    def resolve(self, reference: Reference, home: CollectionId) -> int | None:
        kinds = self._by_name.get(reference.name)
        if kinds is None:
            return None
        lookup = reference.lookup
        for place in (home, None) if lookup in _ELSEWHERE else (home,):
            for shelf, published in self._shelves_of(reference.name, _RANKS_OF.get(lookup, _RANKS), place):
                match = _found(shelf, reference, published)
                if match is not None:
                    return match.document
        return None

    def _shelves_of(self, name: str, ranks: tuple[_Rank, ...], place: CollectionId | None) -> list[tuple[_Shelf, bool]]:
        """The best rank first, each with whether it is of addresses."""
        key = (name, ranks, place)
        shelves = self._shelves.get(key)
        if shelves is None:
            shelves = self._shelves[key] = []
            kinds = self._by_name[name]
            for rank in ranks:
                if not rank.isdisjoint(kinds):
                    matches = (match for kind in sorted(rank) if kind in kinds for match in kinds[kind])
                    shelf = _Shelf()
                    shelf.add(match for match in matches if place in (None, match.collection))
                    shelves.append((shelf, NameKind.SLUG in rank))
        return shelves


def _found(shelf: _Shelf, reference: Reference, published: bool) -> NameMatch | None:
    lookup, scope, path, _ = reference
    if lookup in _EXACT:
        return shelf.at(path)
    from_top = scope.startswith(ROOT)
    if lookup in _BESIDE:
        if not from_top and (sibling := shelf.at(f"{scope}/{path}" if scope else path)):
            return sibling
    elif lookup is Lookup.CHANGED:
        return shelf.at(path) or (shelf.at(f"{scope}/{path}") if scope else None) or shelf.ending(path)
    elif lookup is Lookup.MODULE:
        return _module(shelf, path, scope)
    elif lookup is Lookup.PACKAGE:
        return shelf.address(path)
    if published:
        # A site's own address is longer than what the page says of itself: /en-US/docs/ in front, as a rule.
        return shelf.address(path)
    if from_top:
        # The site may be a folder of what is indexed (docs/), so that its top lies above the source and below ours; or
        # what is indexed may be a folder of the site, so that its top lies above.
        tops = _tops(scope.removeprefix(ROOT)) if folded(path) in shelf.endings else ()
        inside = (path, *(f"{top}/{path}" for top in tops))
        return next((match for name in inside if (match := shelf.at(name))), None) or shelf.long_end(path)
    return shelf.at(path) or shelf.below(scope, path) or shelf.ending(path)


def _module(shelf: _Shelf, path: str, scope: str) -> NameMatch | None:
    """Beside the source, in a folder above it, at a root; by the end of its path only if that has two parts."""
    above: str | None = scope
    while above is not None:
        if match := shelf.at(f"{above}/{path}" if above else path):
            return match
        above = above.rpartition("/")[0] if above else None
    for root in _ROOTS:
        if match := shelf.at(root + path):
            return match
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


def _shortest(match: NameMatch) -> tuple[int, bool, int, str, str, CollectionId]:
    """Shorter paths first; then, where several files stand for one folder, the one that is named like it."""
    uri = match.uri
    stem = uri.rpartition("/")[2].partition(".")[0]
    return len(match.path), stem != match.path.rpartition("/")[2], len(uri), match.path, uri, match.collection
