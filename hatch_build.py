"""Puts the commit that a distribution is built from into it, for `octavo version`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PLACE = "octavo/commit.txt"


class CommitHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
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
