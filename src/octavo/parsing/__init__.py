"""Text into structure: one parser per kind of file, each fitting `ports.Parser`."""
