"""Recto: a local-first retrieval and memory engine. Straight to the right page."""

__version__ = "0.1.0"
