"""Writes docs/seeds.md: what the five programs that Octavo unites promised, item by item, and the tests that hold it.

With --check, says whether it is current.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from generated import ROOT, main

TARGET = ROOT / "docs" / "seeds.md"
STATES = {
    "works": "works",
    "better": "better",
    "otherwise": "decided otherwise",
    "partial": "partial",
    "missing": "missing",
}
_BAR = "\\|"
_SETS = ("memento", "msrl", "ragdocs", "lsm", "edgecoder")

_INTRODUCTION = """\
# Tools of other programs

<!-- Written by scripts/make_seeds_reference.py from tests/seeds: change those, not this page. -->

Octavo unites the designs of five programs. Clients that were written for one of them find its tools by their own names,
arguments, limits and answers:

```console
$ octavo mcp --tools memento
$ octavo mcp --tools default,msrl --names dotted
```

The sets are {sets}. An argument may be written in camelCase or snake_case, answers and errors are JSON, and nothing
of this is listed or imported unless it is asked for. Names have underscores, because one dotted name hides every tool
in some clients; `--names dotted` (or `dotted` among the sets) gives them dots.

Decisions that hold for all of them: a search gives 10 hits unless told otherwise, and 1,000 at most; a file is read up
to 10 MB (`ingest.max_file_bytes`); errors of Octavo's own tools are prose that a model can act on; the reranker is off
unless a profile or a call names it.

Every section of the five documents was walked: {items} items, each with the test that shows it, the reason why it is
otherwise, or what is lacking.
"""


def items() -> dict[str, Mapping[str, Any]]:
    """Every program's table, by the name of its folder."""
    files = sorted((ROOT / "tests" / "seeds").glob("*/items.toml"))
    return {file.parent.name: tomllib.loads(file.read_text("utf-8")) for file in files}


def problems() -> Iterator[str]:
    """Rows that no test holds, or that give no reason."""
    for name, table in items().items():
        for section, state, promise, proof in table["items"]:
            where = f"{name} {section}: {promise}"
            if state not in STATES:
                yield f"{where}: there is no state {state}"
            elif not proof:
                yield f"{where}: why?"
            elif state in ("works", "better"):
                path, _, test = proof.partition("::")
                file = ROOT / path
                if not file.exists() or (test and f"def {test}(" not in file.read_text("utf-8")):
                    yield f"{where}: there is no test {proof}"


def page() -> str:
    tables = items()
    counts = {name: Counter(row[1] for row in table["items"]) for name, table in tables.items()}
    every = sum(counts.values(), Counter())
    lines = [_INTRODUCTION.format(sets=", ".join(f"`{name}`" for name in _SETS), items=every.total())]
    lines += [f"| program | items | {' | '.join(STATES.values())} |", "|---" * (2 + len(STATES)) + "|"]
    for name, table in tables.items():
        numbers = " | ".join(str(counts[name][state]) for state in STATES)
        lines.append(f"| [{table['title']}](#{_anchor(table['title'])}) | {len(table['items'])} | {numbers} |")
    lines.append(f"| all | {every.total()} | {' | '.join(str(every[state]) for state in STATES)} |")
    for table in tables.values():
        lines += ["", f"## {table['title']}", "", f"After {table['source']}.", ""]
        lines += ["| section | promise | state | by or why |", "|---|---|---|---|"]
        lines += [_row(*row) for row in table["items"]]
    return "\n".join(lines) + "\n"


def _row(section: str, state: str, promise: str, proof: str) -> str:
    shown = f"`{proof.partition('::')[0]}`" if state in ("works", "better") else proof
    cells = (section, promise, STATES[state], shown)
    return f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


if __name__ == "__main__":
    for problem in problems():
        print(problem, file=sys.stderr)
    sys.exit(main({TARGET: page()}))
