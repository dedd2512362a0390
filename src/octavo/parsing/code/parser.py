"""Source code parser: symbols become sections, declarations and statements blocks, imports links."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.lazy_regex import regex
from octavo.model.document import Block, BlockKind, Document, Kind, Link, LinkKind, Section, Source
from octavo.model.ids import DocumentId, section_id, text_hash
from octavo.model.normalised_text_and_spans import Span
from octavo.parsing.code.code_outline_types import CodeOutline, Cut, Import, Symbol, nested
from octavo.parsing.code.import_statement_patterns import ANYWHERE, imports_in, limited, pattern_for
from octavo.parsing.code.language_detection import language_of, module_name
from octavo.parsing.code.opening_comment_summary import description, html_description
from octavo.parsing.code.outline_without_grammar import textual_outline
from octavo.parsing.code.syntax_tree_outline import tree_outline
from octavo.parsing.code.treesitter import Unparsable, parse, syntax_for

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
