"""What is written in TypeScript: built from this checkout's operations, and run by Node against a real server.

`npm install` in plugins/ fetches what that needs; without it these tests are skipped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from octavo.version import __version__

PLUGINS = Path(__file__).parents[2] / "plugins"
PACKAGES = json.loads((PLUGINS / "package.json").read_text("utf-8"))["workspaces"]
npm = pytest.mark.skipif(
    shutil.which("npm") is None or not (PLUGINS / "node_modules").is_dir(), reason="`npm install` in plugins/ first"
)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_has_this_version_and_licence(package: str) -> None:
    described = json.loads((PLUGINS / package / "package.json").read_text("utf-8"))
    assert (described["version"], described["license"]) == (__version__, "Apache-2.0")


@npm
def test_packages_build_in_order_and_their_own_tests_pass(tmp_path: Path) -> None:
    octavo = Path(sys.executable).with_name("octavo")
    environ = {**os.environ, "OCTAVO": str(octavo), "OCTAVO_PYTHON": sys.executable, "npm_config_cache": str(tmp_path)}
    environ.pop("OCTAVO_EMBEDDING_PROVIDER")
    for step in ("build", "test"):
        run = subprocess.run(
            ["npm", "run", step, "--silent"], cwd=PLUGINS, env=environ, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
