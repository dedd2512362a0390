"""Links and tags in the prose of a Markdown text, with their exact positions.

One regular expression finds the characters that can begin a link or tag; a stack of brackets handles the links it
cannot match completely. The holes of the block structure are not searched.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from octavo.lazy_regex import regex
from octavo.model.document import Link, LinkKind
from octavo.model.normalised_text_and_spans import Span
from octavo.parsing.markdown.block_grammar import Structure, always
from octavo.parsing.markdown.inline_to_plain_text import plain_text, without_backslashes, without_entities
from octavo.parsing.markdown.link_reference_definitions import destination, label_key

# Every alternative begins with a different character, which lets the search skip all others.
_TICKS, _WIKILINK, _SHOWN, _TARGET, _OPEN, _CLOSE, _AUTOLINK, _COMMENT, _TAG, _HIDDEN, _URL = range(1, 12)
_TAG_CHARS = r"[^\s!-,.:-@\[-^`{-~\u2000-\u206f\u2e00-\u2e7f\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]"
_TOKEN = regex(
    r"`(?:[^`\n]++`(?!`)|(`*+))"
    r"|\\[!-/:-@\[-`{-~]"
    r"|\[(?:\[([^\[\]\n]{1,999}+)\]\]"
    r"|([^\[\]\\`<\n]*+(?:`[^`\n]++`[^\[\]\\`<\n]*+){0,20})\]\(([^()<>\\\s]*+)(?:[ ]++\"[^\"\\\n]*+\")?\)"
    r"|(\[*+))"
    r"|\](\]*+)"
    r"|<(?:([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{0,1999}+|[^\s<>@:/]{1,99}+@[^\s<>@:/]{1,99}+)>|(!--)|/?[A-Za-z][^<>]{0,999}+>)"
    rf"|\#(?<!\S\#)({_TAG_CHARS}++)"
    r"|%(%++)"
    r"|:(?:(?<=\bhttp:)|(?<=\bhttps:))//(?=\w)([^\s<>\[\]`\"]{1,2000}+)"
)
_BREAK = regex(r"\n[ \t>]*(?:\n|(?:[-+*]|[0-9]{1,9}[.)])[ \t]|#{1,6}[ \t\n])")
_TICK_RUN = regex(r"`+")
_SPACE = r"[ \t]*+(?:\n[ \t]*+)?"
_TITLE = r"""(?:"(?:[^"\\]|\\.){0,999}"|'(?:[^'\\]|\\.){0,999}'|\((?:[^()\\]|\\.){0,999}\))"""
_TITLE_AND_END = regex(rf"{_SPACE}(?:(?<=\s){_TITLE}{_SPACE})?\)", re.DOTALL)
_gap_at = always(_SPACE)
_LABEL = regex(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)
_SCHEME = regex(r"[A-Za-z][A-Za-z0-9+.-]{1,31}:")
_NUMBERISH = regex(r"[\d/_-]*")

_REACH = 10_000  # characters; brackets farther apart than this are not a link, backticks not code
_LONGEST_TAG = 200
_OPENED = 64  # open brackets remembered at once
# Bound once: Python 3.11 takes a fifth of a microsecond to look up an enum member.
_MARKDOWN = LinkKind.MARKDOWN


def links_and_tags(text: str, start: int, structure: Structure) -> tuple[tuple[Link, ...], tuple[str, ...]]:
    """The links of the prose from `start` on, and its tags in order of first use, each once."""
    prose = _Prose(text, structure.definitions)
    pos = start
    for hole_start, hole_end in structure.holes:
        if hole_start > pos:
            prose.read(pos, hole_start)
        pos = max(pos, hole_end)
    if pos < len(text):
        prose.read(pos, len(text))
    links, tags = prose.links, prose.tags
    if len(prose.comments) > 1:
        links = [link for link in links if not _hidden(link.span.start, prose.comments)]
        tags = [tag for tag in tags if not _hidden(tag[0], prose.comments)]
    links.sort(key=_start)
    return tuple(links), tuple(dict.fromkeys([name for _, name in tags]))


def _start(link: Link) -> int:
    return link.span.start


def _hidden(pos: int, comments: list[int]) -> bool:
    """Whether a position lies between two comment marks; a last mark without a partner opens no comment."""
    before = bisect_right(comments, pos)
    return before % 2 == 1 and before < len(comments)


class _Prose:
    """The links, tags and comments found so far in one text."""

    __slots__ = ("comments", "definitions", "links", "opened", "tags", "text", "unclosed")

    def __init__(self, text: str, definitions: Mapping[str, str]) -> None:
        self.text, self.definitions = text, definitions
        self.links: list[Link] = []
        self.tags: list[tuple[int, str]] = []
        self.comments: list[int] = []
        self.opened: list[int] = []
        self.unclosed = 0  # from here on, no HTML comment is closed

    def read(self, start: int, end: int) -> None:
        """Scans one range of prose."""
        links, tags, opened = self.links, self.tags, self.opened
        opened.clear()
        self.unclosed = end
        runs: dict[int, list[int]] | None = None
        pos: int | None = start
        while pos is not None:
            tokens = _TOKEN.finditer(self.text, pos, end)
            pos = None  # set when scanning must resume after the end of a token
            for m in tokens:
                kind = m.lastindex
                if kind is None:
                    continue
                at = m.start()
                if kind == _TARGET:
                    image = self._is_image(at)
                    links.append(_markdown_link(m[_TARGET], m[_SHOWN], at - image, m.end()))
                    if not image and opened:
                        self._close_links()
                elif kind == _TAG:
                    name = m[_TAG].strip("/")
                    if len(name) <= _LONGEST_TAG and not _NUMBERISH.fullmatch(name):
                        tags.append((at, name))
                elif kind == _TICKS:
                    if runs is None:
                        runs = _tick_runs(self.text, start, end)
                    pos = self._code_end(m.end(), runs.get(m.end() - at, ()))
                elif kind == _WIKILINK:
                    embed = self._is_image(at)
                    wiki = _wikilink(m[_WIKILINK], embed, at - embed, m.end())
                    if wiki is not None:
                        links.append(wiki)
                elif kind == _OPEN:
                    opened.extend(range(max(at, m.end() - _OPENED), m.end()))
                    if len(opened) > 2 * _OPENED:
                        del opened[:-_OPENED]
                elif kind == _CLOSE:
                    if opened:
                        pos = self._close(at, m.end(), end)
                elif kind == _AUTOLINK:
                    target = m[_AUTOLINK] if ":" in m[_AUTOLINK] else "mailto:" + m[_AUTOLINK]
                    links.append(Link(_MARKDOWN, target, None, None, Span(at, m.end())))
                elif kind == _URL:
                    begin = at - (5 if self.text[at - 1] == "s" else 4)
                    url = _bare_url(self.text[begin : m.end()])
                    links.append(Link(_MARKDOWN, url, None, None, Span(begin, begin + len(url))))
                elif kind == _HIDDEN:
                    # Four percent signs open a comment and close it again.
                    if len(m[_HIDDEN]) % 4 in (1, 2):
                        self.comments.append(at)
                elif kind == _COMMENT:
                    pos = self._comment_end(m.end(), end)
                if pos is not None:
                    break

    def _is_image(self, at: int) -> int:
        """1 if the bracket at this position follows an unescaped exclamation mark."""
        text = self.text
        return int(at > 0 and text[at - 1] == "!" and (at < 2 or text[at - 2] != "\\"))

    def _code_end(self, start: int, closers: Sequence[int]) -> int | None:
        """Where the code span that starts after the backticks before `start` ends; it stays within its paragraph."""
        at = bisect_left(closers, start)
        if at == len(closers) or closers[at] - start > _REACH or _BREAK.search(self.text, start, closers[at]):
            return None
        ticks = _TICK_RUN.match(self.text, closers[at])
        return ticks.end() if ticks else None

    def _comment_end(self, start: int, end: int) -> int | None:
        if start >= self.unclosed:
            return None
        closed = self.text.find("-->", start, end)
        if closed < 0:
            self.unclosed = start
            return None
        return closed + 3

    def _close(self, at: int, after: int, end: int) -> int | None:
        """Pairs a run of closing brackets with opening ones; where to resume when that consumed what follows."""
        text, opened = self.text, self.opened
        for close in range(at, min(after, at + len(opened))):
            start = opened.pop()
            if close - start > _REACH or _BREAK.search(text, start, close):
                opened.clear()
                return None
            shown = text[start + 1 : close]
            target, stop = self._target(shown, close + 1, end)
            if target is None:
                continue
            image = self._is_image(start)
            while self.tags and self.tags[-1][0] > start:
                self.tags.pop()
            self.links.append(_markdown_link(target, shown, start - image, stop))
            if not image:
                self._close_links()
            return stop
        return None

    def _close_links(self) -> None:
        """Forgets the open brackets around a link, except those of images: a link cannot contain a link."""
        self.opened[:] = [start for start in self.opened if self._is_image(start)]

    def _target(self, shown: str, pos: int, end: int) -> tuple[str | None, int]:
        """The target of a bracketed text, and where the link ends: `(target)`, `[label]`, or the text as a label."""
        text = self.text
        following = text[pos : pos + 1] if pos < end else ""
        if following == "(":
            begin = _gap_at(text, pos + 1).end()
            written = destination(text, begin) or ("", begin)
            closed = _TITLE_AND_END.match(text, written[1], end)
            if closed:
                return written[0], closed.end()
        if not self.definitions:
            return None, pos
        if following == "[":
            label = _LABEL.match(text, pos, end)
            if label:
                return self.definitions.get(label_key(label[1] or shown)), label.end()
        return self.definitions.get(label_key(shown)), pos


def _tick_runs(text: str, start: int, end: int) -> dict[int, list[int]]:
    """Where runs of backticks begin, by their length."""
    runs: dict[int, list[int]] = {}
    for m in _TICK_RUN.finditer(text, start, end):
        runs.setdefault(m.end() - m.start(), []).append(m.start())
    return runs


def _markdown_link(written: str, shown: str, start: int, end: int) -> Link:
    target = without_entities(without_backslashes(written))
    anchor: str | None = None
    if not _SCHEME.match(target) and not target.startswith("//"):
        target, hash_sign, fragment = target.partition("#")
        anchor = fragment if hash_sign else None
        if "%" in written:
            target = unquote(target)
            anchor = unquote(anchor) if anchor is not None else None
    new = tuple.__new__  # like the constructors, in half of their time
    return new(Link, (_MARKDOWN, target, anchor, plain_text(shown), new(Span, (start, end))))


def _wikilink(inner: str, embed: int, start: int, end: int) -> Link | None:
    """`Note#Heading|shown`, `Note^block`, `#Heading`; in a table, pipes are written `\\|`."""
    path, bar, shown = inner.partition("|")
    path = path.removesuffix("\\") if bar else path
    target, hash_sign, anchor = path.partition("#")
    if not hash_sign:
        target, caret, block = path.partition("^")
        anchor = caret + block
    target, anchor = target.strip(), anchor.strip()
    if not target and not anchor:
        return None
    kind = LinkKind.EMBED if embed else LinkKind.WIKILINK
    return Link(kind, target, anchor or None, shown.strip() or None, Span(start, end))


def _bare_url(url: str) -> str:
    """A URL in running text without the punctuation that ends the sentence or the bracket around it."""
    surplus = url.count(")") - url.count("(")
    url = url.rstrip(".,;:!?'\"*_~")
    while surplus > 0 and url.endswith(")"):
        url = url[:-1].rstrip(".,;:!?'\"*_~")
        surplus -= 1
    return url
