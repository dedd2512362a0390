"""Structured writing: a Markdown file's outline, edits of its sections, and files replaced whole or not at all."""
