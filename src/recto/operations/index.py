"""What a run of the writing flow did, as promised to machines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recto.engine.advisories import advisories
from recto.engine.engine import Engine
from recto.engine.parts import IndexReport
from recto.ingest.report import CollectionReport, Problem
from recto.model.advisory import Advisory


def advice(engine: Engine) -> tuple[Advisory, ...]:
    """What is left to do after a run."""
    return advisories(engine, engine.store.counts(engine.project.id))


def as_json(report: IndexReport) -> dict[str, Any]:
    return {
        "collections": [collection_json(one) for one in report.collections],
        "missing": [{"collection": one.uri, "reason": one.reason} for one in report.missing],
        "embedded": report.embedded,
        "fast_vectors": report.fast,
        "seconds": round(report.seconds, 3),
    }


def collection_json(report: CollectionReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "added": report.added,
        "changed": report.changed,
        "moved": report.moved,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "chunks": report.chunks,
        "bytes": report.bytes,
        "skipped": _problems(report.skipped),
        "failed": _problems(report.failed),
        "warned": _problems(report.warned),
        "unreadable": _problems(report.unreadable),
        "doubtful": report.doubtful,
        "commits": report.commits,
        "commits_removed": report.commits_removed,
    }


def complete(report: IndexReport) -> bool:
    """Whether everything that should be in the library is: no file failed, no folder was out of reach."""
    return not report.missing and not any(one.failed or one.unreadable for one in report.collections)


def _problems(problems: Iterable[Problem]) -> list[dict[str, str]]:
    return [{"uri": one.uri, "reason": one.reason} for one in problems]
