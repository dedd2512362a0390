"""The types of what a library's methods answer with.

Written by scripts/make_python_api.py from the table of operations: change that, not this file.
"""

from __future__ import annotations

from octavo.embedding.catalog import ModelShown
from octavo.embedding.fetching import FetchedModel
from octavo.graph.neighbors import FarDocument, FoundEdge, NeighborsAnswer
from octavo.graph.related import RelatedAnswer, RelatedDocument
from octavo.ingest.report import CollectionReport, Problem
from octavo.jobs.summaries import SummariesBuilt
from octavo.memory.diffs import SectionChange
from octavo.memory.sync_report import SkippedNote, SyncReport
from octavo.model.advisory import Advisory, OfflineRun
from octavo.model.collection import FolderState
from octavo.model.recipe import ChunkSizes, EmbeddingProfile, Recipe
from octavo.model.result import Freshness, StageTrace
from octavo.operations.answering.answers import (
    AnswerSentence,
    AskAnswer,
    ModelUsage,
    ReadPassage,
    SearchHop,
    SentenceCitation,
)
from octavo.operations.canonical.answers import (
    CanonicalAnswer,
    CanonicalListAnswer,
    CanonicalListed,
    CanonicalOutlineAnswer,
    CanonicalPackAnswer,
    CanonicalPassage,
    CanonicalSection,
)
from octavo.operations.code.answers import AugmentAnswer, Quotation
from octavo.operations.database.answers import CheckAnswer, PruneAnswer, RepairAnswer, SavedLibrary, UpgradeAnswer
from octavo.operations.evaluation.answers import DatasetFigures, EvaluationAnswer, FiguresAnswer, ProfileFigures
from octavo.operations.graph.answers import (
    BuildAnswer,
    ClusterMap,
    ClustersAnswer,
    CommunitiesAnswer,
    EntitiesAnswer,
    FoundCommunity,
    FoundEntity,
    FoundMention,
    GhostsAnswer,
    GraphFile,
    MapFile,
    MapPoint,
    MentionsAnswer,
    MissingTarget,
    NamedCluster,
)
from octavo.operations.history.answers import CommitHit, HistoryAnswer, LogAnswer, Stored, Touched, Written
from octavo.operations.jobs.answers import JobsAnswer, JobsCountAnswer, QueuedJob
from octavo.operations.library.answers import (
    AddAnswer,
    Check,
    CollectionState,
    FileProblem,
    HealthAnswer,
    IndexAnswer,
    IndexingRun,
    LedgerProblem,
    ListAnswer,
    ListedDocument,
    MissingFolder,
    PropertyKey,
    RemoveAnswer,
    RemovedCollection,
    StatusAnswer,
    WatchAnswer,
)
from octavo.operations.library.excluded_files import ExcludedFiles
from octavo.operations.memory.answers import (
    ChangeState,
    FoundMemory,
    LinkedMemoriesAnswer,
    LinkState,
    MemoryChunk,
    MemoryDiffAnswer,
    MemoryGetAnswer,
    MemoryHistoryAnswer,
    MemoryState,
    RecallAnswer,
    VersionState,
)
from octavo.operations.models.answers import FinetuneAnswer, ModelAnswer, ModelRemoved, ModelsAnswer
from octavo.operations.profiles.answers import ProfileAnswer, ProfilesAnswer, ProfileShown, PromisedAnswer
from octavo.operations.projects.answers import (
    ProjectsListAnswer,
    ProjectsResolveAnswer,
    ProjectState,
    ResolvedCollection,
    SessionsAnswer,
    SessionState,
)
from octavo.operations.queries.answers import AskedQuery, QueriesAnswer, QueriesCleared
from octavo.operations.reading.answers import (
    DiffAnswer,
    DocumentPassage,
    DocumentRow,
    DocumentTagsAnswer,
    GetAnswer,
    GetManyAnswer,
    ListDocumentsAnswer,
    OutlineAnswer,
    OutlineSection,
    TaggedDocument,
)
from octavo.operations.search.answers import FoundHit, SearchAnswer, Step
from octavo.operations.snapshots.answers import ShownSnapshot, SnapshotsAnswer
from octavo.operations.summaries.answers import FoundSummary, SummariesAnswer, SummariesCleared
from octavo.operations.writing.answers import AutoFixAnswer, FixedNote, LintAnswer, ValidateAnswer
from octavo.writing.heading_checks import Violation
from octavo.writing.links import LinkChange
from octavo.writing.lint import Finding
from octavo.writing.note_change import LinkedWriteAnswer, WriteAnswer

__all__ = [
    "AddAnswer",
    "Advisory",
    "AnswerSentence",
    "AskAnswer",
    "AskedQuery",
    "AugmentAnswer",
    "AutoFixAnswer",
    "BuildAnswer",
    "CanonicalAnswer",
    "CanonicalListAnswer",
    "CanonicalListed",
    "CanonicalOutlineAnswer",
    "CanonicalPackAnswer",
    "CanonicalPassage",
    "CanonicalSection",
    "ChangeState",
    "Check",
    "CheckAnswer",
    "ChunkSizes",
    "ClusterMap",
    "ClustersAnswer",
    "CollectionReport",
    "CollectionState",
    "CommitHit",
    "CommunitiesAnswer",
    "DatasetFigures",
    "DiffAnswer",
    "DocumentPassage",
    "DocumentRow",
    "DocumentTagsAnswer",
    "EmbeddingProfile",
    "EntitiesAnswer",
    "EvaluationAnswer",
    "ExcludedFiles",
    "FarDocument",
    "FetchedModel",
    "FiguresAnswer",
    "FileProblem",
    "Finding",
    "FinetuneAnswer",
    "FixedNote",
    "FolderState",
    "FoundCommunity",
    "FoundEdge",
    "FoundEntity",
    "FoundHit",
    "FoundMemory",
    "FoundMention",
    "FoundSummary",
    "Freshness",
    "GetAnswer",
    "GetManyAnswer",
    "GhostsAnswer",
    "GraphFile",
    "HealthAnswer",
    "HistoryAnswer",
    "IndexAnswer",
    "IndexingRun",
    "JobsAnswer",
    "JobsCountAnswer",
    "LedgerProblem",
    "LinkChange",
    "LinkState",
    "LinkedMemoriesAnswer",
    "LinkedWriteAnswer",
    "LintAnswer",
    "ListAnswer",
    "ListDocumentsAnswer",
    "ListedDocument",
    "LogAnswer",
    "MapFile",
    "MapPoint",
    "MemoryChunk",
    "MemoryDiffAnswer",
    "MemoryGetAnswer",
    "MemoryHistoryAnswer",
    "MemoryState",
    "MentionsAnswer",
    "MissingFolder",
    "MissingTarget",
    "ModelAnswer",
    "ModelRemoved",
    "ModelShown",
    "ModelUsage",
    "ModelsAnswer",
    "NamedCluster",
    "NeighborsAnswer",
    "OfflineRun",
    "OutlineAnswer",
    "OutlineSection",
    "Problem",
    "ProfileAnswer",
    "ProfileFigures",
    "ProfileShown",
    "ProfilesAnswer",
    "ProjectState",
    "ProjectsListAnswer",
    "ProjectsResolveAnswer",
    "PromisedAnswer",
    "PropertyKey",
    "PruneAnswer",
    "QueriesAnswer",
    "QueriesCleared",
    "QueuedJob",
    "Quotation",
    "ReadPassage",
    "RecallAnswer",
    "Recipe",
    "RelatedAnswer",
    "RelatedDocument",
    "RemoveAnswer",
    "RemovedCollection",
    "RepairAnswer",
    "ResolvedCollection",
    "SavedLibrary",
    "SearchAnswer",
    "SearchHop",
    "SectionChange",
    "SentenceCitation",
    "SessionState",
    "SessionsAnswer",
    "ShownSnapshot",
    "SkippedNote",
    "SnapshotsAnswer",
    "StageTrace",
    "StatusAnswer",
    "Step",
    "Stored",
    "SummariesAnswer",
    "SummariesBuilt",
    "SummariesCleared",
    "SyncReport",
    "TaggedDocument",
    "Touched",
    "UpgradeAnswer",
    "ValidateAnswer",
    "VersionState",
    "Violation",
    "WatchAnswer",
    "WriteAnswer",
    "Written",
]
