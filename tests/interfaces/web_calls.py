"""What the tests of the page share: a library with one of everything."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli_calls import APPLES, BREAD

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.evaluation.dataset_evaluation import results_folder
from octavo.evaluation.stored_results import Outcome, Results
from octavo.operations.argument_parsing import request
from octavo.operations.operation_lookup import EVERY

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 120_000  # milliseconds; a busy machine is slow, and nothing here is a measurement

OVEN = '''"""When the oven is ready."""

DEGREES = 240


def ready(degrees: float, minutes: int = 45) -> bool:
    """Whether bread may go in: hot enough, for long enough."""
    # A stone takes longer than the air around it.
    return degrees >= DEGREES and minutes >= 45
'''
HOSTILE = (
    "# <img src=x onerror=document.title='broken'>\n\nzeppelin [a](javascript:alert(1)) <script>alert(1)</script>\n"
)
EVERYTHING = """# Everything a note can hold, and a title that is much longer than any telephone is wide

A footnote.[^1] A ~~struck~~ and a ==highlighted== word, `inline code` and ![a picture](dome.png).

| instrument | aperture | focal length | mount | commissioned | operator | remarks |
|:---|---:|---:|:---:|---|---|---|
| Great refractor | 68 cm | 10.4 m | equatorial | 1883-06-01 | University | Its lens was ground twice |

- [ ] an open task
- [x] a task that is done

> [!warning] Mind the dome
> It turns by itself.

    a line of code that is so long that it has to be broken somewhere, on a telephone of 420 pixels and on a desk too

## שעות הפתיחה

- פתוח בכל ערב

## 开放时间

今晚的天空非常晴朗。

### A deeper heading

an-extremely-long-word-that-has-no-place-to-break-012345678901234567890123456789012345678901234567890123456789

[^1]: What it says.
"""
NOTES = {
    "everything.md": EVERYTHING,
    "garden/apples.md": APPLES + "\nThe pips go into [[bread]], the wood into the [oven](../kitchen/oven.py).\n",
    "bread.md": "---\ntags: [kitchen]\n---\n"
    + BREAD
    + "\n| flour | grams |\n|---|---|\n| rye | 300 |\n| wheat | 200 |\n",
    "kitchen/oven.py": OVEN,
    "kitchen/schedule.md": "# Schedule\n\n> Feed.\n\nSee [[bread]] and [[apples]].\n\n```python\nready(250)\n```\n",
    "hostile.md": HOSTILE,
    "photo.bin": "\0\0not text\0",
}


@dataclass(frozen=True)
class Site:
    """Where it is served, the memory with two versions, and the address that lets a browser in."""

    address: str
    memory: str
    page: str


def operate(engine: Engine, operation: str, **arguments: Any) -> Any:
    row = EVERY[operation]
    return row.run(engine, request(operation, row.takes, arguments), None)


def fill(library: Path, folder: Path) -> str:
    """Makes a library with documents, versions, commits, memories, communities and clusters; gives a memory."""
    for name, content in NOTES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")
    _commit(folder, "Write down what we know")
    with open_library(library, create=True) as engine:
        operate(engine, "add", name="notes", folder=str(folder), history=True)
        engine.index()
        bread = folder / "bread.md"
        bread.write_text(bread.read_text("utf-8").replace("hot oven", "very hot oven"), "utf-8")
        _commit(folder, "Bake hotter")
        engine.index(wait_full=True)
        item = str(operate(engine, "remember", text="The oven runs 20 degrees hot.", title="The oven").item)
        operate(
            engine,
            "memory_commit",
            item=item,
            expected_version=1,
            text="The oven runs 30 degrees hot.",
            title="The oven",
        )
        operate(engine, "remember", text="Flour is bought at the mill on Fridays.", title="Flour", tags=("kitchen",))
        operate(engine, "graph_build", wait=True)
        operate(engine, "cluster_build", k=2)
    figures = {"ndcg@10": 0.712, "recall@10": 0.83, "latency_ms_p50": 6.4}
    Results(results_folder()).record(
        [
            Outcome("almanac", "a", name, 74, figures, {}, "", "2026-01-05T12:00:00")
            for name in ("hybrid", "lexical_only")
        ]
    )
    return item


def _commit(folder: Path, message: str) -> None:
    day = "2026-01-05T12:00:00+00:00"
    environ = {**os.environ, "GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day, "GIT_CONFIG_GLOBAL": os.devnull}
    who = ("-c", "user.name=A. Baker", "-c", "user.email=baker@example.org", "-c", "init.defaultBranch=main")
    for command in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", message)):
        subprocess.run(["git", *who, *command], cwd=folder, env=environ, check=True)
