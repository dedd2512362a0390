"""The way to onnxruntime: some builds of it report to their maker, and from here nothing may leave the machine."""

from __future__ import annotations

import os
from typing import Any


def onnx_runtime() -> Any:
    """The library, its telemetry switched off before it can send any."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    # First, and whole: its own import begins inside numpy, and a thread that imports numpy meanwhile gets half of it.
    import numpy  # noqa: F401
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime
