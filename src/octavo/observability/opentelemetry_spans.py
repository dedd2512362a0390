"""Searches and jobs as spans of OpenTelemetry, where `traces` is on and its package is installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from octavo.errors import MissingExtra
from octavo.plugins import install_command


class Spans:
    """Fits `ports.Observer`. Spans are made when the work has ended: the stages of a search stand one after another,
    each as long as it took. They belong to the trace of the request, where a server has one."""

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        try:
            self._trace: Any = import_module("opentelemetry.trace")
        except ImportError as error:
            raise MissingExtra("traces need the package opentelemetry-api", hint=install_command("otel")) from error
        self._tracer = self._trace.get_tracer("octavo")
        self._clock = clock

    def searched(self, profile: str, took_ms: float, stages: Sequence[tuple[str, float]], degraded: bool) -> None:
        end = self._clock()
        at = end - round(took_ms * 1e6)
        attributes = {"octavo.profile": profile, "octavo.degraded": degraded}
        search = self._tracer.start_span("octavo.search", start_time=at, attributes=attributes)
        inside = self._trace.set_span_in_context(search)
        for stage, stage_ms in stages:
            span = self._tracer.start_span(f"octavo.stage.{stage}", inside, start_time=at)
            at += round(stage_ms * 1e6)
            span.end(at)
        search.end(end)

    def claimed(self, kind: str) -> None:
        """A span is made when the job has ended."""

    def worked(self, kind: str, outcome: str, seconds: float) -> None:
        end = self._clock()
        attributes = {"octavo.kind": kind, "octavo.outcome": outcome}
        self._tracer.start_span("octavo.job", start_time=end - round(seconds * 1e9), attributes=attributes).end(end)

    def embedded(self, inputs: int, seconds: float) -> None:
        end = self._clock()
        attributes = {"octavo.inputs": inputs}
        self._tracer.start_span("octavo.embed", start_time=end - round(seconds * 1e9), attributes=attributes).end(end)
