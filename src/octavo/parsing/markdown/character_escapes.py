"""Character escapes in Markdown: backslashes before punctuation, and HTML entities."""

from __future__ import annotations

import html

from octavo.lazy_regex import regex

_BACKSLASH = regex(r"\\([!-/:-@\[-`{-~])")
_ENTITY = regex(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def without_backslashes(text: str) -> str:
    return _BACKSLASH.sub(r"\1", text) if "\\" in text else text


def without_entities(text: str) -> str:
    """Unlike HTML, Markdown recognises an entity only with its semicolon: `?a=b&copy=1` stays as it is."""
    if "&" not in text or not _ENTITY.search(text):
        return text
    return _ENTITY.sub(lambda m: html.unescape(m[0]), text)
