"""Answers to upgrading, pruning, checking and repairing a library, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.operations.database.results import CheckAnswer, PruneAnswer, RepairAnswer, UpgradeAnswer
from octavo.operations.library.rendering import index_summary
from octavo.operations.styled_answer_lines import Line, Part, count, size


def upgrade_lines(answer: UpgradeAnswer) -> Iterator[Line]:
    if answer.saved:
        yield (Part(f"As it was before: {answer.saved}", "dim"),)
    summary = f"changed: {', '.join(answer.differences)}" if answer.differences else "indexed as configured"
    yield (Part(f"The library is up to date; {summary}."),)
    if answer.report:
        yield (Part(index_summary(answer.report), "dim"),)
    if answer.promised:
        yield (Part("New vectors are queued: octavo worker makes them.", "dim"),)


def prune_lines(answer: PruneAnswer) -> Iterator[Line]:
    counts = [count(answer.versions, "version"), count(answer.texts, "text"), count(answer.vectors, "vector")]
    counts += [count(answer.cached, "cached answer")] if answer.cached else []
    yield (Part(f"{', '.join(counts)} {'would go' if answer.dry_run else 'went'}, {size(answer.bytes)} in all."),)


def check_lines(answer: CheckAnswer) -> Iterator[Line]:
    for problem in answer.problems:
        yield (Part(problem, "bad"),)
    if answer.sound:
        summary = "Nothing is wrong with the library." if answer.mode is None else "Nothing is wrong with the samples."
        yield (Part(summary, "good"),)


def repair_lines(answer: RepairAnswer) -> Iterator[Line]:
    for problem in answer.left:
        yield (Part(problem, "bad"),)
    if answer.kept:
        yield (Part(f"A new library holds what could be read; the damaged file is kept: {answer.kept}"),)
    for part in answer.lost or ():
        yield (Part(f"Lost: {part}", "warn"),)
    repaired = count(max(0, len(answer.found) - len(answer.left)), "problem")
    yield (Part(f"{repaired} repaired, {len(answer.left)} left" if answer.found else "Nothing was wrong."),)
