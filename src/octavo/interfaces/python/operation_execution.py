"""Runs an operation with Python arguments on an open engine, and adds the file's path to each search hit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.engine.engine import Engine
from octavo.errors import OctavoError
from octavo.fast_dataclass import replace
from octavo.interfaces.python.argument_conversion import request_for
from octavo.interfaces.python.progress_callbacks import ProgressCallback, Reporter
from octavo.interfaces.python.shared_engine_handle import Handle
from octavo.model.document import Kind
from octavo.operations.error_hint_rewording import for_python
from octavo.operations.operation_lookup import EVERY
from octavo.operations.search.results import SearchAnswer


def run(handle: Handle, name: str, arguments: Mapping[str, Any], callback: ProgressCallback | None = None) -> Any:
    """The operation's answer. A library that is closed says so before anything else is wrong."""
    operation = EVERY[name]
    try:
        with handle.use() as engine:
            request = request_for(operation, arguments)
            answer = operation.run(engine, request, None if callback is None else Reporter(callback))
            return _with_paths(answer, engine) if isinstance(answer, SearchAnswer) else answer
    except OctavoError as error:
        error.hint = error.hint and for_python(error.hint, operation)
        raise


def _with_paths(answer: SearchAnswer, engine: Engine) -> SearchAnswer:
    """With the file of each hit that is in one: a program mostly opens it next."""
    roots = engine.roots()
    hits = (
        replace(hit, path=str(roots[hit.collection] / hit.uri))
        if hit.collection in roots and hit.kind != Kind.COMMIT
        else hit
        for hit in answer.hits
    )
    return replace(answer, hits=tuple(hits))
