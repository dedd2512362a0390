"""Tasks for a search in code, from a repository's own history: what a commit says, and the declarations it changed.

    ./dev bench code_tasks REPOSITORY OUT [--back N] [--most N]

The tree of N commits ago is written to OUT/tree. Commits since then that change one to four declarations which stand
in it become lines of OUT/queries.jsonl: `query`, and `gold` with `path`, `symbol`,
`start_line` and `end_line` (what `./dev bench ablations --code` reads). Tests, examples and documents are no gold, and
what only releases, merges, reverts or reformats is no task.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import subprocess
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from octavo.model.document import Kind, Source
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import LineIndex, normalise
from octavo.parsing.registry import parser_for

_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|testing|examples?|docs?|bench\w*|fixtures|vendor)/|(?:^|/)test_|_test\.|\.test\.",
    re.IGNORECASE,
)
_NO_TASK = re.compile(
    r"\b(?:release|merge|revert|bump|version|changelog|typos?|lint|format|upgrade|dependenc\w+|CI|wip|prettier|tests?)\b",
    re.IGNORECASE,
)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
_NUMBERED = re.compile(r"\s*\(?#\d+\)?")
_WORDS, _GOLD = 4, 4


def git(repository: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(repository), *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "replace")


@cache
def declared(repository: Path, base: str, path: str) -> list[tuple[str, int, int]]:
    """The innermost declarations of a file, with their first and last line."""
    parser = parser_for(path)
    if parser is None:
        return []
    text = normalise(git(repository, "show", f"{base}:{path}"))
    document = parser.parse(Source(DocumentId(path), path, text, 0.0))
    if document.kind is not Kind.CODE:
        return []
    lines = LineIndex(text)
    spans = [(".".join(each.path), lines.lines(*each.span)) for each in document.sections if each.level]
    found = [(name, span.first, span.last) for name, span in spans]
    return [
        one
        for one in found
        if not any(other is not one and one[1] <= other[1] and other[2] <= one[2] for other in found)
    ]


def tasks(repository: Path, base: str) -> Iterator[dict[str, Any]]:
    """Commits since the base, oldest first."""
    present = set(git(repository, "ls-tree", "-r", "--name-only", base).splitlines())
    log = git(repository, "log", "--reverse", "--no-merges", "--format=%H %s", f"{base}..HEAD")
    for line in log.splitlines():
        commit, _, subject = line.partition(" ")
        query = _NUMBERED.sub("", subject).strip()
        if _NO_TASK.search(subject) or len(query.split()) < _WORDS:
            continue
        changed = git(repository, "show", "--format=", "--name-only", "--diff-filter=M", commit).splitlines()
        fit = [path for path in changed if path in present and not _ASIDE.search(path)]
        gold = [part for path in fit[: _GOLD + 1] for part in _changed(repository, base, commit, path)]
        if 0 < len(gold) <= _GOLD:
            yield {"id": commit[:10], "query": query, "gold": gold}


def _changed(repository: Path, base: str, commit: str, path: str) -> Iterator[dict[str, Any]]:
    """The base's declarations of the names that the commit changed in a file."""
    diff = git(repository, "show", "--format=", "--unified=0", commit, "--", path)
    hunks = [(int(first), int(first) + max(int(size or 1), 1) - 1) for first, size in _HUNK.findall(diff)]
    names = {
        name
        for name, first, last in declared(repository, f"{commit}~1", path)
        if any(begin <= last and first <= end for begin, end in hunks)
    }
    for name, first, last in declared(repository, base, path):
        if name in names:
            yield {"path": path, "symbol": name, "start_line": first, "end_line": last}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--back", type=int, default=400)
    parser.add_argument("--most", type=int, default=50)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    base = git(options.repository, "rev-parse", f"HEAD~{options.back}").strip()
    archive = subprocess.run(
        ["git", "-C", str(options.repository), "archive", base], check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tree:
        tree.extractall(options.out / "tree", filter="data")
    found = list(tasks(options.repository, base))
    chosen = found[:: max(1, len(found) // options.most)][: options.most]
    (options.out / "queries.jsonl").write_text("".join(f"{json.dumps(task)}\n" for task in chosen), "utf-8")
    print(f"{len(chosen)} tasks of {len(found)} since {base[:10]}")


if __name__ == "__main__":
    main()
