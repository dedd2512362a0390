"""What is generated is up to date, and what help loads is light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAVY = {"mcp", "fastapi", "starlette", "uvicorn", "anyio", "pydantic", "apsw", "numpy"}


def test_the_reference_of_operations_is_what_the_table_says() -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "make_operations_reference.py", "--check"], check=True)


@pytest.mark.parametrize("arguments", [["mcp", "--help"], ["serve", "--help"], ["mcp", "install", "--help"]])
def test_the_help_of_servers_imports_none_of_what_they_serve_with(arguments: list[str]) -> None:
    program = (
        "import sys\n"
        "from octavo.interfaces.cli.main import cli\n"
        "try:\n    cli.main(sys.argv[1:])\n"
        "except SystemExit:\n    pass\n"
        "sys.stderr.write('\\n' + ' '.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    assert HEAVY.isdisjoint(done.stderr.rpartition("\n")[2].split())
