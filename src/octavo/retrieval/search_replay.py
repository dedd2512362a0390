"""Records a search and replays it: each channel's ranking as recorded, every later stage run again.

Format 1: the profile as TOML, the expanded query, each channel's ranking with the reason where there is none, the
query's vector, the time and the library's generation. Chunk keys are the library's own, so a recording replays where
it was made, which it knows by its project and by the texts the chunks were of; no model is needed for it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.errors import ConfigurationError, InvalidArgument, OctavoError, ProviderFailed
from octavo.fast_dataclass import dataclass, replace
from octavo.model.ids import ChunkKey
from octavo.model.query import Query
from octavo.model.search_result import Candidate, Ranking, ScoredChunk, StageTrace
from octavo.ports import Embedder, QueryWriter, SummaryIndex, VectorIndex
from octavo.retrieval.hit_relevance import Scale
from octavo.retrieval.pipeline import deeper_stage, run
from octavo.retrieval.profile_toml_files import read_profile, write_profile
from octavo.retrieval.reranker_cost_measurement import MeasuredReranker
from octavo.retrieval.search_data_sources import SearchedLibrary, SearchModels, SearchVectors
from octavo.retrieval.stage import Recall, RetrievalProfile, Search, SkipStage

FORMAT = 1
_DIGITS = 12
HINT = "give a file that `octavo search QUERY --trace FILE` wrote"

Answered = tuple[tuple[Candidate, ...], tuple[StageTrace, ...]]


@dataclass(frozen=True, slots=True)
class RecordedChannel:
    name: str
    scored: tuple[ScoredChunk, ...] = ()
    skipped: str | None = None
    failed: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    beyond: float = 0.0
    fast: float = 0.0
    trust: float = 1.0
    times: int = 1
    """How many times as deep as usual it looked: what fills up a long list comes from deeper recall."""


@dataclass(frozen=True, slots=True)
class Recording:
    profile: str
    query: Query
    channels: tuple[RecordedChannel, ...]
    vector: tuple[float, ...] | None
    now: float
    generation: int
    format: int = FORMAT
    project: str = ""
    """Its name; empty where it was not written down."""
    texts: Mapping[int, str] = field(default_factory=dict)
    """The beginning of the hash of the text that each chunk was of, by the chunk's key."""
    scale: Scale | None = None
    """What its scores were measured by, where filters were given: the whole library is not asked again."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=2)

    @property
    def retrieval_profile(self) -> RetrievalProfile:
        return read_profile(self.profile)


def read_recording(text: str) -> Recording:
    from pydantic import TypeAdapter, ValidationError

    try:
        recording = TypeAdapter(Recording).validate_python(json.loads(text))
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"][:2]))
        what = f"its {place} is missing or malformed" if place else "it holds something else"
        raise ConfigurationError(f"this is not a recorded search: {what}", hint=HINT) from error
    except ValueError as error:
        raise ConfigurationError("this is not a recorded search: it is not JSON", hint=HINT) from error
    if recording.format != FORMAT:
        raise ConfigurationError(
            f"the recording has format {recording.format}, this version reads {FORMAT}",
            hint="search again with --trace",
        )
    return recording


def run_recorded(profile: RetrievalProfile, query: Query, library: SearchedLibrary) -> tuple[Answered, Recording]:
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
        project=_project(library),
        texts=_texts(library, heard),
    )
    return answered, recording


def replay(recording: Recording, library: SearchedLibrary) -> Answered:
    """Fuses and refines what was recorded. Only what was scored then is reranked; nothing is asked of a model."""
    _check_home(recording, library)
    profile = read_profile(recording.profile)
    recall = tuple(
        _Replayed(channel, recording.vector, channel.name, recording.channels)
        for channel in recording.channels
        if channel.times == 1
    )
    then = replace(
        library,
        now=lambda: recording.now,
        meaning=_RecordedVectors(library.meaning),
        models=None if library.models is None else _ModelsOutOfTime(library.models),
        run=replace(library.run, later=[]),
    )
    return run(replace(profile, recall=recall, expand=()), recording.query, then)


def _check_home(recording: Recording, library: SearchedLibrary) -> None:
    """Refuses a recording of another library: its keys would name other chunks here.

    Keys are never used twice, and a chunk keeps its own while its text stays: in the library that made the recording
    they are either gone or of the same text, and all of them are there until something is written.
    """
    project = _project(library)
    if recording.project and recording.project != project:
        raise InvalidArgument(
            f"this search was recorded in the project {recording.project}, not in {project}",
            hint=f"repeat it with --project {recording.project}",
        )
    here = _texts(library, recording.channels)
    if any(recording.texts.get(key, text) != text for key, text in here.items()) or (recording.texts and not here):
        raise InvalidArgument(
            "this search was recorded in another library",
            hint="name the library it was recorded in with --library, or search again with --trace",
        )


def _project(library: SearchedLibrary) -> str:
    return next(project.name for project in library.store.catalog.projects() if project.id == library.project)


def _texts(library: SearchedLibrary, channels: Sequence[RecordedChannel]) -> dict[int, str]:
    keys = sorted({ChunkKey(chunk.key) for channel in channels for chunk in channel.scored})
    known = library.store.documents.candidates(library.project, keys)
    return {key: known[key].text_hash[:_DIGITS] for key in keys if key in known}


@dataclass(frozen=True, slots=True)
class _Recorder:
    stage: Recall
    heard: list[RecordedChannel]
    seen: list[Search]
    times: int = 1

    @property
    def name(self) -> str:
        return self.stage.name

    def deeper(self, times: int) -> _Recorder:
        return replace(self, stage=deeper_stage(self.stage, times), times=times)

    def recall(self, search: Search) -> Ranking:
        self.seen.append(search)
        try:
            ranking = self.stage.recall(search)
        except SkipStage as skip:
            self._hear(search, skipped=skip.reason)
            raise
        except OctavoError as error:
            self._hear(search, failed=error.message)
            raise
        self._hear(search, scored=ranking.scored, beyond=ranking.beyond, fast=ranking.fast, trust=ranking.trust)
        return ranking

    def _hear(self, search: Search, **what: Any) -> None:
        self.heard.append(RecordedChannel(self.name, detail=dict(search.notes), times=self.times, **what))


@dataclass(frozen=True, slots=True)
class _Replayed:
    channel: RecordedChannel
    vector: tuple[float, ...] | None
    name: str
    recorded: tuple[RecordedChannel, ...] = ()

    def deeper(self, times: int) -> _Replayed:
        at_depth = [each for each in self.recorded if each.name == self.name and each.times == times]
        return replace(self, channel=at_depth[0] if at_depth else RecordedChannel(self.name))

    def recall(self, search: Search) -> Ranking:
        if self.vector is not None:
            search.vector = np.array(self.vector, dtype=np.float32)
        search.notes |= self.channel.detail
        if self.channel.skipped is not None:
            raise SkipStage(self.channel.skipped)
        if self.channel.failed is not None:
            raise ProviderFailed(self.channel.failed)
        return Ranking(self.name, self.channel.scored, self.channel.beyond, self.channel.fast, self.channel.trust)


class _RecordedVectors:
    """Vectors without the model that made them."""

    def __init__(self, meaning: SearchVectors) -> None:
        self._meaning = meaning

    @property
    def embedder(self) -> Embedder:
        raise ProviderFailed("a replayed search embeds nothing")

    @property
    def vectors(self) -> VectorIndex:
        return self._meaning.vectors

    @property
    def summaries(self) -> SummaryIndex:
        return self._meaning.summaries


class _ModelsOutOfTime:
    """Models of which only what they have said before is known."""

    def __init__(self, models: SearchModels) -> None:
        self._models = models

    @property
    def reranker(self) -> MeasuredReranker:
        return _out_of_time(self._models.reranker)

    def query_writer(self) -> QueryWriter | None:
        return None

    def judges(self, style: str, prompt: str, deadline_ms: float) -> Sequence[MeasuredReranker]:
        return tuple(_out_of_time(judge) for judge in self._models.judges(style, prompt, deadline_ms))


def _out_of_time(reranker: MeasuredReranker) -> MeasuredReranker:
    known_only = MeasuredReranker(reranker, reranker.clock)
    known_only.seconds_per_pair = math.inf
    return known_only
