"""Embedders: text becomes unit vectors, here and without a network."""
