"""Where the front matter of a text ends: properties between two lines of dashes, before the prose."""

from __future__ import annotations

import re

FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
