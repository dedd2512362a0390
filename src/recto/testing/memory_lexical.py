"""BM25 in memory, by the formula of FTS5's `bm25()`: the lexical answer the stores are held to.

    score(d) = Σ over phrases p:  idf(p) · f(p, d) · (k1 + 1) / (f(p, d) + k1 · (1 - b + b · |d| / avg|d|))
    idf(p)   = ln((N - n(p) + 0.5) / (n(p) + 0.5)), or 1e-6 where that is not above zero

f(p, d) counts the phrase in every field of d, each occurrence weighted by its field's boost; |d| counts the
tokens of all fields. N, n(p) and avg|d| are taken over the whole library, as FTS5 takes them over the whole table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from recto.algorithms.spelling import similar_by_trying_all
from recto.model.ids import ChunkKey, ProjectId
from recto.model.index import LEXICAL_FIELDS, LexicalField, LexicalRow
from recto.model.query import Filters, Terms
from recto.model.result import Scored
from recto.testing.memory_documents import admits
from recto.testing.memory_tables import AnalysedFields, Session, Tables, known_project

BOOSTS = (3.0, 2.5, 2.5, 2.0, 2.0, 1.5, 1.0)
"""One per field, in the order of `LEXICAL_FIELDS`."""
_K1 = 1.2
_B = 0.75
_TOKEN = re.compile(r"[0-9A-Za-z_\x80-\U0010ffff]+")
_ASCII_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


@dataclass(frozen=True, slots=True)
class _Phrase:
    tokens: tuple[str, ...]
    prefix: bool = False
    within: tuple[LexicalField, ...] = ()

    def frequency(self, fields: AnalysedFields) -> float:
        """Occurrences, each worth the boost of the field it is in."""
        return sum(
            boost * sum(self._at(tokens, start) for start in range(len(tokens) - len(self.tokens) + 1))
            for name, boost, tokens in zip(LEXICAL_FIELDS, BOOSTS, fields, strict=True)
            if self.tokens and (not self.within or name in self.within)
        )

    def _at(self, tokens: Sequence[str], start: int) -> bool:
        here = tokens[start : start + len(self.tokens)]
        if self.prefix:
            return here[:-1] == self.tokens[:-1] and here[-1].startswith(self.tokens[-1])
        return here == self.tokens


class MemoryLexical:
    """Fits `ports.LexicalIndex`."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None:
        tables = self._session.write()
        known_project(tables, project)
        for key, row in rows:
            tables.lexical[key] = tuple(tuple(_tokens(getattr(row, name))) for name in LEXICAL_FIELDS)

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[Scored, ...]:
        tables = self._session.read()
        known_project(tables, project)
        if terms.empty:
            return ()
        within = tuple(fields)
        required = [_phrase(phrase, within=within) for phrase in terms.phrases]
        words = [_phrase([word], within=within) for word in terms.words]
        preferred = [_phrase(phrase, within=within) for phrase in terms.preferred if len(phrase) > 1]
        prefixes = [_phrase([prefix], prefix=True, within=within) for prefix in terms.prefixes]
        excluded = [_phrase(phrase) for phrase in terms.excluded]

        def matches(row: AnalysedFields) -> bool:
            found = all if required else any
            wanted = found(one.frequency(row) for one in required or [*words, *preferred, *prefixes])
            return wanted and not any(one.frequency(row) for one in excluded)

        # A phrase is both demanded and counted among the words, so it counts twice.
        score = _scorer([*required, *words, *required, *preferred, *prefixes], tables.lexical)
        keys = [key for key in _admitted(tables, project, filters) if matches(tables.lexical[key])]
        ranked = sorted((Scored(key, score(key)) for key in keys), key=lambda scored: (-scored.score, scored.key))
        return tuple(ranked[:limit])

    def containing(self, project: ProjectId, phrase: Sequence[str]) -> Sequence[ChunkKey]:
        tables = self._session.read()
        known_project(tables, project)
        wanted = _phrase(phrase)
        return sorted(key for key in _admitted(tables, project, Filters()) if wanted.frequency(tables.lexical[key]))

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        tables = self._session.read()
        known_project(tables, project)
        rows = [tables.lexical[key] for key in _admitted(tables, project, Filters())]
        if any(_phrase([token]).frequency(row) for row in rows):
            return [token][:limit]
        return similar_by_trying_all((word for row in rows for field in row for word in field), token, limit)


def _admitted(tables: Tables, project: ProjectId, filters: Filters) -> Iterable[ChunkKey]:
    return (
        key for key in tables.lexical if key in tables.chunks and admits(tables, project, filters, tables.chunks[key])
    )


def _scorer(phrases: Sequence[_Phrase], fields: dict[ChunkKey, AnalysedFields]) -> Callable[[ChunkKey], float]:
    lengths = {key: sum(map(len, row)) for key, row in fields.items()}
    average = sum(lengths.values()) / max(1, len(lengths))
    frequencies = [{key: one.frequency(row) for key, row in fields.items()} for one in phrases]
    weights = [_idf(len(fields), sum(map(bool, counted.values()))) for counted in frequencies]

    def score(key: ChunkKey) -> float:
        # The operations are in FTS5's order, so that the last bit agrees and ties are ties in both.
        norm = _K1 * (1 - _B + _B * lengths[key] / average)
        total = 0.0
        for idf, counted in zip(weights, frequencies, strict=True):
            total += idf * ((counted[key] * (_K1 + 1.0)) / (counted[key] + norm))
        return total

    return score


def _idf(rows: int, holding: int) -> float:
    idf = math.log((rows - holding + 0.5) / (holding + 0.5))
    return idf if idf > 0 else 1e-6


def _tokens(text: str) -> list[str]:
    """As the table's own tokenizer separates: at everything in ASCII that is no letter, digit or underscore."""
    return [token.translate(_ASCII_LOWER) for token in _TOKEN.findall(text)]


def _phrase(tokens: Iterable[str], prefix: bool = False, within: tuple[LexicalField, ...] = ()) -> _Phrase:
    return _Phrase(tuple(_tokens(" ".join(tokens))), prefix, within)
