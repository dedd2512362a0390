"""Counters and latencies, written as Prometheus reads them."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

Labels: TypeAlias = tuple[tuple[str, str], ...]

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds. A warm search takes tens of milliseconds, a cold one a few hundred."""

COUNTERS: Mapping[str, str] = {
    "requests_total": "Requests answered.",
    "searches_total": "Searches, by retrieval profile and whether a part was missing.",
    "jobs_total": "Jobs, by kind and by what became of them: claimed, done, failed, dead or lost.",
    "embedded_total": "Inputs that jobs gave a vector.",
    "embedding_seconds_total": "Seconds that jobs spent on giving vectors.",
}
HISTOGRAMS: Mapping[str, str] = {
    "request_seconds": "How long requests took.",
    "search_seconds": "How long searches took.",
    "search_stage_seconds": "How long each stage of a search took.",
    "job_seconds": "How long jobs took.",
}
GAUGES: Mapping[str, str] = {
    "documents": "Documents in the library.",
    "chunks": "Chunks in the library.",
    "text_bytes": "Bytes of text in the library.",
    "failed_files": "Files that could not be indexed.",
    "pending_chunks": "Chunks without a vector yet.",
    "queued_changes": "Changes on disk that are not looked at yet.",
    "jobs": "Jobs in the queue of all projects, by kind and state.",
    "oldest_job_seconds": "How long the oldest job that is ready has waited.",
    "oldest_lease_seconds": "How long ago the lease was renewed that was renewed longest ago.",
    "cached_texts_found": "Texts that searches found in memory.",
    "cached_texts_missed": "Texts that searches read from the library.",
    "pool_connections": "Connections to the database, by server (primary, replica_1 …) and state: in_use or idle.",
    "pool_limit": "Connections that a process may have to each server of the database.",
    "pool_waiting": "Threads that wait for a connection.",
    "replica_usable": "1 where searches read from the replica, 0 where it is left out.",
    "replica_lag_bytes": "How much of the primary's log the replica has yet to replay.",
    "replica_lag_seconds": "How old the newest change is that the replica has, while it lacks any.",
    "call_threads": "Threads that answer requests.",
    "calls_running": "Requests that are being answered, or wait for a thread.",
}
"""Every metric that a server or a worker may have, without the prefix `octavo_`."""


class Gauge(NamedTuple):
    name: str
    value: float
    labels: Labels = ()


class Metrics:
    """What a process has done since it started. Safe from several threads. It fits `ports.Observer`."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._counts: dict[str, Counter[Labels]] = {name: Counter() for name in COUNTERS}
        self._latencies: dict[str, dict[Labels, list[int]]] = {name: {} for name in HISTOGRAMS}
        self._seconds: dict[str, dict[Labels, float]] = {name: {} for name in HISTOGRAMS}

    def request(self, route: str, status: int, seconds: float) -> None:
        self._count("requests_total", route=route, status=str(status))
        self._observe("request_seconds", seconds, route=route)

    def searched(self, profile: str, took_ms: float, stages: Sequence[tuple[str, float]], degraded: bool) -> None:
        self._count("searches_total", profile=profile, degraded=str(degraded).lower())
        self._observe("search_seconds", took_ms / 1e3, profile=profile)
        for stage, stage_ms in stages:
            self._observe("search_stage_seconds", stage_ms / 1e3, stage=stage)

    def claimed(self, kind: str) -> None:
        self._count("jobs_total", kind=kind, outcome="claimed")

    def worked(self, kind: str, outcome: str, seconds: float) -> None:
        self._count("jobs_total", kind=kind, outcome=outcome)
        self._observe("job_seconds", seconds, kind=kind)

    def embedded(self, inputs: int, seconds: float) -> None:
        self._count("embedded_total", inputs)
        self._count("embedding_seconds_total", seconds)

    def exposition(self, gauges: Iterable[Gauge]) -> str:
        """Everything, with `gauges`: what the library holds now."""
        with self._guard:
            counts = {name: dict(counted) for name, counted in self._counts.items()}
            latencies = {name: {key: list(row) for key, row in rows.items()} for name, rows in self._latencies.items()}
            seconds = {name: dict(summed) for name, summed in self._seconds.items()}
        lines: list[str] = []
        for name, help in COUNTERS.items():
            lines += _head(name, help, "counter")
            lines += [f"octavo_{name}{_labels(labels)} {number:g}" for labels, number in sorted(counts[name].items())]
        for name, help in HISTOGRAMS.items():
            lines += _head(name, help, "histogram")
            for labels, buckets in sorted(latencies[name].items()):
                lines += _histogram(name, labels, buckets, seconds[name][labels])
        told: dict[str, list[Gauge]] = {}
        for gauge in gauges:
            told.setdefault(gauge.name, []).append(gauge)
        for name, rows in told.items():
            lines += _head(name, GAUGES[name], "gauge")
            lines += [f"octavo_{name}{_labels(gauge.labels)} {gauge.value:g}" for gauge in rows]
        return "\n".join(lines) + "\n"

    def _count(self, name: str, number: float = 1, **labels: str) -> None:
        with self._guard:
            self._counts[name][tuple(labels.items())] += number  # type: ignore[assignment]

    def _observe(self, name: str, seconds: float, **labels: str) -> None:
        key = tuple(labels.items())
        with self._guard:
            buckets = self._latencies[name].setdefault(key, [0] * (len(BUCKETS) + 1))
            buckets[bisect_left(BUCKETS, seconds)] += 1
            self._seconds[name][key] = self._seconds[name].get(key, 0.0) + seconds


def _head(name: str, help: str, kind: str) -> list[str]:
    return [f"# HELP octavo_{name} {help}", f"# TYPE octavo_{name} {kind}"]


def _histogram(name: str, labels: Labels, buckets: list[int], seconds: float) -> Iterable[str]:
    total = 0
    for bound, number in zip((*map(str, BUCKETS), "+Inf"), buckets, strict=True):
        total += number
        yield f"octavo_{name}_bucket{_labels((*labels, ('le', bound)))} {total}"
    yield f"octavo_{name}_sum{_labels(labels)} {seconds:.6f}"
    yield f"octavo_{name}_count{_labels(labels)} {total}"


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}" if labels else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
