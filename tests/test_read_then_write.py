"""Every transaction of the rooms that change a library is listed once, with where its read happens."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "octavo"
PAGE = ROOT / "docs" / "research" / "read-then-write.md"
ROOMS = ("evaluation", "memory", "jobs", "ingest", "operations")


def transactions(node: ast.AST, name: str = "") -> Iterator[str]:
    """The qualified names of the functions that open a transaction."""
    for child in ast.iter_child_nodes(node):
        inner = name
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            inner = f"{name}.{child.name}".lstrip(".")
        if isinstance(child, ast.With) and any(
            ".transaction()" in ast.unparse(item.context_expr) for item in child.items
        ):
            yield name
        yield from transactions(child, inner)


def test_every_transaction_is_listed_once_with_where_its_read_happens() -> None:
    found = {
        (path.relative_to(SOURCE).as_posix(), name)
        for room in ROOMS
        for path in (SOURCE / room).rglob("*.py")
        for name in transactions(ast.parse(path.read_text("utf-8")))
    }
    rows = re.findall(r"^\| `([^`]+)` `([^`]+)` \| (?:inside|again|nothing): \S", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(rows) == sorted(found)
