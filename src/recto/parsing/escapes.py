"""What stands for another character in Markdown: backslashes before punctuation, and HTML's entities."""

from __future__ import annotations

import re

_BACKSLASH = re.compile(r"\\([!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def without_backslashes(text: str) -> str:
    return _BACKSLASH.sub(r"\1", text) if "\\" in text else text


def without_entities(text: str) -> str:
    """Unlike HTML, Markdown knows an entity only by its semicolon: `?a=b&copy=1` is left alone."""
    if "&" not in text or not _ENTITY.search(text):
        return text
    import html

    return _ENTITY.sub(lambda m: html.unescape(m[0]), text)
