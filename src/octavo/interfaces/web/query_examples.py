"""Queries that show the grammar with words of this library: its own titles, tags and folders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from octavo.operations.library.results import StatusAnswer
from octavo.operations.reading.results import DocumentRow

_WORD = re.compile(r"[^\W\d_]{4,}")
_BEGINNING = 4  # letters of a word that stand for all that begin so


def query_examples(
    status: StatusAnswer, recent: Sequence[DocumentRow], tags: Mapping[str, int]
) -> list[tuple[str, str]]:
    """Each with what it means; what the library has nothing for is left out."""
    return list(_examples(status, recent, tags))


def _examples(
    status: StatusAnswer, recent: Sequence[DocumentRow], tags: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    titles = [row.title for row in recent if len(_WORD.findall(row.title)) > 1]
    words = [word.lower() for row in recent for word in _WORD.findall(row.title)]
    if titles:
        first, second = _WORD.findall(titles[0])[:2]
        if f"{first} {second}" in titles[0]:
            yield f'"{first.lower()} {second.lower()}"', "these words in this order"
    first = next((row.title.lower() for row in recent if _WORD.search(row.title)), "")
    other = next((word for word in words if word not in first), "")
    if other:
        yield f"{words[0]} -{other}", "without a word"
    if words:
        longest = max(words, key=len)
        yield f"{longest[:_BEGINNING]}*", "words that begin so"
        yield f"title:{words[0]}", "in the title"
    if tags:
        yield f"tag:{max(tags, key=lambda tag: (tags[tag], tag))}", "with a tag"
    if len(status.collections) > 1:
        yield f"in:{status.collections[0].name}", "of a collection"
    folder = next((row.uri.partition("/")[0] for row in recent if "/" in row.uri), "")
    if folder:
        path = f"path:{folder}/"
        yield f'path:"{folder}/"' if " " in folder else path, "below a folder"
    kinds = sorted({row.kind for row in recent})
    if len(kinds) > 1:
        yield f"kind:{kinds[0]}", f"{', '.join(kinds)}, commit or memory"
