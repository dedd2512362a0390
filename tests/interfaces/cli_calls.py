"""What the tests of the command line share: a small vault, and the shapes of its callers."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from click.testing import Result

REWRITE = os.environ.get("OCTAVO_UPDATE_GOLDEN") == "1"
GOLDEN = Path(__file__).parents[1] / "golden" / "cli"

APPLES = """\
---
tags: [garden, trees]
---
# Apple trees

Apple trees live long when they are looked after. The oldest one in the village was planted by a schoolmaster more than
a hundred years ago and still gives four baskets in a good autumn. What follows is what we have learned from it.

## Pruning

Prune in late winter, before the buds swell. Take out crossing branches first, then whatever grows towards the middle,
so that light and air reach every part of the tree. Cut just above a bud that looks outwards, slanting away from it. A
saw that is blunt tears the bark, and a torn branch heals badly. Paint is not needed: a clean cut closes by itself. In
summer take away only the shoots that grow straight up, because they bear nothing and shade the fruit below them.

## Watering

A young tree needs two buckets of water a week in its first summer. Pour slowly, so that the ground drinks it. Older
trees look after themselves unless no rain falls for a month; then one long soaking is better than many short ones. A
ring of straw around the trunk keeps the ground moist, but it must not touch the bark, where it would breed rot.
"""

BREAD = """\
# Sourdough bread

Feed the starter in the evening. The dough rests overnight and is baked in a hot oven in the morning.
"""

TOKYO = """\
# 東京

東京都は日本の首都です。
"""


Location = Path | str
"""Of a library: a file, or the URL of a database."""


@dataclass(frozen=True)
class Vault:
    """A folder of notes, and the library that has indexed it."""

    folder: Path
    library: Location


Octavo = Callable[..., Result]
Shell = Callable[..., "subprocess.CompletedProcess[str]"]


def surroundings(home: Path) -> dict[str, str]:
    """An environment in which nothing of the person running the tests can be seen."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OCTAVO_", "XDG_", "COLUMNS"))}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        kept.pop(name, None)
    return kept | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "OCTAVO_EMBEDDING_PROVIDER": "hashing",
        # Each test looks after its own processes; those of the server turn it on.
        "OCTAVO_DAEMON_ENABLED": "false",
        "COLUMNS": "80",
        "PYTHONWARNINGS": "error",
    }


def write_vault(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "garden").mkdir(exist_ok=True)
    (folder / "garden" / "apples.md").write_text(APPLES, "utf-8")
    (folder / "bread.md").write_text(BREAD, "utf-8")
    (folder / "tokyo.md").write_text(TOKYO, "utf-8")
    return folder
