"""The types of what a library's methods answer with.

Written by scripts/make_python_api.py from the table of operations: change that, not this file.
"""

from __future__ import annotations

from octavo.embedding.installed_models import ModelShown
from octavo.embedding.model_download import FetchedModel
from octavo.graph.neighbors import FarDocument, FoundEdge, NeighborsAnswer
from octavo.graph.related_documents import RelatedAnswer, RelatedDocument
from octavo.ingest.indexing_report import CollectionReport, Problem
from octavo.jobs.summary_making import SummariesBuilt
from octavo.memory.folder_sync_report import SkippedNote, SyncReport
from octavo.memory.version_diffs import SectionChange
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.index_recipe import ChunkSizes, Recipe
from octavo.model.maintenance_advisory import Advisory, OfflineRun
from octavo.model.projects_and_collections import FolderState
from octavo.model.search_result import Freshness, StageTrace
from octavo.note_editing.heading_checks import Violation
from octavo.note_editing.link_rewriting import LinkChange
from octavo.note_editing.note_change_transaction import LinkedWriteAnswer, WriteAnswer
from octavo.note_editing.note_lint import Finding
from octavo.operations.access_tokens.create_revoke_and_audit import (
    AuditedRow,
    ListedToken,
    TokenCreated,
    TokenRevoked,
    TokensAuditAnswer,
    TokensListAnswer,
)
from octavo.operations.answering.results import (
    AnswerSentence,
    AskAnswer,
    ModelUsage,
    ModelVerdict,
    ReadPassage,
    SearchHop,
    SentenceCitation,
)
from octavo.operations.canonical_documents.results import (
    CanonicalAnswer,
    CanonicalListAnswer,
    CanonicalListed,
    CanonicalOutlineAnswer,
    CanonicalPackAnswer,
    CanonicalPassage,
    CanonicalSection,
)
from octavo.operations.code.results import AugmentAnswer, Quotation
from octavo.operations.database.results import CheckAnswer, PruneAnswer, RepairAnswer, SavedLibrary, UpgradeAnswer
from octavo.operations.embedding_profiles.results import ProfileAnswer, ProfilesAnswer, ProfileShown, PromisedAnswer
from octavo.operations.evaluation.evaluate import DatasetFigures, EvaluationAnswer, FiguresAnswer, ProfileFigures
from octavo.operations.graph.results import (
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
from octavo.operations.history.results import CommitHit, HistoryAnswer, LogAnswer, Stored, Touched, Written
from octavo.operations.jobs.list_retry_and_delete_jobs import JobsAnswer, JobsCountAnswer, QueuedJob
from octavo.operations.library.excluded_file_counts import ExcludedFiles
from octavo.operations.library.library_export import ExportAnswer
from octavo.operations.library.results import (
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
    OverlappingCollection,
    PropertyKey,
    RemoveAnswer,
    RemovedCollection,
    StatusAnswer,
    WatchAnswer,
)
from octavo.operations.library.web_page_download import FetchedPagesAnswer
from octavo.operations.memory.results import (
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
    TypedLink,
    VersionState,
)
from octavo.operations.models.results import FinetuneAnswer, ModelAnswer, ModelRemoved, ModelsAnswer
from octavo.operations.models.text_embedding import EmbedAnswer, EmbeddedText
from octavo.operations.note_editing.results import AutoFixAnswer, FixedNote, LintAnswer, ValidateAnswer
from octavo.operations.projects.results import (
    ProjectsListAnswer,
    ProjectsResolveAnswer,
    ProjectState,
    ResolvedCollection,
    SessionsAnswer,
    SessionState,
)
from octavo.operations.query_log.query_logging_and_listing import AskedQuery, QueriesAnswer, QueriesCleared
from octavo.operations.reading.results import (
    DiffAnswer,
    DocumentPassage,
    DocumentRow,
    DocumentTagsAnswer,
    GetAnswer,
    GetManyAnswer,
    InspectAnswer,
    InspectedPassage,
    InspectedVersion,
    ListDocumentsAnswer,
    OutlineAnswer,
    OutlineSection,
    TaggedDocument,
)
from octavo.operations.search.results import FoundHit, SearchAnswer, Step
from octavo.operations.search_snapshots.build_list_and_rollback import ShownSnapshot, SnapshotsAnswer
from octavo.operations.summaries.build_show_and_clear_summaries import FoundSummary, SummariesAnswer, SummariesCleared
from octavo.services.web_page_fetching import FetchedPage

__all__ = [
    "AddAnswer",
    "Advisory",
    "AnswerSentence",
    "AskAnswer",
    "AskedQuery",
    "AuditedRow",
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
    "EmbedAnswer",
    "EmbeddedText",
    "EmbeddingProfile",
    "EntitiesAnswer",
    "EvaluationAnswer",
    "ExcludedFiles",
    "ExportAnswer",
    "FarDocument",
    "FetchedModel",
    "FetchedPage",
    "FetchedPagesAnswer",
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
    "InspectAnswer",
    "InspectedPassage",
    "InspectedVersion",
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
    "ListedToken",
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
    "ModelVerdict",
    "ModelsAnswer",
    "NamedCluster",
    "NeighborsAnswer",
    "OfflineRun",
    "OutlineAnswer",
    "OutlineSection",
    "OverlappingCollection",
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
    "TokenCreated",
    "TokenRevoked",
    "TokensAuditAnswer",
    "TokensListAnswer",
    "Touched",
    "TypedLink",
    "UpgradeAnswer",
    "ValidateAnswer",
    "VersionState",
    "Violation",
    "WatchAnswer",
    "WriteAnswer",
    "Written",
]
