"""Commit parser: author, date and subject as front matter, then the message, the files and the diff.

commit 1a2b…
Author: Ann Lee <ann@example.org>
Date: 2024-05-01T10:00:00+00:00

Close the dome when it rains

The rain sensor was read but never looked at.

Changed files:
dome/shutter.py

Diff:
diff --git a/dome/shutter.py b/dome/shutter.py
…
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.lazy_regex import regex
from octavo.model.document import Block, BlockKind, Document, Kind, Section, Source
from octavo.model.git_commit import ChangedFile, Commit
from octavo.model.ids import DocumentId, section_id, text_hash
from octavo.model.normalised_text_and_spans import Span
from octavo.parsing.plaintext import paragraphs

DIFF = "Diff"
FILES = "Changed files:"
_MESSAGE = 50_000  # characters; a longer message is a pasted log, whose end adds nothing
_FILES = 100  # named in the text; the commit index has all of them
_CHANGES = {"A": "added", "D": "deleted", "T": "its type"}
_WITHHELD = "content withheld"
_LONGEST_TITLE = 300
_DIFF_HEAD = regex(r"^Diff:\ndiff --git ", re.MULTILINE)


class CommitParser:
    """Fits `ports.Parser`, for texts that are already rendered commits: of a data set, or of an earlier run.

    Total: a text without a header is a message with its files, as in some exports.
    """

    version = "commit-2"

    def parse(self, source: Source) -> Document:
        text = source.text
        header = _header(text)
        diff = _DIFF_HEAD.search(text)
        author = source.metadata.get("author")
        return _document(
            source.id,
            source.uri,
            text,
            title=source.title or _first_line(text[header:]),
            modified_at=source.modified_at,
            header=header,
            diff=diff.start() if diff else len(text),
            keywords=(author,) if isinstance(author, str) and author else (),
            tags=source.tags,
            metadata=dict(source.metadata),
        )


def commit_document(commit: Commit, id_: DocumentId, uri: str, tags: Sequence[str] = ()) -> Document:
    """The document of a commit read from git."""
    subject = commit.subject
    header = "\n".join(_headers(commit))
    below = [paragraph for paragraph in (_bounded(commit.body), _files(commit.files)) if paragraph]
    # The subject is already the title; it is the message only when there is nothing else.
    head, body = (f"{header}\n\n{subject}\n", below) if below else (f"{header}\n", [subject] if subject else [])
    text = "\n".join([head, *(f"{part}\n" for part in body)])
    diff_at = len(text)
    if commit.diff:
        more = f"\n… ({commit.omitted:,} more lines)\n" if commit.omitted else ""
        text = f"{text}\n{DIFF}:\n{commit.diff}{more}"
        diff_at += 1
    return _document(
        id_,
        uri,
        text,
        title=subject[:_LONGEST_TITLE] or f"Commit {commit.hash[:10]}",
        modified_at=commit.committed_at,
        header=len(head),
        diff=diff_at,
        keywords=tuple(dict.fromkeys((commit.author.name, commit.committer.name))),
        tags=tags,
        metadata=_metadata(commit),
    )


def _document(
    id_: DocumentId,
    uri: str,
    text: str,
    *,
    title: str,
    modified_at: float,
    header: int,
    diff: int,
    keywords: tuple[str, ...],
    tags: Sequence[str],
    metadata: dict[str, object],
) -> Document:
    sections = [Section(section_id(id_, (), 0), (), 0, "", Span(0, len(text)))]
    blocks = [Block(BlockKind.FRONT_MATTER, 0, header)] if header else []
    blocks += paragraphs(text, header, diff)
    if diff < len(text):
        sections.append(Section(section_id(id_, (DIFF,), 0), (DIFF,), 1, DIFF.lower(), Span(diff, len(text))))
        blocks.append(Block(BlockKind.CODE, diff, len(text), "diff"))
    return Document(
        id=id_,
        uri=uri,
        kind=Kind.COMMIT,
        title=title,
        text=text,
        content_hash=text_hash(text),
        modified_at=modified_at,
        keywords=keywords,
        sections=tuple(sections),
        blocks=tuple(blocks),
        tags=tuple(dict.fromkeys(tags)),
        metadata=metadata,
    )


def _headers(commit: Commit) -> list[str]:
    lines = [f"commit {commit.hash}", f"Author: {commit.author}"]
    if commit.committer != commit.author:
        lines.append(f"Committer: {commit.committer}")
    lines.append(f"Date: {when(commit.committed_at)}")
    if len(commit.parents) > 1:
        lines.append(f"Merge: {' '.join(parent[:12] for parent in commit.parents)}")
    return lines


def _files(files: Sequence[ChangedFile]) -> str:
    if not files:
        return ""
    more = [f"… and {len(files) - _FILES:,} more"] if len(files) > _FILES else []
    return "\n".join([FILES, *(_changed_file(file) for file in files[:_FILES]), *more])


def _changed_file(file: ChangedFile) -> str:
    path = file.path.replace("\n", "\\n").replace("\r", "\\r")
    change = f"was {file.before}" if file.before else _CHANGES.get(file.change, "")
    remarks = ", ".join(filter(None, (change, _WITHHELD if file.withheld else "")))
    return f"{path} ({remarks})" if remarks else path


def _metadata(commit: Commit) -> dict[str, object]:
    renamed = {file.path: file.before for file in commit.files if file.change == "R"}
    withheld = list(commit.withheld[:_FILES])
    return {
        "hash": commit.hash,
        "author": str(commit.author),
        "committer": str(commit.committer),
        "parents": list(commit.parents),
        "files": [file.path for file in commit.files[:_FILES]],
        "file_count": len(commit.files),
    } | {name: value for name, value in (("renamed", renamed), ("withheld", withheld)) if value}


def _bounded(message: str) -> str:
    if len(message) <= _MESSAGE:
        return message
    return f"{message[:_MESSAGE]}\n… ({len(message) - _MESSAGE:,} more characters)"


def _header(text: str) -> int:
    """Where the front matter of a commit's text (header and subject) ends; 0 if it has none."""
    if not text.startswith("commit "):
        return 0
    end = text.find("\n\n")
    if end < 0:
        return len(text)
    subject = text.find("\n", end + 2)
    return end + 1 if subject < 0 or subject + 1 >= len(text) else subject + 1


def _first_line(text: str) -> str:
    line = text.lstrip().partition("\n")[0].strip()
    return line[:_LONGEST_TITLE] or "Commit"
