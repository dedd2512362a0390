"""Source code: symbols, statements, comments and imports, in any language."""
