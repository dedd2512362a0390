"""What the operations on a whole database answer, an import of another program's records among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from octavo.fast_dataclass import Value, dataclass
from octavo.operations.library.rendering import index_summary
from octavo.operations.library.results import IndexAnswer
from octavo.operations.styled_answer_lines import Line, Part, count, size


@dataclass(slots=True)
class ImportedCollection:
    """What became of a collection's records. Those `without_text` have nothing to search, and those of
    `earlier_versions` say of themselves that they are not current. `left_out` names others, each with the reason."""

    name: str
    records: int = 0
    added: int = 0
    unchanged: int = 0
    without_text: list[str] = field(default_factory=list)
    earlier_versions: int = 0
    left_out: list[str] = field(default_factory=list)
    vectors: int = 0
    profile: str = ""
    sha256: str = ""


class Imported(Value):
    """`embedded` inputs were given vectors by the library's own model."""

    collections: tuple[ImportedCollection, ...]
    embedded: int


class SavedLibrary(Value):
    path: str
    bytes: int
    sha256: str


class UpgradeAnswer(Value):
    """What was different about the recipe, and what was done about it; `promised` when a worker makes new vectors."""

    differences: tuple[str, ...]
    promised: bool
    saved: str | None = None
    report: IndexAnswer | None = None


class PruneAnswer(Value):
    """What went, or would. Texts and vectors go when nothing refers to them any more."""

    versions: int
    texts: int
    vectors: int
    bytes: int
    dry_run: bool
    cached: int = 0
    """Answers and scores of models that were kept so that nobody is asked twice."""


class CheckAnswer(Value):
    """`mode` is `quick` where only samples were looked at."""

    sound: bool
    problems: tuple[str, ...]
    mode: str | None = None


class RepairAnswer(Value):
    """What was wrong, and what still is; `lost` says what nobody can read any more. Where the file itself was damaged,
    `kept` is where it is now."""

    found: tuple[str, ...]
    left: tuple[str, ...]
    kept: str | None = None
    lost: tuple[str, ...] | None = None

    @property
    def sound(self) -> bool:
        return not self.left


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
