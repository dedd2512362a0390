"""The examples of the README and of the first ten minutes: what stands behind a prompt can be typed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/first-ten-minutes.md")

NOT_RUN = {
    "./dev": "makes an environment; continuous integration does the same",
    "pip install": "needs a package index",
    "octavo serve": "runs until it is stopped",
    "octavo watch": "runs until it is stopped",
    "octavo --library postgresql:": "needs a server",
    "octavo db migrate": "needs a server",
}

CART = '''"""Carts."""


class Cart:
    """What a customer wants to buy."""

    def check_out(self) -> int:
        """The total, where the tax is added and rounded."""
        return round(self.total * 1.2)
'''


def commands(page: str) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def runs(command: str) -> bool:
    return not command.startswith(tuple(NOT_RUN))


def test_every_reason_not_to_run_an_example_applies_to_one() -> None:
    typed = [line for page in PAGES for line in commands(page)]
    assert [start for start in NOT_RUN if not any(line.startswith(start) for line in typed)] == []


@pytest.fixture
def home(tmp_path: Path, environment: Path) -> Path:
    """What the examples speak of: notes, a repository of code, and the command."""
    home = tmp_path / "home"
    shutil.copytree(ROOT / "examples" / "vault", home / "notes")
    shutil.copytree(ROOT / "examples" / "vault", environment / "examples" / "vault")
    shop = home / "src" / "shop" / "shop"
    shop.mkdir(parents=True)
    (shop / "cart.py").write_text(CART, "utf-8")
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for git in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "Round the tax: the bank has no half pennies"]):
        subprocess.run(["git", *git], cwd=shop.parent, check=True)
    shim = home / "bin" / "octavo"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m octavo "$@"\n', "utf-8")
    shim.chmod(0o755)
    return home


@pytest.mark.skipif(not all(map(shutil.which, ("bash", "git", "jq"))), reason="needs bash, git and jq")
@pytest.mark.parametrize("page", PAGES)
def test_every_example_succeeds_one_after_the_other(page: str, home: Path) -> None:
    typed = ["set -eo pipefail", f'export PATH="{home}/bin:$PATH"', *filter(runs, commands(page))]
    done = subprocess.run(["bash", "-x"], input="\n".join(typed), capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "collimation" in done.stdout.lower()
