"""Detects lists and code blocks that answer as a whole: numbered steps, or items that a sentence announces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from octavo.answering.sentence_splitting import Sentence, blanked, sentences, without_comments
from octavo.lazy_regex import regex
from octavo.model.normalised_text_and_spans import Span

_MARKER = r"(?:[-*+]|\d{1,3}[.)])[ \t]+"
_LIST = regex(
    rf"^(?P<indent>[ \t]*){_MARKER}\S[^\n]*"
    rf"(?:\n(?:[ \t]*\n)*(?P=indent)(?:{_MARKER}|[ \t]+)\S[^\n]*|\n(?![ \t]*[#>|<])[ \t]*\S[^\n]*)*",
    re.MULTILINE,
)
_ITEM = regex(
    rf"^(?P<indent>[ \t]*)(?P<marker>{_MARKER})(?P<colon>:[ \t]+)?(?P<text>\S[^\n]*"
    rf"(?:\n(?![ \t]*(?:{_MARKER}|[#>|]|$))[^\n]*)*)",
    re.MULTILINE,
)
_FENCED = regex(
    r"^[ \t]*(?P<block>(?P<fence>```|~~~)[^\n]*\n(?P<code>.*?)(?:^[ \t]*(?P=fence)[^\n]*$|\Z))",
    re.MULTILINE | re.DOTALL,
)
_TAB_LABEL = regex(r"\n[ \t]*=== [\"'][^\n]*\s*\Z")  # of the tabs of a site made with MkDocs
_HEADED = regex(r"^[ \t]*#{1,6}[ \t][^\n]*\s*\Z", re.MULTILINE)
_FIRST = regex(r"[01][.)]")
_LONGEST = 600  # characters of code
_FEWEST, _MOST = 2, 16  # items: more are a reference to look things up in


class AnnouncedList(NamedTuple):
    """A list and the sentence above it that ends with a colon; without one, its heading announces it.

    Items stand in the order of the text, nested ones behind their parent. A number belongs to its item. A block of code
    is a list of one.
    """

    announcement: Sentence | None
    items: tuple[Sentence, ...]
    numbered: bool

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        return (self.announcement, *self.items) if self.announcement else self.items

    @property
    def code(self) -> bool:
        return len(self.items) < _FEWEST


def announced_lists(text: str, offset: int = 0) -> Iterator[AnnouncedList]:
    """The numbered lists of a passage that begin at 1, and the others that a sentence or nothing but a heading
    announces.

    >>> text = "To open it:\\n\\n1. Turn the key.\\n2. Push:\\n   - gently\\n\\nDone."
    >>> [[sentence.text for sentence in each.sentences] for each in announced_lists(text)]
    [['To open it:', '1. Turn the key.', '2. Push:', '- gently']]
    """
    text = without_comments(text)
    for fenced in _FENCED.finditer(text):
        announcement = _announcement(text[: fenced.start()], offset)
        if announcement and fenced["code"].strip() and len(fenced["code"]) <= _LONGEST:
            span = Span(offset + fenced.start("block"), offset + fenced.end())
            yield AnnouncedList(announcement, (Sentence(f"`` {' '.join(fenced['code'].split())} ``", span),), False)
    text = _FENCED.sub(blanked, text)
    for match in _LIST.finditer(text):
        announcement = _announcement(text[: match.start()], offset)
        items = tuple(_item(item, match["indent"], offset) for item in _ITEM.finditer(text, match.start(), match.end()))
        numbered = match[0].lstrip()[0].isdigit()
        announced = announcement or _FIRST.match(match[0].lstrip()) or _HEADED.search(text, 0, match.start())
        if _FEWEST <= len(items) <= _MOST and announced:
            yield AnnouncedList(announcement, items, numbered)


def _announcement(before: str, offset: int) -> Sentence | None:
    """The last sentence before a list, where it ends with a colon."""
    before = _TAB_LABEL.sub("\n", before)
    begins = before.rstrip().rfind("\n\n") + 1
    last = sentences(before[begins:], offset + begins)[-1:]
    return last[0] if last and last[0].text.rstrip("*_ ").endswith(":") else None


def _item(item: re.Match[str], outer: str, offset: int) -> Sentence:
    """From its marker on where that says something: a number, or the bullet of a nested item."""
    marked = item["marker"][0].isdigit() or (len(item["indent"]) > len(outer) and not item["colon"])
    start, end = item.start("marker" if marked else "text"), item.end()
    quote = item.string[start:end].rstrip()
    return Sentence(" ".join(quote.split()), Span(offset + start, offset + start + len(quote)))
