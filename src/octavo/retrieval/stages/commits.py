"""Limits on commits: a repository has more commits than files, and their short texts match short queries well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from octavo.dataclass import dataclass
from octavo.model.document import Kind
from octavo.model.query import Filters
from octavo.model.result import Candidate, ScoredChunk, best_first
from octavo.retrieval.stage import Search, SkipStage

FILES = tuple(kind for kind in Kind if kind is not Kind.COMMIT)


@dataclass(frozen=True, slots=True)
class CapCommits:
    """Commits take no more than a `share` of the places, unless they are asked for or nothing else matches."""

    share: float = 0.2
    name: str = "cap_commits"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if search.query.filters.kinds:
            raise SkipStage("the query says which kinds it wants")
        commits = sum(candidate.kind is Kind.COMMIT for candidate in candidates)
        if not commits:
            raise SkipStage("no commit was found")
        limit = search.query.limit
        room = max(round(limit * self.share), limit - (len(candidates) - commits))
        kept = []
        for candidate in candidates:
            if candidate.kind is Kind.COMMIT:
                room -= 1
                if room < 0:
                    continue
            kept.append(candidate)
        search.notes["dropped"] = len(candidates) - len(kept)
        return tuple(kept)


def beside_commits(
    search: Search, found: tuple[ScoredChunk, ...], depth: int, again: Callable[[Search], tuple[ScoredChunk, ...]]
) -> tuple[ScoredChunk, ...]:
    """What a channel found, with as many files as it would find if there were no commits.

    Only where commits took more than half of the places is the channel asked a second time, for files alone.
    """
    query, library = search.query, search.library
    if query.filters.kinds or len(found) < depth or not library.store.history.any(library.project):
        return found
    known = library.store.documents.candidates(library.project, [chunk.key for chunk in found])
    commits = {key for key, candidate in known.items() if candidate.kind is Kind.COMMIT}
    if len(commits) * 2 <= len(found):
        return found
    apart = Search(replace(query, filters=query.filters.narrowed_by(Filters(kinds=FILES))), library)
    if "vector" in search.__dict__:
        apart.__dict__["vector"] = search.vector  # the question is the same
    files = again(apart)
    search.notes["files_beside_commits"] = len(files)
    together = {chunk.key: chunk for chunk in (*files, *(chunk for chunk in found if chunk.key in commits))}
    return best_first(together.values())
