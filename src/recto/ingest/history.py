"""Repositories under a collection → commits as documents. What is known already is never read again.

Which commits are new follows from their hashes, not from their times: a rebase, a skewed clock, another branch and a
forced push all look the same. A large history is taken in twice, first without diffs, so that it can be searched at
once, then with them; each pass goes from the newest commit to the oldest, and a run that is stopped goes on there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from recto.errors import SourceError
from recto.ingest.prepare import Origin, Preparer
from recto.ingest.report import CollectionReport, Problem
from recto.model.collection import Collection
from recto.model.commit import Commit, Repository, commit_uri, is_repository, repository_uri
from recto.model.history import HistoryEntry
from recto.model.ids import DocumentId, RecipeId, document_id, recipe_id, text_hash
from recto.model.index import Prepared
from recto.model.ledger import FileStamp, LedgerEntry
from recto.model.ledger import Outcome as Verdict
from recto.model.recipe import Recipe
from recto.observability.progress import Progress
from recto.ports import Store
from recto.sources.files import Scan
from recto.sources.git import commits, cut_off, reachable, refs
from recto.sources.git_repositories import Unread, holds_repository, repositories

_BATCH = 1_000  # commits in one transaction
_AT_ONCE = 2_000  # new commits that are read with their diffs right away
_REMOVED_AT_ONCE = 1_000
_NO_STAMP = FileStamp(0, 0, 0)


@dataclass(frozen=True, slots=True)
class HistoryRules:
    """Whether histories are taken in, and how many commits of each at most, the newest first."""

    wanted: bool = True
    max_commits: int | None = None


def index_history(
    store: Store,
    collection: Collection,
    scan: Scan | None,
    recipe: Recipe,
    preparer: Callable[[], Preparer],
    origin: Origin,
    rules: HistoryRules,
    progress: Progress,
    report: CollectionReport,
    *,
    reread: bool = False,
    only: Sequence[Repository] | None = None,
) -> None:
    """Brings the library in step with the repositories in the folders that the scan listed, or with `only` some.

    What cannot be read is a line in the ledger and in the report, and changes nothing.
    """
    project = collection.project_id
    with store.reading():
        known = store.history.known(project, collection.id)
        ledger = store.ledger.entries(project, collection.id)
    rows = {uri: entry for uri, entry in ledger.items() if is_repository(uri)}
    found, unread = list(only or ()), list[Unread]()
    if scan is not None and rules.wanted:
        found, unread = repositories(collection.root, scan.rooted)
    writer = _Writer(store, collection, preparer, origin, _made_by(recipe, origin), progress, report)
    for one in unread:
        writer.refuse(one.prefix, one.reason, one.hint, rows)
    for repository in found:
        try:
            _bring(writer, repository, known.get(repository.prefix, {}), rows, rules, reread=reread)
        except SourceError as error:
            writer.refuse(repository.prefix, error.message, error.hint, rows)
    if scan is None:
        return
    looked_at = {one.prefix for one in found} | {one.prefix for one in unread}
    for prefix in sorted({*known, *(_prefix(uri) for uri in rows)} - looked_at):
        # Not looked at, though the library knows of it: taken out only if that is for sure.
        gone = scan.gone(repository_uri(prefix)) and not holds_repository(collection.root, prefix)
        if gone or not rules.wanted:
            writer.remove(prefix, known.get(prefix, {}))
            writer.forget(repository_uri(prefix))


def _bring(
    writer: _Writer,
    repository: Repository,
    known: Mapping[str, str],
    rows: Mapping[str, LedgerEntry],
    rules: HistoryRules,
    *,
    reread: bool,
) -> None:
    uri = repository_uri(repository.prefix)
    cut = cut_off(repository)
    state = text_hash(json.dumps([refs(repository), writer.made_by, rules.max_commits, sorted(cut)]))
    row = rows.get(uri)
    if row is not None and row.content_hash == state and not reread:
        return
    hashes = reachable(repository, rules.max_commits)
    new = [one for one in hashes if one not in known]
    made_by = {True: writer.without_parents, False: writer.made_by}
    remade = [one for one in hashes if one in known and (reread or known[one] != made_by[one in cut])]
    if len(new) > _AT_ONCE:
        writer.take(repository, [one for one in new if one not in cut], diffs=False)
    ends = [one for one in (*new, *remade) if one in cut]
    writer.take(repository, ends, diffs=False, new=frozenset(new), made_by=writer.without_parents)
    rest = [one for one in (*new, *remade) if one not in cut]
    warnings = writer.complete(repository, rest, frozenset(new) if len(new) <= _AT_ONCE else frozenset())
    whole = rules.max_commits is None or len(hashes) < rules.max_commits
    if hashes and whole and not repository.shallow:
        # No branch, tag or worktree leads to them any more: they were rebased, or pushed over. Without a single ref
        # to go by, or with only a part of the history at hand, nothing is concluded.
        writer.remove(repository.prefix, known.keys() - set(hashes))
    if repository.shallow:
        warnings = (
            *warnings,
            "a shallow clone: only the commits it has are indexed, the last without what they changed",
        )
    if not whole:
        warnings = (*warnings, f"only the newest {rules.max_commits:,} commits are indexed")
    writer.record(
        LedgerEntry(
            uri=uri,
            outcome=Verdict.INDEXED,
            stamp=FileStamp(len(hashes), 0, 0),
            content_hash=state,
            recipe_id=writer.made_by,
            warnings=warnings,
        )
    )


class _Writer:
    """Writes commits in batches, each in a transaction of its own."""

    def __init__(
        self,
        store: Store,
        collection: Collection,
        preparer: Callable[[], Preparer],
        origin: Origin,
        made_by: RecipeId,
        progress: Progress,
        report: CollectionReport,
    ) -> None:
        self.made_by = made_by
        self.without_parents = recipe_id(f"{made_by} without parents")
        self._brief = recipe_id(f"{made_by} without diffs")
        self._store = store
        self._collection = collection
        self._project = collection.project_id
        self._make = preparer
        self._preparer: Preparer | None = None
        self._origin = origin
        self._progress = progress
        self._report = report

    def complete(self, repository: Repository, hashes: Sequence[str], new: frozenset[str]) -> tuple[str, ...]:
        """Takes the commits in with their diffs, or without where the objects for them are not there."""
        done: list[str] = []
        try:
            self.take(repository, hashes, diffs=True, new=new, done=done)
        except SourceError as error:
            # A partial clone has no files but those it needed: its commits can be told all the same.
            self.take(repository, hashes[len(done) :], diffs=False, new=new, made_by=self.made_by)
            return (f"indexed without diffs, which cannot be read: {error.message}",)
        return ()

    def take(
        self,
        repository: Repository,
        hashes: Sequence[str],
        *,
        diffs: bool,
        new: frozenset[str] | None = None,
        done: list[str] | None = None,
        made_by: RecipeId | None = None,
    ) -> None:
        if not hashes:
            return
        made_by = made_by or (self.made_by if diffs else self._brief)
        self._progress.start(f"{self._collection.name} {'diffs' if diffs else 'history'}", len(hashes), "commits")
        try:
            with closing(commits(repository, hashes, diffs=diffs)) as told:
                for batch in _batches(told):
                    self._write(repository.prefix, batch, made_by)
                    self._report.commits += len(batch) if new is None else sum(one.hash in new for one in batch)
                    if done is not None:
                        done += [one.hash for one in batch]
                    self._progress.advance(len(batch), batch[-1].subject)
        finally:
            self._progress.finish()

    def _write(self, prefix: str, batch: Sequence[Commit], made_by: RecipeId) -> None:
        prepared, entries = [], []
        for commit in batch:
            if made_by == self.without_parents:
                commit = replace(commit, files=())
            one = self._prepared(prefix, commit)
            if one is not None:
                prepared.append(one)
                entries.append(_entry(prefix, commit, one.document.id, made_by))
        store, project, collection = self._store, self._project, self._collection.id
        with store.transaction():
            keys = store.documents.put_all(project, collection, prepared)
            rows = [
                pair for one, those in zip(prepared, keys, strict=True) for pair in zip(those, one.chunks, strict=True)
            ]
            store.lexical.put(project, [(key, indexed.lexical) for key, indexed in rows])
            store.embeddings.expect(project, [(key, indexed.inputs) for key, indexed in rows])
            if made_by != self._brief:
                # The edges to its files come with its diff: they need no hurry.
                store.graph.put(project, collection, [one.linked for one in prepared if one.linked])
            store.history.put(project, collection, entries)
        self._report.chunks += len(rows)

    def _prepared(self, prefix: str, commit: Commit) -> Prepared | None:
        """A commit that cannot be prepared costs only itself."""
        if self._preparer is None:
            self._preparer = self._make()
        uri = commit_uri(prefix, commit.hash)
        try:
            return self._preparer.commit(self._origin, commit, uri)
        except Exception as error:
            self._report.failed.append(Problem(uri, f"{type(error).__name__}: {error}"))
            return None

    def remove(self, prefix: str, hashes: Iterable[str]) -> None:
        gone = sorted(hashes)
        for start in range(0, len(gone), _REMOVED_AT_ONCE):
            with self._store.transaction():
                for hash_ in gone[start : start + _REMOVED_AT_ONCE]:
                    uri = commit_uri(prefix, hash_)
                    self._store.documents.remove(self._project, document_id(self._project, self._collection.id, uri))
        self._report.commits_removed += len(gone)

    def refuse(self, prefix: str, reason: str, hint: str | None, rows: Mapping[str, LedgerEntry]) -> None:
        """Notes why a repository was not read. What was indexed of it stays."""
        uri = repository_uri(prefix)
        told = f"{reason} ({hint})" if hint else reason
        self._report.skipped.append(Problem(uri, told))
        before = rows.get(uri)
        entry = LedgerEntry(uri, Verdict.SKIPPED, before.stamp if before else _NO_STAMP, reason=told)
        if entry != before:
            self.record(entry)

    def record(self, entry: LedgerEntry) -> None:
        with self._store.transaction():
            self._store.ledger.record(self._project, self._collection.id, [entry])

    def forget(self, uri: str) -> None:
        with self._store.transaction():
            self._store.ledger.forget(self._project, self._collection.id, [uri])


def _made_by(recipe: Recipe, origin: Origin) -> RecipeId:
    return recipe_id(json.dumps([recipe.canonical(), origin.tags])) if origin.tags else recipe.id


def _entry(prefix: str, commit: Commit, document: DocumentId, made_by: RecipeId) -> HistoryEntry:
    touched = dict.fromkeys(path for file in commit.files for path in (file.path, file.before) if path)
    return HistoryEntry(prefix, commit.hash, document, str(commit.author), commit.committed_at, made_by, tuple(touched))


def _batches(told: Iterator[Commit]) -> Iterator[list[Commit]]:
    while batch := list(islice(told, _BATCH)):
        yield batch


def _prefix(uri: str) -> str:
    """The folder of a repository, from its line in the ledger."""
    return uri.rpartition("/")[0]
