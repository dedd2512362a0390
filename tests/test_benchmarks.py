"""Every benchmark starts: what it imports is there, and its options are understood."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
NOT_STARTED = {
    "pdf_words": "compares with PyMuPDF, which no group of dependencies has",
    "peer_engines": "is started by peers, with the name of an engine",
    "replaced": "has no options: it compares what it finds installed",
}
STARTED = """
import contextlib, io, json, runpy, sys
ends = {}
for path in sys.argv[1:]:
    sys.argv = [path, "--help"]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        ends[path] = end.code
    except Exception as error:
        ends[path] = repr(error)
print(json.dumps(ends))
"""


def test_every_benchmark_starts() -> None:
    programs = {path.stem: path for path in BENCHMARKS.glob("*.py") if "__main__" in path.read_text("utf-8")}
    assert NOT_STARTED.keys() <= programs.keys()
    started = [str(path) for name, path in sorted(programs.items()) if name not in NOT_STARTED]
    # In one process: what most of them import is imported once.
    done = subprocess.run(
        [sys.executable, "-c", STARTED, *started], cwd=BENCHMARKS, capture_output=True, encoding="utf-8", timeout=600
    )
    assert json.loads(done.stdout) == dict.fromkeys(started, 0), done.stderr
