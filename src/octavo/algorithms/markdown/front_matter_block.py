"""The pattern of a front matter block: properties between two lines of dashes at the start of a text."""

from __future__ import annotations

import re

from octavo.lazy_regex import regex

FRONT_MATTER = regex(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
