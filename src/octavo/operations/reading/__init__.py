"""Reading what was found: a document, some lines, a section, a chunk, and a document's headings."""
