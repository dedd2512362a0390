"""Recall channels for exact names: a symbol by its name, a file by its path and line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import zip_longest

from octavo.algorithms.queries.code_query_parsing import Name, read_code_query
from octavo.algorithms.queries.prefix_expansion import beginning
from octavo.algorithms.queries.regex_literal_extraction import PartOfName
from octavo.algorithms.source_code.stack_traces_and_file_locations import FrameLocation
from octavo.fast_dataclass import dataclass
from octavo.model.document import Section
from octavo.model.ids import ChunkKey
from octavo.model.query import Filters, Terms
from octavo.model.search_result import Candidate, Ranking, ScoredChunk, best_first
from octavo.retrieval.stage import Search, SkipStage
from octavo.retrieval.stages.call_site_recall import uses_of
from octavo.retrieval.tie_breaking import by_place

_IN_CASE, _AMONG_OTHERS, _IN_ANOTHER_CASE, _AMONG_OTHERS_IN_ANOTHER_CASE = 1.0, 0.95, 0.8, 0.75
_ELSEWHERE = 0.5  # of a name whose outer parts are not around it
_MADE_UP = 0.8  # of a name that was written as words
_LATER = 0.9  # of a name or a place, for each one before it
_ENOUGH = 3  # characters that a name begins with
_FIRST_CHUNKS = 3
_SAME_NAME = 20  # files


@dataclass(frozen=True, slots=True)
class SymbolRecall:
    """Chunks that declare a symbol of the very name: `save_base`, `Model.save_base`, `saveBase()`; also "save base".

    A chunk of code has the names it declares for aliases, so this is a look-up of words in one field. The name in its
    own case counts most, and one that is not where the query says (`Model`) for half. Of a pattern (`get_[a-z]+_label`)
    the names that begin and end as it tells are found. The names inside a chunk are looked up in at most `looked_into`
    documents. Who asks for the uses of a name gets what calls it instead, where something does.
    """

    depth: int = 100
    looked_into: int = 12
    name: str = "symbols"

    def recall(self, search: Search) -> Ranking:
        read = read_code_query(search.query.text)
        if read.uses and (uses := uses_of(search, read.names[0].parts[-1], _Declarations(search, self.looked_into).of)):
            search.notes["uses"] = len(uses)
            return Ranking(self.name, by_place(search, best_first(uses)))
        return self.declaring(search, read.names, read.parts)

    def declaring(self, search: Search, names: Sequence[Name], parts: Sequence[PartOfName] = ()) -> Ranking:
        """The chunks that declare one of these names, or one that begins and ends as a part tells."""
        query, library = search.query, search.library
        wanted: dict[str, list[tuple[Name, float]]] = {}
        for number, name in enumerate(names):
            if tokens := library.text.query_tokens(name.parts[-1]):
                # The whole comes first, then its parts, which are not asked for.
                wanted.setdefault(tokens[0], []).append((name, _LATER**number))
        starts = [beginning(start) for start in beginnings(search, parts)]
        ended = [part.pieces[-1] for part in parts if not part.start]
        prefixes = tuple(dict.fromkeys(start.prefix for start in starts))
        stems = (stem for start in starts for stem in start.stems)
        words = tuple(
            dict.fromkeys((*wanted, *stems, *(token for piece in ended for token in library.text.query_tokens(piece))))
        )
        if not words and not prefixes:
            raise SkipStage("the query names no symbol")
        search.notes["names"] = [*(".".join(name.parts) for name in names), *map(str, parts)]
        terms = Terms(query.terms.text, words=words, prefixes=prefixes, excluded=query.terms.excluded)
        chunks = library.store.lexical.search(library.project, terms, query.filters, self.depth, ("aliases",))
        known = library.candidates([chunk.key for chunk in chunks])
        asked = [name for several in wanted.values() for name in several]
        inside = _Declarations(search, self.looked_into)
        scored = []
        # In the order found, so that only the best are looked into.
        for chunk in (known[each.key] for each in chunks if each.key in known):
            score = max((_likeness(name, chunk, inside) * weight for name, weight in asked), default=0.0)
            score = max((score, *(_told(part, chunk, inside) for part in parts)))
            if score > 0.0:
                scored.append(ScoredChunk(chunk.key, score))
        return Ranking(self.name, best_first(scored))


class _Declarations:
    """What chunks declare besides what they are called by, looked up in at most so many documents."""

    def __init__(self, search: Search, most: int) -> None:
        self._search = search
        self._left = most
        self._known: dict[str, Sequence[Section]] = {}

    def of(self, candidate: Candidate) -> Sequence[str]:
        sections = self._known.get(candidate.document_id)
        if sections is None:
            if self._left <= 0:
                return ()
            self._left -= 1
            library = self._search.library
            sections = library.store.documents.sections(library.project, candidate.document_id)
            self._known[candidate.document_id] = sections
        span = candidate.span
        return [section.title for section in sections if span.start <= section.span.start < span.end]


def _likeness(name: Name, candidate: Candidate, inside: _Declarations) -> float:
    path, name_end = candidate.heading_path, name.parts[-1]
    last = path[-1] if path else ""
    if last == name_end:
        likeness = _IN_CASE
    elif _squashed(last) == _squashed(name_end):
        likeness = _IN_ANOTHER_CASE
    else:
        # It holds the words; whether they are a name of their own or part of one, its declarations tell.
        others = inside.of(candidate)
        if name_end in others:
            likeness = _AMONG_OTHERS
        else:
            likeness = _AMONG_OTHERS_IN_ANOTHER_CASE if _squashed(name_end) in map(_squashed, others) else 0.0
    outer = name.parts[:-1]
    if outer:
        around = {part for title in path for part in title.split(".")} | {candidate.title.rsplit(".", 1)[0]}
        likeness *= 1.0 if outer[-1] in around else _ELSEWHERE
    return likeness if name.sure else likeness * _MADE_UP


def _told(part: PartOfName, candidate: Candidate, inside: _Declarations) -> float:
    """How far a chunk declares a name of which a pattern tells a part."""
    path = candidate.heading_path
    likeness = part.likeness(path[-1]) if path else 0.0
    if likeness == 1.0:
        return likeness
    return max((likeness, *(_AMONG_OTHERS * part.likeness(other) for other in inside.of(candidate))))


def beginnings(search: Search, parts: Iterable[PartOfName]) -> tuple[str, ...]:
    """What names begin with that a pattern tells in part, where that is enough to go by."""
    # `url_` begins url_for and no urls.
    starts = (part.start.lstrip("_$") for part in parts)
    tokens = (start.casefold() if "_" in start else search.library.text.prefix(start) for start in starts)
    return tuple(dict.fromkeys(start for start in tokens if len(start) >= _ENOUGH))


def _squashed(name: str) -> str:
    """Without case and the underscores between words: those around a name (`__init__`) are part of it."""
    bare = name.strip("_")
    return name.replace(bare, bare.replace("_", "")).casefold() if bare else name


@dataclass(frozen=True, slots=True)
class PlaceRecall:
    """Files that the query names, by as much of their path as it gives, and the chunk with the line.

    The places of a stack trace are asked for innermost first; those outside the library are passed over. Where the
    function that a frame names is elsewhere in the file than the line, which is of another version, it counts. What
    declares the kind of error comes behind the frames.
    """

    most: int = 8
    name: str = "places"

    def recall(self, search: Search) -> Ranking:
        read = read_code_query(search.query.text)
        if not read.places:
            raise SkipStage("the query names no file")
        found: dict[ChunkKey, float] = {}
        weight = 1.0
        named: list[str] = []
        functions = read.functions or ("",) * len(read.places)
        for place, function in zip(read.places, functions, strict=True):
            chunks = list(_at(search, place, function)) if len(named) < self.most else []
            if chunks:
                named.append(place.path if place.line is None else f"{place.path}:{place.line}")
                for key, share in chunks:
                    found[key] = max(found.get(key, 0.0), weight * share)
                weight *= _LATER
        for key in _declaring_error(search, read.raised):
            found.setdefault(key, weight)
        if not found:
            raise SkipStage("no file of this name is in the library")
        search.notes["places"] = named
        return Ranking(self.name, best_first(found.items()))


def _declaring_error(search: Search, raised: Name | None) -> Iterator[ChunkKey]:
    """What declares a kind of error best."""
    if raised is None:
        return
    with suppress(SkipStage):
        declaring = SymbolRecall().declaring(search, [raised]).scored
        yield from (chunk.key for chunk in declaring if chunk.score == declaring[0].score >= _ELSEWHERE)


def _at(search: Search, place: FrameLocation, function: str) -> Iterator[tuple[ChunkKey, float]]:
    """The chunks at a place: the one with the line, if that is of the function, else the first few of the file."""
    chunks = sorted(
        _chunks(search, place), key=lambda candidate: (candidate.uri, candidate.collection, candidate.span.start)
    )
    if not chunks:
        return
    if place.line is not None:
        at_line = list(_with_line(chunks, place.line))
        declared = list(_declaring(search, chunks, function)) if function else []
        of_function = [candidate for candidate in at_line if candidate in declared]
        if declared and not of_function:
            distance = partial(_distance, place.line)
            of_function = [min(declared, key=distance)]
        yield from ((candidate.key, 1.0) for candidate in of_function or at_line)
        return
    for number, candidate in enumerate(chunks[:_FIRST_CHUNKS]):
        yield candidate.key, 1.0 - 0.2 * number


def _with_line(chunks: Sequence[Candidate], line: int) -> Iterator[Candidate]:
    for candidate, after in zip_longest(chunks, chunks[1:]):
        # A line between two chunks is blank: what ends before it is nearest.
        next_line = (
            after.lines.first if after is not None and _same_document(candidate, after) else candidate.lines.last + 1
        )
        if candidate.lines.first <= line < max(next_line, candidate.lines.last + 1):
            yield candidate


def _declaring(search: Search, chunks: Sequence[Candidate], function: str) -> Iterator[Candidate]:
    """Those of a file's chunks that a function is in, or that it is declared in."""
    inside = _Declarations(search, _SAME_NAME)
    for candidate in chunks:
        if any(function in title.split(".") for title in candidate.heading_path) or function in inside.of(candidate):
            yield candidate


def _distance(line: int, candidate: Candidate) -> int:
    return max(candidate.lines.first - line, line - candidate.lines.last)


def _same_document(candidate: Candidate, other: Candidate) -> bool:
    return candidate.document_id == other.document_id


def _chunks(search: Search, place: FrameLocation) -> Sequence[Candidate]:
    library, filters = search.library, search.query.filters
    documents = library.store.documents
    uris = tuple(dict.fromkeys(_uris(search, place.path)))
    if not uris:
        return ()
    keys = documents.admitted(library.project, filters.narrowed_by(Filters(uris=uris)))
    return tuple(documents.candidates(library.project, keys).values())


def _uris(search: Search, path: str) -> Iterator[str]:
    """What a path may be in the library: the longest end of it that is a uri, else uris that end with it."""
    library = search.library
    parts = [part for part in path.split("/") if part and part != "."]
    for start in range(len(parts)):
        documents = library.store.documents.find(library.project, "/".join(parts[start:]))
        if documents:
            yield from (candidate.uri for candidate in documents)
            return
    tokens = library.text.query_tokens(parts[-1]) if parts else ()
    if not tokens:
        return
    terms = Terms(parts[-1], words=(tokens[0],))
    titled = library.store.lexical.search(library.project, terms, search.query.filters, 100, ("title",))
    known = library.store.documents.candidates(library.project, [chunk.key for chunk in titled])
    # Of a path with folders, one folder at least has to be the same: many files are called index.js.
    for start in range(max(1, len(parts) - 1)):
        end = "/".join(parts[start:])
        uris = sorted({candidate.uri for candidate in known.values() if candidate.uri.endswith(f"/{end}")})
        if uris:
            yield from uris[:_SAME_NAME]
            return
