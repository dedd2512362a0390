"""Lexical search with BM25 over the boosted fields, from posting lists stored in tables.

PostgreSQL's own ranking considers neither the rarity of a word nor the length of a text. Here the posting lists of the
query's words are read and scored as FTS5 does, so that a query has the same answer on either engine.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.queries.spelling_suggestions import Vocabulary
from octavo.algorithms.ranking.bm25 import idf, saturated
from octavo.algorithms.ranking.vector_nearest_neighbors import reaching, top
from octavo.fast_dataclass import Value
from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalField, LexicalRow
from octavo.model.query import Filters, Terms
from octavo.model.search_result import ScoredChunk, scored_chunks
from octavo.sql_repositories.database_port import reserve, value
from octavo.sql_repositories.filter_parameters import filter_parameters
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo_postgres.database import PostgresDatabase
from octavo_postgres.pg_search import put_texts, stores_texts
from octavo_postgres.posting_lists import (
    BOOSTS,
    COMPACTED,
    LexicalRows,
    Positions,
    build_postings,
    compact,
    merged,
    phrase_positions,
    tokens_of,
)

_MIN_SIMILARITY = 0.1
_TIERS = ((0, 64), (64, 4_096))  # rows of a block: sixty-four blocks of one tier make one of the next
_MERGE_FACTOR = 64


class TermQuery(Value):
    """Words that must be adjacent; with `prefix`, the last is a prefix of a word."""

    tokens: tuple[str, ...]
    prefix: bool = False


class PostingsIndex:
    """Fits `ports.LexicalIndex`."""

    def __init__(self, database: PostgresDatabase, keys: KeyCache) -> None:
        self._database = database
        self._keys = keys
        self._guard = threading.Lock()
        self._rows: dict[int, LexicalRows] = {}

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None:
        self.put_rows(self._keys.project(project), rows)

    def put_rows(self, owner: int, rows: Sequence[tuple[int, LexicalRow]]) -> None:
        """As `put`, for a project given by its integer key."""
        row_of = dict(rows)
        self._database.run("lexical_rows_replaced", {"chunks": json.dumps([int(key) for key in row_of])})
        if not row_of:
            return
        start = reserve(self._database, "lexical_row", len(row_of))
        numbered = {start + offset: key for offset, key in enumerate(row_of)}
        positions, lengths = build_postings((number, row_of[key]) for number, key in numbered.items())
        self._database.run_many(
            "lexical_row_put",
            (
                {"key": number, "project": owner, "chunk": key, "length": lengths[number]}
                for number, key in numbered.items()
            ),
        )
        block = reserve(self._database, "lexical_block", 1)
        self._database.run_many(
            "lexical_postings_put",
            (
                {"project": owner, "term": term, "field": field, "block": block, "places": data}
                for (field, term), data in positions.items()
            ),
        )
        terms = json.dumps(sorted({term for _, term in positions}), ensure_ascii=False)
        self._database.run("lexical_terms_put", {"project": owner, "terms": terms})
        self._database.run("lexical_block_put", {"project": owner, "block": block, "rows": len(row_of)})
        self._merge_small_blocks(owner)
        if stores_texts(self._database):
            put_texts(self._database, owner, row_of.items())

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[ScoredChunk, ...]:
        owner = self._keys.project(project)
        required = [TermQuery(tokens) for phrase in terms.phrases if (tokens := _tokens(phrase))]
        # A required phrase counts as required and as optional: FTS5 reads it in both places.
        optional = [*_optional_terms(terms), *required, *required]
        if terms.empty or not optional or limit < 1:
            return ()
        excluded = [TermQuery(tokens) for phrase in terms.excluded if (tokens := _tokens(phrase))]
        with self._database.reading():
            rows = self._current(owner)
            positions = self._positions(owner, [*optional, *excluded])
            numbers = [LEXICAL_FIELDS.index(field) for field in fields] or list(range(len(LEXICAL_FIELDS)))
            scores, admitted = _scored(rows, positions, optional, required, numbers)
            for term in excluded:
                for field in range(len(LEXICAL_FIELDS)):
                    admitted[rows.at(_positions_of(positions, term, field))] = False
            if not filters.empty and admitted.any():
                admitted &= self._admitted(owner, filters, rows)
        return _top(rows, scores, admitted, limit)

    def containing(
        self, project: ProjectId, phrase: Sequence[str], *, prefix: bool = False, most: int | None = None
    ) -> Sequence[ChunkKey]:
        term = TermQuery(_tokens(phrase), prefix)
        if not term.tokens:
            return []
        owner = self._keys.project(project)
        with self._database.reading():
            rows, positions = self._current(owner), self._positions(owner, [term])
        matching = np.zeros(len(rows.keys), dtype=bool)
        for field in range(len(LEXICAL_FIELDS)):
            matching[rows.at(_positions_of(positions, term, field))] = True
        chunks = rows.chunks[np.flatnonzero(matching)]  # a chunk has one live row, and most ascend as rows do
        return [ChunkKey(key) for key in np.sort(chunks, kind="stable")[:most].tolist()]

    def starting(self, project: ProjectId, start: str) -> Sequence[str]:
        with self._database.reading():
            return sorted(self._completions(self._keys.project(project), start))

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        owner = self._keys.project(project)
        with self._database.reading():
            if self.containing(project, [token]):
                return [token][:limit]
            like = self._like(owner, token.replace("\0", " "), limit)
            rows, positions = self._current(owner), self._positions(owner, [TermQuery((word,)) for word in like])
        # A word stays in the vocabulary after the last chunk with it is deleted.
        return [word for word in like if any(len(rows.at(postings)) for postings in positions[word].values())]

    def compact(self) -> int:
        """Removes deleted rows from the posting lists if there are many; the number of rows removed."""
        return compact(self._database)

    def _like(self, project: int, token: str, limit: int) -> list[str]:
        if self._database.extensions.trigrams:
            self._database.set_local("similarity_at_least", {"share": _MIN_SIMILARITY})
            where = {"project": project, "token": token, "limit": limit}
            return [row[0] for row in self._database.rows("lexical_terms_like", where)]
        words = self._database.rows("lexical_terms_all", {"project": project})
        return Vocabulary(row[0] for row in words).similar(token, limit)

    def _current(self, project: int) -> LexicalRows:
        """The cached rows, updated by those added and deleted since."""
        generation = int(value(self._database, "generation"))
        with self._guard:
            known = self._rows.get(project, LexicalRows.none())
        writing = self._database.writing
        if known.generation == generation and not writing:
            return known
        # This read transaction began before the cached state; or deletions since then are no longer listed.
        if known.generation > generation or known.generation < int(self._database.counter(COMPACTED) or 0):
            known = LexicalRows.none()
        where = {"project": project, "after": known.newest, "generation": known.generation}
        rows = known.updated(generation, self._database.binary_rows("lexical_rows_since", where))
        if not writing:  # an open transaction may still be rolled back
            with self._guard:
                if self._rows.get(project, LexicalRows.none()).generation < generation:
                    self._rows[project] = rows
        return rows

    def _positions(self, project: int, queries: Sequence[TermQuery]) -> Positions:
        """The positions of every word in the query. Those of a prefix are those of all words with it."""
        prefixes = {term.tokens[-1] for term in queries if term.prefix}
        words = {token for term in queries for token in (term.tokens[:-1] if term.prefix else term.tokens)}
        completions = {prefix: self._completions(project, prefix) for prefix in prefixes}
        terms = sorted(words.union(*completions.values()))
        cache = self._database.read_cache  # several stages of a search ask for the same words
        if unread := [term for term in terms if (project, term) not in cache]:
            cache.update({(project, term): defaultdict(list) for term in unread})
            where = {"project": project, "terms": unread}
            for field, term, data in self._database.binary_rows("lexical_places", where):
                cache[project, term][field].append(data)
        parts = {word: [word] for word in words} | {f"{prefix}*": sorted(completions[prefix]) for prefix in prefixes}
        return {name: _merged([cache[project, term] for term in listed]) for name, listed in parts.items()}

    def _completions(self, project: int, prefix: str) -> frozenset[str]:
        rows = self._database.rows("lexical_terms_starting", {"project": project, "prefix": prefix})
        return frozenset(row[0] for row in rows)

    def _admitted(self, project: int, filters: Filters, rows: LexicalRows) -> NDArray[np.bool_]:
        where = {"project": project} | filter_parameters(filters, self._database, project)
        chunks = self._database.rows("chunks_admitted", where)
        return np.isin(rows.chunks, np.array([row[0] for row in chunks], dtype=np.int64))

    def _merge_small_blocks(self, project: int) -> None:
        for least, most in _TIERS:
            where = {"project": project, "least": least, "most": most}
            small = self._database.rows("lexical_blocks_small", where)
            if len(small) < _MERGE_FACTOR:
                continue
            into, blocks = small[-1][0], json.dumps([row[0] for row in small])
            self._database.run("lexical_blocks_join", {"project": project, "block": into, "blocks": blocks})
            self._database.run("lexical_blocks_remove", {"project": project, "blocks": blocks})
            self._database.run(
                "lexical_block_put", {"project": project, "block": into, "rows": sum(row[1] for row in small)}
            )


def _merged(words: Sequence[Mapping[int, list[bytes]]]) -> dict[int, NDArray[np.int64]]:
    """The positions of any of the words, by field."""
    fields = sorted({field for blocks in words for field in blocks})
    return {field: merged([data for blocks in words for data in blocks.get(field, ())]) for field in fields}


def _optional_terms(terms: Terms) -> Iterator[TermQuery]:
    for word in terms.words:
        if tokens := _tokens((word,)):
            yield TermQuery(tokens)
    for phrase in terms.preferred:
        if len(phrase) > 1 and (tokens := _tokens(phrase)):
            yield TermQuery(tokens)
    for prefix in terms.prefixes:
        if tokens := _tokens((prefix,)):
            yield TermQuery(tokens, prefix=True)


def _tokens(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(tokens_of(" ".join(words)))


def _positions_of(positions: Positions, term: TermQuery, field: int) -> NDArray[np.int64]:
    names = [*term.tokens[:-1], f"{term.tokens[-1]}*"] if term.prefix else term.tokens
    none = np.zeros(0, dtype=np.int64)
    words = [positions[name].get(field, none) for name in names]
    return phrase_positions(words) if all(len(word) for word in words) else none


def _scored(
    rows: LexicalRows,
    positions: Positions,
    optional: Sequence[TermQuery],
    required: Sequence[TermQuery],
    fields: Sequence[int],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """BM25 of every row, and a mask of the rows with any optional term and every required one.

    The frequency of a term is the sum of its occurrences, each times the boost of its field (see `algorithms.bm25`).
    """
    scores, matching = np.zeros(len(rows.keys)), np.zeros(len(rows.keys), dtype=bool)
    holding = []
    for term in optional:
        boosted = [(rows.at(_positions_of(positions, term, field)), BOOSTS[field]) for field in fields]
        rows_found, frequencies = _frequencies([(at, boost) for at, boost in boosted if len(at)])
        if len(rows_found):
            weight = idf(rows.count, len(rows_found))
            scores[rows_found] += weight * saturated(frequencies, rows.damping[rows_found])
            matching[rows_found] = True
        if term in required:
            holding.append(rows_found)
    for rows_found in holding:
        with_term = np.zeros(len(rows.keys), dtype=bool)
        with_term[rows_found] = True
        matching &= with_term
    return scores, matching


def _frequencies(found: Sequence[tuple[NDArray[np.int64], float]]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows of one term, ascending, and its frequency in each, weighted by the boosts of its fields."""
    matching: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    weights: NDArray[np.float64] = np.zeros(0)
    for at, boost in found:  # in each field rows ascend, once for each position
        starts = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
        field_rows, times = at[starts], np.diff(starts, append=len(at)).astype(np.float64) * boost
        if not len(matching):
            matching, weights = field_rows, times
            continue
        both = np.concatenate((matching, field_rows))
        order = np.argsort(both, kind="stable")  # two ascending arrays are merged, not sorted
        first = np.flatnonzero(np.diff(both[order], prepend=-1))
        matching, weights = both[order[first]], np.add.reduceat(np.concatenate((weights, times))[order], first)
    return matching, weights


def _top(
    rows: LexicalRows, scores: NDArray[np.float64], admitted: NDArray[np.bool_], limit: int
) -> tuple[ScoredChunk, ...]:
    at = np.flatnonzero(admitted)
    at = at[reaching(scores[at], limit)]
    chunks, best = top(rows.chunks[at], scores[at], limit)
    return scored_chunks(chunks.tolist(), best.tolist())
