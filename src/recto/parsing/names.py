"""What a document is called when its text does not say."""

from __future__ import annotations


def stem(uri: str) -> str:
    """The file's name without its extension: a title of last resort."""
    name = uri.rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] or name
