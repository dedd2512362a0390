"""What a type checker sees of the API: a right program is right, and every mistake in a wrong one is found."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

RIGHT = """
import asyncio
from datetime import date, datetime, timedelta
from pathlib import Path

import octavo
from octavo.answers import LogAnswer


def show(update: octavo.ProgressUpdate) -> None:
    print(update.phase, update.done, update.total)


with octavo.open("notes.db", create=True, config={"retrieval.limit": 5}) as library:
    library.add(Path.home() / "notes", name="notes")
    library.index(progress=show)
    result: octavo.SearchAnswer = library.search("pump", kinds={"note", "doc"}, modified_after=timedelta(days=7))
    hits: list[octavo.FoundHit] = list(result)
    places: list[tuple[str, int]] = [(hit.uri, hit.start_line) for hit in result]
    library.search("pump", kinds="note", uris=[Path("a.md")], modified_before=datetime.now(), profile="mine")
    library.remember("It is behind the boiler.", kind="fact", valid_from=date(2024, 5, 1))
    memories: list[str] = [memory.text for memory in library.recall("boiler")]
    commits: LogAnswer = library.git.log("cache")
    with library.watch(changed=lambda job: print(job.added)) as watch:
        queued: int = watch.state().queued
    versions: list[int] = [one.version for one in library.memory.history("boiler").versions]
    answer: octavo.ToolAnswer = library.tools("code").call("search_code", {"query": "retry"})
    functions = [{"type": "function", "function": tool} for tool in library.tools()]


async def main() -> int:
    async with octavo.open_async("notes.db") as library:
        await library.index(progress=show)
        return len(await library.search("pump", limit=1))


try:
    print(asyncio.run(main()))
except octavo.NotFound as error:
    print(error.code, error.hint)
"""

WRONG = """
import octavo

octavo.open_library("notes.db")  # attr-defined
with octavo.open("notes.db", creat=True) as library:  # call-arg
    library.search(5)  # arg-type
    library.search("pump", limit="5")  # arg-type
    library.search("pump", 5)  # call-arg
    library.search("pump", kinds="nota")  # arg-type
    library.search("pump", qurey="switch")  # call-arg
    library.remember("x", kind="fcat")  # arg-type
    library.search("pump").hits[0].line  # attr-defined
    library.engine  # attr-defined
    library.memory_get("boiler")  # attr-defined
    library.memory.get(5)  # arg-type
    library.graph.neighbours("a.md")  # attr-defined
    library.index(progress=5)  # arg-type
    number: int = library.get("a.md").text  # assignment


async def main() -> None:
    async with octavo.open_async("notes.db") as library:
        await library.search("pump", limit="5")  # arg-type
        library.search("pump").hits  # attr-defined
        await library.memory.get(5)  # arg-type
"""


def test_a_type_checker_accepts_what_is_right_and_finds_every_mistake(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="types are checked where mypy is installed")
    (tmp_path / "right.py").write_text(RIGHT.lstrip())
    (tmp_path / "wrong.py").write_text(WRONG.lstrip())
    # With the settings of this repository, which are strict: what `./dev check` has checked before is in its cache.
    command = [sys.executable, "-m", "mypy", "--no-error-summary"]
    command += [str(tmp_path / "right.py"), str(tmp_path / "wrong.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    found = re.findall(r"(\w+)\.py:(\d+): error: .*\[([\w-]+)\]", done.stdout)
    marked = [
        ("wrong", str(number), line.rpartition("# ")[2])
        for number, line in enumerate(WRONG.lstrip().splitlines(), 1)
        if "  # " in line
    ]
    assert found == marked, done.stdout + done.stderr
