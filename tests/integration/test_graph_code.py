"""Code, tests, notes and commits of one repository in one graph."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from git_repository import GitRepository

from octavo.engine.wiring import open_library
from octavo.operations.graph.links_entities_and_communities import graph_neighbors, graph_related
from octavo.operations.graph.requests import GraphNeighborsRequest, GraphRelatedRequest
from octavo.operations.reading.passage_reading import get
from octavo.operations.reading.requests import GetRequest

FILES = {
    "README.md": "# App\n\nStart at [main](src/app/main.py).\n\n## See also\n\n[[util.py]]\n",
    "src/app/__init__.py": "",
    "src/app/main.py": "from app.store import Store\nfrom . import util\nimport os, typing\nimport werkzeug\n",
    "src/app/store.py": "class Store:\n    pass\n",
    "src/app/typing.py": "Text = str\n",
    "src/app/util.py": "def f():\n    pass\n",
    "tests/test_main.py": "from app.main import x\n",
}


def git(folder: Path, *arguments: str) -> None:
    author = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True)


def test_imports_tests_links_and_commits_lead_to_the_same_files(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "repository"
    for uri, text in FILES.items():
        (folder / uri).parent.mkdir(parents=True, exist_ok=True)
        (folder / uri).write_text(text, "utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "Start it all")
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("code", folder)
        engine.index()
        nodes = {node.document: node for node in engine.store.graph.nodes(engine.project.id)}
        uris = {one: node.uri if node.kind != "commit" else "commit" for one, node in nodes.items()}
        edges = engine.store.graph.edges(engine.project.id)
        found = {(uris[edge.source], edge.type.value, uris[edge.target]) for edge in edges if edge.target}
        assert found == {
            ("README.md", "links_to", "src/app/main.py"),
            ("README.md", "related", "src/app/util.py"),
            ("src/app/main.py", "links_to", "src/app/store.py"),
            ("src/app/main.py", "links_to", "src/app/util.py"),
            ("src/app/main.py", "links_to", "src/app/__init__.py"),
            ("tests/test_main.py", "tests", "src/app/main.py"),
            *(("commit", "changes", uri) for uri in FILES if FILES[uri]),
            ("commit", "changes", "src/app/__init__.py"),
        }
        assert get(engine, GetRequest("src/app/main.py")).backlinks == ("code/README.md", "code/tests/test_main.py")
        shown = graph_neighbors(engine, GraphNeighborsRequest("src/app/main.py", direction="out")).edges
        assert [one.target for one in shown if one.missing] == []
        beside = graph_related(engine, GraphRelatedRequest("src/app/util.py", by_meaning=False)).documents
        assert {one.place for one in beside[:2]} == {"code/README.md", "code/src/app/main.py"}
        assert all(one.kind != "commit" for one in beside)
        assert engine.store.graph.ghosts(engine.project.id, 9) == ()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_commits_that_changed_a_file_leave_room_for_the_files_around_it(tmp_path: Path) -> None:
    repo = GitRepository(tmp_path / "code")
    repo.write({"core.py": "x = 0\n", "near.py": "import core\n", "far.py": "import near\n"})
    for number in range(60):
        repo.commit(f"Count to {number}", {"core.py": f"x = {number}\n"})
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("code", repo.folder)
        engine.index()
        found = graph_related(engine, GraphRelatedRequest("core.py", by_meaning=False)).documents
    assert [(one.place, one.why) for one in found] == [
        ("code/near.py", ("linked here",)),
        ("code/far.py", ("2 links away",)),
    ]
