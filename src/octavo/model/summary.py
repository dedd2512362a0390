"""Summaries: what a section or a file says as a whole, with a vector beside those of its chunks."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from octavo.fast_dataclass import Value, replace
from octavo.model.ids import ChunkKey, DocumentId
from octavo.model.normalised_text_and_spans import Span

SUMMARIES = "summaries"
"""The kind of run under which the settings of the last build are kept."""
EXTRACT = "extract-1"
"""Who makes summaries without a model: sentences of the text, and the centroid of its chunks' vectors."""
FILES_ONLY = " files"
"""What follows the maker's name where sections were left out."""


class NodeType(StrEnum):
    """What a vector stands for. Those of chunks are kept with the chunks."""

    SECTION = "section_summary"
    FILE = "file_summary"


class Summary(NamedTuple):
    """What was made for one section, or for the whole file: `data` is its vector, little-endian float16."""

    node: NodeType
    span: Span
    heading_path: tuple[str, ...]
    text: str
    data: bytes = b""


class Unsummarised(NamedTuple):
    """A document that has no summaries yet, and what making them needs."""

    document_id: DocumentId
    title: str
    text_hash: str


class SummaryVectors(NamedTuple):
    """The keys of summaries, and their vectors one after another as they are stored."""

    keys: tuple[int, ...]
    data: bytes


class Summarised(NamedTuple):
    """How many documents have summaries, of how many that could have, and how many summaries those are."""

    documents: int = 0
    of: int = 0
    sections: int = 0
    files: int = 0


class PlacedChunk(NamedTuple):
    """A chunk and where in its document it stands."""

    key: ChunkKey
    span: Span


class SummarySettings(Value):
    """How summaries are made. `budget` is how many tokens a model may read and write, all together."""

    by_model: bool = False
    sections: bool = True
    budget: int = 0

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> SummarySettings:
        return cls(bool(facts.get("by_model")), bool(facts.get("sections", 1)), int(facts.get("budget", 0)))

    def facts(self) -> dict[str, float]:
        return {"by_model": int(self.by_model), "sections": int(self.sections), "budget": self.budget}

    def after(self, tokens: int) -> SummarySettings:
        """With what is left of the budget."""
        return replace(self, budget=max(0, self.budget - tokens))

    def maker(self, model: str | None) -> str:
        """The name under which such summaries are kept: `model` is who writes them, if not the text itself."""
        name = model or EXTRACT
        return name if self.sections else name + FILES_ONLY
