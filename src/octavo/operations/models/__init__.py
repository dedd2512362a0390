"""Embedding models on this machine: which there are, which one answers, and how one is trained from a library."""
