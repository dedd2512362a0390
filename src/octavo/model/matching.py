"""What finds a passage."""

from __future__ import annotations

from enum import StrEnum


class Matching(StrEnum):
    LEXICAL = "lexical"
    DENSE = "dense"
    SYMBOL = "symbol"
    PLACE = "place"
    GRAPH = "graph"
