"""The answers about memories as lines, for every writer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from octavo.memory.folder_sync_report import SyncReport
from octavo.model.document import shown_path
from octavo.operations.memory.results import (
    FoundMemory,
    LinkedMemoriesAnswer,
    MemoryDiffAnswer,
    MemoryGetAnswer,
    MemoryHistoryAnswer,
    MemoryState,
    RecallAnswer,
)
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, columns, degraded_lines, diff_lines

_INDENT = "   "
_ACTIONS = {"created": "Remembered as", "archived": "Forgot"}
_SYNCED = {
    "created": "remembered",
    "revised": "revised",
    "written": "written",
    "archived": "archived",
    "trashed": "moved to .trash",
    "conflicts": "changed on both sides: both texts are versions now",
}


def memory_state_lines(answer: MemoryState, actions: Mapping[str, str] = _ACTIONS) -> Iterator[Line]:
    action = actions.get(answer.action, answer.action.capitalize())
    if answer.action == "unchanged" and answer.status == "archived":
        action = "Forgotten before:"
    details = f" [{answer.kind}, {answer.scope}]"
    if answer.similarity is not None:
        details += f" (similarity {answer.similarity})"
        action = "Already known as" if answer.action == "unchanged" else action
    yield (
        Part(action, "good"),
        Part(" "),
        Part(answer.item, "place"),
        Part(f" (version {answer.version}): "),
        Part(answer.title, "title"),
        Part(details, DETAIL),
        *((Part("  as answered before under this key", "dim"),) if answer.replayed else ()),
    )


def recall_lines(answer: RecallAnswer) -> Iterator[Block]:
    """`remember` recognises these lines when they come back, and stores none of them."""
    for memory in answer.memories:
        yield from _memory_lines(memory)
        yield ()
    if not answer.memories:
        yield (Part("Nothing is remembered about that." if answer.query else "Nothing is remembered yet."),)
    yield from degraded_lines(answer.degraded)


def linked_memories_lines(answer: LinkedMemoriesAnswer) -> Iterator[Block]:
    for memory in answer.memories:
        yield from _memory_lines(memory, [link.type for link in answer.links if link.item == memory.item])
        yield ()
    if not answer.memories:
        yield (Part(f"Nothing is remembered about {answer.target}."),)
    yield from degraded_lines(answer.degraded)


def _memory_lines(memory: FoundMemory, link_types: Sequence[str] = ()) -> Iterator[Block]:
    about = [*link_types, memory.kind, memory.scope, memory.created_at[:10], *(f"#{tag}" for tag in memory.tags)]
    about += ["pinned"] * memory.pinned + _doubts(memory)
    before = f"{memory.rank}. ".ljust(len(_INDENT))
    if not _begins_with(memory.text, memory.title):
        yield Part(before, "dim"), Part(memory.title, "title")
        before = _INDENT
    yield Part(before, "dim"), *version_heading(memory.item, memory.version, about)
    yield Quote(memory.text, numbered=False, uncut=True, truncated=memory.truncated)


def version_heading(item: str, version: int, about: Sequence[str]) -> Line:
    """In brackets where a model reads it: `remember` looks for them."""
    return (
        Part("[", DETAIL),
        Part(f"{item} v{version}", "place"),
        Part("]", DETAIL),
        Part(f"  {' · '.join(filter(None, about))}", "dim"),
    )


def _doubts(memory: FoundMemory) -> list[str]:
    if memory.superseded_by:
        return [f"superseded by {memory.superseded_by}"]
    return [] if memory.holds else ["does not hold now"]


def _begins_with(text: str, title: str) -> bool:
    """Whether the title was made of the text's first line or heading, so that showing both would repeat it."""
    first = text.lstrip("# \n").split("\n", 1)[0].rstrip()
    return first == title or (title.endswith("…") and first.startswith(title[:-1]))


def memory_get_lines(answer: MemoryGetAnswer) -> Iterator[Block]:
    about = [answer.kind, answer.scope, answer.created_at[:10], *(f"#{tag}" for tag in answer.tags)]
    about += ["pinned"] * answer.pinned + ["archived"] * (answer.status == "archived")
    about += [f"superseded by v{answer.superseded_by}"] if answer.superseded_by else []
    about += [f"by {answer.author}"] if answer.author else []
    if not _begins_with(answer.text, answer.title):
        yield (Part(answer.title, "title"),)
    yield version_heading(answer.item, answer.version, about)
    yield Quote(answer.text, numbered=False, whole=True)


def memory_history_lines(answer: MemoryHistoryAnswer) -> Iterator[Line]:
    yield Part(answer.title, "title"), Part("  "), Part(answer.item, "place"), Part(f", {answer.status}", "dim")
    yield from columns(
        [
            (
                Part(change.at[:19].replace("T", " "), "dim"),
                Part(change.action),
                Part(f"v{change.version}"),
                Part(", ".join(filter(None, (change.author, change.reason))), "dim"),
            )
            for change in answer.changes
        ]
    )


def memorydiff_lines(answer: MemoryDiffAnswer) -> Iterator[Line]:
    if not answer.diff:
        yield (Part(f"Versions {answer.old} and {answer.new} of {answer.item} are the same."),)
        return
    if not answer.sections:
        yield from diff_lines(answer.diff)
    for number, section in enumerate(answer.sections):
        if number:
            yield ()
        path = shown_path(section.heading_path) or "before the first heading"
        yield Part(f"{section.change}: "), Part(path, "title")
        yield from diff_lines(section.diff)


def sync_report_lines(answer: SyncReport) -> Iterator[Line]:
    for name, label in _SYNCED.items():
        for path in getattr(answer, name):
            yield Part(path, "place"), Part(f"  {label}", "warn" if name == "conflicts" else "")
    for problem in answer.problems:
        yield Part(problem.path, "place"), Part(f"  skipped: {problem.reason}", "bad")
    if not answer.changed and not answer.problems:
        yield (Part(f"{answer.folder} is in sync."),)
