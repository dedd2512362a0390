"""BM25 over plain values, by the formula of FTS5's `bm25()`: the lexical answer the stores are held to.

    score(d) = Σ over phrases p:  idf(p) · f(p, d) · (k1 + 1) / (f(p, d) + k1 · (1 - b + b · |d| / avg|d|))
    idf(p)   = ln((N - n(p) + 0.5) / (n(p) + 0.5)), or 1e-6 where that is not above zero

f(p, d) counts the phrase in every field of d, each occurrence weighted by its field's boost; |d| counts the
tokens of all fields. N, n(p) and avg|d| are taken over the whole library, as FTS5 takes them over the whole table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from filter_oracle import OracleChunk, admits

from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalField
from octavo.model.query import Filters, Terms
from octavo.model.search_result import ScoredChunk, best_first

AnalysedFields = tuple[tuple[str, ...], ...]
"""The tokens of each field, in the order of `LEXICAL_FIELDS`."""

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


@dataclass(frozen=True, slots=True)
class LexicalOracle:
    """Answers as `ports.LexicalIndex` does, by looking at every chunk of the library."""

    chunks: Mapping[ChunkKey, OracleChunk]

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[ScoredChunk, ...]:
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
            wanted = found(phrase.frequency(row) for phrase in required or [*words, *preferred, *prefixes])
            return wanted and not any(phrase.frequency(row) for phrase in excluded)

        # A phrase is both demanded and counted among the words, so it counts twice.
        rows = self._rows()
        score = _scorer([*required, *words, *required, *preferred, *prefixes], rows)
        keys = [key for key in self._admitted(project, filters) if matches(rows[key])]
        return best_first(((key, score(key)) for key in keys), limit)

    def containing(
        self, project: ProjectId, phrase: Sequence[str], *, prefix: bool = False, most: int | None = None
    ) -> Sequence[ChunkKey]:
        wanted, rows = _phrase(phrase, prefix=prefix), self._rows()
        return sorted(key for key in self._admitted(project, Filters()) if wanted.frequency(rows[key]))[:most]

    def _rows(self) -> dict[ChunkKey, AnalysedFields]:
        return {
            key: tuple(tuple(_tokens(text)) for text in chunk.indexed.lexical) for key, chunk in self.chunks.items()
        }

    def _admitted(self, project: ProjectId, filters: Filters) -> Iterable[ChunkKey]:
        return (key for key, chunk in self.chunks.items() if chunk.project == project and admits(filters, chunk))


def _scorer(phrases: Sequence[_Phrase], fields: Mapping[ChunkKey, AnalysedFields]) -> Callable[[ChunkKey], float]:
    lengths = {key: sum(map(len, row)) for key, row in fields.items()}
    average = sum(lengths.values()) / max(1, len(lengths))
    frequencies = [{key: phrase.frequency(row) for key, row in fields.items()} for phrase in phrases]
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
