"""Counters and latencies, written as Prometheus reads them."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

Labels: TypeAlias = tuple[tuple[str, str], ...]

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds. A warm search takes tens of milliseconds, a cold one a few hundred."""


class Metrics:
    """What a server has done since it started. Safe from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._requests: Counter[Labels] = Counter()
        self._latencies: dict[Labels, list[int]] = {}
        self._seconds: Counter[Labels] = Counter()

    def request(self, route: str, status: int, seconds: float) -> None:
        counted = (("route", route), ("status", str(status)))
        timed = (("route", route),)
        with self._guard:
            self._requests[counted] += 1
            buckets = self._latencies.setdefault(timed, [0] * (len(BUCKETS) + 1))
            buckets[bisect_left(BUCKETS, seconds)] += 1
            self._seconds[timed] += seconds  # type: ignore[assignment]

    def exposition(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """Everything, with `gauges` as name → (help, value): what the library holds now."""
        with self._guard:
            requests, seconds = dict(self._requests), dict(self._seconds)
            latencies = {labels: list(buckets) for labels, buckets in self._latencies.items()}
        lines = ["# HELP octavo_requests_total Requests answered.", "# TYPE octavo_requests_total counter"]
        lines += [f"octavo_requests_total{_labels(labels)} {number}" for labels, number in sorted(requests.items())]
        lines += ["# HELP octavo_request_seconds How long requests took.", "# TYPE octavo_request_seconds histogram"]
        for labels, buckets in sorted(latencies.items()):
            lines += _histogram(labels, buckets, seconds[labels])
        for name, (help, value) in gauges.items():
            lines += [f"# HELP octavo_{name} {help}", f"# TYPE octavo_{name} gauge", f"octavo_{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _histogram(labels: Labels, buckets: list[int], seconds: float) -> Iterable[str]:
    total = 0
    for bound, number in zip((*map(str, BUCKETS), "+Inf"), buckets, strict=True):
        total += number
        yield f"octavo_request_seconds_bucket{_labels((*labels, ('le', bound)))} {total}"
    yield f"octavo_request_seconds_sum{_labels(labels)} {seconds:.6f}"
    yield f"octavo_request_seconds_count{_labels(labels)} {total}"


def _labels(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
