"""The Markdown parser: sections, blocks, links, tags and front matter, each located exactly in the text."""

from __future__ import annotations

from recto.model.document import Document, Source


class MarkdownParser:
    """Fits `ports.Parser`. Total: any text gives a document."""

    version = "markdown-1"

    def parse(self, source: Source) -> Document:
        # The grammar takes tens of milliseconds to compile, which a search that reads no file need not pay.
        from recto.parsing.notes import read_note

        return read_note(source)
