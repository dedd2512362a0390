"""Chooses a file's parser by the configuration's globs, else by the file's name."""

from __future__ import annotations

from octavo.algorithms.queries.path_globs import glob_expression
from octavo.fast_dataclass import dataclass
from octavo.parsing.markdown.parser import MarkdownParser
from octavo.parsing.registry import MARKDOWN, PLAINTEXT, UNNAMED, parser_for
from octavo.parsing.rst_asciidoc_org_latex_parser import ADOC, ORG, RST, TEX
from octavo.ports import Parser

NAMES: dict[str, Parser] = {
    "markdown": MARKDOWN,
    "text": PLAINTEXT,
    "rst": RST,
    "asciidoc": ADOC,
    "org": ORG,
    "latex": TEX,
}
_LOOSE = MarkdownParser(loose=True)


@dataclass(frozen=True, slots=True)
class ParserChoice:
    """`by_pattern` are globs, each with the name of the parser for what it matches; the first that fits counts."""

    loose_headings: bool = False
    by_pattern: tuple[tuple[str, str], ...] = ()

    @property
    def version(self) -> str:
        """What is recorded of it beside the parsers' own versions; nothing where it changes nothing."""
        chosen = "".join(f"+{glob}={name}" for glob, name in self.by_pattern)
        return f"{'+loose-headings' if self.loose_headings else ''}{chosen}"

    def __call__(self, uri: str) -> Parser:
        named = next((NAMES[name] for glob, name in self.by_pattern if glob_expression(glob).fullmatch(uri)), None)
        parser = named or parser_for(uri) or UNNAMED
        return _LOOSE if self.loose_headings and parser is MARKDOWN else parser
