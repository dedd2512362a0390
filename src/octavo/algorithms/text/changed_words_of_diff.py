"""The words of the lines that a diff takes out and puts in, without those around them."""

from __future__ import annotations

import re

from octavo.lazy_regex import regex

# A changed line and not one of the two that name the file; the names themselves are among the changed files.
_CHANGED = regex(r"^[+-](?!\+\+ |-- )(.*)", re.MULTILINE)


def changed_words(diff: str) -> str:
    """The words of changed lines, each once, in order of appearance.

    A renamed variable is in a diff dozens of times; how often says nothing about what the change is about.
    """
    return " ".join(dict.fromkeys(" ".join(_CHANGED.findall(diff)).split()))
