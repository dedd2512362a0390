"""Where the front matter of a text ends: properties between two lines of dashes, before the prose."""

from __future__ import annotations

import re

from octavo.lazy_regex import regex

FRONT_MATTER = regex(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
