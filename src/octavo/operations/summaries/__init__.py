"""Summaries of sections and files: make them, look at them, remove them."""
