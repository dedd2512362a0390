"""FTS5: lexical search with BM25 over the boosted fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalField, LexicalRow
from octavo.model.query import Filters, Terms
from octavo.model.score_rounding import rounded
from octavo.model.search_result import ScoredChunk, best_first
from octavo.sql_repositories.database_port import Database, contiguous_ranges, value
from octavo.sql_repositories.filter_parameters import filter_parameters
from octavo.sql_repositories.projects_and_collections import KeyCache
from octavo.stores.sqlite.compressed_token_blocks import LexicalBlocks

if TYPE_CHECKING:
    from octavo.algorithms.queries.spelling_suggestions import Vocabulary

MOST_SEGMENTS = 16  # of a size, which FTS5 allows
_SPARE = 32  # rows beyond the cut: so many may be equal to the last before it
_ALL = -1  # as a limit in SQLite
_LAST = "\U0010ffff"  # after every token that begins alike
_MANY = 2_000  # rows worth a larger in-memory posting buffer, which saves a sixth of the time


class Fts5Index:
    """Fits `ports.LexicalIndex`."""

    def __init__(self, database: Database, keys: KeyCache) -> None:
        self._database = database
        self._keys = keys
        self._vocabulary: tuple[int, Vocabulary] | None = None
        self._blocks = LexicalBlocks(database)

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None:
        self._blocks.put(self._keys.project(project), rows)
        for key_range in contiguous_ranges(key for key, _ in rows):
            existing = self._database.rows("lexical_existing", key_range)
            self._database.run_many("lexical_remove", ({"key": row[0]} for row in existing))
        if len(rows) > _MANY:
            self._database.run("lexical_enlarge_buffer")
            # What merges write again and again is a tenth of a first run's rows; the end of the run takes it back.
            self._database.run("lexical_merge_after", {"segments": MOST_SEGMENTS})
        self._database.run_many("lexical_put", ((key, *row) for key, row in rows))

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[ScoredChunk, ...]:
        key = self._keys.project(project)
        excluded = _any_of(terms.excluded) if fields and terms.excluded else None
        match = match_expression(terms, fields)
        if match is None:
            return ()
        if filters.empty and not excluded and self._keys.only_project():
            name, where = "lexical_top", dict[str, Any](match=match)
        else:
            parameters = {"match": match, "project": key, "unwanted": excluded}
            name, where = "lexical_top_admitted", parameters | filter_parameters(filters, self._database, key)

        def best(most: int) -> Sequence[tuple[int, float]]:
            return self._database.rows(name, where | {"limit": most})

        return _best(best, limit)

    def containing(
        self, project: ProjectId, phrase: Sequence[str], *, prefix: bool = False, most: int | None = None
    ) -> Sequence[ChunkKey]:
        match = f"{quoted(phrase)} *" if prefix else quoted(phrase)
        where = {"match": match, "project": self._keys.project(project), "most": -1 if most is None else most}
        return [ChunkKey(row[0]) for row in self._database.rows("lexical_matching", where)]

    def starting(self, project: ProjectId, start: str) -> Sequence[str]:
        where = {"first": start, "last": start + _LAST}
        # The vocabulary covers the whole library; words of other projects lead to no chunk of this one.
        return [row[0] for row in self._database.rows("lexical_vocabulary_between", where)]

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        key = self._keys.project(project)
        if self._contains(key, token):
            return [token][:limit]
        words = self._current_vocabulary().similar(token, limit)
        # The vocabulary covers the whole library; words of other projects are not revealed.
        return words if self._keys.only_project() else [word for word in words if self._contains(key, word)]

    def _contains(self, project: int, token: str) -> bool:
        return bool(self._database.rows("lexical_contains", {"match": quoted((token,)), "project": project}))

    def _current_vocabulary(self) -> Vocabulary:
        from octavo.algorithms.queries.spelling_suggestions import (
            Vocabulary,  # with numpy, which only misspelt words need
        )

        generation = int(value(self._database, "generation"))
        if self._vocabulary is None or self._vocabulary[0] != generation:
            words = (row[0] for row in self._database.rows("lexical_vocabulary"))
            self._vocabulary = (generation, Vocabulary(words))
        return self._vocabulary[1]


def _best(ask: Callable[[int], Sequence[tuple[int, float]]], limit: int) -> tuple[ScoredChunk, ...]:
    """FTS5's rank is negative, and it orders by all of its bits.

    Where the cut falls among ranks that are equal once rounded, all of these have to be known before some are left out.
    Rounding them in the query costs every search a twentieth; this costs the few with so many equal ranks a second one.
    """
    if limit < 1:
        return ()
    rows = ask(limit + _SPARE)
    if len(rows) == limit + _SPARE and rounded(rows[-1][1]) == rounded(rows[limit - 1][1]):
        rows = ask(_ALL)
    return best_first(((ChunkKey(chunk), -rank) for chunk, rank in rows), limit)


def match_expression(terms: Terms, fields: Sequence[LexicalField] = ()) -> str | None:
    """The FTS5 query: any word counts, every phrase is required, nothing excluded may occur.

    Analysed tokens contain only letters, digits and underscores, but each is quoted, so that none can be read as an
    operator. A phrase is on both sides of the AND: without it among the words, a chunk would need one of them as well.
    With chosen fields, exclusion needs a query of its own: after a column filter on its left side alone, NOT makes FTS5
    omit prefixes from the score.
    """
    if terms.empty:
        return None
    phrases = [quoted(phrase) for phrase in terms.phrases]
    optional = [quoted((word,)) for word in terms.words] + phrases
    optional += [quoted(phrase) for phrase in terms.preferred if len(phrase) > 1]
    optional += [f"{quoted((prefix,))} *" for prefix in terms.prefixes]
    if not optional:
        return None
    expression = " OR ".join(optional)
    if phrases:
        expression = " AND ".join([*phrases, f"({expression})"])
    if fields:
        expression = f"{{{' '.join(name for name in LEXICAL_FIELDS if name in fields)}}} : ({expression})"
    elif terms.excluded:
        expression = f"({expression}) NOT ({_any_of(terms.excluded)})"
    return expression


def _any_of(phrases: Iterable[Sequence[str]]) -> str:
    return " OR ".join(map(quoted, phrases))


def quoted(tokens: Iterable[str]) -> str:
    # FTS5 reads a query only up to a NUL; its tokenizer treats a NUL as a separator, like a space.
    return '"' + " ".join(tokens).replace('"', '""').replace("\0", " ") + '"'
