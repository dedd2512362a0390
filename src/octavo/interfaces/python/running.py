"""An operation run with Python values on an open engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from octavo.errors import OctavoError
from octavo.interfaces.python.arguments import request_for
from octavo.interfaces.python.handle import Handle
from octavo.interfaces.python.progress import ProgressCallback, Reporter
from octavo.operations.hints import for_python
from octavo.operations.table import EVERY


def run(handle: Handle, name: str, arguments: Mapping[str, Any], callback: ProgressCallback | None = None) -> Any:
    """The operation's answer. A library that is closed says so before anything else is wrong."""
    operation = EVERY[name]
    try:
        with handle.use() as engine:
            request = request_for(operation, arguments)
            return operation.run(engine, request, None if callback is None else Reporter(callback))
    except OctavoError as error:
        error.hint = error.hint and for_python(error.hint, operation)
        raise
