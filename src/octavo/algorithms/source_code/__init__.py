"""What lines of source code tell: languages, declarations, imports and stack traces."""
