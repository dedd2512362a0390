"""Embedding profiles: which embedders a project knows, which one answers, and how another takes over."""
