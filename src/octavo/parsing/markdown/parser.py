"""The Markdown parser: sections, blocks, links, tags and front matter, each located exactly in the text."""

from __future__ import annotations

from octavo.model.document import Document, Source


class MarkdownParser:
    """Fits `ports.Parser`. Total: any text gives a document."""

    version = "markdown-3"

    def __init__(self, *, loose: bool = False) -> None:
        """`loose` also takes lines in bold alone, and HTML's own headings, for headings."""
        self._loose = loose

    def parse(self, source: Source) -> Document:
        # The grammar takes tens of milliseconds to compile; opening a library without reading a file does not need it.
        from octavo.parsing.markdown.document_assembly import read_note

        return read_note(source, loose=self._loose)
