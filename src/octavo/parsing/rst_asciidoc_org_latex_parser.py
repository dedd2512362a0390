"""reStructuredText, AsciiDoc, Org and LaTeX: headings, code and links, located in the text as it is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from unicodedata import lookup, normalize

from octavo.lazy_regex import regex
from octavo.model.document import Block, BlockKind, Document, Kind, Link, LinkKind, Section, Source
from octavo.model.ids import DocumentId, section_id, text_hash
from octavo.model.normalised_text_and_spans import Span
from octavo.parsing.markdown.heading_anchors import Anchors
from octavo.parsing.plaintext import first_title, paragraphs, stem


class Title(NamedTuple):
    """A heading: its rank, its words, and the lines it takes in the text. What it is above ends at `until`, or with the
    next heading of its rank."""

    level: int
    title: str
    start: int
    end: int
    until: int | None = None


class Code(NamedTuple):
    start: int
    end: int
    language: str | None


class MarkupOutline(NamedTuple):
    """What a format's scanner finds. `title` is one that the document declares, if it does."""

    headings: list[Title]
    code: list[Code]
    title: str = ""


class MarkupParser:
    """Fits `ports.Parser`. Total: a text without any markup is paragraphs."""

    def __init__(
        self, name: str, outline: Callable[[str], MarkupOutline], links: re.Pattern[str] | None = None
    ) -> None:
        self.version = f"{name}-2"
        self._outline = outline
        self._links = links

    def parse(self, source: Source) -> Document:
        text = source.text
        outline = self._outline(text)
        headings = _apart(outline.headings, outline.code)
        # Several of one rank stand beside each other: the first says nothing of the others.
        alone = headings and all(heading.level > headings[0].level for heading in headings[1:])
        top = headings[0].title if alone else stem(source.uri) if headings else ""
        return Document(
            id=source.id,
            uri=source.uri,
            kind=source.kind or Kind.NOTE,
            title=outline.title or top or first_title(text) or stem(source.uri),
            text=text,
            content_hash=text_hash(text),
            modified_at=source.modified_at,
            sections=_sections(source.id, headings, len(text)),
            blocks=tuple(_blocks(text, headings, outline.code)),
            links=tuple(self._linked(text)),
            tags=tuple(dict.fromkeys(source.tags)),
        )

    def _linked(self, text: str) -> Iterator[Link]:
        for match in self._links.finditer(text) if self._links is not None else ():
            target = match["target"].removeprefix("file:")
            path, _, anchor = target.partition("#")
            if path:
                yield Link(LinkKind.MARKDOWN, path, anchor or None, match["shown"] or None, Span(*match.span()))


def _apart(headings: Sequence[Title], code: Sequence[Code]) -> list[Title]:
    """Headings that are not inside of code, which may look like anything."""
    return [heading for heading in headings if not any(block.start <= heading.start < block.end for block in code)]


def _sections(document: DocumentId, headings: Sequence[Title], size: int) -> tuple[Section, ...]:
    anchors = Anchors()
    occurrences: Counter[tuple[str, ...]] = Counter()
    first = headings[0].start if headings else size
    sections = [Section(section_id(document, (), 0), (), 0, "", Span(0, first if headings else size))]
    above: list[Title] = []
    for at, heading in enumerate(headings):
        while above and (above[-1].level >= heading.level or (above[-1].until or size) <= heading.start):
            above.pop()
        above.append(heading)
        path = tuple(parent.title for parent in above)
        end = heading.until or next((later.start for later in headings[at + 1 :] if later.level <= heading.level), size)
        id_ = section_id(document, path, occurrences[path])
        occurrences[path] += 1
        sections.append(Section(id_, path, len(above), anchors.take(heading.title), Span(heading.start, end)))
    return tuple(sections)


def _blocks(text: str, headings: Sequence[Title], code: Sequence[Code]) -> Iterator[Block]:
    known = [Block(BlockKind.HEADING, heading.start, heading.end) for heading in headings]
    known += [Block(BlockKind.FENCE, block.start, block.end, block.language) for block in code]
    at = 0
    for block in sorted(known, key=lambda block: block.start):
        if block.start < at:
            continue
        yield from paragraphs(text, at, block.start)
        yield block
        at = block.end
    yield from paragraphs(text, at, len(text))


_RST_RULE = regex(r"^([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_RST_CODE = regex(r"^([ \t]*)\.\. (?:code|code-block|sourcecode|parsed-literal)::[ \t]*(\S*)[^\n]*\n", re.MULTILINE)


_RST_LABEL = regex(r"^\.\. _[^\n]*[^\s_]:[ \t]*$|^:orphan:[ \t]*$")
_RST_OBJECT = regex(
    r"^([ \t]*)\.\.[ ]+(?:(?:c|cpp|js|py|rst|std):[a-z-]+|attribute|class|classmethod|cmdoption|confval|data|decorator"
    r"|describe|django-admin|envvar|exception|fieldlookup|function|method|object|opcode|option|property|setting"
    r"|staticmethod|templatefilter|templatetag|type)::[ \t]+(\S[^\n]*)\n",
    re.MULTILINE,
)
_RST_INLINE = regex(
    r"``(?P<literal>.+?)``"
    r"|(?::[\w:+.-]+:)?`(?P<shown>[^`<\n]*[^`<\s])(?:\s*<[^`>\n]*>)?`_{0,2}"
    r"|(?<!\w)(?P<stars>\*{1,2})(?P<stressed>[^\s*](?:[^*]*[^\s*])?)(?P=stars)(?!\w)"
    r"|\\(?P<escaped>\S?)"
)
_RST_CALLED = regex(r"([\w.:~-]+)[ \t]*\(")
_BELOW_TITLES = 100


def rst_outline(text: str) -> MarkupOutline:
    """Titles are underlined, some overlined too; which character means which rank is decided by its first use."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    ranks: dict[tuple[str, bool], int] = {}
    headings: list[Title] = []
    at = 0
    while at + 1 < len(lines):
        rule = _RST_RULE.match(lines[at + 1])
        title = lines[at].strip()
        words = title and any(map(str.isalnum, title)) and not _RST_RULE.match(lines[at])
        if rule and words and len(lines[at + 1].rstrip()) >= min(len(lines[at].rstrip()), 60) * 0.7:
            over = at > 0 and lines[at - 1].strip() == lines[at + 1].strip()
            if over or (lines[at][:1].strip() and (at == 0 or not lines[at - 1].strip())):
                level = ranks.setdefault((rule[1], over), len(ranks) + 1)
                end = min(starts[at + 2], len(text))
                start = starts[_labelled_from(lines, at - 1 if over else at)]
                headings.append(Title(level, _rst_words(title), start, end))
                at += 2
                continue
        at += 1
    code = [_indented(text, match) for match in _RST_CODE.finditer(text)]
    return MarkupOutline(sorted([*headings, *_described_objects(text)], key=lambda heading: heading.start), code)


def _rst_words(title: str) -> str:
    """A title as it is printed: without the marks of code, references, stress and escapes."""

    def printed(match: re.Match[str]) -> str:
        shown = match["shown"] or ""
        short = shown.rpartition(".")[2] if shown.startswith("~") else shown
        return match["literal"] or short or match["stressed"] or match["escaped"] or ""

    return " ".join(_RST_INLINE.sub(printed, title).split())


def _described_objects(text: str) -> Iterator[Title]:
    """Functions, settings, options and the like that Sphinx describes: what is indented below each is its section."""
    for match in _RST_OBJECT.finditer(text):
        described = _indented(text, match)
        if text[match.end() : described.end].strip():
            called = _RST_CALLED.search(match[2])
            name = called[1] if called else _rst_words(match[2])
            yield Title(_BELOW_TITLES + len(match[1]), name, match.start(), match.end(), described.end)


def _labelled_from(lines: Sequence[str], heading: int) -> int:
    """The line of the first of the labels that name a heading: alone they would be a passage that says nothing."""
    first = at = heading
    while at > 0 and (not lines[at - 1].strip() or _RST_LABEL.match(lines[at - 1])):
        at -= 1
        first = at if lines[at].strip() else first
    return first


def _indented(text: str, match: re.Match[str]) -> Code:
    """A directive with all lines below it that are indented further."""
    depth, end = len(match[1]), match.end()
    reach = end
    while reach < len(text):
        stop = text.find("\n", reach) + 1 or len(text)
        line = text[reach:stop]
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        reach = stop
        if line.strip():
            end = stop
    return Code(match.start(), end, match[2] or None)


_ADOC_HEADING = regex(r"^(={1,6}|#{1,6})[ \t]+(\S[^\n]*?)[ \t]*=*$", re.MULTILINE)
_ADOC_CODE = regex(
    r"^(?:\[(?:source|listing)?[^\]\n]*?(?:,[ \t]*([\w+#-]+))?[^\]\n]*\]\n)?(-{4,}|\.{4,}|`{3,}[\w+#-]*)[ \t]*\n"
    r"(?:.*?\n)??(?:-{4,}|\.{4,}|`{3,})[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
ADOC_LINK = regex(r"(?:xref|link|include):{1,2}(?P<target>[^\s\[\]]+)\[(?P<shown>[^\]\n]*)\]")


def adoc_outline(text: str) -> MarkupOutline:
    code = [Code(match.start(), match.end(), match[1]) for match in _ADOC_CODE.finditer(text)]
    headings = [_heading(match, len(match[1])) for match in _ADOC_HEADING.finditer(text)]
    return MarkupOutline(headings, code)


def _heading(match: re.Match[str], level: int) -> Title:
    return Title(level, " ".join(match[2].split()), match.start(), match.end())


_ORG_HEADING = regex(r"^(\*{1,8})[ \t]+(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_ORG_STATE = regex(r"^(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+|[ \t]+:[\w@#%:]+:$|^\[#[A-Z]\][ \t]+")
_ORG_CODE = regex(
    r"^[ \t]*#\+begin_(?:src|example)(?:[ \t]+([\w+#-]+))?[^\n]*\n.*?^[ \t]*#\+end_(?:src|example)[ \t]*$",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_ORG_TITLE = regex(r"^#\+title:[ \t]*([^\n]+)$", re.MULTILINE | re.IGNORECASE)
_ORG_MARKUP = regex(r"\[\[[^\]\n]*\]\[([^\]\n]*)\]\]|\[\[([^\]\n]*)\]\]")
ORG_LINK = regex(r"\[\[(?P<target>[^\]\n]+)\](?:\[(?P<shown>[^\]\n]*)\])?\]")


def org_outline(text: str) -> MarkupOutline:
    code = [Code(match.start(), match.end(), match[1]) for match in _ORG_CODE.finditer(text)]
    headings = []
    for match in _ORG_HEADING.finditer(text):
        title = match[2]
        for _ in range(3):
            title = _ORG_STATE.sub("", title)
        title = _ORG_MARKUP.sub(lambda link: link[1] or link[2] or "", title)
        if title.strip():
            headings.append(Title(len(match[1]), " ".join(title.split()), match.start(), match.end()))
    declared = _ORG_TITLE.search(text, 0, 4_000)
    return MarkupOutline(headings, code, declared[1].strip() if declared else "")


_TEX_RANKS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_TEX_HEADING = regex(
    r"\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph|[a-z]*(?:section|chapter))\*?"
    r"(?:\[[^\]\n]*\])?\{"
)
_TEX_TITLE = regex(r"\\title(?:\[[^\]\n]*\])?\{")
_TEX_CODE = regex(r"^[ \t]*\\begin\{(verbatim|lstlisting|minted|Verbatim)\}.*?\\end\{\1\}", re.MULTILINE | re.DOTALL)
_TEX_LABEL = regex(r"\\(?:label|index|texorpdfstring)\{[^{}]*\}")
_TEX_COMMAND = regex(r"\\([a-zA-Z]+)\*?[ \t]*|~")
_TEX_ACCENT = regex(r"\\([\"'`^~=.])\s*\{?\s*(?:\\?(i|j)|([^\W\d_]))\s*\}?")
_TEX_SIGN = regex(r"\\([&%_#$])")
_ACCENTS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307"}
_TEX_BRACES = regex(r"[{}]|(?<!\\)\$")
_LONGEST_TITLE = 300


def tex_outline(text: str) -> MarkupOutline:
    code = [Code(match.start(), match.end(), None) for match in _TEX_CODE.finditer(text)]
    headings: list[Title] = []
    for match in _TEX_HEADING.finditer(text):
        line = text.rfind("\n", 0, match.start()) + 1
        if "%" in text[line : match.start()] or text[line : match.start()].strip().startswith("\\newcommand"):
            continue
        end = _closing(text, match.end())
        title = _tex_words(text[match.end() : end - 1])
        if title and end - match.end() <= _LONGEST_TITLE:
            name = match[1] if match[1] in _TEX_RANKS else _nearest_rank(match[1])
            headings.append(Title(_TEX_RANKS.index(name) + 1, title, match.start(), end))
    declared = _TEX_TITLE.search(text)
    title = _tex_words(text[declared.end() : _closing(text, declared.end()) - 1]) if declared else ""
    return MarkupOutline(headings, code, title[:_LONGEST_TITLE])


def _nearest_rank(name: str) -> str:
    """Of a command that a document defines for itself: `\\lsubsection` is a subsection."""
    return next(rank for rank in ("subsubsection", "subsection", "section", "chapter") if name.endswith(rank))


def _closing(text: str, at: int) -> int:
    """After the brace that closes what was opened just before `at`."""
    depth, end = 1, min(len(text), at + 2 * _LONGEST_TITLE)
    while at < end and depth:
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
    return at


def _tex_words(text: str) -> str:
    """A title as it is printed: accents on their letters, Greek letters by their names, and no other commands."""
    text = _TEX_ACCENT.sub(lambda match: (match[2] or match[3]) + _ACCENTS[match[1]], _TEX_LABEL.sub("", text))
    text = _TEX_COMMAND.sub(_tex_letter, text.replace("\\\\", " "))
    return " ".join(normalize("NFC", _TEX_SIGN.sub(r"\1", _TEX_BRACES.sub("", text))).split())


_TEX_LETTERS = {"lambda": "λ", "Lambda": "Λ", "varepsilon": "ε", "varphi": "φ", "vartheta": "ϑ"}
_TEX_LETTERS |= {"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł"}
"""Those that Unicode has under another name."""


def _tex_letter(command: re.Match[str]) -> str:
    name = command[1] or ""
    if letter := _TEX_LETTERS.get(name):
        return letter
    try:
        return lookup(f"GREEK {'CAPITAL' if name[:1].isupper() else 'SMALL'} LETTER {name.upper()}")
    except KeyError:
        return " "


RST = MarkupParser("rst", rst_outline)
ADOC = MarkupParser("adoc", adoc_outline, ADOC_LINK)
ORG = MarkupParser("org", org_outline, ORG_LINK)
TEX = MarkupParser("tex", tex_outline)

MARKUP_VERSION = "markup-5"
"""Recorded in the recipe: one for all four, which are read alike."""
