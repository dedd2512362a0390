"""A search's result as it travels between processes, and back: equal to what it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from recto.model.document import Kind
from recto.model.ids import ChunkId, DocumentId
from recto.model.result import Citation, Freshness, Hit, Result, ScoreStep, StageTrace
from recto.model.text import Lines, Span


def packed(result: Result) -> dict[str, Any]:
    return asdict(result)


def unpacked(data: Mapping[str, Any]) -> Result:
    return Result(
        query=data["query"],
        profile=data["profile"],
        hits=tuple(_hit(one) for one in data["hits"]),
        trace=tuple(StageTrace(**one) for one in data["trace"]),
        freshness=Freshness(**data["freshness"]),
        took_ms=data["took_ms"],
        cursor=data["cursor"],
    )


def _hit(data: Mapping[str, Any]) -> Hit:
    cited = data["citation"]
    citation = Citation(
        uri=cited["uri"],
        heading_path=tuple(cited["heading_path"]),
        span=Span(**cited["span"]),
        lines=Lines(*cited["lines"]),
    )
    return Hit(
        **{
            **data,
            "kind": Kind(data["kind"]),
            "citation": citation,
            "chunk_id": ChunkId(data["chunk_id"]),
            "document_id": DocumentId(data["document_id"]),
            "steps": tuple(ScoreStep(**step) for step in data["steps"]),
        }
    )
