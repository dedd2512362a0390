"""Measure retrieval on a data set: its corpus goes through the real ingest, store and pipeline."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path, user_data_path

from octavo.atomic_file_replacement import replacing
from octavo.config.layered_config_loading import profile_folders
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.engine.wiring.configured_index_recipe import recipe_of
from octavo.errors import InvalidArgument, no_such_choice
from octavo.evaluation.beir_dataset import CorpusRecord, Dataset, Files, Question, read_dataset
from octavo.evaluation.dataset_from_library import Original, SectionPart
from octavo.evaluation.measured_query_run import (
    MEASURES,
    TIMED,
    EvaluationRun,
    Ranked,
    best_per_document,
    run_dataset,
    scope_of,
)
from octavo.evaluation.stored_results import Outcome, outcome
from octavo.fast_dataclass import Value, replace
from octavo.jobs.summary_making import make_summaries
from octavo.lazy_regex import regex
from octavo.model.document import Kind, Section, Source
from octavo.model.ids import document_id, project_id
from octavo.model.index_recipe import Recipe
from octavo.model.library_location import DatabaseUrl, Location
from octavo.model.normalised_text_and_spans import normalise
from octavo.model.projects_and_collections import Collection, CollectionSettings
from octavo.model.query import Filters, Query
from octavo.model.summary import SummarySettings
from octavo.observability.progress import NoProgress, Progress
from octavo.retrieval.profile_toml_files import find_profile
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.summary_recall_and_fusion import searches_summaries

PROJECT = "evaluation"
_WHOLE = "corpus"
_SHOWN = 10
_MOST = 1000
_UNUSUAL = regex(r"[^\w.-]+")
_HASH = regex(r"^[0-9a-f]{7,64}$")
_UNNAMEABLE = regex(r"[/\\\0\n:]")


class EvaluateRequest(Value):
    """`scope` names the metadata field that confines each question to its own group of documents."""

    dataset: Path
    profiles: tuple[str, ...]
    files: Files = field(default_factory=Files)
    scope: str | None = None
    limit_queries: int | None = None
    timed_queries: int = TIMED
    rebuild: bool = False


class Evaluation(Value):
    """The runs, one per profile, with what was odd about the data set and where its library is kept."""

    dataset: Dataset
    runs: tuple[EvaluationRun, ...]
    library: Location
    recipe: str
    warnings: tuple[str, ...]


def evaluate(config: Config, request: EvaluateRequest, cache: Path, progress: Progress | None = None) -> Evaluation:
    """Builds the data set's library in `cache`, or takes the one an equal recipe built, and runs every profile."""
    profiles = [find_profile(name, profile_folders()) for name in request.profiles]
    return evaluate_profiles(config, request, profiles, cache, progress)


def evaluate_profiles(
    config: Config,
    request: EvaluateRequest,
    profiles: Sequence[RetrievalProfile],
    cache: Path,
    progress: Progress | None = None,
) -> Evaluation:
    """The same for profiles that need no name: the request's are not looked at."""
    progress = progress or NoProgress()
    dataset = read_dataset(request.dataset, request.files).sample(request.limit_queries)
    groups = grouped(dataset, request.scope)
    recipe = recipe_of(config)
    folder, name = place_of(cache, dataset, request.scope, recipe)
    if isinstance(config.library, DatabaseUrl):
        library: Location = config.library
        folder.mkdir(parents=True, exist_ok=True)  # a collection has a root, even one whose texts come from elsewhere
        config = replace(config, project=_project_on_server(config, folder, name))
    else:
        library = _library(folder, name)
        config = replace(config, library=library, project=PROJECT)
    with _opened(config) as engine:
        if request.rebuild:
            _forget(engine)
        names, problems = _indexed(engine, folder, groups, request.scope, progress)
        if any(searches_summaries(profile) for profile in profiles):
            make_summaries(engine, SummarySettings())
    runs, degraded = [], list[str]()
    for profile in profiles:
        # Each profile gets an engine of its own: one that another profile has asked remembers the query vectors.
        with _opened(config) as engine:
            contender = EngineContender(engine, profile, names, request.scope)
            progress.start(f"{dataset.name} {profile.name}", len(dataset.questions), "queries")
            timed = request.timed_queries
            try:
                runs.append(run_dataset(dataset, profile.name, contender, timed=timed, advance=progress.advance))
            finally:
                progress.finish()
            reasons = contender.degraded.items()
            degraded += [f"{profile.name}: {count} of its answers did without {part}" for part, count in reasons]
    return Evaluation(dataset, tuple(runs), library, recipe.id, (*dataset.warnings, *problems, *degraded))


class Names(Value):
    """How the library calls what the data set calls otherwise."""

    documents: Mapping[tuple[str, str], str]
    """(collection, uri) → the record's id."""
    collections: Mapping[str, str]
    """Group → collection."""
    sizes: Mapping[str, int]
    """Group → how many documents it has."""


class EngineContender(Value):
    """Fits `measured_query_run.Contender`: one profile over one library."""

    engine: Engine
    profile: RetrievalProfile
    names: Names
    scope: str | None = None
    degraded: Counter[str] = field(default_factory=Counter)  # what answers had to do without, and how often

    def rank(self, question: Question, depth: int) -> Sequence[Ranked]:
        """Documents by their best chunk, in the order of the profile as it is.

        A profile recalls chunks, and long documents give many: where too few documents come out, a longer list of
        chunks, which begins with the same, has more of them.
        """
        query = Query(question.text, limit=depth, filters=self._filters(question))
        ranked = self._documents(query)
        if len(ranked) < min(depth, self._within(question)):
            ranked = self._documents(replace(query, limit=_MOST))
        return ranked

    def answer(self, question: Question) -> Sequence[str]:
        query = Query(question.text, limit=_SHOWN, filters=self._filters(question))
        result = self.engine.search(query, self.profile)
        self.degraded.update(result.degraded)
        return [hit.excerpt for hit in result.hits]

    def _filters(self, question: Question) -> Filters:
        if self.scope is None:
            return Filters()
        group = scope_of(question.metadata, self.scope, f"query {question.id}")
        return Filters(collections=(self.names.collections[group],))

    def _within(self, question: Question) -> int:
        """How many documents could be found."""
        groups = self.names.sizes
        if self.scope is None:
            return sum(groups.values())
        return groups[scope_of(question.metadata, self.scope, f"query {question.id}")]

    def _documents(self, query: Query) -> tuple[Ranked, ...]:
        candidates = self.engine.candidates(query, self.profile)
        ranked = [Ranked(self.names.documents[place], hit.score) for hit in candidates for place in hit.places]
        return best_per_document(ranked)


def grouped(dataset: Dataset, scope: str | None) -> dict[str, list[CorpusRecord]]:
    """Records by group, in the order of the corpus; one group when nothing is scoped."""
    if scope is None:
        return {_WHOLE: list(dataset.records)}
    groups: dict[str, list[CorpusRecord]] = {}
    for record in dataset.records:
        groups.setdefault(scope_of(record.metadata, scope, f"document {record.id}"), []).append(record)
    for question in dataset.questions:
        group = scope_of(question.metadata, scope, f"query {question.id}")
        if group not in groups:
            raise InvalidArgument(f"query {question.id} has {scope} {group}, which no document has")
    return groups


def place_of(cache: Path, dataset: Dataset, scope: str | None, recipe: Recipe) -> tuple[Path, str]:
    """The folder of this corpus, and what its library under this recipe is called: by its model, then by the recipe."""
    content = hashlib.sha256(f"{dataset.corpus_digest}\0{scope or ''}".encode()).hexdigest()[:12]
    model = hashlib.sha256(json.dumps(asdict(recipe.embedding), sort_keys=True).encode()).hexdigest()[:8]
    folder = cache / f"{_UNUSUAL.sub('-', dataset.corpus)}-{content}"
    return folder, f"{model}-{recipe.id}"


def _library(folder: Path, name: str) -> Path:
    """The file the library is kept in.

    A new parser or analyzer makes a new recipe but not new vectors: the newest library of the same corpus and
    embedding model is taken as the start, so that only texts that were never embedded have to be.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, model = folder / f"{name}.db", name.split("-")[0]
    if not path.exists():
        # A library with a write-ahead log is open somewhere, and a copy of it might be torn.
        closed = [
            library for library in folder.glob(f"{model}-*.db") if not library.with_name(f"{library.name}-wal").exists()
        ]
        if closed:
            with replacing(path) as copy:
                shutil.copyfile(max(closed, key=lambda library: library.stat().st_mtime), copy)
    return path


def _project_on_server(config: Config, folder: Path, name: str) -> str:
    """Every corpus is a project of its own: nothing is written beside the team's documents.

    A library of the cache that was copied to the server is taken as it is, vectors and all. Its collections still say
    which corpus they are of.
    """
    with _opened(config) as engine:
        catalog, copied = engine.store.catalog, project_id(PROJECT)
        there = copied in [project.id for project in catalog.projects()]
        corpora = {collection.root.name for collection in catalog.collections(copied)} if there else set()
    return PROJECT if corpora == {folder.name} else f"{PROJECT} {folder.name} {name}"


def _opened(config: Config) -> closing[Engine]:
    return closing(open_engine(config, create=True))


def _forget(engine: Engine) -> None:
    """Has every document read anew; texts that were embedded before are not embedded again."""
    ledger, project = engine.store.ledger, engine.project.id
    with engine.store.transaction():
        for collection in engine.collections():
            ledger.forget(project, collection.id, list(ledger.entries(project, collection.id)))


def _indexed(
    engine: Engine, root: Path, groups: Mapping[str, Sequence[CorpusRecord]], scope: str | None, progress: Progress
) -> tuple[Names, tuple[str, ...]]:
    """Takes in what the library does not hold yet. Each group is a collection, so that a question can be confined."""
    names = names_of(groups)
    known = {collection.name: collection for collection in engine.collections()}
    uris = iter(names.documents)
    failed = []
    for group, records in groups.items():
        name = names.collections[group]
        collection = known.get(name) or engine.add_collection(name, root, CollectionSettings())
        sources = []
        for position, record in enumerate(records):
            _, uri = next(uris)
            place = {"sequence": group, "position": position} if scope else {}
            sources.append(_source(collection, uri, record, place))
        report = engine.writer.index_texts(collection, sources, progress=progress)
        failed += report.failed
    if not failed:
        return names, ()
    return names, (f"{len(failed)} documents could not be indexed, first {failed[0].uri}: {failed[0].reason}",)


def names_of(groups: Mapping[str, Sequence[CorpusRecord]]) -> Names:
    """Documents in the order of the groups and of their records."""
    collections = _collection_names(groups)
    documents: dict[tuple[str, str], str] = {}
    for group, records in groups.items():
        for record in records:
            documents[collections[group], _uri(record, collections[group], documents)] = record.id
    return Names(documents, collections, {group: len(records) for group, records in groups.items()})


def _collection_names(groups: Mapping[str, Sequence[CorpusRecord]]) -> dict[str, str]:
    names: dict[str, str] = {}
    for number, group in enumerate(groups):
        name = _UNNAMEABLE.sub("_", group).strip()
        names[group] = name if name and name not in names.values() else f"group-{number}"
    return names


def _uri(record: CorpusRecord, collection: str, taken: Container[tuple[str, str]]) -> str:
    """The record's id, ending like the file it came from, so that the right parser reads it."""
    path = record.metadata.get("path")
    suffix = Path(path).suffix if isinstance(path, str) else ""
    uri = record.id if record.id.endswith(suffix) else record.id + suffix
    number = 1
    while (collection, uri) in taken:
        number += 1
        uri = f"{record.id}~{number}{suffix}"
    return uri


def _source(collection: Collection, uri: str, record: CorpusRecord, place: Mapping[str, Any]) -> Source:
    return Source(
        id=document_id(collection.project_id, collection.id, uri),
        uri=uri,
        text=normalise(record.text),
        modified_at=_modified_at(record.metadata),
        kind=Kind.COMMIT if _is_commit(record) else None,
        title="" if record.title == record.id else record.title,
        metadata={**record.metadata, **place},
    )


def _is_commit(record: CorpusRecord) -> bool:
    """Whether a record is a commit, as exports of histories have them: named by a hash, with an author and files."""
    author, files = record.metadata.get("author"), record.metadata.get("files")
    return isinstance(author, str) and isinstance(files, list) and _HASH.match(record.id) is not None


def _modified_at(metadata: Mapping[str, Any]) -> float:
    """A record's ISO date where it has one; else all documents are equally old."""
    date = metadata.get("date")
    try:
        moment = datetime.fromisoformat(date) if isinstance(date, str) else None
    except ValueError:
        moment = None
    if moment is None:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def outcomes(evaluation: Evaluation) -> tuple[Outcome, ...]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return tuple(outcome(run, recipe=evaluation.recipe, measured_at=now) for run in evaluation.runs)


def cache_folder() -> Path:
    """Libraries of data sets: large, and made again when lost."""
    return user_cache_path("octavo") / "evaluation"


def results_folder() -> Path:
    return user_data_path("octavo") / "evaluation"


def request_of(text: str, profiles: tuple[str, ...], measure: str) -> tuple[EvaluateRequest, str]:
    """`folder`, or `folder:scope=KEY,corpus=FILE,queries=FILE,qrels=FILE,measure=NAME`; with the measure to show."""
    folder, colon, rest = text.rpartition(":")
    options = dict(part.strip().partition("=")[::2] for part in rest.split(",")) if colon and "=" in rest else {}
    unknown = options.keys() - {"scope", "corpus", "queries", "qrels", "measure"}
    if unknown:
        raise InvalidArgument(
            f"{text}: {', '.join(sorted(unknown))} cannot be said of a data set",
            hint="say scope, corpus, queries, qrels or measure",
        )
    measure = options.get("measure", measure)
    if measure not in MEASURES:
        raise no_such_choice("measure", "measure", measure, tuple(MEASURES))
    files = Files(**{name: Path(options[name]) for name in ("corpus", "queries", "qrels") if name in options})
    return EvaluateRequest(Path(folder if options else text), profiles, files, options.get("scope")), measure


def originals(engine: Engine, names: Sequence[str] = ()) -> Iterator[Original]:
    """Every current document of the library with its sections, for `evaluation.make`."""
    chosen = [engine.collection(name) for name in names] or list(engine.collections())
    documents = engine.store.documents
    for collection in chosen:
        for uri, entry in sorted(engine.store.ledger.entries(engine.project.id, collection.id).items()):
            stored = documents.get(engine.project.id, entry.document_id) if entry.document_id else None
            if stored is None:
                continue
            text = documents.texts(engine.project.id, [stored.text_hash])[stored.text_hash]
            sections = documents.sections(engine.project.id, stored.id)
            prose = stored.kind not in (Kind.CODE, Kind.CONFIG)
            yield Original(f"{collection.name}/{uri}", uri, stored.title, text, _parts(sections, text), prose)


def _parts(sections: Sequence[Section], text: str) -> tuple[SectionPart, ...]:
    """Each section up to where the next begins: what is its own and not its subsections'."""
    starts = [section.span.start for section in sections] + [len(text)]
    return tuple(
        SectionPart(section.anchor, section.path, text[section.span.start : max(section.span.start, following)])
        for section, following in zip(sections, starts[1:], strict=True)
    )
