"""Answers with citations: sentences chosen from passages, or written by a model and checked against them."""
