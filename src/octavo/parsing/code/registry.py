"""Registry of parsers for code, configuration and notebooks, by file name; each is loaded on first use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from octavo.parsing.code.language_detection import CODE_EXTENSIONS, CONFIG_EXTENSIONS, config_language, language_of
from octavo.ports import Parser

CODE_PARSER_VERSION = "code-2+config-1+notebook-1"
"""Recorded in the recipe with the other parsers' versions. A test compares it with the parsers' own."""

NOTEBOOK_EXTENSION = ".ipynb"

EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {**CODE_EXTENSIONS, **CONFIG_EXTENSIONS, NOTEBOOK_EXTENSION: "notebook"}
)
"""Every extension read here → language; complete names are in `CODE_NAMES`."""


def code_parser(uri: str) -> Parser | None:
    """The parser for a file of code, configuration or notebook cells, or None if its name says otherwise."""
    if uri.lower().endswith(NOTEBOOK_EXTENSION):
        return _notebook()
    if config_language(uri):
        return _config()
    return _code() if language_of(uri) else None


def script_parser() -> Parser:
    """The parser for code in a file without a telling name: its first line names the language."""
    return _code()


@cache
def _code() -> Parser:
    from octavo.parsing.code.parser import CodeParser

    return CodeParser()


@cache
def _config() -> Parser:
    from octavo.parsing.configuration_file_parser import ConfigParser

    return ConfigParser()


@cache
def _notebook() -> Parser:
    from octavo.parsing.code.notebook_parser import NotebookParser
    from octavo.parsing.markdown.parser import MarkdownParser

    return NotebookParser(MarkdownParser(), _config())
