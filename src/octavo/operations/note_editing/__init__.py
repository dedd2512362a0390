"""Structured writing: validate, create and edit Markdown notes where they are."""
