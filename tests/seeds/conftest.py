"""A library of a small project with code, notes and a history, for the clients of other programs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from octavo.engine.wiring import open_library
from octavo.operations.library.collections import add
from octavo.operations.library.requests import AddRequest

FILES = {
    "N2.md": "# N2\n\n## Infra\n\nServers stand in the cellar.\n\n### Kubernetes\n\nPods talk over the network.\n",
    "guide/backup.md": "# Backup\n\nThe nightly job copies every database to tape. See [[N2]].\n",
    "src/retry.py": 'def backoff(attempt):\n    """Seconds to wait before a retry."""\n    return 5 * 2 ** attempt\n',
    "settings.yaml": "retries: 5\n",
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    date = {"GIT_AUTHOR_DATE": "@1700000000 +0000", "GIT_COMMITTER_DATE": "@1700000000 +0000"}
    subprocess.run(
        [*git, "commit", "-qm", "Wait longer before each retry"], check=True, env={"PATH": "/usr/bin:/bin", **date}
    )
    with open_library(tmp_path / "library.db", create=True) as engine:
        add(engine, AddRequest(str(folder), history=True, writable=True))
        engine.index()
    return tmp_path / "library.db"
