"""Searches and jobs as spans of OpenTelemetry."""

from __future__ import annotations

import subprocess
import sys

import pytest

from octavo.engine.engine import Engine
from octavo.errors import MissingExtra
from octavo.model.query import Query
from octavo.observability.opentelemetry_spans import Spans


def test_a_search_is_a_span_with_one_inside_for_each_stage(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk.trace")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    observer = Spans()
    engine.observers.append(observer)
    try:
        result = engine.search(Query("when does the dome have to close?"))
    finally:
        engine.observers.remove(observer)
    spans = {span.name: span for span in exporter.get_finished_spans()}
    ran = {stage.stage for stage in result.trace if stage.skipped is None}
    assert spans.keys() == {"octavo.search", *(f"octavo.stage.{stage}" for stage in ran)}
    search = spans.pop("octavo.search")
    assert search.attributes == {"octavo.profile": result.profile, "octavo.degraded": bool(result.degraded)}
    for span in spans.values():
        assert span.parent is not None and span.parent.span_id == search.context.span_id
        assert span.start_time >= search.start_time
    exporter.clear()
    observer.worked("embed", "done", 0.25)
    (job,) = exporter.get_finished_spans()
    assert job.attributes == {"octavo.kind": "embed", "octavo.outcome": "done"}
    assert job.end_time - job.start_time == 250_000_000


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(MissingExtra, match="opentelemetry-api") as raised:
        Spans()
    assert (raised.value.hint or "").startswith("pip install ")


def test_nothing_of_it_is_imported_unless_traces_are_on() -> None:
    module = "octavo.interfaces.execution.async_operation_calls"
    looked = f"import sys, {module}; print([n for n in sys.modules if 'telemetry' in n])"
    told = subprocess.run([sys.executable, "-c", looked], capture_output=True, encoding="utf-8", check=True)
    assert told.stdout.strip() == "[]"
