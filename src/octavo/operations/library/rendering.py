"""Answers about the library and its collections as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from octavo.ingest.indexing_report import CollectionReport, Problem
from octavo.model.indexing_ledger import FileOutcome
from octavo.model.maintenance_advisory import Advisory, OfflineRun
from octavo.operations.library.excluded_file_counts import excluded_files_text
from octavo.operations.library.results import (
    AddAnswer,
    CollectionState,
    HealthAnswer,
    IndexAnswer,
    IndexingRun,
    LedgerProblem,
    ListAnswer,
    PropertyKey,
    StatusAnswer,
    WatchAnswer,
)
from octavo.operations.styled_answer_lines import DETAIL, Line, Part, columns, count, duration, size

PROBLEMS_SHOWN = 10
_FIGURES = ("added", "changed", "moved", "removed", "unchanged")
_WATCHED = ("watching", "polling")
_STYLES = {"failed": "bad", "skipped": "dim", "indexed": "warn"}


_RELATIONS = {"same": "{} is the same folder", "inside": "It lies in {}, {}", "within": "{}, {}, lies in it"}


def add_lines(answer: AddAnswer) -> Iterator[Line]:
    collection = answer.collection
    name, place = collection.name, f"the file {answer.file}" if answer.file else f"the folder {collection.root}"
    if answer.existed and not answer.changed:
        yield (Part(f"{name} is {place} already: nothing was changed."),)
        yield (Part("Next: octavo index reads what is new in it", "dim"),)
        return
    yield (Part(f"{'Changed' if answer.changed else 'Added'} {name}, {place}."),)
    for other in answer.overlaps or ():
        why = f"{_RELATIONS[other.relation].format(other.name, other.root)}: its files will be found twice"
        needless = other.name if other.relation == "within" else name
        yield Part(f"{why}. ", "warn"), Part(f"octavo remove {needless} leaves one of them", "dim")
    yield (Part("Next: octavo index", "dim"),)


def list_lines(answer: ListAnswer) -> Iterator[Line]:
    for document in answer.documents or ():
        place = f"{document.collection}/{document.uri}"
        yield (Part(place, "", place),)
    if answer.keys:
        yield from columns(
            [
                (
                    Part(listed.key, "title"),
                    Part(count(listed.documents, "document")),
                    Part(_values(listed), "dim"),
                )
                for listed in answer.keys
            ]
        )
    elif answer.keys is not None:
        yield (Part("No document has properties.", "dim"),)
    if answer.collections:
        yield from collection_lines(answer.collections)
    elif answer.collections is not None:
        yield (Part("No collections yet: octavo add FOLDER --name NAME", "dim"),)


def _values(listed: PropertyKey) -> str:
    further = listed.total - len(listed.values)
    return ", ".join(listed.values) + (f" and {further:,} more (--all-values)" if further else "")


def collection_lines(collections: Iterable[CollectionState]) -> Iterator[Line]:
    yield from columns(
        [(Part(collection.name, "title"), _holds(collection), _root(collection)) for collection in collections]
    )


def _holds(collection: CollectionState) -> Part:
    figures = [count(collection.indexed, "document")]
    figures += [count(collection.commits, "commit")] if collection.commits else []
    figures += [f"{collection.skipped:,} skipped"] if collection.skipped else []
    figures += [f"{collection.failed:,} failed"] if collection.failed else []
    return Part(", ".join(figures), "warn" if collection.failed else "")


def _root(collection: CollectionState) -> Part:
    if not collection.root:
        return Part("in no folder", "dim")
    if collection.present:
        return Part(collection.root, "place", f"{collection.name}/")
    return Part(f"{collection.root} (not there)", "bad")


def index_lines(answer: IndexAnswer, most: int | None = PROBLEMS_SHOWN) -> Iterator[Line]:
    """What a run did; without `most` every problem, and every file that was skipped or has a warning."""
    for done in answer.collections:
        yield Part(done.name, "title"), Part(": " + _done(done))
        yield from _problems(done.failed, "failed", "bad", most)
        yield from _problems(done.unread_repositories, "not read", "warn", most)
        yield from _problems(done.unreadable, "could not be looked at; what was indexed from it is kept", "bad", most)
        if most is None:
            yield from _problems(done.warned, "warning", "warn", most)
            yield from _problems(done.skipped, "skipped", "dim", most)
    for folder in answer.missing:
        yield Part(folder.collection, "title"), Part(f": {folder.reason}; what was indexed from it is kept", "bad")
    yield (Part(index_summary(answer), "dim"),)
    if most is not None and any(done.warned for done in answer.collections):
        yield (Part("octavo status --problems shows the warnings", "dim"),)
    if answer.left_out:
        yield (Part(_left_out(answer), "warn"),)
    for problem in answer.damaged or ():
        yield (Part(f"The library is damaged: {problem}; octavo db repair mends what can be", "bad"),)
    yield from _advised(answer.advisories)


def _left_out(answer: IndexAnswer) -> str:
    """`312 read, 41 left out: 23 .pdf (install pypdfium2), 12 images, 6 .xyz`"""
    number = sum(group.count for group in answer.left_out)
    return f"{answer.read:,} read, {number:,} left out: {excluded_files_text(answer.left_out)}"


def _done(done: CollectionReport) -> str:
    figures = {name: getattr(done, name) for name in _FIGURES} | {
        "skipped": len(done.skipped),
        "with warnings": len({problem.uri for problem in done.warned}),
        "failed": len(done.failed),
    }
    figures_text = [f"{number:,} {word}" for word, number in figures.items() if number]
    figures_text += [f"{count(done.commits, 'commit')} added"] if done.commits else []
    figures_text += [f"{count(done.commits_removed, 'commit')} removed"] if done.commits_removed else []
    return ", ".join(figures_text) or "nothing to index"


def _problems(problems: Sequence[Problem], word: str, style: str, most: int | None) -> Iterator[Line]:
    for problem in problems[:most]:
        yield Part("  "), Part(problem.uri or "."), Part(f" {word}: {problem.reason}", style)
    if most is not None and len(problems) > most:
        yield (Part(f"  … and {len(problems) - most} more; --verbose shows all", "dim"),)


def index_summary(answer: IndexAnswer) -> str:
    """One line that says what a run did and how long it took."""
    read = sum(done.bytes for done in answer.collections)
    chunks = sum(done.chunks for done in answer.collections)
    vectors = f", {count(answer.embedded, 'vector')}" if answer.embedded else ""
    vectors += f", {count(answer.fast_vectors, 'fast vector')}" if answer.fast_vectors else ""
    return f"{size(read)} read, {count(chunks, 'chunk')} written{vectors} in {duration(answer.seconds)}"


def log_lines(answer: IndexAnswer, at: str) -> Iterator[Line]:
    """A run as a log has it: `2026-02-20T23:05:01+01:00 notes: 1 added; 10 B read, 1 chunk written in 96 ms`."""
    done = "; ".join(f"{collection.name}: {_done(collection)}" for collection in answer.collections)
    yield (Part(f"{at} {done + '; ' if done else ''}{index_summary(answer)}"),)
    for collection in answer.collections:
        for problem in (*collection.failed, *collection.unreadable):
            yield (Part(f"{at} {collection.name}/{problem.uri} failed: {problem.reason}", "bad"),)
    for folder in answer.missing:
        yield (Part(f"{at} {folder.collection}: {folder.reason}; what was indexed from it is kept", "bad"),)


def indexing_run_lines(run: IndexingRun) -> Iterator[Line]:
    """`Indexing run 3 (changed) is running, begun 2026-02-20T23:05:01+00:00.`"""
    by = f" in process {run.process}" if run.process else ""
    yield (Part(f"Indexing run {run.number} ({run.scope}) is {run.state}{by}, begun {run.started_at}."),)
    if run.phase:
        yield (Part(_progress(run)),)
    if run.added is not None:
        figures = ", ".join(f"{getattr(run, name)} {name}" for name in (*_FIGURES, "failed", "embedded"))
        yield (Part(f"Ended {run.finished_at}: {figures}."),)
    if run.error:
        yield (Part(f"Error: {run.error}", "bad"),)
    for problem in run.problems:
        yield (Part(f"- {problem.collection}/{problem.uri}: {problem.reason}", "warn"),)


def _progress(run: IndexingRun) -> str:
    """`embedding: 640 of 2,000 chunks`"""

    def amount(number: int) -> str:
        return size(number) if run.unit == "B" else f"{number:,}"

    whole = "" if run.total is None else f" of {amount(run.total)}"
    return f"{run.phase}: {amount(run.done or 0)}{whole}" + ("" if run.unit == "B" else f" {run.unit}")


def watch_lines(answer: WatchAnswer) -> Iterator[Line]:
    if not answer.watching:
        yield (Part("Folders are not watched."),)
        return
    waiting = f"{count(answer.queued, 'change')} wait; debounce {answer.debounce_ms} ms"
    yield (Part(f"Watching {count(len(answer.folders), 'folder')}; {waiting}."),)
    for folder in answer.folders:
        detail = f" ({folder.detail})" if folder.detail else ""
        yield (Part(f"- {folder.collection}: {folder.state}, {folder.queued} queued{detail}"),)


def status_lines(answer: StatusAnswer) -> Iterator[Line]:
    holds = [count(answer.documents, "document"), count(answer.chunks, "chunk"), f"{size(answer.text_bytes)} of text"]
    facts = {
        "library": f"{answer.library} ({size(answer.library_bytes)})",
        "project": answer.project,
        "holds": ", ".join(holds),
        "vectors": f"{answer.full_vectors:.0%} of chunks" if answer.chunks else "nothing is indexed yet",
        "model": answer.model or "nothing is indexed yet",
    }
    if answer.left_out:
        facts["left out"] = excluded_files_text(answer.left_out)
    if answer.job:
        facts["indexing"] = _job(answer.job)
    if answer.watch and answer.watch.watching:
        facts["watched"] = _watched(answer.watch)
    facts |= {run.name.replace("_", " "): offline(run) for run in answer.offline}
    yield (Part(f"Octavo {answer.version}", DETAIL),)
    yield from columns([(Part(name, "dim"), Part(value)) for name, value in facts.items()])
    if answer.watch and not answer.watch.watching:
        yield (Part("Folders are not watched.", DETAIL),)
    yield from _advised(answer.advisories)
    if answer.collections:
        yield ()
        yield from collection_lines(answer.collections)
    if answer.problems:
        yield ()
        yield from problem_lines(answer)


def _job(run: IndexingRun) -> str:
    """`changed, embedding: 640 of 2,000 chunks, in process 4711`"""
    details = [run.scope if run.finished_at is None else f"{run.scope}, {run.state} {run.finished_at}"]
    details += [_progress(run)] if run.phase else []
    details += [f"in process {run.process}"] if run.process else []
    return ", ".join(details)


def _watched(watch: WatchAnswer) -> str:
    """`2 folders; 3 changes wait; notes is polling`"""
    details = [count(len(watch.folders), "folder")]
    details += [count(watch.queued, "change waits", "changes wait")] if watch.queued else []
    details += [f"{folder.collection} is {folder.state}" for folder in watch.folders if folder.state not in _WATCHED]
    return "; ".join(details)


def offline(run: OfflineRun) -> str:
    """`done 2026-02-20T23:05:01+00:00, of 467 chunks`"""
    return f"{run.state} {run.at}" + ("" if run.chunks is None else f", of {run.chunks:,} chunks")


def problem_lines(answer: StatusAnswer) -> Iterator[Line]:
    """Every file that failed, was skipped or has a warning."""
    for problem in answer.problems or ():
        place = f"{problem.collection}/{problem.uri}"
        yield Part(place, "", place), Part(f"  {_reason(problem)}", _STYLES[problem.outcome])
    if not answer.problems:
        yield (Part("No file failed, was skipped or has a warning."),)


def _reason(problem: LedgerProblem) -> str:
    """`skipped: it is empty`, `warning: its front matter is not YAML`"""
    outcome = "warning" if problem.outcome == FileOutcome.INDEXED.value else problem.outcome
    return f"{outcome}: {'; '.join(filter(None, (problem.reason, *problem.warnings)))}"


def health_lines(answer: HealthAnswer) -> Iterator[Line]:
    if answer.report:
        yield from ((Part(line),) for line in answer.report.splitlines())
        return
    for check in answer.checks:
        mark = Part("ok     ", "good") if check.ok else Part("wrong  ", "bad")
        yield mark, Part(check.name, "title"), Part(f": {check.message}")
        if check.hint and not check.ok:
            yield Part("       "), Part(check.hint, "dim")
    yield from _advised(answer.advisories)


def _advised(advisories: Iterable[Advisory]) -> Iterator[Line]:
    for advisory in advisories:
        yield Part(f"{advisory.level}: ", "warn" if advisory.level == "warn" else "dim"), Part(str(advisory))
