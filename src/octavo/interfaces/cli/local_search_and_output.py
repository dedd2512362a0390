"""For `octavo search` in this process: records a search with its trace, and writes hits in any format."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.presenting.operation_answer_in_every_format import search_answer
from octavo.interfaces.presenting.terminal_rendering import EXCERPT_LINES, TerminalView
from octavo.model.search_result import Result
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_execution import find as find
from octavo.operations.search.search_execution import record, with_publications
from octavo.retrieval.stage import RetrievalProfile


def search_recorded(engine: Engine, request: SearchRequest, own: RetrievalProfile | None, trace_file: Path) -> Result:
    """Searches, and writes the trace and what `octavo replay` needs to answer again."""
    result, recording = record(engine, request, own)
    import_module("octavo.operations.search.search_trace_files").write_trace(result, trace_file, recording)
    return result


def answer(choices: Choices, result: Result, roots: dict[str, Path], *, full: bool, explain: bool) -> None:
    result = with_publications(lambda: roots, result)
    view = TerminalView(result.marked_by, None if full else EXCERPT_LINES, roots)
    choices.answer(search_answer(result, view, explain=explain))
