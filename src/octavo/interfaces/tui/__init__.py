"""The library in a terminal: search, library, memories and traces, keyboard first. Needs the extra `tui`."""
