"""A person's first hour: the built wheel in an environment of its own, an empty home, the defaults that ship.

The wheel is built once a run, or is the one that OCTAVO_WHEEL names, and installed without what it needs: that is taken
from the environment of the tests, whose own Octavo is not on the path. A journey with the fixture `person` is walked
twice, with a library in a file and with one on PostgreSQL.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from people import Person

if sys.platform == "win32":
    collect_ignore_glob = ["test_*.py"]  # the fixtures lock a file and send signals as POSIX has them
else:
    import fcntl

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that has the wheel; one for all processes of a test run."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    environment = shared / "installed"
    with (shared / "installed.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "installed.done").exists():
            _install(shared / "wheel", environment)
            (shared / "installed.done").touch()
    return environment / "bin"


def _install(folder: Path, environment: Path) -> None:
    if built := os.environ.get("OCTAVO_WHEEL"):
        wheels = [Path(built)]
    else:
        subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
        wheels = list(folder.glob("*.whl"))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "--python", python]
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--no-compile", *wheels], check=True)
    (own,) = environment.glob("lib/python*/site-packages")
    # A path from a .pth file is searched for modules and not for further .pth files: the checkout stays out of sight.
    (own / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")


@pytest.fixture
def alone(installed: Path, tmp_path: Path) -> Person:
    """Somebody with an empty home, whose library is the file that Octavo makes."""
    return Person.arrived(installed, tmp_path / "home")


@pytest.fixture(params=["sqlite", "postgres"])
def person(request: pytest.FixtureRequest, alone: Person) -> Iterator[Person]:
    """The same, or somebody who names a database on a server."""
    if request.param == "sqlite":
        yield alone
        return
    server = request.getfixturevalue("postgres")
    url = server.database(empty=True)
    yield alone.with_settings(OCTAVO_LIBRARY=url.secret)
    server.drop(url)
