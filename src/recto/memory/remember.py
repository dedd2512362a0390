"""Keep a text, once: what is already known is answered with, what was edited becomes a new version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from recto.errors import Conflict, InvalidArgument
from recto.memory.commit import Committed, create, replay, revise
from recto.memory.commit import unchanged as nothing_new
from recto.memory.desk import Desk
from recto.memory.draft import NOBODY, Circumstances, Draft, checked, payload_of
from recto.memory.history import given_title
from recto.memory.likeness import Likeness, fingerprint, likeness
from recto.memory.quoting import news
from recto.model.collection import MEMORIES
from recto.model.document import Kind
from recto.model.memory import MemoryFilter, MemoryId, MemoryItem, memory_of
from recto.model.query import Filters, Terms
from recto.sources.secrets import find_secrets

_GROUPS, _TOGETHER = 4, 3  # of words that its likes are looked for with
_LOOKED_AT = 8  # memories that are compared with it
_SPARE = 4  # chunks looked up beyond those: some are of one memory
_RACES = 8  # times an item may change under our eyes before we say so


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of a text. `like` says how near it was to what the item held."""

    committed: Committed
    like: Likeness | None = None


def remember(desk: Desk, draft: Draft, by: Circumstances = NOBODY, *, force: bool = False) -> Remembered:
    """Commits the text as a new item, as a new version of the item it edits, or not at all when it is known.

    `force` keeps what looks like a secret. What an earlier recall answered is taken out first.
    """
    payload = payload_of("remember", checked(draft), by, force=force)
    if answered := _answered(desk, by, payload):
        return answered
    fresh = news(draft.text)
    if fresh.quoted and not fresh.text.strip():
        return Remembered(_unchanged(desk, _quoted(desk, fresh.quoted), by, payload), Likeness(1.0, 1.0, 0))
    draft = checked(replace(draft, text=fresh.text))
    if not force:
        refuse_secrets(draft)
    for _ in range(_RACES):
        if known := desk.store.memories.same_text(desk.project, draft.scope, fingerprint(draft.text)):
            return Remembered(_unchanged(desk, known[0], by, payload), likeness(draft.text, draft.text))
        near = nearest(desk, draft)
        if near is None:
            return Remembered(create(desk, draft, by, unique=True, payload=payload))
        item, like = near
        if like.repeats:
            return Remembered(_unchanged(desk, item, by, payload), like)
        try:
            edited = _continued(desk, item, draft)
            return Remembered(revise(desk, item.id, edited, by, expected=item.version, payload=payload), like)
        except Conflict:
            if desk.item(item.id).version == item.version:
                raise  # the key was used meanwhile, for something else
    raise Conflict("the memory that this text edits keeps changing", hint="read it again, then decide")


def refuse_secrets(draft: Draft) -> None:
    found = (*find_secrets(draft.text), *find_secrets(draft.title))
    if found:
        kinds = ", ".join(dict.fromkeys(match.kind for match in found))
        raise InvalidArgument(
            f"the text seems to hold a secret ({kinds})",
            hint="leave it out and say where it is kept, or force it if it is none",
            details={"secrets": [{"kind": one.kind, "start": one.span.start, "end": one.span.end} for one in found]},
        )


def nearest(desk: Desk, draft: Draft) -> tuple[MemoryItem, Likeness] | None:
    """The item of the same scope and kind that the text edits or repeats, with how alike they are."""
    filters = Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,))
    with desk.store.reading():
        hits = [
            hit
            for group in _groups(desk.analyse(draft.text))
            for hit in desk.store.lexical.search(desk.project, group, filters, _LOOKED_AT)
        ]
        best = list(dict.fromkeys(hit.key for hit in sorted(hits, key=lambda hit: (-hit.score, hit.key))))
        best = best[: _LOOKED_AT + _SPARE]
        found = desk.store.documents.candidates(desk.project, best)
        documents = list(dict.fromkeys((found[key].uri, found[key].text_hash) for key in best))[:_LOOKED_AT]
        texts = desk.store.documents.texts(desk.project, (digest for _, digest in documents))
        names = {memory_of(uri): texts[digest] for uri, digest in documents}
        wanted = MemoryFilter(kinds=(draft.kind,), scopes=(draft.scope,), items=tuple(names))
        items = desk.store.memories.find(desk.project, wanted) if names else ()
    compared = [(item, likeness(draft.text, names[item.id])) for item in items]
    alike = [(item, like) for item, like in compared if like.repeats or like.revises]
    return max(alike, key=lambda pair: (pair[1].jaccard, pair[0].id), default=None)


def _groups(tokens: Sequence[str]) -> Iterator[Terms]:
    """Questions of a few words each, all of which must be there: cheap to answer, however large the library.

    The longest words say most. A text that changes one of ten still has a group in common with what it was.
    """
    longest = sorted(set(tokens), key=lambda token: (-len(token), token))[: _GROUPS * _TOGETHER]
    count = max(1, len(longest) // _TOGETHER)
    for number in range(count):
        if group := longest[number::count]:
            yield Terms(" ".join(group), phrases=tuple((token,) for token in group))


def _answered(desk: Desk, by: Circumstances, payload: str) -> Remembered | None:
    """Before anything is looked for: asking again under the same key costs one look."""
    if by.key is None:
        return None
    replayed = replay(desk, by, payload)
    return Remembered(replayed) if replayed else None


def _quoted(desk: Desk, names: tuple[MemoryId, ...]) -> MemoryItem:
    """The first of the quoted memories that this project has."""
    for name in names:
        if item := desk.store.memories.get(desk.project, name):
            return item
    raise InvalidArgument(
        f"the text only repeats what a recall answered, from a memory this project does not have ({names[0]})",
        hint="say it in your own words, or choose the project it belongs to",
    )


def _continued(desk: Desk, item: MemoryItem, draft: Draft) -> Draft:
    """The draft with what the item already has: its tags, and a title that somebody gave it."""
    return replace(
        draft, title=draft.title or given_title(desk, item), tags=tuple(dict.fromkeys((*item.tags, *draft.tags)))
    )


def _unchanged(desk: Desk, item: MemoryItem, by: Circumstances, payload: str) -> Committed:
    if by.key is None:
        return nothing_new(desk, item, by, payload)
    with desk.store.transaction():
        return replay(desk, by, payload) or nothing_new(desk, item, by, payload)
