"""FTS5: words → chunks by BM25 over the boosted fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recto.algorithms.spelling import Vocabulary
from recto.model.ids import ChunkKey, ProjectId
from recto.model.index import LEXICAL_FIELDS, LexicalField, LexicalRow
from recto.model.query import Filters, Terms
from recto.model.result import Scored
from recto.stores.shared.database import Database, runs, value
from recto.stores.shared.filters import filter_parameters
from recto.stores.shared.projects import Keys
from recto.stores.sqlite.snapshots import LexicalBlocks

_MANY = 2_000  # rows for which it is worth to hold more postings in memory, which saves a sixth of the time


class Fts5Index:
    """Fits `ports.LexicalIndex`."""

    def __init__(self, database: Database, keys: Keys) -> None:
        self._database = database
        self._keys = keys
        self._vocabulary: tuple[int, Vocabulary] | None = None
        self._blocks = LexicalBlocks(database)

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None:
        self._blocks.put(self._keys.project(project), rows)
        for stretch in runs(key for key, _ in rows):
            held = self._database.rows("lexical_held", stretch)
            self._database.run_many("lexical_remove", ({"key": row[0]} for row in held))
        if len(rows) > _MANY:
            self._database.run("lexical_gather")
        self._database.run_many("lexical_put", ((key, *row) for key, row in rows))

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[Scored, ...]:
        key = self._keys.project(project)
        unwanted = _any_of(terms.excluded) if fields and terms.excluded else None
        match = match_expression(terms, fields)
        if match is None:
            return ()
        if filters.empty and not unwanted and self._keys.only_project():
            rows = self._database.rows("lexical_top", {"match": match, "limit": limit})
        else:
            where = {"match": match, "limit": limit, "project": key, "unwanted": unwanted}
            rows = self._database.rows("lexical_top_admitted", where | filter_parameters(filters))
        # FTS5's rank is negative, best first.
        return tuple(Scored(ChunkKey(chunk), -rank) for chunk, rank in rows)

    def containing(self, project: ProjectId, phrase: Sequence[str]) -> Sequence[ChunkKey]:
        where = {"match": quoted(phrase), "project": self._keys.project(project)}
        return [ChunkKey(row[0]) for row in self._database.rows("lexical_matching", where)]

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        key = self._keys.project(project)
        if self._held(key, token):
            return [token][:limit]
        found = self._known_words().similar(token, limit)
        # The vocabulary is the whole library's; another project's words are not told.
        return found if self._keys.only_project() else [one for one in found if self._held(key, one)]

    def _held(self, project: int, token: str) -> bool:
        return bool(self._database.rows("lexical_held_by", {"match": quoted((token,)), "project": project}))

    def _known_words(self) -> Vocabulary:
        generation = int(value(self._database, "generation"))
        if self._vocabulary is None or self._vocabulary[0] != generation:
            words = (row[0] for row in self._database.rows("lexical_vocabulary"))
            self._vocabulary = (generation, Vocabulary(words))
        return self._vocabulary[1]


def match_expression(terms: Terms, fields: Sequence[LexicalField] = ()) -> str | None:
    """The FTS5 query: any word counts, every phrase must be there, nothing excluded may be.

    Analysed tokens hold only letters, digits and underscores, and each is quoted all the same, so that no
    token can be read as an operator. A phrase stands on both sides of the AND: without it among the words, a chunk
    would need one of them as well. In chosen fields what is excluded needs a query of its own: behind a column filter
    on its left side alone, NOT makes FTS5 leave prefixes out of the score.
    """
    if terms.empty:
        return None
    phrases = [quoted(phrase) for phrase in terms.phrases]
    anything = [quoted((word,)) for word in terms.words] + phrases
    anything += [quoted(phrase) for phrase in terms.preferred if len(phrase) > 1]
    anything += [f"{quoted((prefix,))} *" for prefix in terms.prefixes]
    if not anything:
        return None
    expression = " OR ".join(anything)
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
    # FTS5 reads a query only up to a NUL. Its tokenizer separates there, as it does at a blank.
    return '"' + " ".join(tokens).replace('"', '""').replace("\0", " ") + '"'
