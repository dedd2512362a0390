"""Answers about memories: states, recalled passages, versions, changes, differences and links; and their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from octavo.fast_dataclass import Value
from octavo.memory.contradicted_memory import Contradicted
from octavo.memory.folder_sync_report import SyncReport
from octavo.memory.memory_changes import Committed
from octavo.memory.version_diffs import SectionChange
from octavo.model.document import shown_path
from octavo.model.memory import SUPERSEDES, MemoryVersion
from octavo.operations.answer_conversion import filled
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, columns, degraded_lines, diff_lines


class ContradictedMemory(Value):
    """An active memory that says something else of the same thing. `supersede` is the command that replaces it."""

    item: str
    version: int
    title: str
    text: str
    supersede: str


class MemoryState(Value):
    """A memory after a change. `action` is what was done to it, `unchanged` when nothing was.

    `contradicts` is a memory that still holds beside it and says something else; nothing is done about it unasked.
    """

    item: str
    version: int
    action: str
    kind: str
    scope: str
    title: str
    tags: tuple[str, ...]
    pinned: bool
    status: str
    created_at: str
    updated_at: str
    replayed: bool = False
    similarity: float | None = None
    contradicts: ContradictedMemory | None = None


class MemoryChunk(Value):
    """A passage of a memory, with its place in the memory's text."""

    chunk_id: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    truncated: bool
    anchor: str | None = None


class FoundMemory(Value):
    """`uri`, `heading_path`, `anchor` and the lines are the place of `text`, which `get` reads around.

    `holds` is whether its content is true now, `superseded_by` what replaced it, `truncated` a cut `text`.

    `score` is its relevance to the query, from 0 to 1, as in a search; with another model than the bundled one the
    similarity in meaning, or of all of them the share of the query's words. It falls with the rank; without a query it
    is 0.
    """

    rank: int
    item: str
    version: int
    kind: str
    scope: str
    title: str
    tags: tuple[str, ...]
    pinned: bool
    text: str
    truncated: bool
    score: float
    holds: bool
    created_at: str
    updated_at: str
    valid_from: str
    valid_to: str | None = None
    superseded_by: str | None = None
    uri: str = ""
    heading_path: tuple[str, ...] = ()
    anchor: str | None = None
    start: int = 0
    end: int = 0
    start_line: int = 1
    end_line: int = 1
    chunks: tuple[MemoryChunk, ...] | None = None
    """Every passage that was found, best first, where they were asked for."""
    canonical_key: str | None = None
    doc_class: str | None = None
    chunk_id: str | None = None


class RecallAnswer(Value):
    query: str
    memories: tuple[FoundMemory, ...]
    pending: int
    """Chunks that can be found by word but not by meaning yet."""
    degraded: tuple[str, ...] | None = None

    def __iter__(self) -> Iterator[FoundMemory]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)

    def __getitem__(self, place: int) -> FoundMemory:
        return self.memories[place]


class TypedLink(Value):
    target: str
    type: str


class MemoryGetAnswer(Value):
    item: str
    version: int
    kind: str
    scope: str
    title: str
    tags: tuple[str, ...]
    links: tuple[str, ...]
    pinned: bool
    status: str
    text: str
    author: str
    reason: str
    created_at: str
    valid_from: str
    valid_to: str | None = None
    supersedes: int | None = None
    superseded_by: int | None = None
    typed_links: tuple[TypedLink, ...] = ()
    canonical_key: str | None = None
    doc_class: str | None = None


class VersionState(Value):
    version: int
    title: str
    author: str
    reason: str
    created_at: str
    valid_from: str
    valid_to: str | None = None
    supersedes: int | None = None
    session: str | None = None


class ChangeState(Value):
    """What was done, when, by whom and why, and the memory's state after it."""

    action: str
    at: str
    version: int
    status: str
    pinned: bool
    author: str
    reason: str
    session: str | None = None


class MemoryHistoryAnswer(Value):
    item: str
    title: str
    status: str
    versions: tuple[VersionState, ...]
    changes: tuple[ChangeState, ...]


class MemoryDiffAnswer(Value):
    """`diff` is unified, and empty when the texts are the same; `sections` are there when they were asked for."""

    item: str
    old: int
    new: int
    diff: str
    sections: tuple[SectionChange, ...] = ()


class LinkState(Value):
    """One link: from which memory, of which type, and the text around it."""

    item: str
    type: str
    context: str


class LinkedMemoriesAnswer(Value):
    """`resolved` are the documents that the target names now; none when it is not there yet."""

    query: str
    target: str
    resolved: tuple[str, ...]
    memories: tuple[FoundMemory, ...]
    links: tuple[LinkState, ...]
    pending: int
    degraded: tuple[str, ...] | None = None


def when(timestamp: float) -> str:
    """In milliseconds: changes within a second keep their order."""
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="milliseconds")


def memory_state(
    committed: Committed, similarity: float | None = None, contradicted: Contradicted | None = None
) -> MemoryState:
    """The answer to a change. A retry under its idempotency key names the version of the first answer."""
    item, commit = committed.item, committed.commit
    alike = None if similarity is None else round(similarity, 3)
    contradicts = contradicted and filled(
        ContradictedMemory,
        contradicted.item,
        item=contradicted.item.id,
        text=contradicted.text,
        supersede=f"octavo memory link {item.id} {contradicted.item.id} --type {SUPERSEDES}",
    )
    facts = {"item": item.id, "similarity": alike, "contradicts": contradicts}
    return filled(MemoryState, commit, item, committed, written=when, **facts)


def version_state(version: MemoryVersion) -> VersionState:
    return filled(VersionState, version, version=version.number, session=version.session_id, written=when)


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
    if (other := answer.contradicts) is not None:
        yield Part(other.item, "place"), Part(" says something else, and still holds: ", "warn"), Part(other.title)
        yield Part("If that is no longer so: "), Part(other.supersede, "place")


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


def memory_diff_lines(answer: MemoryDiffAnswer) -> Iterator[Line]:
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
