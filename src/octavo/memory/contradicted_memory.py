"""Which active memory says something else of the same thing, so that whoever corrected it can have it superseded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.fast_dataclass import dataclass
from octavo.memory.changed_facts import differ_in_value, sentences, subject
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.remember import matching_texts
from octavo.model.memory import SUPERSEDES, MemoryFilter, MemoryItem, MemoryKind
from octavo.model.query import Terms

_COMPARED = 24
_STATES = (
    MemoryKind.NOTE,
    MemoryKind.FACT,
    MemoryKind.OBSERVATION,
    MemoryKind.DECISION,
    MemoryKind.CONSTRAINT,
    MemoryKind.RULE,
    MemoryKind.PREFERENCE,
)
"""Kinds that say how something is. Of tasks and events there are many alike."""


@dataclass(frozen=True, slots=True)
class Contradicted:
    item: MemoryItem
    text: str


def contradicted_by(memories: ProjectMemories, item: MemoryItem) -> Contradicted | None:
    """The latest memory of the item's scope that holds now and says something else; nothing is done about it."""
    if item.kind not in _STATES:
        return None
    repository, project = memories.repository, memories.project
    digest = repository.versions(project, item.id)[-1].text_hash
    text = memories.store.documents.texts(project, [digest])[digest]
    said = sentences(text)
    texts = matching_texts(memories, _probes(memories, text, said), _COMPARED)
    differing = tuple(
        name
        for name, known_text in texts.items()
        if any(differ_in_value(new, known) for known in sentences(known_text) for new in said)
    )
    if not differing:
        return None
    superseded = {link.target for link, _ in repository.linking(project, differing, [SUPERSEDES])}
    found = repository.find(project, MemoryFilter(kinds=_STATES, scopes=(item.scope,), items=differing))
    now = memories.clock()
    holding = [
        other
        for other in found
        if other.id not in superseded
        and other.id != item.id
        and repository.versions(project, other.id)[-1].holds_at(now)
    ]
    latest = max(holding, key=lambda other: (other.updated_at, other.id), default=None)
    return Contradicted(latest, texts[latest.id].strip()) if latest is not None else None


def _probes(memories: ProjectMemories, text: str, said: Sequence[Sequence[str]]) -> Iterator[Terms]:
    """What the sentences are about must match; what they say of it only ranks."""
    analysed = frozenset(memories.analyse(text))
    for words in said:
        # The words of a sentence are not all tokens of its text: `Alice's` is one there.
        required = [token for token in memories.analyse(" ".join(subject(words))) if token in analysed]
        if required:
            ranking = " ".join(words)
            phrases = tuple((token,) for token in dict.fromkeys(required))
            yield Terms(ranking, words=tuple(memories.analyse(ranking)), phrases=phrases)
