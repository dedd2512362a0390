"""The operation that CONTRIBUTING adds, added to a copy of the tree: four files, and every interface offers it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAME = "graph_most_cited"
STEP = re.compile(r"^\d\. `([\w/]+\.py)`.*?\n   ```python\n(.*?)\n   ```\n", re.MULTILINE | re.DOTALL)
COPIED = ("tests/conftest.py", "tests/unit/operations/conftest.py", "tests/unit/operations/test_table.py")

ASKED_EVERYWHERE = """
import json, sys
import octavo
from http_calls import in_process
from mcp_calls import in_memory
from octavo.operations.answer_conversion import plain
from octavo.operations.operation_lookup import chosen

library, answers = sys.argv[1], {}
with octavo.open(library) as opened:
    answers["python"] = plain(opened.graph.most_cited(limit=3))

async def over_http(client):
    answers["http"] = (await client.post("/v1/graph_most_cited", json={"limit": 3})).json()

async def over_mcp(client):
    answers["mcp"] = (await client.call_tool("graph_most_cited", {"limit": 3})).structured_content

in_process(library, over_http)
in_memory(library, over_mcp, chosen("graph_most_cited"), data=True)
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the operation, and with what is generated from it. Models and compiled modules are linked."""
    copy = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "src", copy / "src", copy_function=_copied)
    shutil.copytree(ROOT / "scripts", copy / "scripts", ignore=_but_python)
    shutil.copytree(ROOT / "tests" / "support", copy / "tests" / "support", ignore=_but_python)
    shutil.copytree(ROOT / "docs" / "reference", copy / "docs" / "reference")
    shutil.copytree(ROOT / "examples", copy / "examples")
    for name in (*COPIED, "pyproject.toml"):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name)
    for name, code in steps():
        _write(copy / name, code)
    for script in ("make_operations_reference", "make_python_api", "make_cli_reference"):
        _ran(copy, f"scripts/{script}.py")
    return copy


def steps() -> list[tuple[str, str]]:
    found = STEP.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    return [(name, re.sub("(?m)^   ", "", code)) for name, code in found]


def _copied(source: str, target: str) -> None:
    if source.endswith((".py", ".pyi")):
        shutil.copy2(source, target)
    else:
        Path(target).symlink_to(source)


def _but_python(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".py")]


def _write(path: Path, code: str) -> None:
    """A row goes to the end of its subject's rows, a request to the end of its module; the rest is a new module."""
    before = path.read_text("utf-8") if path.exists() else ""
    if path.name == "operation_declarations.py":
        path.write_text(f"{before.rstrip().removesuffix(')')}{code}\n)\n", "utf-8")
    else:
        path.write_text(f"{before}\n\n{code}\n".lstrip("\n"), "utf-8")


def _ran(tree: Path, *arguments: str) -> str:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("OCTAVO_", "PYTEST_"))}
    paths = (tree / "src", ROOT / "tests" / "interfaces")
    environ |= {"PYTHONPATH": os.pathsep.join(map(str, paths)), "OCTAVO_EMBEDDING_PROVIDER": "hashing"}
    done = subprocess.run([sys.executable, *arguments], cwd=tree, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_an_operation_takes_four_files_by_hand() -> None:
    assert [Path(name).name for name, _ in steps()] == [
        "requests.py",
        "operation_declarations.py",
        "citations.py",
        "test_most_cited.py",
    ]


def test_every_interface_answers_an_operation_that_was_added(tree: Path, tmp_path: Path) -> None:
    library = str(tmp_path / "library.db")
    octavo = ("-m", "octavo", "-q", "--library", library)
    _ran(tree, *octavo, "init")
    _ran(tree, *octavo, "add", str(tree / "examples" / "vault"), "--name", "observatory")
    _ran(tree, *octavo, "index")
    typed = json.loads(_ran(tree, *octavo, "graph", "most-cited", "-n", "3", "--json"))
    assert len(typed["documents"]) == 3
    answers = json.loads(_ran(tree, "-c", ASKED_EVERYWHERE, library))
    assert answers == {"python": typed, "http": typed, "mcp": typed}
    header, first, *_ = _ran(tree, *octavo, "graph", "most-cited").splitlines()
    assert header.split() == ["place", "title", "citations"]
    assert first.split()[0] == typed["documents"][0]["place"].split()[0]


def test_the_references_have_an_operation_that_was_added(tree: Path) -> None:
    reference = tree / "docs" / "reference"
    assert f"## {NAME}\n" in (reference / "operations.md").read_text("utf-8")
    assert "octavo graph most-cited -n 5" in (reference / "commands.md").read_text("utf-8")
    assert "graph.most_cited" in (reference / "python.md").read_text("utf-8")


def test_its_own_test_and_those_of_every_row_pass(tree: Path) -> None:
    _ran(tree, "-m", "pytest", "-p", "no:xdist", "-k", "most_cited", "tests/unit/operations")
