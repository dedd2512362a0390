"""Limits on commits: a repository has more commits than files, and their short texts match short queries well."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from octavo.fast_dataclass import dataclass, replace
from octavo.model.document import Kind
from octavo.model.query import Filters
from octavo.model.search_result import Candidate, ScoredChunk, best_first
from octavo.retrieval.stage import Search, SkipStage

FILES = tuple(kind for kind in Kind if kind is not Kind.COMMIT)


@dataclass(frozen=True, slots=True)
class CapCommits:
    """Commits take no more than a `share` of every `among` places, unless they are asked for or nothing else matches.

    One that finds no place among the first five may have one among the next five, with the score of the place it takes.
    """

    share: float = 0.2
    among: int = 5
    name: str = "cap_commits"

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        if search.query.filters.kinds:
            raise SkipStage("the query says which kinds it wants")
        if not any(candidate.kind is Kind.COMMIT for candidate in candidates):
            raise SkipStage("no commit was found")
        among = max(1, self.among)
        each, taken = round(among * self.share), sum(before.kind is Kind.COMMIT for before in search.before)
        ordered: list[Candidate] = []

        def has_room() -> bool:
            return taken < each * (1 + (len(search.before) + len(ordered)) // among)

        def take(candidate: Candidate) -> None:
            lowest = ordered[-1].score if ordered else candidate.score
            ordered.append(candidate if candidate.score <= lowest else candidate.scored(lowest))

        waiting = deque[Candidate]()
        for candidate in candidates:
            if candidate.kind is Kind.COMMIT:
                waiting.append(candidate)
            else:
                take(candidate)
            while waiting and has_room():
                take(waiting.popleft())
                taken += 1
        search.notes["postponed"] = len(waiting)
        for candidate in waiting:
            take(candidate)
        return tuple(ordered)


def beside_commits(
    search: Search, chunks: tuple[ScoredChunk, ...], depth: int, again: Callable[[Search], tuple[ScoredChunk, ...]]
) -> tuple[ScoredChunk, ...]:
    """What a channel found, with as many files as it would find if there were no commits.

    Only where commits took more than half of the places is the channel asked a second time, for files alone.
    """
    query, library = search.query, search.library
    if query.filters.kinds or len(chunks) < depth or not library.has_commits:
        return chunks
    known = library.store.documents.candidates(library.project, [chunk.key for chunk in chunks])
    commits = {key for key, candidate in known.items() if candidate.kind is Kind.COMMIT}
    if len(commits) * 2 <= len(chunks):
        return chunks
    apart = Search(replace(query, filters=query.filters.narrowed_by(Filters(kinds=FILES))), library)
    if "vector" in search.__dict__:
        apart.__dict__["vector"] = search.vector  # the question is the same
    files = again(apart)
    search.notes["files_beside_commits"] = len(files)
    together = {chunk.key: chunk for chunk in (*files, *(chunk for chunk in chunks if chunk.key in commits))}
    return best_first(together.values())
