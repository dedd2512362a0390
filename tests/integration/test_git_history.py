"""Commits are in the library as long as their repository leads to them, found by what they say, and read once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import samples
from git_repository import START, GitRepository
from workbench import Bench

from octavo.engine.engine import Engine
from octavo.engine.indexing.git_history_updates import follow_histories, index_moved
from octavo.errors import InvalidArgument, NotFound
from octavo.ingest import git_commit_indexing as ingest_history
from octavo.ingest.collection_repository_watch import HistoryWatch
from octavo.model.document import Kind
from octavo.model.git_commit import commit_uri
from octavo.model.indexed_commit import HistoryEntry
from octavo.model.indexing_ledger import FileOutcome
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Filters
from octavo.observability.progress import NoProgress
from octavo.operations.history.commits_and_file_history import history, log
from octavo.operations.history.requests import HistoryRequest, LogRequest
from octavo.operations.library.collections import collection_state
from octavo.retrieval.reference_resolution import read_passage
from octavo.sources import git_commits

pytestmark = pytest.mark.skipif(git_commits.git_program() is None, reason="git is not installed")


@pytest.fixture
def repo(bench: Bench) -> GitRepository:
    return GitRepository(bench.folder)


@pytest.fixture
def engine(bench: Bench) -> Iterator[Engine]:
    with bench.opened() as engine:
        yield engine


def known(engine: Engine) -> set[str]:
    held = engine.store.history.known(engine.project.id, engine.collection("notes").id)
    return {hash_ for hashes in held.values() for hash_ in hashes}


def indexed(bench: Bench, **settings: Any) -> set[str]:
    """The commits in the library after a run."""
    bench.index(**settings)
    with bench.opened(**settings) as engine:
        assert engine.store.check() == ()
        return known(engine)


def found(engine: Engine, query: str, **narrowed: Any) -> list[str]:
    return [commit.hash for commit in log(engine, LogRequest(query, **narrowed)).commits]


def test_a_commit_is_a_document_that_tells_everything_about_it(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("Close the dome\n\nIt rains.\n", {"dome.py": "shut = True\n"})
    report = bench.index()
    assert (report.commits, report.added) == (1, 1)
    with bench.opened() as engine:
        passage = read_passage(engine, hash_[:8])
    document = passage.document
    assert (document.kind, document.title, document.uri) == (Kind.COMMIT, "Close the dome", commit_uri("", hash_))
    assert document.modified_at == START + 60
    assert document.metadata == {
        "hash": hash_,
        "author": "Ann Lee <ann@example.org>",
        "committer": "Ann Lee <ann@example.org>",
        "parents": [],
        "files": ["dome.py"],
        "file_count": 1,
    }
    assert passage.text == (
        f"commit {hash_}\nAuthor: Ann Lee <ann@example.org>\nDate: 2023-11-14T22:14:20+00:00\n\n"
        "Close the dome\n\nIt rains.\n\nChanged files:\ndome.py (added)\n\n"
        "Diff:\ndiff --git a/dome.py b/dome.py\nnew file mode 100644\nindex 0000000..5a5ffb5\n"
        "--- /dev/null\n+++ b/dome.py\n@@ -0,0 +1 @@\n+shut = True\n"
    ).replace("5a5ffb5", repo.git("rev-parse", "--short=7", "HEAD:dome.py"))


def test_a_second_run_reads_no_commit_again_and_leaves_them_where_they_are(bench: Bench, repo: GitRepository) -> None:
    hashes = {repo.commit("One", {"a.md": "# A\n"}), repo.commit("Two", {"b.md": "# B\n"})}
    assert indexed(bench) == hashes
    generation = bench.generation()
    report = bench.index()
    assert (report.commits, report.commits_removed, report.removed) == (0, 0, 0)
    assert bench.generation() == generation
    third = repo.commit("Three", {"c.md": "# C\n"})
    assert bench.index().commits == 1
    with bench.opened() as engine:
        assert known(engine) == hashes | {third}


def test_files_come_and_go_without_taking_commits_along(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    (bench.folder / "a.md").unlink()
    report = bench.index()
    assert (report.removed, report.commits_removed) == (1, 0)
    with bench.opened() as engine:
        assert known(engine) == {hash_}


def test_a_rebased_commit_makes_way_for_the_new_one(bench: Bench, repo: GitRepository) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    old = repo.commit("Two", {"b.md": "# B\n"})
    assert indexed(bench) == {first, old}
    repo._commits += 1
    repo.git("commit", "-q", "--amend", "-m", "Two, said better")
    new = repo.head()
    report = bench.index()
    assert (report.commits, report.commits_removed) == (1, 1)
    with bench.opened() as engine:
        assert known(engine) == {first, new}
        assert found(engine, "better") == [new, first]


def test_a_commit_that_another_branch_leads_to_stays(bench: Bench, repo: GitRepository) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    second = repo.commit("Two", {"b.md": "# B\n"})
    repo.git("branch", "kept")
    bench.index()
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert indexed(bench) == {first, second}


def test_a_commit_from_the_past_is_found_all_the_same(bench: Bench, repo: GitRepository) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    old = repo.commit("From a machine with a wrong clock", {"b.md": "# B\n"}, at=START - 10**9)
    assert indexed(bench) == {first, old}


def test_a_branch_that_appears_brings_its_commits(bench: Bench, repo: GitRepository) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    repo.git("checkout", "-q", "-b", "side")
    side = repo.commit("Side", {"b.md": "# B\n"}, at=START)
    repo.git("checkout", "-q", "main")
    assert indexed(bench) == {first, side}


def test_a_repository_without_refs_concludes_nothing(bench: Bench, repo: GitRepository) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    (bench.folder / ".git" / "refs" / "heads" / "main").unlink()
    assert indexed(bench) == {first}


def test_a_broken_repository_is_told_of_and_its_commits_are_kept(bench: Bench, repo: GitRepository) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    (bench.folder / ".git" / "HEAD").write_text("nonsense")
    report = bench.index()
    assert [problem.uri for problem in report.unread_repositories] == [".git"] and not report.failed
    row = bench.ledger()[".git"]
    assert row.outcome is FileOutcome.SKIPPED and "git cannot read" in row.reason
    with bench.opened() as engine:
        assert known(engine) == {first}


def test_without_git_there_is_a_note_and_nothing_is_lost(
    bench: Bench, repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    monkeypatch.setenv("PATH", "")
    report = bench.index()
    assert [(problem.uri, problem.reason.partition(" (")[0]) for problem in report.unread_repositories] == [
        (".git", "git is not installed")
    ]
    assert not report.failed
    with bench.opened() as engine:
        assert known(engine) == {first}


def test_without_git_a_new_repository_is_noted(
    bench: Bench, repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit("One", {"a.md": "# A\n"})
    monkeypatch.setenv("PATH", "")
    report = bench.index()
    assert [problem.uri for problem in report.unread_repositories] == [".git"] and report.added == 1


def test_a_run_counts_as_skipped_what_the_status_counts(bench: Bench, repo: GitRepository) -> None:
    bench.write({"a.md": "# A\n", "b.bin": b"\x00\x01\xff" * 40})
    (bench.folder / ".git" / "HEAD").write_text("nonsense")
    report = bench.index()
    with bench.opened() as engine:
        state = collection_state(engine, engine.collection("notes"))
    assert (state.skipped, [problem.uri for problem in report.skipped]) == (1, ["b.bin"])
    assert [problem.uri for problem in report.unread_repositories] == [".git"]


def test_a_repository_that_is_gone_takes_its_commits_along(bench: Bench) -> None:
    inner = GitRepository(bench.folder / "lib")
    inner.commit("One", {"a.md": "# A\n"})
    assert len(indexed(bench)) == 1
    shutil.rmtree(bench.folder / "lib")
    assert bench.index().commits_removed == 1
    assert ".git" not in str(bench.ledger())


def test_a_shallow_clone_takes_nothing_out(bench: Bench, tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin")
    hashes = [origin.commit(f"Commit {number}", {"a.md": f"# {number}\n"}) for number in range(4)]
    clone = GitRepository(bench.folder, init=("clone", "-q", "--depth=2", origin.folder.as_uri(), "."))
    assert indexed(bench) == {hashes[2], hashes[3]}
    assert "shallow" in str(bench.ledger()[".git"].warnings)
    clone.git("fetch", "-q", "--unshallow")
    assert indexed(bench) == set(hashes)


def test_where_a_shallow_clone_ends_nothing_is_taken_for_changed(bench: Bench, tmp_path: Path) -> None:
    origin = GitRepository(tmp_path / "origin")
    plant = origin.commit("Plant", {"a.md": "# A\n", "old.md": "# Old\n"})
    hashes = [plant, *(origin.commit(f"Cut {number}", {"a.md": f"# A {number}\n"}) for number in range(3))]
    clone = GitRepository(bench.folder, init=("clone", "-q", "--depth=2", origin.folder.as_uri(), "."))

    def touched(name: str) -> list[str]:
        with bench.opened() as engine:
            return [commit.hash for commit in history(engine, HistoryRequest(name)).commits]

    assert indexed(bench) == set(hashes[2:])
    assert touched("a.md") == [hashes[3]]
    assert touched("old.md") == []
    clone.git("fetch", "-q", "--deepen=1")
    # No ref moved, and what was the end is none any more.
    assert indexed(bench) == set(hashes[1:])
    assert touched("a.md") == [hashes[3], hashes[2]]
    clone.git("fetch", "-q", "--unshallow")
    assert indexed(bench) == set(hashes)
    assert touched("a.md") == hashes[::-1]
    assert touched("old.md") == [plant]
    assert bench.index().commits == 0


def test_a_history_is_turned_off_for_all_or_for_one_collection(bench: Bench, repo: GitRepository) -> None:
    repo.commit("One", {"a.md": "# A\n"})
    assert indexed(bench, history={"enabled": False}) == set()
    assert len(indexed(bench)) == 1
    bench.collection = CollectionSettings(history=False)
    assert indexed(bench) == set()
    bench.collection = CollectionSettings(history=True)
    assert len(indexed(bench, history={"enabled": False})) == 1


def test_a_bound_keeps_the_newest_and_takes_nothing_out(bench: Bench, repo: GitRepository) -> None:
    hashes = [repo.commit(f"Commit {number}", {"a.md": f"# {number}\n"}) for number in range(4)]
    assert indexed(bench, history={"max_commits": 2}) == set(hashes[2:])
    bench.collection = CollectionSettings(max_commits=1)
    assert indexed(bench, history={"max_commits": 2}) == set(hashes[2:])
    bench.collection = CollectionSettings()
    assert indexed(bench) == set(hashes)


def test_a_large_history_is_taken_in_twice_and_known_once(
    bench: Bench, repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_history, "READ_AT_ONCE", 2)
    monkeypatch.setattr(ingest_history, "BATCH", 3)
    hashes = {repo.commit(f"Commit {number}", {"a.md": f"# {number}\n"}) for number in range(8)}
    report = bench.index()
    assert report.commits == 8
    with bench.opened() as engine:
        assert known(engine) == hashes
        assert len({one for one in hashes if "\nDiff:\n" in read_passage(engine, one).text}) == 8
        assert engine.store.check() == ()
        assert engine.freshness().full_vectors == 1.0


def test_a_run_that_is_stopped_goes_on_where_it_was(
    bench: Bench, repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_history, "READ_AT_ONCE", 2)
    monkeypatch.setattr(ingest_history, "BATCH", 2)
    hashes = {repo.commit(f"Commit {number}", {"a.md": f"# {number}\n"}) for number in range(6)}

    class Stop:
        def start(self, phase: str, total: int | None, unit: str) -> None:
            self.phase = phase

        def advance(self, n: int = 1, note: str = "") -> None:
            if self.phase.endswith("diffs"):
                raise KeyboardInterrupt

        def finish(self) -> None: ...

    with bench.opened() as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.index(progress=Stop())
        assert known(engine) == hashes
        with_diff = [one for one in hashes if "\nDiff:\n" in read_passage(engine, one).text]
        assert len(with_diff) == 2
        engine.index()
        assert all("\nDiff:\n" in read_passage(engine, one).text for one in hashes)


def test_files_that_a_partial_clone_lacks_cost_only_the_diffs(bench: Bench, repo: GitRepository) -> None:
    repo.commit("One", {"a.md": "# A\n"})
    blob = repo.git("rev-parse", "HEAD:a.md")
    second = repo.commit("Two", {"a.md": "# B\n"})
    (bench.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    report = bench.index()
    assert (report.commits, report.failed, report.skipped) == (2, [], [])
    assert "without diffs" in str(bench.ledger()[".git"].warnings)
    with bench.opened() as engine:
        assert found(engine, "two")[0] == second


def test_a_commit_is_found_by_author_file_and_time(bench: Bench, repo: GitRepository) -> None:
    ann = repo.commit("Dome opens", {"src/dome.py": "a = 1\n"})
    zoe = repo.commit("Dome closes", {"docs/dome.md": "# Dome\n"}, author="Zoë Quill <zoe@example.org>")
    bench.index()
    with bench.opened() as engine:
        assert set(found(engine, "dome")) == {ann, zoe}
        assert found(engine, "dome", author="zoË") == [zoe]
        assert found(engine, "dome", author="nobody") == []
        assert found(engine, "dome", file_pattern="*.py") == [ann]
        assert found(engine, "dome", file_pattern="dome.md") == [zoe]
        assert found(engine, "dome", file_pattern="docs/") == [zoe]
        assert found(engine, "dome", after="2023-11-14T22:15:00") == [zoe]
        assert found(engine, "dome", before=str(START + 90)) == [ann]
        assert found(engine, "dome", top_n=1) == found(engine, "dome")[:1]


def test_a_hit_is_one_commit_and_cites_its_files(bench: Bench, repo: GitRepository) -> None:
    code = "".join(f"shutter_{number} = open_shutter({number})\n" for number in range(150))
    hash_ = repo.commit("Add shutters", {"a.py": code, "b.py": code.replace("open", "close")})
    bench.index()
    with bench.opened() as engine:
        answer = log(engine, LogRequest("close_shutter"))
    assert [(commit.hash, commit.files, commit.file_count) for commit in answer.commits] == [
        (hash_, ("a.py", "b.py"), 2)
    ]


def test_a_diff_is_found_by_its_words_and_not_embedded(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("Tidy up", {"a.py": "frobnicate_widget = True\n"})
    bench.index(history={"enabled": True})
    with bench.opened() as engine:
        assert found(engine, "frobnicate_widget") == [hash_]
        project = engine.project.id
        chunks = engine.store.documents.admitted(project, Filters(kinds=(Kind.COMMIT,)))
        embedded = set(engine.store.embeddings.assignments(project)[:, 0].tolist())
        assert len(chunks) == 2 and len(embedded.intersection(chunks)) == 1


def test_nothing_found_says_that_there_are_no_commits(bench: Bench) -> None:
    bench.write({"a.md": "# A\n"})
    bench.index()
    with bench.opened() as engine:
        answer = log(engine, LogRequest("anything"))
    assert answer.commits == () and "none of its folders is a git repository" in (answer.note or "")


def test_the_history_of_a_file_follows_it_through_renames(bench: Bench, repo: GitRepository) -> None:
    text = "# A\n" + "A line that stays.\n" * 20
    first = repo.commit("One", {"old.md": text})
    bench.index()
    repo.git("mv", "old.md", "new.md")
    moved = repo.commit("Move")
    last = repo.commit("Change", {"new.md": text + "More.\n"})
    other = repo.commit("Other", {"other.md": "# B\n"})
    bench.index()
    with bench.opened() as engine:
        told = history(engine, HistoryRequest("new.md"))
        assert [commit.hash for commit in told.commits] == [last, moved, first]
        assert told.names == ("new.md", "old.md")
        assert len(told.versions) >= 1
        assert [commit.hash for commit in history(engine, HistoryRequest("new.md", limit=1)).commits] == [last]
        assert history(engine, HistoryRequest("new.md", limit=1)).more
        newest = history(engine, HistoryRequest())
        assert [commit.hash for commit in newest.commits] == [other, last, moved, first]


def test_a_file_that_is_gone_has_a_history_still(bench: Bench, repo: GitRepository) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    gone = repo.commit("Remove", {"a.md": None, "b.md": "# B\n"})
    bench.index()
    with bench.opened() as engine:
        told = history(engine, HistoryRequest("a.md"))
        assert [commit.hash for commit in told.commits] == [gone, first]
        assert told.versions[-1].removed_at is not None
        with pytest.raises(NotFound):
            history(engine, HistoryRequest("never.md"))


def test_a_hash_that_several_commits_start_with_is_refused(bench: Bench) -> None:
    bench.write({"a.md": "# A\n"})
    bench.index()
    with bench.opened() as engine:
        notes = engine.collection("notes")
        for end in "12":
            hash_ = "abcdef" + end * 34
            sample = samples.prepared(notes, commit_uri("", hash_), f"Commit {end}", kind=Kind.COMMIT)
            entry = HistoryEntry("", hash_, sample.document.id, "Ann", 1.0, "made")
            with engine.store.transaction():
                samples.put(engine.store, notes, sample)
                engine.store.history.put(notes.project_id, notes.id, [entry])
        assert read_passage(engine, "ABCDEF1").text == "Commit 1\n"
        with pytest.raises(InvalidArgument, match="several commits"):
            read_passage(engine, "abcdef")
        with pytest.raises(NotFound):
            read_passage(engine, "abcdef3")


def test_two_repositories_with_the_same_commits_are_kept_apart(bench: Bench) -> None:
    one = GitRepository(bench.folder / "one")
    hash_ = one.commit("Same", {"a.md": "# A\n"})
    GitRepository(bench.folder / "two", init=("clone", "-q", str(one.folder), "."))
    bench.index()
    with bench.opened() as engine:
        uris = [found.uri for found in engine.store.history.find(engine.project.id, hash_)]
        assert uris == [commit_uri("one", hash_), commit_uri("two", hash_)]
        assert read_passage(engine, hash_).document.title == "Same"
        told = history(engine, HistoryRequest("two/a.md"))
        assert [found.uri for found in told.commits] == [commit_uri("two", hash_)]


def test_a_reference_to_a_commit_has_no_history_of_its_own(bench: Bench, repo: GitRepository) -> None:
    hash_ = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    with bench.opened() as engine, pytest.raises((NotFound, InvalidArgument), match="is a commit"):
        history(engine, HistoryRequest(hash_))


def test_a_repository_that_moved_is_read_without_looking_at_files(bench: Bench, repo: GitRepository) -> None:
    first = repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    now = [0.0]
    watch = HistoryWatch(cooldown=5.0, clock=lambda: now[0])
    with bench.opened() as engine:
        follow_histories(engine.library, watch)
        fresh = watch.moved()
        assert list(fresh) == ["notes"] and watch.moved() == {}
        assert index_moved(engine.library, fresh, NoProgress()).collections[0].commits == 0
        second = repo.commit("Two", {"b.md": "# B\n"})
        follow_histories(engine.library, watch)
        assert watch.moved() == {}
        now[0] = 5.0
        report = index_moved(engine.library, watch.moved(), NoProgress())
        assert [(collection.commits, collection.added) for collection in report.collections] == [
            (1, 0)
        ] and report.embedded == 1
        assert known(engine) == {first, second} and watch.moved() == {}


def test_what_could_not_be_taken_in_is_told_of_again(bench: Bench, repo: GitRepository) -> None:
    repo.commit("One", {"a.md": "# A\n"})
    bench.index()
    watch = HistoryWatch()
    with bench.opened() as engine:
        follow_histories(engine.library, watch)
        moved = watch.moved()
        watch.again(moved)
        assert watch.moved() == moved and watch.moved() == {}
        engine.remove_collection("notes")
        follow_histories(engine.library, watch)
        assert index_moved(engine.library, moved, NoProgress()).collections == ()
