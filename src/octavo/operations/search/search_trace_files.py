"""Traces of searches as files: what each stage did, and what `octavo replay` needs to answer again."""

from __future__ import annotations

import json
import time
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.errors import StorageError
from octavo.model.ids import text_hash
from octavo.model.query import Query
from octavo.model.search_result import Result
from octavo.operations.answer_conversion import plain
from octavo.operations.search.results import whole_answer
from octavo.path_resolution_and_private_folders import expand_user
from octavo.retrieval.search_replay import Recording
from octavo.retrieval.stage import RetrievalProfile


def search_traced(engine: Engine, query: Query, profile: RetrievalProfile) -> Result:
    """Searches, and adds the trace to the folder of traces, under the time and the query's hash."""
    result, recording = engine.record(query, profile)
    assert engine.traces is not None
    folder = expand_user(engine.traces)
    moment = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder} cannot be made: {error.strerror}", hint="see log.traces") from error
    write_trace(result, folder / f"{moment}-{time.time_ns() % 10**9:09d}-{text_hash(query.text)[:8]}.json", recording)
    return result


def write_trace(result: Result, path: Path, recording: Recording) -> None:
    answer = plain(whole_answer(result, explain=True))
    trace = {
        "query": result.query,
        "profile": answer["profile"],
        "took_ms": answer["took_ms"],
        "stages": answer["trace"],
        "hits": answer["hits"],
        "recording": json.loads(recording.to_json()),
    }
    try:
        path.write_text(json.dumps(trace, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error
