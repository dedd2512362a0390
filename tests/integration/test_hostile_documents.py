"""A small round of `benchmarks/hostile_documents.py`: whatever a document does, it costs itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from documents import pdf, zipped

CAMPAIGN = Path(__file__).parents[2] / "benchmarks" / "hostile_documents.py"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DOCUMENTS = {
    "bees.pdf": pdf([["Bees live in colonies."], ["They store honey."]], outline=[("Honey", 2)]),
    "bees.docx": zipped(
        {
            "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>Bees</w:t></w:r></w:p>'
            "</w:body></w:document>",
            "[Content_Types].xml": "<Types/>",
        }
    ),
    "bees.html": b"<html><body><main><h1>Bees</h1><p>They store honey.</p></main></body></html>",
    "bees.eml": b"From: ann@example.org\nSubject: Bees\n\nThey store honey.\n",
    "bees.csv": b"hive,honey\n1,12\n",
}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc, and limits are the kernel's")
def test_a_small_round_breaks_no_promise_and_is_not_done_again(tmp_path: Path) -> None:
    files, state = tmp_path / "files", tmp_path / "state.jsonl"
    files.mkdir()
    for name, data in DOCUMENTS.items():
        (files / name).write_bytes(data)
    command = [sys.executable, str(CAMPAIGN), "--files", str(files), "--copies", "6", "--bomb-bytes", "50000"]
    command += ["--state", str(state), "--seconds", "60", "--large", "--pages", "20"]
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every promise held" in done.stdout
    rows = [json.loads(line) for line in state.read_text("utf-8").splitlines()]
    parts = {part: [row["said"] for row in rows if row["part"] == part] for part in ("fuzz", "bombs", "loops", "large")}
    assert len(parts["bombs"]) > 20 and len(parts["loops"]) > 5 and len(parts["large"]) == 4
    # Without the extra, a PDF is refused as every time: what is fuzzed is counted all the same.
    assert len(parts["fuzz"]) == 6 * len(DOCUMENTS)
    held = state.read_text("utf-8")
    again = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, timeout=900)
    assert (again.stdout, state.read_text("utf-8")) == (done.stdout, held)
