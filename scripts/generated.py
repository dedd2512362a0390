"""What the scripts that generate a page have in common: write it, or say whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main(pages: Mapping[Path, str]) -> int:
    """The exit code: with --check, 1 where a file is not the text it should be."""
    if "--check" not in sys.argv[1:]:
        for target, text in pages.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
        return 0
    old = [target for target, text in pages.items() if not target.is_file() or target.read_text("utf-8") != text]
    for target in old:
        shown = target.relative_to(ROOT)
        print(f"{shown} is not what the code says: run `python scripts/{Path(sys.argv[0]).name}`", file=sys.stderr)
    return 1 if old else 0
