"""Stores a text once: a duplicate returns the existing memory, an edited text becomes its next version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from octavo.errors import Conflict, InvalidArgument
from octavo.fast_dataclass import dataclass, replace
from octavo.memory.draft import ANONYMOUS, MemoryDraft, Provenance, checked, payload_of
from octavo.memory.memory_changes import (
    ChangedMeanwhile,
    Committed,
    create,
    from_current,
    replay,
    revise,
    still_unchanged,
)
from octavo.memory.memory_quotations import without_quotations
from octavo.memory.near_duplicate_similarity import Similarity, compare, fingerprint
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.version_history import given_title
from octavo.model.document import Kind
from octavo.model.memory import MemoryFilter, MemoryId, MemoryItem, memory_of
from octavo.model.projects_and_collections import MEMORIES
from octavo.model.query import Filters, Terms
from octavo.sources.guessed_secrets_in_memories import find_secrets
from octavo.sources.secret_redaction import redacted_values

_PROBES, _PROBE_WORDS = 4, 3  # lexical queries that look for similar memories, and the words of each
_COMPARED = 8  # similar memories whose texts are compared
_SPARE = 4  # more chunks are looked up than memories compared: several may be of one memory
_RETRIES = 32  # attempts while other writers keep changing the item


@dataclass(frozen=True, slots=True)
class Remembered:
    """The change a text led to, and how similar the text was to the memory it repeats or edits."""

    committed: Committed
    similarity: Similarity | None = None


def remember(
    memories: ProjectMemories, draft: MemoryDraft, by: Provenance = ANONYMOUS, *, force: bool = False
) -> Remembered:
    """Commits the text as a new item, as the next version of the item it edits, or not at all when it is a duplicate.

    `force` stores what looks like a secret. Quotations of recalled memories are removed first.
    """
    payload = payload_of("remember", checked(draft), by, force=force)
    # Before any search: a retry under the same idempotency key costs one lookup.
    if by.key is not None and (replayed := replay(memories, by, payload)):
        return Remembered(replayed)
    new = without_quotations(draft.text)
    if new.quoted and not new.text.strip():
        name = _first_known(memories, new.quoted).id
        quoted = from_current(memories, name, lambda item: still_unchanged(memories, item, by, payload))
        return Remembered(quoted, Similarity(1.0, 1.0, 0))
    draft = checked(replace(draft, text=new.text, allow_secrets=force))
    if not force:
        refuse_secrets(draft)
    for _ in range(_RETRIES):
        try:
            return _committed(memories, draft, by, payload)
        except ChangedMeanwhile:
            continue  # compared with a text that is no longer the item's
    raise Conflict("the memory that this text edits keeps changing", hint="read it again, then decide")


def _committed(memories: ProjectMemories, draft: MemoryDraft, by: Provenance, payload: str) -> Remembered:
    """One attempt: what is read here is written only if it is still so inside the transaction."""
    if same := memories.repository.same_text(memories.project, draft.scope, fingerprint(draft.text)):
        return Remembered(still_unchanged(memories, same[0], by, payload), compare(draft.text, draft.text))
    nearest = most_similar(memories, draft)
    if nearest is None:
        return Remembered(create(memories, draft, by, unique=True, payload=payload))
    item, similarity = nearest
    if similarity.repeats:
        return Remembered(still_unchanged(memories, item, by, payload), similarity)
    edited = _with_title_and_tags(memories, item, draft)
    return Remembered(revise(memories, item.id, edited, by, seen=item, payload=payload), similarity)


def refuse_secrets(draft: MemoryDraft) -> None:
    beside = [draft.scope, draft.canonical_key, draft.doc_class, draft.metadata, *(link.target for link in draft.links)]
    secrets = (
        *find_secrets(draft.text),
        *find_secrets(draft.title),
        *find_secrets("\n".join(draft.tags)),
        *redacted_values(beside)[1],
    )
    if secrets:
        kinds = ", ".join(dict.fromkeys(match.kind for match in secrets))
        raise InvalidArgument(
            f"the text seems to contain a secret ({kinds})",
            hint="leave it out and say where it is kept, or use --force if it is none",
            details={
                "secrets": [{"kind": match.kind, "start": match.span.start, "end": match.span.end} for match in secrets]
            },
        )


def most_similar(memories: ProjectMemories, draft: MemoryDraft) -> tuple[MemoryItem, Similarity] | None:
    """The item of the same scope and kind that the text edits or repeats, with how similar they are."""
    names = matching_texts(memories, _probes(memories.analyse(draft.text)), _COMPARED)
    memory_filter = MemoryFilter(kinds=(draft.kind,), scopes=(draft.scope,), items=tuple(names))
    items = memories.repository.find(memories.project, memory_filter) if names else ()
    compared = [(item, compare(draft.text, names[item.id])) for item in items]
    similar = [(item, similarity) for item, similarity in compared if similarity.repeats or similarity.revises]
    return max(similar, key=lambda pair: (pair[1].jaccard, pair[0].id), default=None)


def matching_texts(memories: ProjectMemories, probes: Iterable[Terms], most: int) -> dict[MemoryId, str]:
    """The texts of the memories that match one of the queries best, by their ids."""
    filters = Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,))
    with memories.store.reading():
        hits = [
            hit for probe in probes for hit in memories.store.lexical.search(memories.project, probe, filters, most)
        ]
        best = list(dict.fromkeys(hit.key for hit in sorted(hits, key=lambda hit: (-hit.score, hit.key))))
        best = best[: most + _SPARE]
        candidates = memories.store.documents.candidates(memories.project, best)
        documents = list(dict.fromkeys((candidates[key].uri, candidates[key].text_hash) for key in best))[:most]
        texts = memories.store.documents.texts(memories.project, (digest for _, digest in documents))
    return {memory_of(uri): texts[digest] for uri, digest in documents}


def _probes(tokens: Sequence[str]) -> Iterator[Terms]:
    """Queries of a few words that must all match: cheap to answer, however large the library.

    Long words are the most specific. A text that changes one word in ten still shares a probe with its earlier version.
    """
    longest = sorted(set(tokens), key=lambda token: (-len(token), token))[: _PROBES * _PROBE_WORDS]
    count = max(1, len(longest) // _PROBE_WORDS)
    for number in range(count):
        if probe := longest[number::count]:
            yield Terms(" ".join(probe), phrases=tuple((token,) for token in probe))


def _first_known(memories: ProjectMemories, names: tuple[MemoryId, ...]) -> MemoryItem:
    for name in names:
        if item := memories.repository.get(memories.project, name):
            return item
    raise InvalidArgument(
        f"the text only quotes a recalled memory that this project does not have ({names[0]})",
        hint="say it in your own words, or choose the project it belongs to",
    )


def _with_title_and_tags(memories: ProjectMemories, item: MemoryItem, draft: MemoryDraft) -> MemoryDraft:
    """The draft with the item's tags, and the title that somebody gave it."""
    return replace(
        draft, title=draft.title or given_title(memories, item), tags=tuple(dict.fromkeys((*item.tags, *draft.tags)))
    )
