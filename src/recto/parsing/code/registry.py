"""Which parser reads code, configuration and notebooks, by a file's name."""

from __future__ import annotations

from recto.parsing.code.languages import language_of
from recto.parsing.code.notebook import NotebookParser
from recto.parsing.code.parser import CodeParser
from recto.parsing.config import ConfigParser, config_language
from recto.parsing.markdown import MarkdownParser
from recto.ports import Parser

CODE = CodeParser()
CONFIG = ConfigParser()
NOTEBOOK = NotebookParser(MarkdownParser(), CONFIG)
CODE_PARSER_VERSION = f"{CODE.version}+{CONFIG.version}+{NOTEBOOK.version}"
"""What a recipe records, beside the versions of the other parsers."""


def code_parser(uri: str) -> Parser | None:
    """The parser for a file of code, configuration or cells, or None if its name is of nothing of the kind."""
    if uri.lower().endswith(".ipynb"):
        return NOTEBOOK
    if config_language(uri):
        return CONFIG
    return CODE if language_of(uri) else None
