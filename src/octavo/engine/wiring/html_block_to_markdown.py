"""Converts a block of HTML inside another text to Markdown, with the converter of HTML files."""

from __future__ import annotations

from octavo.converting.html import CONVERTER, write_html
from octavo.converting.html_tree import parse_html
from octavo.converting.text_builder import TextBuilder


def html_as_markdown(html: str) -> str:
    """What it says: headings, paragraphs, lists, tables and code. Scripts and styles say nothing."""
    builder = TextBuilder()
    write_html(builder, parse_html(html), whole=True)
    return builder.converted(CONVERTER).text
