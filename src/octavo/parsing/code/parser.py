"""Source code parser: symbols become sections, statements blocks, imports links, the opening comment a description."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from octavo.lazy_regex import regex
from octavo.model.document import Block, BlockKind, Document, Kind, Link, LinkKind, Section, Source
from octavo.model.ids import DocumentId, section_id, text_hash
from octavo.model.normalised_text_and_spans import Span
from octavo.parsing.code.code_outline import (
    ANYWHERE,
    CodeOutline,
    Cut,
    Import,
    Symbol,
    imports_in,
    limited,
    nested,
    pattern_for,
)
from octavo.parsing.code.language_detection import language_of, module_name
from octavo.parsing.code.outline_without_grammar import textual_outline
from octavo.parsing.code.syntax_tree_outline import tree_outline
from octavo.parsing.code.treesitter import Unparsable, parse, syntax_for

LONGEST = 300
_OPENING = 40  # blocks searched
_READ = 4000  # characters read of a comment

_SHEBANG = regex(r"^#!.*\n?")
_QUOTES = regex(r"^[rRuUbBfF]{0,2}(\"\"\"|'''|\"|')(.*?)(?:\1)?$", re.DOTALL)
_MARKS = regex(
    r"^[ \t]*(?:/\*+!?|\*+/|\*(?!\*)|//+!?|#+(?!!)|--+|;+|%+|<!--|-->|<\?php|\(\*|\"(?= ))[ \t]?", re.MULTILINE
)
_TAIL = regex(r"[ \t]*(?:\*+/|-->|\*\))[ \t]*$", re.MULTILINE)
_TAGS = regex(r"</?(?:summary|remarks|para|p|b|i|code|pre|see[^>]*|c|ul|li)\s*/?>")
_INLINE = regex(r"\{@\w+\s+([^{}]*)\}|`+([^`\n]*)`+|:\w+:`~?([^`\n]*)`")
_PARAGRAPH = regex(r"\n[ \t]*\n|\n[ \t]*(?=[@\\:](?:param|author|file|return|since|version|see|module|brief)\b)")
_RULER = regex(r"^[\W_]{3,}$", re.MULTILINE)
_LEGAL = regex(r"copyright|licen[cs]e|spdx|all rights reserved|\(c\) \d{4}", re.IGNORECASE)
_FOR_TOOLS = regex(
    r"^[^\n]*(?:eslint|jshint|prettier|pylint|flake8|mypy:|noqa|type:|ts-|coding[:=]|\bvim?:|-\*-|<reference|pragma"
    r"|istanbul|@flow|use strict|\bbuild:|\+build|rubocop|frozen_string)[^\n]*",
    re.MULTILINE | re.IGNORECASE,
)
_PAGE_TITLE = regex(r"<title[^>]*>([^<]*)", re.IGNORECASE)
_PAGE_DESCRIPTION = regex(
    r"<meta\s[^<>]*?name\s*=\s*[\"']?description[\"']?[^<>]*?content\s*=\s*[\"']([^\"'<>]*)", re.IGNORECASE
)
_SENTENCE_END = regex(r"[.!?](?=\s)|[。！？]")


def description(text: str, blocks: Sequence[Block], symbols: Sequence[Symbol]) -> str:
    """From the file's docstring, else its first comment that is not about licences or tools.

    A declaration's comment describes the file only if the file declares nothing else.
    """
    until = len(text)
    for level in (1, 2):
        alike = [symbol for symbol in symbols if symbol.level == level]
        if len(alike) != 1:
            until = alike[0].start if alike else until
            break
    best = ""
    for block in blocks[:_OPENING]:
        if block.start >= until:
            break
        if block.kind is BlockKind.DOCSTRING or (block.kind is BlockKind.COMMENT and not best):
            sentence = summary(text[block.start : min(block.end, block.start + _READ)])
            if sentence and block.kind is BlockKind.DOCSTRING:
                return sentence
            best = best or sentence
    return best


def html_description(text: str) -> str:
    """A page's title and meta description."""
    matches = (_PAGE_TITLE.search(text, 0, _READ), _PAGE_DESCRIPTION.search(text, 0, _READ))
    sentences = dict.fromkeys(" ".join(html.unescape(match[1]).split()).rstrip(".") for match in matches if match)
    return shortened(". ".join(filter(None, sentences)), LONGEST)


def summary(comment: str) -> str:
    """The first paragraph with words, without comment marks, at most `LONGEST` characters of it."""
    comment = _SHEBANG.sub("", comment.strip("\n"))
    quoted = _QUOTES.match(comment.strip())
    plain = quoted[2] if quoted else _TAIL.sub("", _MARKS.sub("", comment))
    plain = _INLINE.sub(lambda match: match[1] or match[2] or match[3] or "", _TAGS.sub(" ", plain))
    for paragraph in _PARAGRAPH.split(_RULER.sub("", _FOR_TOOLS.sub("", plain))):
        sentence = " ".join(paragraph.split()).lstrip("@\\:! ")
        if sum(map(str.isalpha, sentence)) > 3 and not _LEGAL.search(sentence):
            return shortened(sentence, LONGEST)
    return ""


def shortened(text: str, longest: int) -> str:
    """As many complete sentences as fit, else as many words."""
    if len(text) <= longest:
        return text
    ends = [match.end() for match in _SENTENCE_END.finditer(text, 0, longest)]
    return text[: ends[-1]] if ends else text[:longest].rsplit(" ", 1)[0]


_MOST_KEYWORDS = 64
_FEW = 2
_NOT_IN_ANCHOR = regex(r"[^\w.$~#-]+")


class CodeParser:
    """Fits `ports.Parser`. Total: what no grammar understands is cut at line ends, with a warning."""

    version = "code-2"

    def parse(self, source: Source) -> Document:
        text = source.text
        language = language_of(source.uri, text)
        outline = outlined(text, language)
        blocks = blocks_of(text, outline.cuts, language)
        return Document(
            id=source.id,
            uri=source.uri,
            kind=source.kind or Kind.CODE,
            title=source.title or source.uri.rsplit("/", 1)[-1],
            text=text,
            content_hash=text_hash(text),
            modified_at=source.modified_at,
            language=language,
            description=html_description(text) if language == "html" else description(text, blocks, outline.symbols),
            keywords=keywords_of(outline.symbols),
            sections=sections_of(source.id, module_name(source.uri, language), text, outline.symbols),
            blocks=blocks,
            links=links_of(outline.imports),
            tags=tuple(dict.fromkeys(source.tags)),
            metadata=dict(source.metadata),
            warnings=tuple(outline.warnings),
        )


def outlined(text: str, language: str | None) -> CodeOutline:
    """By the language's grammar, or from the lines if there is none or it fails."""
    try:
        syntax = syntax_for(language) if language else None
        if language and syntax:
            root, source = parse(syntax, text)
            pattern = pattern_for(language)
            outline = tree_outline(root, source, text, syntax, pattern)
            everywhere = (
                imports_in(pattern, text, 0, len(text)) if pattern and language in ANYWHERE else outline.imports
            )
            outline.imports = limited(everywhere)
            outline.symbols = nested(outline.symbols)
            return outline
    except Unparsable as reason:
        outline = textual_outline(text, language)
        outline.warnings.append(f"read without its syntax: {reason}")
        return outline
    return textual_outline(text, language)


def blocks_of(text: str, cuts: Sequence[Cut], language: str | None) -> tuple[Block, ...]:
    """The ranges between cuts, without blank ones."""
    if not cuts or (cuts[0].start > 0 and not text[: cuts[0].start].isspace()):
        cuts = [Cut(0, BlockKind.CODE), *cuts]
    ends = [cut.start for cut in cuts[1:]]
    ends.append(len(text))
    return tuple(
        [
            Block(kind, start, end, language)
            for (start, kind), end in zip(cuts, ends, strict=True)
            if not text[start:end].isspace() and start < end
        ]
    )


def sections_of(document: DocumentId, module: str, text: str, symbols: Sequence[Symbol]) -> tuple[Section, ...]:
    """The root section is the complete file: code between declarations belongs to the module."""
    sections = [Section(section_id(document, (), 0), (), 0, "", Span(0, len(text)))]
    occurrences: dict[tuple[str, ...], int] = {}
    anchors: set[str] = set()
    for names, level, start, end in symbols:
        path = (module, *names)
        occurrence = occurrences.get(path, 0)
        occurrences[path] = occurrence + 1
        anchor = _anchor(names, anchors)
        sections.append(Section(section_id(document, path, occurrence), path, level, anchor, Span(start, end)))
    return tuple(sections)


def _anchor(names: tuple[str, ...], taken: set[str]) -> str:
    """The qualified name in its own case, as code is case-sensitive; overloads are numbered."""
    name = anchor = _NOT_IN_ANCHOR.sub("-", ".".join(names)).strip("-") or "symbol"
    number = 0
    while anchor in taken:
        number += 1
        anchor = f"{name}-{number}"
    taken.add(anchor)
    return anchor


def keywords_of(symbols: Sequence[Symbol]) -> tuple[str, ...]:
    """Top-level names; with only one or two of them, their members' names as well."""
    top = dict.fromkeys(symbol.names[-1] for symbol in symbols if symbol.level == 1)
    if len(top) <= _FEW:
        top |= dict.fromkeys(symbol.names[-1] for symbol in symbols if symbol.level == 2)
    return tuple(top)[:_MOST_KEYWORDS]


def links_of(imports: Sequence[Import]) -> tuple[Link, ...]:
    return tuple(
        Link(LinkKind.IMPORT, item.target, None, item.names or None, Span(item.start, item.end)) for item in imports
    )
