"""Words → chunks by BM25 over the boosted fields, from postings kept in tables.

PostgreSQL's own ranking knows neither how rare a word is nor how long a text is. Here the postings of a query's words
are read, and the score is FTS5's, number for number: the same question has the same answer on either engine.
"""

from __future__ import annotations

import json
import math
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recto.model.ids import ChunkKey, ProjectId
from recto.model.index import LEXICAL_FIELDS, LexicalField, LexicalRow
from recto.model.query import Filters, Terms
from recto.model.result import Scored
from recto.stores.postgres.bm25 import keeps_texts, put_texts
from recto.stores.postgres.compaction import FORGOTTEN, compact
from recto.stores.postgres.database import PostgresDatabase
from recto.stores.postgres.postings import BOOSTS, Places, Rows, gather, phrase_places, together, tokens_of
from recto.stores.shared.database import reserve, value
from recto.stores.shared.filters import filter_parameters
from recto.stores.shared.projects import Keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_K1, _B = 1.2, 0.75
_LEAST_IDF = 1e-6  # of a word that more than half of the rows hold, as in FTS5
_LEAST_LIKENESS = 0.1
_TIERS = ((0, 64), (64, 4_096))  # rows of a block: sixty-four blocks of one size make one of the next
_JOINED_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Sought:
    """Words that stand next to each other; of the last, any that begins so, if `begins`."""

    tokens: tuple[str, ...]
    begins: bool = False


class PostingsIndex:
    """Fits `ports.LexicalIndex`."""

    def __init__(self, database: PostgresDatabase, keys: Keys) -> None:
        self._database = database
        self._keys = keys
        self._guard = threading.Lock()
        self._rows: dict[int, Rows] = {}

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None:
        self.put_rows(self._keys.project(project), rows)

    def put_rows(self, owner: int, rows: Sequence[tuple[int, LexicalRow]]) -> None:
        """The same for a project by its own key."""
        last = dict(rows)
        self._database.run("lexical_rows_replaced", {"chunks": json.dumps([int(key) for key in last])})
        if not last:
            return
        start = reserve(self._database, "lexical_row", len(last))
        numbered = {start + place: key for place, key in enumerate(last)}
        places, lengths = gather((number, last[key]) for number, key in numbered.items())
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
                {"project": owner, "term": term, "field": field, "block": block, "places": held}
                for (field, term), held in places.items()
            ),
        )
        terms = json.dumps(sorted({term for _, term in places}), ensure_ascii=False)
        self._database.run("lexical_terms_put", {"project": owner, "terms": terms})
        self._database.run("lexical_block_put", {"project": owner, "block": block, "rows": len(last)})
        self._join_small_blocks(owner)
        if keeps_texts(self._database):
            put_texts(self._database, owner, last.items())

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[Scored, ...]:
        owner = self._keys.project(project)
        demanded = [Sought(tokens) for phrase in terms.phrases if (tokens := _tokens(phrase))]
        # What is demanded counts as a demand and as something that may be there: FTS5 reads it in both places.
        anything = [*_sought(terms), *demanded, *demanded]
        if terms.empty or not anything or limit < 1:
            return ()
        unwanted = [Sought(tokens) for phrase in terms.excluded if (tokens := _tokens(phrase))]
        with self._database.reading():
            rows = self._current(owner)
            places = self._places(owner, [*anything, *unwanted])
            numbers = [LEXICAL_FIELDS.index(one) for one in fields] or list(range(len(LEXICAL_FIELDS)))
            scores, admitted = _scored(rows, places, anything, demanded, numbers)
            for one in unwanted:
                for field in range(len(LEXICAL_FIELDS)):
                    admitted[rows.at(_found(places, one, field))] = False
            if not filters.empty and admitted.any():
                admitted &= self._passing(owner, filters, rows)
        return _best(rows, scores, admitted, limit)

    def containing(self, project: ProjectId, phrase: Sequence[str]) -> Sequence[ChunkKey]:
        import numpy as np

        sought = Sought(_tokens(phrase))
        if not sought.tokens:
            return []
        owner = self._keys.project(project)
        with self._database.reading():
            rows, places = self._current(owner), self._places(owner, [sought])
        found = [rows.at(_found(places, sought, field)) for field in range(len(LEXICAL_FIELDS))]
        return [ChunkKey(key) for key in np.unique(rows.chunks[np.concatenate(found)]).tolist()]

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        owner = self._keys.project(project)
        with self._database.reading():
            if self.containing(project, [token]):
                return [token][:limit]
            like = self._like(owner, token.replace("\0", " "), limit)
            rows, places = self._current(owner), self._places(owner, [Sought((one,)) for one in like])
        # A word stays in the vocabulary when the last chunk that held it has gone.
        return [one for one in like if any(len(rows.at(several)) for several in places[one].values())]

    def compact(self) -> int:
        """Takes what is gone out of the postings, where it is much of them; how many rows that were."""
        return compact(self._database)

    def _like(self, project: int, token: str, limit: int) -> list[str]:
        if self._database.extensions.trigrams:
            self._database.set_local("similarity_at_least", {"share": _LEAST_LIKENESS})
            where = {"project": project, "token": token, "limit": limit}
            return [row[0] for row in self._database.rows("lexical_terms_like", where)]
        from recto.algorithms.spelling import Vocabulary

        words = self._database.rows("lexical_terms_all", {"project": project})
        return Vocabulary(row[0] for row in words).similar(token, limit)

    def _current(self, project: int) -> Rows:
        """What is remembered, brought up to date by what came and went since."""
        generation = int(value(self._database, "generation"))
        with self._guard:
            known = self._rows.get(project, Rows.none())
        writing = self._database.writing
        if known.generation == generation and not writing:
            return known
        # This reading began before the state that is remembered; or what went since is no longer written down.
        if known.generation > generation or known.generation < int(self._database.counter(FORGOTTEN) or 0):
            known = Rows.none()
        where = {"project": project, "after": known.newest, "generation": known.generation}
        rows = known.advanced(generation, self._database.binary_rows("lexical_rows_since", where))
        if not writing:  # what a transaction has written may yet be taken back
            with self._guard:
                if self._rows.get(project, Rows.none()).generation < generation:
                    self._rows[project] = rows
        return rows

    def _places(self, project: int, sought: Sequence[Sought]) -> Places:
        """The places of every word that is looked for. A beginning's are those of all words that begin so."""
        begun = {one.tokens[-1] for one in sought if one.begins}
        words = {token for one in sought for token in (one.tokens[:-1] if one.begins else one.tokens)}
        begins = {beginning: self._beginning(project, beginning) for beginning in begun}
        terms = sorted(words.union(*begins.values()))
        blocks: defaultdict[str, defaultdict[int, list[bytes]]] = defaultdict(lambda: defaultdict(list))
        if terms:
            where = {"project": project, "terms": terms}
            for field, term, held in self._database.binary_rows("lexical_places", where):
                blocks[term][field].append(held)
                for beginning, several in begins.items():
                    if term in several:
                        blocks[f"{beginning}*"][field].append(held)
        names = [*words, *(f"{beginning}*" for beginning in begun)]
        return {name: {field: together(several) for field, several in blocks[name].items()} for name in names}

    def _beginning(self, project: int, beginning: str) -> frozenset[str]:
        rows = self._database.rows("lexical_terms_starting", {"project": project, "prefix": beginning})
        return frozenset(row[0] for row in rows)

    def _passing(self, project: int, filters: Filters, rows: Rows) -> NDArray[np.bool_]:
        import numpy as np

        found = self._database.rows("chunks_admitted", {"project": project} | filter_parameters(filters))
        return np.isin(rows.chunks, np.array([row[0] for row in found], dtype=np.int64))

    def _join_small_blocks(self, project: int) -> None:
        for least, most in _TIERS:
            where = {"project": project, "least": least, "most": most}
            small = self._database.rows("lexical_blocks_small", where)
            if len(small) < _JOINED_AT_ONCE:
                continue
            into, blocks = small[-1][0], json.dumps([row[0] for row in small])
            self._database.run("lexical_blocks_join", {"project": project, "block": into, "blocks": blocks})
            self._database.run("lexical_blocks_remove", {"project": project, "blocks": blocks})
            self._database.run(
                "lexical_block_put", {"project": project, "block": into, "rows": sum(row[1] for row in small)}
            )


def _sought(terms: Terms) -> Iterator[Sought]:
    for word in terms.words:
        if tokens := _tokens((word,)):
            yield Sought(tokens)
    for phrase in terms.preferred:
        if len(phrase) > 1 and (tokens := _tokens(phrase)):
            yield Sought(tokens)
    for prefix in terms.prefixes:
        if tokens := _tokens((prefix,)):
            yield Sought(tokens, begins=True)


def _tokens(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(tokens_of(" ".join(words)))


def _found(places: Places, sought: Sought, field: int) -> NDArray[np.int64]:
    import numpy as np

    names = [*sought.tokens[:-1], f"{sought.tokens[-1]}*"] if sought.begins else sought.tokens
    nowhere = np.zeros(0, dtype=np.int64)
    words = [places[name].get(field, nowhere) for name in names]
    return phrase_places(words) if all(len(word) for word in words) else nowhere


def _scored(
    rows: Rows, places: Places, anything: Sequence[Sought], demanded: Sequence[Sought], fields: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """BM25 of every row, and which rows hold anything that is looked for and everything that is demanded.

    score = Σ idf · f(k + 1) / (f + k(1 - b + b · length / mean length)), f the number of occurrences, each times the
    boost of its field; idf = ln((rows - holding + ½) / (holding + ½)).
    """
    import numpy as np

    scores, held = np.zeros(len(rows.keys)), np.zeros(len(rows.keys), dtype=bool)
    lacking = np.zeros(len(rows.keys), dtype=bool)
    for one in anything:
        found = [(rows.at(_found(places, one, field)), BOOSTS[field]) for field in fields]
        holding, often = _counted([(at, boost) for at, boost in found if len(at)])
        if len(holding):
            length = _K1 * (1 - _B + _B * rows.relative[holding])
            idf = math.log((rows.count - len(holding) + 0.5) / (len(holding) + 0.5))
            scores[holding] += max(idf, _LEAST_IDF) * often * (_K1 + 1) / (often + length)
            held[holding] = True
        if one in demanded:
            absent = np.ones(len(rows.keys), dtype=bool)
            absent[holding] = False
            lacking |= absent
    return scores, held & ~lacking


def _counted(
    found: Sequence[tuple[NDArray[np.int64], float]],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows of one word, ascending, and how often it stands in each, counted by the boosts of its fields."""
    import numpy as np

    held: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    weights: NDArray[np.float64] = np.zeros(0)
    for at, boost in found:  # in each field the rows ascend, once for each place
        starts = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
        rows, times = at[starts], np.diff(starts, append=len(at)).astype(np.float64) * boost
        if not len(held):
            held, weights = rows, times
            continue
        both, owner = np.unique(np.concatenate((held, rows)), return_inverse=True)
        summed = np.bincount(owner, weights=np.concatenate((weights, times)))
        held, weights = both, summed.astype(np.float64, copy=False)
    return held, weights


def _best(rows: Rows, scores: NDArray[np.float64], admitted: NDArray[np.bool_], limit: int) -> tuple[Scored, ...]:
    import numpy as np

    kept = np.flatnonzero(admitted)
    if len(kept) > limit:
        cut = np.partition(scores[kept], len(kept) - limit)[len(kept) - limit]
        kept = kept[scores[kept] >= cut]
    order = kept[np.lexsort((rows.chunks[kept], -scores[kept]))][:limit]
    return tuple(
        Scored(ChunkKey(key), score)
        for key, score in zip(rows.chunks[order].tolist(), scores[order].tolist(), strict=True)
    )
