"""Adds the commit a distribution is built from, for `octavo version`, and to a wheel the compiled word tables.

A wheel built without a compiler is a pure one, which does the same more slowly. `CC` names the compiler, else it is
`cc`, else `zig cc` from the package `ziglang`. `OCTAVO_BUILD_PLATFORM` is the platform in the wheel's name where `CC`
compiles for another machine, or `any` for a wheel without a library.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PLACE = "octavo/commit.txt"
_SOURCE = "octavo/algorithms/compiled/word_tables.c"
# Contracted products would round otherwise than numpy's do.
_FLAGS = ("-std=c99", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-shared")
_SUFFIXES = {"win": ".dll", "macosx": ".dylib"}


class BuildHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if self.target_name == "wheel":
            self._add_library(root, version == "editable", build_data)
        if version == "editable" or (root / "src" / _PLACE).exists():  # a wheel is built from the source distribution
            return
        asked = ["git", "-C", str(root), "rev-parse", "--short=12", "HEAD"]
        try:
            commit = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
        except (OSError, subprocess.CalledProcessError):  # an archive without its history
            return
        file = root / "build" / "commit.txt"
        file.parent.mkdir(exist_ok=True)
        file.write_text(commit, "utf-8")
        build_data["force_include"][str(file)] = f"src/{_PLACE}" if self.target_name == "sdist" else _PLACE

    def _add_library(self, root: Path, editable: bool, build_data: dict[str, Any]) -> None:
        wheel_platform = os.environ.get("OCTAVO_BUILD_PLATFORM") or _this_platform()
        if wheel_platform == "any":
            return
        suffix = _SUFFIXES.get(wheel_platform.partition("_")[0].rstrip("0123456789"), ".so")
        name = Path(_SOURCE).with_suffix(suffix)
        library = root / "src" / name if editable else root / "build" / wheel_platform / name.name
        try:
            library.parent.mkdir(parents=True, exist_ok=True)
            compile_library(root / "src" / _SOURCE, library, pic=suffix != ".dll")
        except (OSError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "stderr", "") or str(error)
            self.app.display_warning(f"no compiled word tables, indexing will be slower: {reason.strip()[-300:]}")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{wheel_platform}"
        if not editable:
            build_data["force_include"][str(library)] = name.as_posix()


def compile_library(source: Path, library: Path, *flags: str, pic: bool = True) -> None:
    # Moved into its place: a process may have the old one open, and some linkers leave other files beside theirs.
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        made = Path(folder) / library.name
        command = [*_compiler(), *_FLAGS, *(["-fPIC"] if pic else []), *flags, str(source), "-o", str(made)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        made.replace(library)


def _compiler() -> list[str]:
    if given := os.environ.get("CC"):
        return shlex.split(given)
    if shutil.which("cc"):
        return ["cc"]
    if find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang", "cc"]
    raise FileNotFoundError("there is no C compiler; set CC, or install the package ziglang")


def _this_platform() -> str:
    if sys.platform == "darwin":  # an interpreter for two processors compiles for the one at hand
        return f"macosx_11_0_{platform.machine()}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
