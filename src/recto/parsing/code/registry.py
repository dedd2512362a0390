"""Which parser reads code, configuration and notebooks, by a file's name; each is loaded with its first file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from recto.parsing.code.languages import CODE_EXTENSIONS, CODE_NAMES, CONFIG_EXTENSIONS, config_language, language_of
from recto.ports import Parser

CODE_PARSER_VERSION = "code-2+config-1+notebook-1"
"""What a recipe records, beside the versions of the other parsers. A test holds it equal to what the parsers say."""

NOTEBOOK_EXTENSION = ".ipynb"

EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {**CODE_EXTENSIONS, **CONFIG_EXTENSIONS, NOTEBOOK_EXTENSION: "notebook"}
)
"""Every extension read here → language; whole names are in `CODE_NAMES`."""

__all__ = [
    "CODE_EXTENSIONS",
    "CODE_NAMES",
    "CODE_PARSER_VERSION",
    "CONFIG_EXTENSIONS",
    "EXTENSIONS",
    "NOTEBOOK_EXTENSION",
    "code_parser",
    "script_parser",
]


def code_parser(uri: str) -> Parser | None:
    """The parser for a file of code, configuration or cells, or None if its name is of nothing of the kind."""
    if uri.lower().endswith(NOTEBOOK_EXTENSION):
        return _notebook()
    if config_language(uri):
        return _config()
    return _code() if language_of(uri) else None


def script_parser() -> Parser:
    """The parser for code whose name does not say so: its first line names the language."""
    return _code()


@cache
def _code() -> Parser:
    from recto.parsing.code.parser import CodeParser

    return CodeParser()


@cache
def _config() -> Parser:
    from recto.parsing.config import ConfigParser

    return ConfigParser()


@cache
def _notebook() -> Parser:
    from recto.parsing.code.notebook import NotebookParser
    from recto.parsing.markdown import MarkdownParser

    return NotebookParser(MarkdownParser(), _config())
