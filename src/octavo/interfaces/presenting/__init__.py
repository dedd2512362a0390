"""Answers made ready to be read, in a terminal, a browser or a file."""
