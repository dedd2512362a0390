"""A search written down so that it can be run again: what each channel said, and everything after that from scratch.

Format 1: the profile as TOML, the expanded query, each channel's ranking with the reason where there is none, the
query's vector, the time and the library's generation. Chunk keys are the library's own, so a recording replays where
it was made; no model is needed for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from recto.errors import ConfigurationError, ProviderFailed, RectoError
from recto.model.query import Query
from recto.model.result import Candidate, Ranking, Scored, StageTrace
from recto.ports import Embedder
from recto.retrieval.pipeline import run
from recto.retrieval.reranking import MeasuredReranker
from recto.retrieval.stage import Library, Profile, Recall, Search, SkipStage
from recto.retrieval.toml import read_profile, write_profile

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMAT = 1

Answered = tuple[tuple[Candidate, ...], tuple[StageTrace, ...]]


@dataclass(frozen=True, slots=True)
class RecordedChannel:
    name: str
    scored: tuple[Scored, ...] = ()
    skipped: str | None = None
    failed: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recording:
    profile: str
    query: Query
    channels: tuple[RecordedChannel, ...]
    vector: tuple[float, ...] | None
    now: float
    generation: int
    format: int = FORMAT

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2)

    @property
    def profile_name(self) -> str:
        return read_profile(self.profile).name


def read_recording(text: str) -> Recording:
    from pydantic import TypeAdapter, ValidationError

    try:
        recording = TypeAdapter(Recording).validate_python(json.loads(text))
    except (ValueError, ValidationError) as error:
        raise ConfigurationError(f"this is not a recorded search: {error}") from error
    if recording.format != FORMAT:
        raise ConfigurationError(f"the recording has format {recording.format}, this version reads {FORMAT}")
    return recording


def run_recorded(profile: Profile, query: Query, library: Library) -> tuple[Answered, Recording]:
    """The same answer as `run`, and what it takes to get it again."""
    heard: list[RecordedChannel] = []
    seen: list[Search] = []
    now = library.now()
    recall = tuple(_Recorder(stage, heard, seen) for stage in profile.recall)
    answered = run(replace(profile, recall=recall), query, replace(library, now=lambda: now))
    # The vector as it was in the end: channels may turn it, and fusion compares with what they left.
    vector: NDArray[Any] | None = vars(seen[0]).get("vector") if seen else None
    recording = Recording(
        profile=write_profile(profile),
        query=seen[0].query if seen else query,
        channels=tuple(heard),
        vector=None if vector is None else tuple(map(float, vector)),
        now=now,
        generation=library.store.generation(),
    )
    return answered, recording


def replay(recording: Recording, library: Library) -> Answered:
    """Fuses and refines what was recorded. Only what was scored then is reranked; nothing is asked of a model."""
    profile = read_profile(recording.profile)
    recall = tuple(_Replayed(one, recording.vector, one.name) for one in recording.channels)
    reranker = library.reranker
    then = replace(
        library,
        now=lambda: recording.now,
        embedder=_no_model,
        reranker=None if reranker is None else lambda: _out_of_time(reranker()),
        later=[],
    )
    return run(replace(profile, recall=recall, expand=()), recording.query, then)


@dataclass(frozen=True, slots=True)
class _Recorder:
    stage: Recall
    heard: list[RecordedChannel]
    seen: list[Search]

    @property
    def name(self) -> str:
        return self.stage.name

    def recall(self, search: Search) -> Ranking:
        self.seen.append(search)
        try:
            ranking = self.stage.recall(search)
        except SkipStage as skip:
            self._hear(search, skipped=skip.reason)
            raise
        except RectoError as error:
            self._hear(search, failed=error.message)
            raise
        self._hear(search, scored=ranking.scored)
        return ranking

    def _hear(self, search: Search, **what: Any) -> None:
        self.heard.append(RecordedChannel(self.name, detail=dict(search.notes), **what))


@dataclass(frozen=True, slots=True)
class _Replayed:
    channel: RecordedChannel
    vector: tuple[float, ...] | None
    name: str

    def recall(self, search: Search) -> Ranking:
        import numpy as np

        if self.vector is not None:
            search.vector = np.array(self.vector, dtype=np.float32)
        search.notes |= self.channel.detail
        if self.channel.skipped is not None:
            raise SkipStage(self.channel.skipped)
        if self.channel.failed is not None:
            raise ProviderFailed(self.channel.failed)
        return Ranking(self.name, self.channel.scored)


def _no_model() -> Embedder:
    raise ProviderFailed("a replayed search embeds nothing")


def _out_of_time(reranker: MeasuredReranker) -> MeasuredReranker:
    known_only = MeasuredReranker(reranker, reranker.clock)
    known_only.seconds_per_pair = math.inf
    return known_only
