"""The kinds of match by which a search finds a passage: word, meaning, symbol, place, link."""

from __future__ import annotations

from enum import StrEnum


class Matching(StrEnum):
    LEXICAL = "lexical"
    DENSE = "dense"
    SYMBOL = "symbol"
    PLACE = "place"
    GRAPH = "graph"
