"""Inline Markdown to plain text: for titles, heading paths and the text of a link; escapes and entities decoded."""

from __future__ import annotations

import html
import re

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


LONGEST = 1000
_MARKED = regex(r"[\\`*_\[\]<&~=^%\n]|  ")
_LITERAL = regex(r"(?<!`)(`{1,9})(?!`)(.+?)(?<!`)\1(?!`)|\\([!-/:-@\[-`{-~])", re.DOTALL)
_COMMENT = regex(r"%%.*?%%", re.DOTALL)
_WIKILINK = regex(r"!?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]")
_LINK = regex(r"!?\[([^\[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])")
_AUTOLINK = regex(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]+@[^\s<>@]+)>")
_TAG = regex(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
_DELIMITER = regex(r"\*+|_+|~~|==")
_BLOCK_ID = regex(r"\s\^[A-Za-z0-9-]+\s*$")
_PLACEHOLDER = 0xE000  # private use area: represents the n-th literal while markup is removed
_SLOTS = 6400


def plain_text(inline: str) -> str:
    """The text of inline Markdown without emphasis marks, backticks, tags or link targets."""
    inline = inline[:LONGEST]
    if not _MARKED.search(inline):
        return inline
    if "`" in inline:
        # Most markup in titles is code between single backticks: `a`, or some `b` in words.
        pieces = inline.split("`")
        if len(pieces) % 2 and all(pieces[1:-1]) and not _MARKED.search("".join(pieces[::2])):
            plain = "".join(pieces)
            if plain == " ".join(plain.split()) and not any(piece[0] == piece[-1] == " " for piece in pieces[1::2]):
                return plain
    return _stripped(inline)


def _stripped(inline: str) -> str:
    literals: list[str] = []

    def stash(m: re.Match[str]) -> str:
        if len(literals) == _SLOTS:
            return m[0]
        literals.append(_code(m[2]) if m[2] is not None else m[3])
        return chr(_PLACEHOLDER + len(literals) - 1)

    text = _LITERAL.sub(stash, inline) if "`" in inline or "\\" in inline else inline
    if "%%" in text:
        text = _COMMENT.sub("", text)
    if "^" in text:
        text = _BLOCK_ID.sub("", text)
    if "[" in text:
        text = _WIKILINK.sub(lambda m: m[2] or m[1].strip("#").replace("#", " > "), text)
        for _ in range(3):  # a link may contain images, whose text may contain brackets
            text, count = _LINK.subn(r"\1", text)
            if not count:
                break
    if "<" in text:
        text = _TAG.sub("", _AUTOLINK.sub(r"\1", text))
    text = _without_emphasis(text)
    text = without_entities(text)
    for slot in range(len(literals) - 1, -1, -1):
        text = text.replace(chr(_PLACEHOLDER + slot), literals[slot], 1)
    return " ".join(text.split())


def _code(content: str) -> str:
    content = content.replace("\n", " ")
    return content[1:-1] if content.startswith(" ") and content.endswith(" ") and content.strip() else content


def _without_emphasis(text: str) -> str:
    """Removes paired emphasis marks; a mark without a partner, or inside a word where it cannot pair, stays."""
    marks: list[tuple[int, int]] = []
    opened: dict[str, list[tuple[int, int]]] = {}
    for m in _DELIMITER.finditer(text):
        start, end = m.span()
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        opens, closes = bool(after) and not after.isspace(), bool(before) and not before.isspace()
        if text[start] == "_":
            opens, closes = opens and not before.isalnum(), closes and not after.isalnum()
        unmatched = opened.setdefault(text[start], [])
        if closes and unmatched:
            marks += (unmatched.pop(), (start, end))
        elif opens:
            unmatched.append((start, end))
    if not marks:
        return text
    pieces, pos = [], 0
    for start, end in sorted(marks):
        pieces.append(text[pos:start])
        pos = end
    pieces.append(text[pos:])
    return "".join(pieces)
