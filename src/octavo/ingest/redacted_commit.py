"""A commit without the keys and tokens in it."""

from __future__ import annotations

from dataclasses import replace

from octavo.model.commit import Commit, Person
from octavo.sources.redaction import redacted


def redacted_commit(commit: Commit) -> Commit:
    """Of its people, its message and its diff; the names of its files stay."""
    return replace(
        commit,
        author=Person(*(redacted(told)[0] for told in commit.author)),
        committer=Person(*(redacted(told)[0] for told in commit.committer)),
        message=redacted(commit.message)[0],
        diff=None if commit.diff is None else redacted(commit.diff)[0],
    )
