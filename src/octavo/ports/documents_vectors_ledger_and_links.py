"""What a library holds of documents: catalogue, texts, vectors, clusters, the ledger, commits and links."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from octavo.model.chunk import EmbeddingInput
    from octavo.model.document import Kind, Section
    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.ids import ChunkId, ChunkKey, CollectionId, DocumentId, ProjectId
    from octavo.model.index_recipe import Recipe
    from octavo.model.indexed_commit import FoundCommit, HistoryEntry
    from octavo.model.indexing_ledger import FileStamp, LedgerEntry
    from octavo.model.link_graph import (
        DocumentLinks,
        Drift,
        Edge,
        EdgeType,
        Ghost,
        GraphRun,
        NameMatch,
        Node,
        Reached,
        ThematicLink,
        Walk,
    )
    from octavo.model.normalised_text_and_spans import Span
    from octavo.model.prepared_document import PreparedDocument
    from octavo.model.projects_and_collections import Collection, PlaceKind, Project
    from octavo.model.query import Filters
    from octavo.model.search_result import Candidate
    from octavo.model.stored_rows import (
        ChunkVectors,
        DocumentVersion,
        Neighbour,
        PastDocument,
        PendingInput,
        PostponedChunk,
        StoredDocument,
        StoredVectors,
        VectorRow,
    )
    from octavo.model.text_clusters import Clustering, ClusteringState


class Clusters(Protocol):
    """Texts in groups by meaning. A vector that is written joins the group with the nearest middle."""

    def state(self, project: ProjectId) -> ClusteringState | None:
        """When they were made, and of how much; None where they never were."""

    def current(self, project: ProjectId, profile: EmbeddingProfile) -> Clustering | None:
        """The clusters that vectors of a profile belong to; None where none were made of such vectors."""

    def replace(
        self,
        project: ProjectId,
        profiles: Sequence[EmbeddingProfile],
        centroids: NDArray[np.float32],
        clusters: Mapping[int, int],
        chunks: int,
    ) -> None:
        """`clusters` has the cluster of each input, `chunks` how many they stand for. Inside a transaction."""

    def assign(self, project: ProjectId, clusters: Mapping[int, int]) -> None:
        """Puts inputs into clusters. Inside a transaction."""

    def members(self, project: ProjectId, clusters: Sequence[int]) -> Sequence[ChunkKey]:
        """The chunks in any of the clusters, ascending."""

    def of_chunks(self, project: ProjectId) -> Mapping[ChunkKey, int]:
        """The cluster of each chunk that has one, by its first window."""


class Catalog(Protocol):
    """Projects, collections, and of each project the recipe and the name of the reranker it has chosen, if any."""

    def ensure_project(self, name: str) -> Project: ...
    def projects(self) -> tuple[Project, ...]: ...
    def reranker(self, project: ProjectId) -> str | None: ...
    def choose_reranker(self, project: ProjectId, name: str | None) -> None: ...
    def put_place(self, project: ProjectId, kind: PlaceKind, place: str) -> None: ...

    def places(self, kind: PlaceKind) -> tuple[tuple[Project, str], ...]:
        """What projects are known by, of every project, longest known first."""

    def collections(self, project: ProjectId) -> tuple[Collection, ...]: ...

    def put_collection(self, collection: Collection) -> None: ...

    def remove_collection(self, project: ProjectId, collection: CollectionId) -> None:
        """Takes the collection's documents, ledger and chunks along."""

    def recipe(self, project: ProjectId) -> Recipe | None: ...

    def record_recipe(self, project: ProjectId, recipe: Recipe) -> None: ...


class Documents(Protocol):
    """Current documents with their sections and chunks, their earlier versions, and the texts behind them."""

    def put(self, project: ProjectId, collection: CollectionId, prepared: PreparedDocument) -> tuple[ChunkKey, ...]:
        """Replaces what the document's uri held; the earlier text stays reachable as a version.

        Returns the new chunks' keys in order. A key is never used twice.
        """

    def put_all(
        self, project: ProjectId, collection: CollectionId, several: Sequence[PreparedDocument]
    ) -> tuple[tuple[ChunkKey, ...], ...]:
        """`put` for documents of different uris, in a few statements for all of them."""

    def move(
        self, project: ProjectId, collection: CollectionId, old_uri: str, prepared: PreparedDocument
    ) -> tuple[ChunkKey, ...]:
        """Same content under a new uri: chunks keep their keys and the document its versions."""

    def remove(self, project: ProjectId, document: DocumentId) -> None: ...
    def touch(self, project: ProjectId, modified: Sequence[tuple[DocumentId, float]]) -> None: ...

    def get(self, project: ProjectId, document: DocumentId) -> StoredDocument | None: ...

    def find(self, project: ProjectId, uri: str, collection: CollectionId | None = None) -> tuple[StoredDocument, ...]:
        """Documents at exactly this uri, in every collection unless one is named."""

    def sections(self, project: ProjectId, document: DocumentId) -> tuple[Section, ...]: ...

    def sections_touching(
        self, project: ProjectId, places: Sequence[tuple[DocumentId, Span]]
    ) -> tuple[tuple[Section, ...], ...]:
        """For each place of a document the sections that share a character with it, in their order."""

    def versions(self, project: ProjectId, document: DocumentId) -> tuple[DocumentVersion, ...]: ...

    def past(self, project: ProjectId, at: float) -> tuple[PastDocument, ...]:
        """What documents said at a time and no longer say, because they changed since or are gone; by id."""

    def texts(self, project: ProjectId, hashes: Iterable[str]) -> Mapping[str, str]: ...

    def candidates(self, project: ProjectId, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, Candidate]: ...

    def lengths(self, project: ProjectId, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, int]:
        """How many chunks the document of each chunk has."""

    def neighbours(self, project: ProjectId, keys: Sequence[ChunkKey], reach: int) -> tuple[Neighbour, ...]:
        """What stands up to `reach` places before and after each chunk, in order."""

    def chunk_key(self, project: ProjectId, chunk: ChunkId) -> ChunkKey | None: ...

    def admitted(self, project: ProjectId, filters: Filters) -> Sequence[ChunkKey]:
        """Keys of all chunks that the filters let through, ascending."""

    def listed(self, project: ProjectId, filters: Filters) -> tuple[StoredDocument, ...]:
        """The documents that filters let through, commits left out; by collection and uri. What filters say of chunks
        admits none."""

    def recent(self, project: ProjectId, count: int) -> tuple[StoredDocument, ...]:
        """The documents whose files were changed last, the newest first."""

    def more_than(self, project: ProjectId, count: int) -> bool:
        """Whether there are more chunks than that; costs no more the more there are."""
        ...

    def any_of(self, project: ProjectId, kind: Kind) -> bool: ...


class Embeddings(Protocol):
    """Which inputs stand for which chunks, and the vectors there are for them."""

    def expect(
        self, project: ProjectId, inputs: Sequence[tuple[ChunkKey, Sequence[EmbeddingInput]]]
    ) -> Mapping[str, int]:
        """The keys, by their hashes, of those inputs that were never met before."""

    def postpone(self, project: ProjectId, chunks: Sequence[ChunkKey]) -> None:
        """The inputs of these chunks are made once somebody embeds; what they had is forgotten."""

    def postponed(self, project: ProjectId, after: int, most: int) -> tuple[PostponedChunk, ...]:
        """Chunks above a key whose inputs are still to be made, ascending; those of diffs have none to make."""

    def finish_postponed(self, project: ProjectId) -> None:
        """Records that no chunk without inputs is left, so that nobody looks for one.

        Needs no transaction of the caller's: what is left is checked again in its own.
        """

    def pending(
        self,
        project: ProjectId,
        profile: EmbeddingProfile,
        *,
        newest_first: bool = False,
        wanted_first: bool = False,
        most: int | None = None,
        chunks: Sequence[ChunkKey] | None = None,
    ) -> tuple[int, ...]:
        """Keys of the inputs of current chunks, or of these, without a vector under this profile, each once.

        In chunk order, or what was written last first; those of commits after all others, and always in chunk order.
        With `wanted_first` what was hit most often, then what was changed last, commits after the rest. `most` of them.
        """

    def mark_complete(self, project: ProjectId, profile: EmbeddingProfile) -> bool:
        """Whether nothing is pending; if so that is recorded, and current inputs need not be checked again.

        Runs in a transaction of its own, which does not advance the generation.
        """

    def note_hits(self, project: ProjectId, profile: EmbeddingProfile, hits: Mapping[ChunkKey, int]) -> None:
        """How often searches showed chunks; kept of those that wait for a vector under this profile.
        A transaction of its own, which moves no generation.
        """

    def remove(self, project: ProjectId, profile: EmbeddingProfile, inputs: Sequence[int]) -> None:
        """Vectors that a better profile's stand for by now."""

    def describe(self, project: ProjectId, inputs: Sequence[int]) -> tuple[PendingInput, ...]: ...

    def of_document(self, project: ProjectId, document_key: int) -> tuple[int, ...]: ...

    def chunk_vectors(
        self, project: ProjectId, document: DocumentId, profile: EmbeddingProfile, fast: EmbeddingProfile | None
    ) -> tuple[ChunkVectors, ...]:
        """Of each chunk of a document, in order, its length and which vectors it has."""

    def put(self, project: ProjectId, profile: EmbeddingProfile, vectors: Sequence[VectorRow]) -> None: ...

    def chunks(self, project: ProjectId) -> int:
        """How many there are."""

    def coverage(self, project: ProjectId, profile: EmbeddingProfile) -> tuple[int, int]:
        """Chunks with all their vectors, and chunks in all."""

    def unread(self, project: ProjectId, profile: EmbeddingProfile) -> int:
        """Chunks with a window that the model cannot read: its vector is zeros, and words alone find it."""

    def assignments(self, project: ProjectId) -> NDArray[np.int64]:
        """Rows of (chunk key, input key): every window of every current chunk, chunks ascending."""

    def vectors(self, project: ProjectId, profile: EmbeddingProfile, after: int) -> StoredVectors:
        """Vectors whose key is above `after`, ascending. Keys only ever grow."""


class Ledger(Protocol):
    """What happened to each file of a collection."""

    def entries(self, project: ProjectId, collection: CollectionId) -> Mapping[str, LedgerEntry]: ...

    def record(self, project: ProjectId, collection: CollectionId, entries: Iterable[LedgerEntry]) -> None: ...

    def forget(self, project: ProjectId, collection: CollectionId, uris: Iterable[str]) -> None: ...

    def distrust(self, project: ProjectId, collection: CollectionId, uris: Iterable[str]) -> None: ...

    def at(self, project: ProjectId, collection: CollectionId, paths: Sequence[str]) -> Mapping[str, LedgerEntry]:
        """Of the files at these paths and below them: what `entries` says, without reading of all the others."""

    def stamps(self, project: ProjectId, collection: CollectionId, uris: Sequence[str]) -> Mapping[str, FileStamp]: ...

    def repositories(self, project: ProjectId, collection: CollectionId) -> Mapping[str, LedgerEntry]:
        """The lines of git repositories alone."""
        ...

    def ending(self, project: ProjectId, collection: CollectionId, extensions: Sequence[str]) -> tuple[str, ...]:
        """The uris of files with one of these extensions, which are in lower case with their dot."""

    def note_check(self, project: ProjectId, collection: CollectionId, at: float | None = None) -> None:
        """The collection was compared with its folder as of `at`, or now: a transaction that moves no generation."""

    def checks(self, project: ProjectId) -> Mapping[CollectionId, float]:
        """When each collection was last compared with its folder; those that never were are left out."""


class CommitHistory(Protocol):
    """Commits by hash, and which of them touched which file. A commit leaves with its document."""

    def put(self, project: ProjectId, collection: CollectionId, entries: Sequence[HistoryEntry]) -> None:
        """Of commits whose documents have been put in the same transaction, or before."""

    def known(self, project: ProjectId, collection: CollectionId) -> Mapping[str, Mapping[str, str]]:
        """Repository → hash → by which recipe it was made."""

    def any(self, project: ProjectId) -> bool: ...

    def find(self, project: ProjectId, start: str) -> tuple[FoundCommit, ...]:
        """Commits whose hash starts so, by collection and uri."""

    def touching(
        self, project: ProjectId, paths: Sequence[str] | None, collection: CollectionId | None, limit: int
    ) -> tuple[FoundCommit, ...]:
        """Commits that changed one of these files, newest first; with None, whatever they changed."""

    def admitted(
        self, project: ProjectId, author: str | None, touches: Callable[[str], bool] | None
    ) -> tuple[str, ...]:
        """Uris of the commits whose author contains this, whatever the case, and that changed such a file."""


class Graph(Protocol):
    """What points at what. Links are kept as written; what they mean follows the documents there are."""

    def put(
        self, project: ProjectId, collection: CollectionId, linked: Sequence[DocumentLinks], *, resolve: bool = True
    ) -> None:
        """Replaces the names and links of these documents, and resolves the references that this makes stale.

        Of many batches only the last needs to resolve: until then links point nowhere, or where they did before.
        """

    def has_stale_references(self, project: ProjectId) -> bool:
        """Whether names were added or removed since references were last resolved."""

    def resolve_references(self, project: ProjectId) -> int:
        """Resolves stale references again; the number whose target changed."""

    def named(self, project: ProjectId, names: Iterable[str]) -> tuple[NameMatch, ...]:
        """Every document that goes by one of these folded names: a file's, a module's, a folder's, an alias."""

    def out(
        self, project: ProjectId, document: DocumentId, types: Sequence[EdgeType] = (), limit: int = 1_000
    ) -> tuple[Edge, ...]:
        """What a document points at, in its own order, ghosts included."""

    def back(
        self, project: ProjectId, document: DocumentId, types: Sequence[EdgeType] = (), limit: int = 1_000
    ) -> tuple[Edge, ...]:
        """What points at a document, itself left out."""

    def back_to_ghost(self, project: ProjectId, path: str) -> tuple[Edge, ...]: ...

    def back_count(self, project: ProjectId, document: DocumentId) -> tuple[int, int]:
        """How many links point at a document, and from how many documents."""

    def walk(self, project: ProjectId, seeds: Mapping[DocumentId, float], walk: Walk) -> tuple[Reached, ...]:
        """What is reached along edges, either way, best first; a seed is among it when another leads to it."""

    def nodes(self, project: ProjectId, documents: Iterable[DocumentId] | None = None) -> tuple[Node, ...]: ...

    def edges(self, project: ProjectId, without: Sequence[EdgeType] = ()) -> tuple[Edge, ...]: ...

    def drift(self, project: ProjectId, since: float) -> Drift:
        """How far the graph has moved since a moment."""

    def chunks(self, project: ProjectId, document: DocumentId | None = None) -> tuple[tuple[ChunkKey, DocumentId], ...]:
        """Every chunk with the document it belongs to, or those of one, ascending."""

    def ghosts(self, project: ProjectId, limit: int) -> tuple[Ghost, ...]:
        """What people's links point at and is not there, most wanted first."""

    def thematic(self, project: ProjectId, document: DocumentId | None = None) -> tuple[ThematicLink, ...]: ...

    def put_thematic(self, project: ProjectId, links: Sequence[ThematicLink], facts: Mapping[str, float]) -> None: ...

    def communities(
        self, project: ProjectId, documents: Iterable[DocumentId] | None = None
    ) -> Mapping[DocumentId, int]: ...

    def put_communities(
        self, project: ProjectId, communities: Mapping[DocumentId, int], facts: Mapping[str, float]
    ) -> None: ...

    def note_run(self, project: ProjectId, kind: str, facts: Mapping[str, float]) -> None:
        """Records that something was computed now, and with which settings."""

    def forget_run(self, project: ProjectId, kind: str) -> None: ...

    def runs(self, project: ProjectId) -> Mapping[str, GraphRun]:
        """What was last computed over the graph, by kind."""
