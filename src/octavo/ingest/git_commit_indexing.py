"""Repositories under a collection → commits as documents. What is known already is never read again.

Which commits are new follows from their hashes, not from their times: a rebase, a skewed clock, another branch and a
forced push all look the same. A large history is taken in twice, first without diffs, so that it can be searched at
once, then with them; each pass goes from the newest commit to the oldest, and a run that is stopped goes on there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from itertools import islice
from typing import TYPE_CHECKING

from octavo.errors import SourceError
from octavo.fast_dataclass import dataclass, replace
from octavo.ingest.indexing_report import CollectionReport, Problem
from octavo.ingest.prepared_file import Origin
from octavo.ingest.prepared_file_batches import rare_garbage_collection
from octavo.model.folder_scan import Scan
from octavo.model.git_commit import Commit, Repository, commit_uri, repository_uri
from octavo.model.ids import DocumentId, RecipeId, document_id, recipe_id, text_hash
from octavo.model.index_recipe import Recipe
from octavo.model.indexed_commit import HistoryEntry
from octavo.model.indexing_ledger import FileOutcome, FileStamp, LedgerEntry
from octavo.model.prepared_document import PreparedDocument
from octavo.model.projects_and_collections import Collection
from octavo.observability.progress import Progress
from octavo.sources.git_commits import commits, reachable, refs, shallow_boundary
from octavo.sources.git_repository_discovery import UnreadableRepository, holds_repository, repositories
from octavo.sources.ignore_rules import IgnoreRules
from octavo.sources.secret_redaction import redacted
from octavo.sources.shown_files_of_git_commits import Withholding
from octavo.sql_repositories.store import Store

if TYPE_CHECKING:
    from octavo.ingest.file_preparation import Preparer

BATCH = 1_000  # commits in one transaction
READ_AT_ONCE = 10_000  # new commits that are read with their diffs right away: reading them twice takes twice as long
_REMOVED_AT_ONCE = 1_000
_NO_STAMP = FileStamp(0, 0, 0)
_JUDGED_BY = "/"  # between the state of a repository and the digest of the rules its files were judged by
_REDACTED_IN = ": "  # between the hash of a commit and what was redacted in it
_WITHHOLDING = "/"  # between the recipe of a commit and a hash of the names it withholds


@dataclass(frozen=True, slots=True)
class HistoryRules:
    """Whether histories are taken in, and how many commits of each at most, the newest first.

    `outside` allows repositories that a `.git` file places elsewhere; `files` says whose content diffs may show.
    """

    wanted: bool = True
    max_commits: int | None = None
    outside: bool = False
    files: IgnoreRules = field(default_factory=lambda: IgnoreRules(frozenset(), 0))


@dataclass(frozen=True, slots=True)
class HistoryRun:
    """One run over the repositories of a collection. `reread` takes in every commit again."""

    store: Store
    collection: Collection
    recipe: Recipe
    preparer: Callable[[], Preparer]
    origin: Origin
    rules: HistoryRules
    reread: bool = False


def index_history(
    run: HistoryRun,
    scan: Scan | None,
    progress: Progress,
    report: CollectionReport,
    *,
    only: Sequence[Repository] | None = None,
) -> None:
    """Brings the library in step with the repositories in the folders that the scan listed, or with `only` some.

    What cannot be read is a line in the ledger and in the report, and changes nothing.
    """
    store, collection, rules = run.store, run.collection, run.rules
    project = collection.project_id
    with store.reading():
        known = store.history.known(project, collection.id)
        rows = store.ledger.repositories(project, collection.id)
    repositories_here, unread = list(only or ()), list[UnreadableRepository]()
    if scan is not None and rules.wanted:
        repositories_here, unread = repositories(collection.root, scan.rooted, outside=rules.outside)
    writer = _CommitWriter(run, progress, report)
    digest = scan.rules_digest if scan is not None else None
    for unreadable in unread:
        writer.refuse(unreadable.prefix, unreadable.reason, unreadable.hint, rows)
    for repository in repositories_here:
        try:
            _bring(writer, repository, known.get(repository.prefix, {}), rows, run, digest)
        except SourceError as error:
            writer.refuse(repository.prefix, error.message, error.hint, rows)
    if scan is None:
        return
    looked_at = {repository.prefix for repository in repositories_here} | {repository.prefix for repository in unread}
    for prefix in sorted({*known, *(_prefix(uri) for uri in rows)} - looked_at):
        # Not looked at, though the library knows of it: taken out only if that is for sure.
        ignored = prefix not in scan.rooted
        gone = scan.gone(repository_uri(prefix)) and (ignored or not holds_repository(collection.root, prefix))
        if gone or not rules.wanted:
            writer.remove(prefix, known.get(prefix, {}))
            writer.forget(repository_uri(prefix))


def _bring(
    writer: _CommitWriter,
    repository: Repository,
    known: Mapping[str, str],
    rows: Mapping[str, LedgerEntry],
    run: HistoryRun,
    digest: str | None,
) -> None:
    """`digest` is of the rules by which files are withheld; None when this run has not read all of them."""
    rules = run.rules
    uri = repository_uri(repository.prefix)
    cut = shallow_boundary(repository)
    row = rows.get(uri)
    recorded, _, judged_by = row.content_hash.partition(_JUDGED_BY) if row is not None else ("", "", "")
    digest = judged_by if digest is None else digest
    state = text_hash(json.dumps([refs(repository), writer.made_by, rules.max_commits, sorted(cut)]))
    if recorded == state and judged_by == digest and not run.reread:
        return
    hashes = reachable(repository, rules.max_commits)
    new = [hash_ for hash_ in hashes if hash_ not in known]
    made_by = {True: writer.without_parents, False: writer.made_by}
    outdated = {
        hash_
        for hash_ in hashes
        if hash_ in known and (run.reread or recipe_part(known[hash_]) != made_by[hash_ in cut])
    }
    if judged_by != digest:
        undecided = [hash_ for hash_ in hashes if hash_ in known and hash_ not in cut and hash_ not in outdated]
        outdated |= writer.judged_otherwise(repository, {hash_: known[hash_] for hash_ in undecided})
    remade = [hash_ for hash_ in hashes if hash_ in outdated]
    if len(new) > READ_AT_ONCE:
        writer.take(repository, [hash_ for hash_ in new if hash_ not in cut], diffs=False)
    ends = [hash_ for hash_ in (*new, *remade) if hash_ in cut]
    writer.take(repository, ends, diffs=False, new=frozenset(new), made_by=writer.without_parents)
    rest = [hash_ for hash_ in (*new, *remade) if hash_ not in cut]
    warnings = writer.complete(repository, rest, frozenset(new) if len(new) <= READ_AT_ONCE else frozenset())
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
    warnings = (*warnings, *_redactions(row, writer.redacted, frozenset(hashes)))
    if not whole:
        warnings = (*warnings, f"only the newest {rules.max_commits:,} commits are indexed")
    writer.record(
        LedgerEntry(
            uri=uri,
            outcome=FileOutcome.INDEXED,
            stamp=FileStamp(len(hashes), 0, 0),
            content_hash=f"{state}{_JUDGED_BY}{digest}",
            recipe_id=writer.made_by,
            warnings=warnings,
        )
    )


def recipe_part(made_by: str) -> str:
    """The recipe of a commit, whatever it withholds."""
    return made_by.partition(_WITHHOLDING)[0]


class _CommitWriter:
    """Writes commits in batches, each in a transaction of its own."""

    def __init__(self, run: HistoryRun, progress: Progress, report: CollectionReport) -> None:
        self.made_by = made_by = _made_by(run.recipe, run.origin)
        self.without_parents = recipe_id(f"{made_by} without parents")
        self._brief = recipe_id(f"{made_by} without diffs")
        self._store = run.store
        self._collection = run.collection
        self._project = run.collection.project_id
        self._make = run.preparer
        self._preparer: Preparer | None = None
        self._origin = run.origin
        self._withheld = Withholding(run.collection.root, run.rules.files).reason
        self._progress = progress
        self._report = report
        self.redacted: dict[str, tuple[str, ...]] = {}
        """Of each commit read by this run: the keys and tokens in it that were blacked out."""

    def judged_otherwise(self, repository: Repository, known: Mapping[str, str]) -> set[str]:
        """The commits (hash → recorded recipe) that would withhold other files by today's rules."""
        with closing(commits(repository, known, diffs=False, withheld=self._withheld)) as stream:
            return {
                commit.hash
                for commit in stream
                if known[commit.hash] != _withholding(recipe_part(known[commit.hash]), commit)
            }

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
            records = commits(repository, hashes, diffs=diffs, withheld=self._withheld)
            with rare_garbage_collection(), closing(records):
                for batch in _batches(records):
                    self._write(repository.prefix, batch, made_by)
                    self._report.commits += len(batch) if new is None else sum(commit.hash in new for commit in batch)
                    if done is not None:
                        done += [commit.hash for commit in batch]
                    self._progress.advance(len(batch), self._shown(batch[-1].subject))
        finally:
            self._progress.finish()

    def _write(self, prefix: str, batch: Sequence[Commit], made_by: RecipeId) -> None:
        prepared, entries = [], []
        for commit in batch:
            if made_by == self.without_parents:
                commit = replace(commit, files=())
            prepared_commit = self._prepared(prefix, commit)
            if prepared_commit is not None:
                prepared.append(prepared_commit)
                author, recipe = self._shown(str(commit.author)), _withholding(made_by, commit)
                entries.append(_entry(prefix, commit, prepared_commit.document.id, author, recipe))
        store, project, collection = self._store, self._project, self._collection.id
        with store.transaction():
            keys = store.documents.put_all(project, collection, prepared)
            rows = [
                pair
                for prepared_commit, chunk_keys in zip(prepared, keys, strict=True)
                for pair in zip(chunk_keys, prepared_commit.chunks, strict=True)
            ]
            store.lexical.put(project, [(key, indexed.lexical) for key, indexed in rows])
            store.embeddings.expect(project, [(key, indexed.inputs) for key, indexed in rows])
            if made_by != self._brief:
                # The edges to its files come with its diff: they need no hurry.
                store.graph.put(
                    project,
                    collection,
                    [prepared_commit.linked for prepared_commit in prepared if prepared_commit.linked],
                )
            store.history.put(project, collection, entries)
        self._report.chunks += len(rows)

    def _shown(self, text: str) -> str:
        """What a commit tells beside its text, without keys and tokens."""
        return text if self._origin.allow_secrets else redacted(text)[0]

    def _prepared(self, prefix: str, commit: Commit) -> PreparedDocument | None:
        """A commit that cannot be prepared costs only itself."""
        if self._preparer is None:
            self._preparer = self._make()
        uri = commit_uri(prefix, commit.hash)
        try:
            prepared = self._preparer.commit(self._origin, commit, uri)
            self.redacted[commit.hash] = prepared.document.warnings
            return prepared
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
        message = f"{reason} ({hint})" if hint else reason
        self._report.unread_repositories.append(Problem(uri, message))
        before = rows.get(uri)
        entry = LedgerEntry(uri, FileOutcome.SKIPPED, before.stamp if before else _NO_STAMP, reason=message)
        if entry != before:
            self.record(entry)

    def record(self, entry: LedgerEntry) -> None:
        with self._store.transaction():
            self._store.ledger.record(self._project, self._collection.id, [entry])

    def forget(self, uri: str) -> None:
        with self._store.transaction():
            self._store.ledger.forget(self._project, self._collection.id, [uri])


def _made_by(recipe: Recipe, origin: Origin) -> RecipeId:
    if not origin.tags and not origin.allow_secrets:
        return recipe.id
    allowed = ["allow_secrets"] if origin.allow_secrets else []
    return recipe_id(json.dumps([recipe.canonical(), origin.tags, *allowed]))


def _redactions(
    row: LedgerEntry | None, warnings_of: Mapping[str, tuple[str, ...]], hashes: frozenset[str]
) -> Iterator[str]:
    """The ledger's warnings of redacted commits: new ones, and earlier ones of commits that still exist."""
    for warning in row.warnings if row is not None else ():
        hash_, separator, _ = warning.partition(_REDACTED_IN)
        if separator and hash_ in hashes and hash_ not in warnings_of:
            yield warning
    for hash_, warnings in warnings_of.items():
        if hash_ in hashes:
            yield from (f"{hash_}{_REDACTED_IN}{warning}" for warning in warnings)


def _withholding(made_by: str, commit: Commit) -> str:
    """The recipe recorded for a commit: another set of withheld files makes another document."""
    return f"{made_by}{_WITHHOLDING}{text_hash(json.dumps(commit.withheld))[:16]}" if commit.withheld else made_by


def _entry(prefix: str, commit: Commit, document: DocumentId, author: str, made_by: str) -> HistoryEntry:
    touched = dict.fromkeys(path for file in commit.files for path in (file.path, file.before) if path)
    return HistoryEntry(prefix, commit.hash, document, author, commit.committed_at, made_by, tuple(touched))


def _batches(records: Iterator[Commit]) -> Iterator[list[Commit]]:
    while batch := list(islice(records, BATCH)):
        yield batch


def _prefix(uri: str) -> str:
    """The folder of a repository, from its line in the ledger."""
    return uri.rpartition("/")[0]
