"""Redacts secrets in commits, and in what a parser decoded from a file: text, title and metadata."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo.fast_dataclass import replace
from octavo.model.document import Document, Source
from octavo.model.git_commit import Commit, Person
from octavo.ports import Parser
from octavo.sources.secret_redaction import described, redacted, redacted_values

_MARKDOWN = "rendered.md"


def redacted_document(document: Document, source: Source, parser_for: Callable[[str], Parser]) -> Document:
    """What a parser decoded, of a notebook's JSON or of front matter. The text of `source` is redacted already: what
    was only copied from it is not looked at again."""
    if source.allow_secrets:
        return document
    if document.text != source.text:
        text, secrets = redacted(document.text)
        if secrets:
            rendered = parser_for(_MARKDOWN).parse(replace(source, text=text, kind=document.kind))
            document = replace(
                rendered,
                language=document.language,
                metadata=document.metadata,
                warnings=(*described(document.text, secrets), *document.warnings),
            )
    if not document.metadata:
        return document
    names = (document.keywords, document.tags, document.aliases)
    values: list[Any] = [document.title, document.description, dict(document.metadata), *map(list, names)]
    (title, description, metadata, *hidden), secrets = redacted_values(values)
    if not secrets:
        return document
    keywords, tags, aliases = map(tuple, hidden)
    return replace(
        document,
        title=title,
        description=description,
        metadata=metadata,
        keywords=keywords,
        tags=tags,
        aliases=aliases,
        warnings=document.warnings or described("", secrets),
    )


def redacted_commit(commit: Commit) -> Commit:
    """Of its people, its message and its diff; the names of its files stay."""
    return replace(
        commit,
        author=Person(*(redacted(part)[0] for part in commit.author)),
        committer=Person(*(redacted(part)[0] for part in commit.committer)),
        message=redacted(commit.message)[0],
        diff=None if commit.diff is None else redacted(commit.diff)[0],
    )
