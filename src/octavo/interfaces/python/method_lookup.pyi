"""The methods of a library by their types.

Written by scripts/make_python_api.py from the table of operations: change that, not this file.
"""

from collections.abc import Callable, Iterable
from datetime import date, timedelta
from os import PathLike
from typing import Any, Literal

from octavo.answers import (
    AddAnswer,
    AskAnswer,
    AugmentAnswer,
    AutoFixAnswer,
    BuildAnswer,
    CanonicalAnswer,
    CanonicalListAnswer,
    CanonicalOutlineAnswer,
    CanonicalPackAnswer,
    CanonicalPassage,
    CheckAnswer,
    ClusterMap,
    ClustersAnswer,
    CommunitiesAnswer,
    DiffAnswer,
    DocumentTagsAnswer,
    EmbedAnswer,
    EntitiesAnswer,
    EvaluationAnswer,
    ExportAnswer,
    FetchedModel,
    FetchedPagesAnswer,
    FiguresAnswer,
    FinetuneAnswer,
    GetAnswer,
    GetManyAnswer,
    GhostsAnswer,
    GraphFile,
    HealthAnswer,
    HistoryAnswer,
    IndexAnswer,
    IndexingRun,
    InspectAnswer,
    JobsAnswer,
    JobsCountAnswer,
    LinkedMemoriesAnswer,
    LinkedWriteAnswer,
    LintAnswer,
    ListAnswer,
    ListDocumentsAnswer,
    LogAnswer,
    MapFile,
    MemoryDiffAnswer,
    MemoryGetAnswer,
    MemoryHistoryAnswer,
    MemoryState,
    MentionsAnswer,
    ModelAnswer,
    ModelRemoved,
    ModelsAnswer,
    NeighborsAnswer,
    OutlineAnswer,
    ProfileAnswer,
    ProfilesAnswer,
    ProjectsListAnswer,
    ProjectsResolveAnswer,
    PromisedAnswer,
    PruneAnswer,
    QueriesAnswer,
    QueriesCleared,
    RecallAnswer,
    RelatedAnswer,
    RemoveAnswer,
    RepairAnswer,
    SavedLibrary,
    SearchAnswer,
    SessionsAnswer,
    SessionState,
    SnapshotsAnswer,
    StatusAnswer,
    SummariesAnswer,
    SummariesBuilt,
    SummariesCleared,
    SyncReport,
    TokenCreated,
    TokenRevoked,
    TokensAuditAnswer,
    TokensListAnswer,
    UpgradeAnswer,
    ValidateAnswer,
    WriteAnswer,
)
from octavo.interfaces.python.progress_callbacks import ProgressCallback
from octavo.interfaces.python.shared_engine_handle import Handle

AccessScope = Literal["read", "write", "admin"]
ContentType = Literal["prose", "code", "table", "comment", "docstring", "config", "diff"]
EdgeType = Literal[
    "links_to",
    "embeds",
    "implements",
    "tests",
    "related",
    "mentions",
    "contains",
    "changes",
    "thematic_link",
    "mentioned_in",
    "same_author",
    "references",
]
EntityKind = Literal["person", "project", "place", "identifier", "doi", "url"]
JobState = Literal["ready", "leased", "done", "dead"]
Kind = Literal["note", "doc", "code", "config", "commit", "conversation", "memory"]
Matching = Literal["lexical", "dense", "symbol", "place", "graph"]
MemoryKind = Literal[
    "note",
    "plan",
    "journal",
    "fact",
    "observation",
    "reflection",
    "decision",
    "task",
    "bug",
    "constraint",
    "rule",
    "preference",
    "experiment",
    "summary",
]
StrPath = str | PathLike[str]
Time = str | date | timedelta
"""A date or a time, as text or as Python's own, or how long ago."""

class Methods:
    def __init__(self, caller: Handle) -> None: ...
    @property
    def canonical(self) -> CanonicalMethods: ...
    @property
    def cluster(self) -> ClusterMethods: ...
    @property
    def code(self) -> CodeMethods: ...
    @property
    def collections(self) -> CollectionsMethods: ...
    @property
    def db(self) -> DbMethods: ...
    @property
    def doc(self) -> DocMethods: ...
    @property
    def eval(self) -> EvalMethods: ...
    @property
    def git(self) -> GitMethods: ...
    @property
    def graph(self) -> GraphMethods: ...
    @property
    def jobs(self) -> JobsMethods: ...
    @property
    def memory(self) -> MemoryMethods: ...
    @property
    def models(self) -> ModelsMethods: ...
    @property
    def notes(self) -> NotesMethods: ...
    @property
    def profiles(self) -> ProfilesMethods: ...
    @property
    def projects(self) -> ProjectsMethods: ...
    @property
    def queries(self) -> QueriesMethods: ...
    @property
    def sessions(self) -> SessionsMethods: ...
    @property
    def snapshots(self) -> SnapshotsMethods: ...
    @property
    def summaries(self) -> SummariesMethods: ...
    @property
    def tokens(self) -> TokensMethods: ...
    def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        profile: str | None = None,
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        uris: StrPath | Iterable[StrPath] = (),
        heading_contains: str | None = None,
        tags_all: str | Iterable[str] = (),
        tags_any: str | Iterable[str] = (),
        kinds: Kind | Iterable[Kind] = (),
        language: str | None = None,
        where: str | Iterable[str] = (),
        content_types: ContentType | Iterable[ContentType] = (),
        matched: Matching | Iterable[Matching] = (),
        modified_after: Time | None = None,
        modified_before: Time | None = None,
        as_of: Time | None = None,
        max_excerpt_chars: int | None = None,
        mode: Literal["full", "compressed"] = "full",
        min_score: float | None = None,
        similarity_threshold: float | None = None,
        show_all: bool = False,
        rerank: bool = False,
        hyde: bool = False,
        hypothesis: str | None = None,
        require_fresh: bool = False,
        explain: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find passages by word and by meaning.

        Find passages in the indexed notes, documentation and code. Each hit is an exact excerpt with its uri and lines:
        cite it as uri:line. Read more around a hit with get.

        Args:
            query: A question or words; "phrase", -word, begin*, AND, OR, NOT, tag:, path:, title:, kind:, in:, after:,
                before:.
            limit: How many hits at most. 1 to 1,000.
            profile: The retrieval profile.
            collections: Only these collections.
            path_prefix: Only documents whose uri starts so.
            uris: Only these documents.
            heading_contains: Only below headings that contain this.
            tags_all: Only with all of these tags.
            tags_any: Only with one of these tags.
            kinds: Only these kinds.
            language: Only in this programming language.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            content_types: Only passages of these types.
            matched: Only what was found so.
            modified_after: Only modified since: 2024-05-01, yesterday, or an age: 7d 2w 3m 1y.
            modified_before: Only modified before.
            as_of: As the documents were then: 2025-03-01, or an age such as 3m.
            max_excerpt_chars: Cut excerpts after so many characters. 1 to 1,000,000.
            mode: With compressed, what is said twice is left out.
            min_score: Least score of a hit, its relevance. 0 to 1.
            similarity_threshold: Cosine from which two say the same; 0.85 when compressed. 0.5 to 1.
            show_all: Also show what is hardly relevant.
            rerank: Read the best passages again with the reranker, which takes longer.
            hyde: Look for what the configured model thinks an answer says.
            hypothesis: What the passage you hope for might say.
            require_fresh: Fail unless every chunk has its vector.
            explain: Add each stage's scores and the trace.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """
    def ask(
        self,
        question: str,
        *,
        mode: Literal["grounded", "insight"] = "grounded",
        limit: int = 8,
        profile: str | None = None,
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        uris: StrPath | Iterable[StrPath] = (),
        heading_contains: str | None = None,
        tags_all: str | Iterable[str] = (),
        tags_any: str | Iterable[str] = (),
        kinds: Kind | Iterable[Kind] = (),
        language: str | None = None,
        where: str | Iterable[str] = (),
        modified_after: Time | None = None,
        modified_before: Time | None = None,
        budget: int = 3000,
        max_hops: int | None = None,
        model: str | None = None,
        previous: str | Iterable[str] = (),
        show_context: bool = False,
        explain: bool = False,
        max_tokens: int | None = None,
    ) -> AskAnswer:
        """Answer a question, every sentence with its citation.

        Answer a question from the library. Every sentence comes with the exact place it is taken from, and with what
        that place is worth to it. Without a language model the sentences are the library's own.

        Args:
            question: What you want to know, in words.
            mode: grounded says only what passages say; insight also concludes, and says so.
            limit: How many passages to answer from, at most. 1 to 50.
            profile: The retrieval profile.
            collections: Only these collections.
            path_prefix: Only documents whose uri starts so.
            uris: Only these documents.
            heading_contains: Only below headings that contain this.
            tags_all: Only with all of these tags.
            tags_any: Only with one of these tags.
            kinds: Only these kinds.
            language: Only in this programming language.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            modified_after: Only modified since: 2024-05-01, yesterday, or an age: 7d 2w 3m 1y.
            modified_before: Only modified before.
            budget: How long the passages in the prompt may be. 200 to 200,000.
            max_hops: How many searches at most, where a model finds that something is missing. Where it is given, the
                model is asked of every question; else of questions that join several, up to 3. 1 to 10.
            model: Another model of llm.models to answer with.
            previous: A question of the conversation before this one, which may point back to it.
            show_context: Show the prompt, and ask no model.
            explain: Add what each stage of the search did.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
        """
    def get(
        self,
        reference: StrPath,
        *,
        collection: str | None = None,
        before: int = 0,
        after: int = 0,
        page: int | None = None,
        version: int | None = None,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> GetAnswer:
        """Read a document, some of its lines, a section or a chunk.

        Read what a hit points at, exactly as stored: a document, lines, a section or a chunk.

        Args:
            reference: uri or name, uri:10-20 (lines), uri#anchor or uri#Heading (a section), or a chunk id.
            collection: Where, if several have this uri.
            before: So many lines before it as well. 0 to 10,000.
            after: So many lines after it as well. 0 to 10,000.
            page: Only this page or slide of a document that has them.
            version: As this version had it; `octavo history` numbers them. 1 to 1,000,000,000.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """
    def add(
        self,
        folder: StrPath,
        *,
        name: str | None = None,
        include: str | Iterable[str] | None = None,
        ignore: str | Iterable[str] | None = None,
        tags: str | Iterable[str] | None = None,
        kind: Literal["note", "doc", "conversations"] | None = None,
        max_heading_depth: int | None = None,
        intelligent_heading_depth: bool | None = None,
        history: bool | None = None,
        max_commits: int | None = None,
        archives: bool | None = None,
        outside_git: bool | None = None,
        writable: bool | None = None,
        allow_secrets: bool | None = None,
        replace: bool = False,
        reset: bool = False,
    ) -> AddAnswer:
        """Add a folder to the library as a collection.

        Add a folder to the library. Nothing is read before the next indexing run.

        Args:
            folder: The folder with the documents.
            name: What to call it; else as its folder.
            include: Take only what matches one of these patterns.
            ignore: Leave out what matches one of these patterns.
            tags: Tags for every document.
            kind: What the documents are, where they do not say; of conversations nothing else is read as text.
            max_heading_depth: Deeper headings start no chunk. 0 to 6.
            intelligent_heading_depth: Choose that depth for each document by its size.
            history: Index the commits of git repositories in it, or do not.
            max_commits: Of each repository the newest so many only.
            archives: Read the files in zip and tar archives, or do not.
            outside_git: Read repositories that a .git file places outside the folder.
            writable: Allow notes in it to be changed, or do not.
            allow_secrets: Store keys and tokens as written, not redacted.
            replace: Point an existing collection at another folder.
            reset: Forget the settings it had; else those not named here stay.
        """
    def remove(self, names: str | Iterable[str]) -> RemoveAnswer:
        """Remove collections from the library; their folders are not touched.

        Remove collections and all that was indexed from them.

        Args:
            names: The collections to remove.
        """
    def index(
        self,
        *,
        collections: str | Iterable[str] = (),
        embed: bool = True,
        wait_full: bool = False,
        wait: bool = False,
        confirm_removals: bool = False,
        reread: str | Iterable[str] = (),
        progress: ProgressCallback | None = None,
    ) -> IndexAnswer:
        """Bring the library in step with its folders.

        Read what changed in the folders into the library, and compute vectors.

        Args:
            collections: Only these collections.
            embed: Compute vectors too, or leave them to the next run.
            wait_full: Stay until every chunk has its full vector.
            wait: Wait for a run of another process rather than fail.
            confirm_removals: Remove what is gone even where its disk may not be mounted.
            reread: Read what matches this again, changed or not.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def status(self, *, problems: bool = False) -> StatusAnswer:
        """Say what the library holds and whether indexing is under way.

        What the library holds: collections with their folders and counts, and how indexing goes.

        Args:
            problems: List files that failed, were skipped or have warnings.
        """
    def reindex(
        self,
        scope: Literal["changed", "full", "prefix"] = "changed",
        *,
        prefix: StrPath | None = None,
        collections: str | Iterable[str] = (),
        wait: bool = False,
        progress: ProgressCallback | None = None,
    ) -> IndexingRun:
        """Bring the library in step with its folders, in the background.

        Read files that changed on disk into the library. Answers at once with the job, which status follows, or with
        wait when it is done.

        Args:
            scope: changed files, full (read every file again) or prefix.
            prefix: Only uris that start so.
            collections: Only these collections.
            wait: Answer when it is done rather than at once; status tells meanwhile.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def doctor(self, *, deep: bool = False, report: bool = False) -> HealthAnswer:
        """Look for anything that is wrong, and say what to do.

        Check the library, the model, the configuration it was indexed with and every collection.

        Args:
            deep: Read the whole library as well, which takes a while.
            report: Give a text to paste into a report: versions, sizes, checks; nothing of yours.
        """
    def remember(
        self,
        text: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        kind: MemoryKind = "note",
        scope: str = "project",
        title: str = "",
        tags: str | Iterable[str] = (),
        links: str | Iterable[str] = (),
        pin: bool = False,
        valid_from: Time | None = None,
        valid_to: Time | None = None,
        force: bool = False,
    ) -> MemoryState:
        """Remember something, so that every later search finds it.

        Store one self-contained fact, decision, preference or plan. A duplicate returns the existing memory, an edited
        text becomes its next version. Secrets are refused. `contradicts` names a memory that says something else of the
        same thing and still holds: tell the user, or have it superseded.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            text: What to remember, in Markdown.
            kind: What sort of memory it is.
            scope: What it belongs to: project, a task, a talk.
            title: A title, instead of its first line.
            tags: Its tags.
            links: Documents or memories it is about.
            pin: Show it first in recall without a query.
            valid_from: When it began to be true, if not now: a date, a time or an age.
            valid_to: When it stops being true.
            force: Store it although it looks like a secret.
        """
    def recall(
        self,
        query: str = "",
        *,
        limit: int = 10,
        kinds: MemoryKind | Iterable[MemoryKind] = (),
        scopes: str | Iterable[str] = (),
        tags_all: str | Iterable[str] = (),
        tags_any: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        pinned_only: bool = False,
        created_after: Time | None = None,
        created_before: Time | None = None,
        canonical_only: bool = False,
        doc_classes: str | Iterable[str] = (),
        item_ids: str | Iterable[str] = (),
        exclude_item_ids: str | Iterable[str] = (),
        max_chars: int = 2000,
        min_similarity: float = 0.35,
        include_chunks: bool = False,
        profile: str = "memory",
        as_of: Time | None = None,
        project: str | None = None,
    ) -> RecallAnswer:
        """Find what was remembered.

        Find memories by word and by meaning; without a query, pinned ones and the latest.

        Args:
            query: A question or words.
            limit: How many memories at most. 1 to 200.
            kinds: Only these kinds.
            scopes: Only these scopes.
            tags_all: Only with all of these tags.
            tags_any: Only with one of these tags.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            pinned_only: Only pinned ones.
            created_after: Only made since: a date, or an age such as 7d.
            created_before: Only made before.
            canonical_only: Only canonical documents.
            doc_classes: Only of these document classes.
            item_ids: Only these memories.
            exclude_item_ids: Not these memories.
            max_chars: Cut each after so many characters. 1 to 1,000,000.
            min_similarity: Below this cosine, a memory has to share a word with the query. 0.0 to 1.0.
            include_chunks: Add every passage of a memory that was found, each with its place.
            profile: The retrieval profile.
            as_of: As it was then: 2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.
            project: Another project of the library than this server's own.
        """
    def forget(
        self,
        item: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Remove a memory from every search; its history stays.

        Take a memory out of every search. Its history stays.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            item: The memory's id, its beginning, or title.
        """

class CanonicalMethods:
    def upsert(
        self,
        key: str,
        text: StrPath,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        doc_class: str = "",
        title: str = "",
        kind: MemoryKind | None = None,
        tags: str | Iterable[str] = (),
        links: str | Iterable[str] = (),
        pin: bool = False,
        expected_version: int | None = None,
        force: bool = False,
    ) -> MemoryState:
        """Write a canonical document under its key.

        Create or replace a specification, plan or rule book under a key. Every version stays readable; nothing happens
        when nothing would change.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            key: The document's key, such as spec/app or implementation/plan.
            text: The document, in Markdown.
            doc_class: Its class: app_spec, feature_spec, implementation_plan, or any other.
            title: A title, instead of its first heading.
            kind: What sort of memory it is.
            tags: Its tags.
            links: Documents or memories it is about.
            pin: Show it first in recall without a query.
            expected_version: Fail unless the document is at this version.
            force: Store it although it looks like a secret.
        """
    def get(
        self, key: str, *, version: int | None = None, as_of: Time | None = None, project: str | None = None
    ) -> CanonicalAnswer:
        """Read a canonical document.

        Read a canonical document whole, as it is, at a version or as of a time.

        Args:
            key: The document's key, such as spec/app or implementation/plan.
            version: The number of a version.
            as_of: As it was then: 2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.
            project: Another project of the library than this server's own.
        """
    def outline(
        self, key: str, *, version: int | None = None, as_of: Time | None = None, project: str | None = None
    ) -> CanonicalOutlineAnswer:
        """List the sections of a canonical document.

        Its headings with anchors, exact spans and lengths: read one with canonical_get_section.

        Args:
            key: The document's key, such as spec/app or implementation/plan.
            version: The number of a version.
            as_of: As it was then: 2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.
            project: Another project of the library than this server's own.
        """
    def get_section(
        self, key: str, anchor: str, *, version: int | None = None, project: str | None = None
    ) -> CanonicalPassage:
        """Read one section of a canonical document.

        A section by its anchor, with its exact text and its subsections.

        Args:
            key: The document's key, such as spec/app or implementation/plan.
            anchor: A section's anchor, or its title.
            version: The number of a version.
            project: Another project of the library than this server's own.
        """
    def context_pack(
        self,
        query: str = "",
        *,
        max_tokens: int = 4000,
        keys: str | Iterable[str] = (),
        doc_classes: str | Iterable[str] = (),
        project: str | None = None,
    ) -> CanonicalPackAnswer:
        """Pack what canonical documents say about something into a token budget.

        The passages that answer best, with citations, never longer than max_tokens; without a query, the documents from
        their beginnings. Give it to a model before it works.

        Args:
            query: What the reader is about to do or ask.
            max_tokens: The pack is never longer. 50 to 100,000.
            keys: Only these documents.
            doc_classes: Only of these classes.
            project: Another project of the library than this server's own.
        """
    def list(self, *, doc_classes: str | Iterable[str] = (), project: str | None = None) -> CanonicalListAnswer:
        """List the canonical documents.

        Every canonical document with its key, class and version.

        Args:
            doc_classes: Only of these classes.
            project: Another project of the library than this server's own.
        """

class ClusterMethods:
    def build(
        self, algorithm: Literal["kmeans", "hdbscan"] = "kmeans", *, k: int | None = None, seed: int = 0
    ) -> ClustersAnswer:
        """Group the library's chunks by meaning.

        Make the clusters that the stage `dense_clusters` searches in.

        Args:
            algorithm: hdbscan finds the number itself; it needs octavo[cluster].
            k: How many clusters k-means makes; else the square root of half the number of chunks. 1 to 10,000.
            seed: The same seed gives the same clusters. 0 to 2,147,483,648.
        """
    def map(self) -> ClusterMap:
        """Some thousand chunks as points, near those that mean the same, and the names of their clusters.

        The map of the clusters as data: what `cluster_plot` draws.
        """
    def plot(self, output: StrPath = "map.html", *, force: bool = False) -> MapFile:
        """Draw the library as a page: each chunk a point, near those that mean the same.

        Draw a map of the clusters as a page.

        Args:
            output: The page to write.
            force: Replace a file that is there.
        """

class CodeMethods:
    def search(
        self,
        query: str,
        *,
        language: str | None = None,
        max_results: int = 5,
        use_reranker: bool = False,
        hyde: bool = False,
        path_prefix: StrPath | None = None,
        exclude_file: StrPath | None = None,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        min_score: float | None = None,
        expand: Literal["declaration", "passage"] = "declaration",
        explain: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find code by name, place, trace, message, pattern or meaning.

        Find source code, configuration and the code blocks of notes. Ask with a symbol's name, a path with a line, a
        whole stack trace, an error message, a regular expression or a question.

        Args:
            query: A name, a path with a line, a stack trace, an error message, a pattern, or a question.
            language: Only in this programming language.
            max_results: How many hits at most. 1 to 1,000.
            use_reranker: Let the reranker have the last word.
            hyde: Look for what the configured model thinks an answer says.
            path_prefix: Only documents whose uri starts so.
            exclude_file: Leave out the document with this uri.
            collections: Only these collections.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            min_score: Least score of a hit, its relevance. 0 to 1.
            expand: Show the whole declaration that a passage lies in, where it is not too long, or the passage.
            explain: Add each stage's scores and the trace.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """
    def augment(
        self,
        task: str,
        *,
        language: str | None = None,
        max_results: int = 3,
        max_context_tokens: int = 1000,
        path_prefix: StrPath | None = None,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        expand: Literal["declaration", "passage"] = "declaration",
    ) -> AugmentAnswer:
        """Put the code that matters in front of a task.

        For a small context window: the best passages of code for a task, quoted with their places and cut to fit, with
        the task below them. Without a match, the task alone.

        Args:
            task: What is to be done, or asked.
            language: Only in this programming language.
            max_results: How many hits at most. 1 to 1,000.
            max_context_tokens: How long the context may be, without the task. 50 to 100,000.
            path_prefix: Only documents whose uri starts so.
            collections: Only these collections.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            expand: Show the whole declaration that a passage lies in, where it is not too long, or the passage.
        """

class CollectionsMethods:
    def list(
        self,
        *,
        collections: str | Iterable[str] = (),
        documents: bool = False,
        keys: bool = False,
        all_values: bool = False,
        path_prefix: StrPath | None = None,
        where: str | Iterable[str] = (),
    ) -> ListAnswer:
        """List the collections, their documents, or the properties these have.

        Every collection with its folder, its settings and what it holds; or every document.

        Args:
            collections: Only these collections.
            documents: The documents rather than the collections.
            keys: The properties that documents have, for --where.
            all_values: With keys: all values of each property, not the most frequent.
            path_prefix: Only documents whose uri starts so.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
        """
    def fetch(self, pages: StrPath, folder: StrPath, *, progress: ProgressCallback | None = None) -> FetchedPagesAnswer:
        """Fetch web pages by their addresses into a folder, with the date.

        Fetch web pages by a list of addresses into a folder, each below the date of that day.

        Args:
            pages: A file with addresses in it, or one address.
            folder: The folder to write the pages to.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def export(
        self,
        target: StrPath,
        *,
        to: Literal["markdown", "jsonl", "site"] | None = None,
        query: str = "",
        limit: int = 50,
        collections: str | Iterable[str] = (),
        kinds: Kind | Iterable[Kind] = (),
        path_prefix: StrPath | None = None,
        tags_all: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        force: bool = False,
    ) -> ExportAnswer:
        """Write documents as Markdown, as lines of JSON, or as a site.

        Write the documents of the library, of a search or the memories for other programs.

        Args:
            target: A new folder, or a file ending in .jsonl.
            to: What to write, where the target's name does not say.
            query: Only documents that this finds.
            limit: How many hits of the query. 1 to 1,000.
            collections: Only these collections.
            kinds: Only these kinds.
            path_prefix: Only documents whose uri starts so.
            tags_all: Only with all of these tags.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            force: Replace what is there.
        """

class DbMethods:
    def backup(self, to: StrPath, *, force: bool = False) -> SavedLibrary:
        """Save the library to a file, while it is in use.

        Save the library to a file.

        Args:
            to: The file to write.
            force: Replace a file of that name.
        """
    def upgrade(
        self, *, background: bool = False, rebuild: bool = False, progress: ProgressCallback | None = None
    ) -> UpgradeAnswer:
        """Bring the library up to this version of Octavo and to the configuration.

        Index again what was indexed another way than the configuration says.

        Args:
            background: Leave new vectors to `octavo worker`.
            rebuild: Read every file again, whatever its recipe.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def prune(
        self,
        *,
        older_than: float | None = None,
        keep: int | None = None,
        max_bytes: int | None = None,
        cache: bool = False,
        dry_run: bool = False,
    ) -> PruneAnswer:
        """Let earlier versions of documents go, with the texts and vectors nothing else needs.

        Delete earlier versions by age, number or size.

        Args:
            older_than: Versions that were replaced so many days ago.
            keep: All but so many earlier versions of a document.
            max_bytes: The oldest, until earlier texts take no more.
            cache: Also what language models answered and rerankers scored.
            dry_run: Only say what would go.
        """
    def check(
        self, *, quick: bool = False, full: bool = False, progress: ProgressCallback | None = None
    ) -> CheckAnswer:
        """Read the whole library and say what is wrong with it.

        Read the whole library and compare its parts.

        Args:
            quick: Look at samples of every part only.
            full: Read and compare everything, as without an option.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def repair(self, *, progress: ProgressCallback | None = None) -> RepairAnswer:
        """Make anew what can be computed again: words, vectors, chunks of files and memories, snapshots.

        Make anew what can be computed again, and say what is lost.

        Args:
            progress: Called with a `ProgressUpdate` now and then.
        """

class DocMethods:
    def search(
        self,
        query: str,
        *,
        limit: int = 5,
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        tags_all: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        min_score: float | None = None,
        rerank: bool = False,
        hyde: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find passages in notes and documentation only.

        The same as search, with code, configuration and commits left out.

        Args:
            query: A question or words; "phrase", -word, begin*, AND, OR, NOT, tag:, path:, title:, kind:, in:, after:,
                before:.
            limit: How many hits at most. 1 to 1,000.
            collections: Only these collections.
            path_prefix: Only documents whose uri starts so.
            tags_all: Only with all of these tags.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            min_score: Least score of a hit, its relevance. 0 to 1.
            rerank: Read the best passages again with the reranker, which takes longer.
            hyde: Look for what the configured model thinks an answer says.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """
    def search_with_hypothesis(
        self,
        hypothesis: str,
        *,
        query: str | None = None,
        limit: int | None = None,
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        kinds: Kind | Iterable[Kind] = (),
        where: str | Iterable[str] = (),
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find passages that say what you imagine the answer to say.

        For vague questions: write the passage you hope to find, and it is looked for by meaning. A query, when given,
        is looked for by word.

        Args:
            hypothesis: What the passage you hope for might say.
            query: Words to look for as well; the syntax of search.
            limit: How many hits at most. 1 to 1,000.
            collections: Only these collections.
            path_prefix: Only documents whose uri starts so.
            kinds: Only these kinds.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """
    def find_similar(
        self,
        snippet: str,
        *,
        limit: int = 5,
        exclude_file: StrPath | None = None,
        language: str | None = None,
        kinds: Kind | Iterable[Kind] = (),
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        where: str | Iterable[str] = (),
        min_score: float | None = None,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find passages like a snippet.

        Find the chunks nearest in meaning to a piece of code or prose, which is taken literally. Code finds code, prose
        finds prose, unless kinds are named.

        Args:
            snippet: Code or prose, taken literally.
            limit: How many hits at most. 1 to 1,000.
            exclude_file: Leave out the document with this uri.
            language: Only in this programming language.
            kinds: Only these kinds.
            collections: Only these collections.
            path_prefix: Only documents whose uri starts so.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            min_score: Least score of a hit, its relevance. 0 to 1.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """
    def diff(
        self,
        reference: StrPath,
        *,
        from_version: int | None = None,
        to_version: int | None = None,
        collection: str | None = None,
        max_tokens: int | None = None,
    ) -> DiffAnswer:
        """Show what changed between two versions of a document.

        The lines that changed between two stored versions of a document; by default the last change.

        Args:
            reference: The document's uri, name, alias or id.
            from_version: The older one; else the one before. 1 to 1,000,000,000.
            to_version: The newer one; else the last. 1 to 1,000,000,000.
            collection: Where, if several have this uri.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
        """
    def get_many(
        self,
        references: StrPath | Iterable[StrPath],
        *,
        collection: str | None = None,
        where: str | Iterable[str] = (),
        token_budget: int = 8000,
    ) -> GetManyAnswer:
        """Read several documents, lines or sections at once.

        Read several passages in one call, by reference or by glob (src/**/*.py), within a budget of tokens that they
        share.

        Args:
            references: What to read: references as of get, or globs over uris such as notes/**/*.md.
            collection: Where, if several have this uri.
            where: Of what a glob names, only where a property meets it.
            token_budget: Tokens of text in all; documents are cut to share them. 100 to 100,000.
        """
    def list(
        self,
        path_prefix: StrPath | None = None,
        *,
        collections: str | Iterable[str] = (),
        kinds: Kind | Iterable[Kind] = (),
        where: str | Iterable[str] = (),
        keys: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> ListDocumentsAnswer:
        """List documents below a path, or the properties they have.

        List documents by path prefix, kind or property (where: status=draft, rating>=4), or with keys which properties
        there are.

        Args:
            path_prefix: Only documents whose uri starts so.
            collections: Only these collections.
            kinds: Only these kinds.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            keys: The properties that documents have, with their values.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """
    def recent(self, *, limit: int = 10) -> ListDocumentsAnswer:
        """List the documents that were changed last.

        List the documents whose files were changed last, the newest first: what somebody works on.

        Args:
            limit: How many documents at most. 1 to 100.
        """
    def outline(
        self,
        reference: StrPath,
        *,
        collection: str | None = None,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> OutlineAnswer:
        """List a document's headings.

        List a document's headings with anchors and lines: what to ask get for in a long document.

        Args:
            reference: The document's uri, name, alias or id.
            collection: Where, if several have this uri.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """
    def inspect(
        self, reference: StrPath, query: str = "", *, collection: str | None = None, profile: str | None = None
    ) -> InspectAnswer:
        """Show a file as the library sees it, and why a search does not find it.

        A file as the library sees it: what became of it, its passages with their headings, lines, tokens and vectors,
        its links and versions. With a query, where each passage ranks, by which channel, and what keeps it below the
        first hit.

        Args:
            reference: Its path, uri, name, alias or id.
            query: Where each passage ranks for it.
            collection: Where, if several have this uri.
            profile: The retrieval profile.
        """
    def tags(self, document_ids: str | Iterable[str]) -> DocumentTagsAnswer:
        """The tags of documents.

        The tags of documents by their ids: what the hits of a search can be narrowed to.

        Args:
            document_ids: Ids as searches give them.
        """
    def history(
        self,
        reference: StrPath | None = None,
        *,
        collection: str | None = None,
        limit: int = 20,
        max_tokens: int | None = None,
    ) -> HistoryAnswer:
        """List the commits and stored versions of a file, or the changes of a memory.

        The commits that changed a file, newest first, followed through renames, and the versions of it that the library
        holds. Without a file, the newest commits.

        Args:
            reference: The file's uri or document id.
            collection: Where, if several have this uri.
            limit: How many commits at most. 1 to 1,000.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
        """
    def validate(self, uri: StrPath, *, collection: str | None = None) -> ValidateAnswer:
        """Check the headings of a note.

        Heading jumps and duplicate sibling headings of a note, with their lines.

        Args:
            uri: Path in the collection.
            collection: Where, if several have this uri.
        """
    def auto_fix(
        self,
        uri: StrPath,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> AutoFixAnswer:
        """Close the heading jumps of a note.

        Put each heading one level below its parent; answers with the violations that remain.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
        """
    def create(
        self,
        uri: StrPath,
        title: str,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        template: StrPath | None = None,
        content_md: str | None = None,
        overwrite: bool = False,
    ) -> WriteAnswer:
        """Create a note with a title, from a template if one is given.

        Create a Markdown note. Fails if the file exists, unless overwrite.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
            title: The first heading.
            template: A note whose text is used, {{title}} and {{content}} replaced.
            content_md: Markdown below it.
            overwrite: Replace a file that is there.
        """
    def insert_section(
        self,
        uri: StrPath,
        parent_heading_path: str | Iterable[str],
        heading: str,
        content_md: str,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        level: int | None = None,
        position: str = "last",
    ) -> WriteAnswer:
        """Insert a section below a heading of a note.

        Add a section with a new heading below a parent heading.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
            parent_heading_path: Each heading from the top down to the parent; none is the root.
            heading: The new heading, without # markers.
            content_md: Markdown, without the heading.
            level: Else one below the parent.
            position: "last", "first" or {"after": [path of a child]}.
        """
    def replace_section(
        self,
        uri: StrPath,
        heading_path: str | Iterable[str],
        content_md: str,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Replace the text below a heading of a note.

        Replace a section's body; its heading and its subsections stay. Every doc tool that writes takes expected_hash
        and dry_run.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
            heading_path: Each heading from the top down to the section, in order.
            content_md: Markdown, without the heading.
        """
    def append_to_section(
        self,
        uri: StrPath,
        heading_path: str | Iterable[str],
        content_md: str,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Append to the text below a heading of a note.

        Add Markdown at the end of a section's body, before its subsections.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
            heading_path: Each heading from the top down to the section, in order.
            content_md: Markdown, without the heading.
        """
    def move_section(
        self,
        uri: StrPath,
        from_heading_path: str | Iterable[str],
        to_parent_heading_path: str | Iterable[str],
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        update_links: bool = False,
    ) -> LinkedWriteAnswer:
        """Move a section of a note below another heading.

        Move a section with its subsections to the end of another parent; its levels follow.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
            from_heading_path: Each heading from the top down to the section, in order.
            to_parent_heading_path: Each heading from the top down to the parent; none is the root.
            update_links: Write links of the collection anew that would lead nowhere.
        """
    def rename(
        self,
        uri: StrPath,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        to: StrPath | None = None,
        heading_path: str | Iterable[str] = (),
        heading: str | None = None,
        update_links: bool = False,
    ) -> LinkedWriteAnswer:
        """Give a note's file or one of its headings another name, and let links follow.

        Rename a note's file (to) or one of its headings (heading_path, heading). A dry run lists the links that would
        lead elsewhere; update_links writes them too, all or nothing.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
            to: The file's new path in the collection.
            heading_path: Each heading from the top down to the section, in order.
            heading: The section's new heading.
            update_links: Write links of the collection anew that would lead nowhere.
        """
    def restore(
        self,
        uri: StrPath,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        version: int | None = None,
    ) -> WriteAnswer:
        """Undo the last write to a note, or write an earlier version of it.

        Undo the last write to a note, or write back a version.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
            version: A version of its history; else the last write is undone.
        """
    def set_property(
        self,
        uri: StrPath,
        key: str,
        value: str | None = None,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        remove: bool = False,
    ) -> WriteAnswer:
        """Set or remove a property in the front matter of a note.

        Set one front matter property; all others keep their bytes.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            uri: Path in the collection.
            key: The property's name.
            value: Text, number, boolean or list.
            remove: Remove the property instead.
        """

class EvalMethods:
    def run(
        self,
        dataset: StrPath,
        *,
        profiles: str | Iterable[str] = (),
        qrels: StrPath | None = None,
        corpus: StrPath | None = None,
        queries: StrPath | None = None,
        scope: str | None = None,
        limit_queries: int | None = None,
        timed_queries: int | None = None,
        rebuild: bool = False,
        progress: ProgressCallback | None = None,
    ) -> EvaluationAnswer:
        """Measure one or several profiles on a data set.

        Index the corpus of a data set with known answers as documents are indexed, ask its queries, and say how good
        each profile's rankings are: nDCG, recall, MRR, MAP, diversity and latency.

        Args:
            dataset: A folder with corpus.jsonl, queries.jsonl and qrels.tsv, or the name of a set that ships.
            profiles: The profile to measure.
            qrels: Other judgements, such as a training split.
            corpus: Another corpus of the data set.
            queries: Other queries of the data set.
            scope: Confine each query to documents with the same metadata KEY.
            limit_queries: Ask N queries, spread over all.
            timed_queries: Take the time of N queries.
            rebuild: Read the corpus anew; texts embedded before are not embedded again.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def figures(self) -> FiguresAnswer:
        """The latest figures of every data set and profile that was measured.

        What `eval_run` has kept of its latest run of each data set with each profile.
        """

class GitMethods:
    def log(
        self,
        query: str,
        *,
        top_n: int = 10,
        min_score: float | None = None,
        show_all: bool = False,
        file_pattern: str | None = None,
        author: str | None = None,
        after: Time | None = None,
        before: Time | None = None,
        collections: str | Iterable[str] = (),
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> LogAnswer:
        """Find commits by what they say and what they changed.

        Find commits by word and by meaning: why something is as it is, when it changed, who changed it. Each hit cites
        its hash and files; read the whole commit, with its diff, with get and the hash.

        Args:
            query: A question or words; "phrase", -word, begin*, AND, OR, NOT, tag:, path:, title:, kind:, in:, after:,
                before:.
            top_n: How many commits at most. 1 to 100.
            min_score: Least score of a hit, its relevance. 0 to 1.
            show_all: Also show what is hardly relevant.
            file_pattern: Only commits that touched such a file: src/*.py, docs/.
            author: Only by an author whose name contains this.
            after: Only since a date, an age ago, or Unix seconds.
            before: Only before a date, an age ago, or Unix seconds.
            collections: Only these collections.
            max_tokens: How long the answer may be; the rest comes with its cursor. 500 to 100,000. Without it the
                answer is not cut.
            cursor: next_cursor of the answer before, to read on.
        """

class GraphMethods:
    def related(
        self,
        reference: StrPath,
        *,
        collection: str | None = None,
        limit: int = 10,
        where: str | Iterable[str] = (),
        by_meaning: bool = True,
    ) -> RelatedAnswer:
        """List the documents that belong to one, and why.

        What to read beside a document: linked to it or from it, near in meaning, with the same tags. Each says why.

        Args:
            reference: The document's uri, name, alias or id.
            collection: Where, if several have this uri.
            limit: How many at most. 1 to 200.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            by_meaning: Also what is near in meaning, linked or not.
        """
    def neighbors(
        self,
        reference: StrPath,
        *,
        collection: str | None = None,
        direction: Literal["out", "in", "both"] = "both",
        types: EdgeType | Iterable[EdgeType] = (),
        hops: int = 1,
        limit: int = 30,
    ) -> NeighborsAnswer:
        """List what a document points at and what points at it.

        The links of a document, both ways, with their type and the words around them; links that lead nowhere are told.
        With hops, also what is farther away.

        Args:
            reference: The document's uri, name, alias or id.
            collection: Where, if several have this uri.
            direction: What it points at (out), what points at it (in), or both.
            types: Only edges of these types.
            hops: How many edges away. 1 to 4.
            limit: How many at most. 1 to 200.
        """
    def build(
        self,
        *,
        communities: bool = True,
        thematic_links: bool = True,
        entities: bool = True,
        resolution: float = 1.0,
        seed: int = 0,
        threshold: float = 0.63,
        neighbours: int = 5,
        entities_by: Literal["rules", "model"] = "rules",
        budget: int = 0,
        wait: bool = False,
        progress: ProgressCallback | None = None,
    ) -> BuildAnswer:
        """Find communities and entities, and link what is near in meaning.

        Work over the whole graph, queued for a worker, or with wait done at once.

        Args:
            communities: Find communities.
            thematic_links: Link documents that are near in meaning.
            entities: Find people, projects, places, identifiers, DOIs and addresses.
            resolution: Higher makes more, smaller communities.
            seed: The same seed gives the same communities. 0 to 2,147,483,648.
            threshold: Least cosine of a thematic link. 0 to 1.
            neighbours: Thematic links from one document at most. 1 to 100.
            entities_by: Entities by rules alone, or also by the model in llm.roles.summarise.
            budget: How many tokens that model may read and write; needed with --entities-by model. 0 to 10,000,000,000.
            wait: Do it now rather than leave it to a worker.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def communities(self, *, limit: int = 20, members: int = 5, smallest: int = 2) -> CommunitiesAnswer:
        """List groups of documents that point at each other more than at others.

        Groups of documents that point at each other more than at others, largest first.

        Args:
            limit: How many communities at most. 1 to 1,000.
            members: How many documents of each at most. 1 to 1,000.
            smallest: Only communities of at least so many. 1 to 10,000.
        """
    def ghosts(self, *, limit: int = 50) -> GhostsAnswer:
        """List what is linked to and not there, most wanted first.

        Targets of links that nothing in the library answers to, most wanted first.

        Args:
            limit: How many at most. 1 to 10,000.
        """
    def entities(
        self,
        contains: str | None = None,
        *,
        entity_kinds: EntityKind | Iterable[EntityKind] = (),
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        least: int = 1,
        limit: int = 30,
    ) -> EntitiesAnswer:
        """List the people, projects, places, identifiers, DOIs and addresses that documents name.

        What documents name, most widely named first: people, projects, places, identifiers, DOIs, URLs.

        Args:
            contains: Only names with this in them.
            entity_kinds: Only entities of these kinds.
            collections: Only these collections.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            least: Only what at least so many documents name. 1 to 100,000.
            limit: How many at most. 1 to 10,000.
        """
    def mentions(
        self,
        name: str,
        *,
        entity_kind: EntityKind | None = None,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        limit: int = 30,
    ) -> MentionsAnswer:
        """List the documents that name a person, a project, a place, an identifier, a DOI or an address.

        Where an entity is named: the documents, with the line and the words around it.

        Args:
            name: What is named.
            entity_kind: As an entity of this kind.
            collections: Only these collections.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            limit: How many at most. 1 to 200.
        """
    def export(
        self,
        output: StrPath | None = None,
        *,
        to: Literal["json", "graphml"] = "json",
        sections: bool = False,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        ghosts: bool = True,
        tags: bool = True,
        thematic_links: bool = True,
        entities: bool = True,
        commits: bool = False,
        force: bool = False,
    ) -> GraphFile:
        """Write the graph for other programs: JSON as node-link data, or GraphML for Gephi, yEd and networkx.

        The whole graph as node-link JSON or as GraphML.

        Args:
            output: Where to write; else to stdout.
            to: Which format.
            sections: With headings, and what contains them.
            collections: Only these collections.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            ghosts: With what is linked to and not there.
            tags: With tags.
            thematic_links: With links by meaning.
            entities: With people, projects, places and what else documents name.
            commits: With commits and the files they change.
            force: Replace a file that is there.
        """
    def plot(
        self,
        output: StrPath = "octavo-graph.html",
        *,
        most: int = 3000,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        ghosts: bool = True,
        tags: bool = True,
        thematic_links: bool = True,
        entities: bool = True,
        commits: bool = False,
        force: bool = False,
    ) -> GraphFile:
        """Draw the graph as a page to open in a browser.

        Draw the graph as a page: communities in colour, nothing fetched from anywhere.

        Args:
            output: The page to write.
            most: Draw so many nodes, those with the most links. 1 to 20,000.
            collections: Only these collections.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            ghosts: With what is linked to and not there.
            tags: With tags.
            thematic_links: With links by meaning.
            entities: With people, projects, places and what else documents name.
            commits: With commits and the files they change.
            force: Replace a file that is there.
        """

class JobsMethods:
    def list(self, *, states: JobState | Iterable[JobState] = ()) -> JobsAnswer:
        """List queued jobs, oldest first.

        Jobs that wait, run, are done or were given up, and why.

        Args:
            states: Only in these states.
        """
    def retry(self, *, numbers: int | Iterable[int] = ()) -> JobsCountAnswer:
        """Try jobs again now: the numbered ones, or all that were given up.

        Make jobs due now.

        Args:
            numbers: These jobs; else all that were given up.
        """
    def purge(
        self, *, states: Literal["done", "dead"] | Iterable[Literal["done", "dead"]] = (), before: Time | None = None
    ) -> JobsCountAnswer:
        """Delete jobs that have ended.

        Delete jobs that are done, or were given up.

        Args:
            states: Which ended jobs; done ones if none is named.
            before: Only what ended before: 2024-05-01, or an age such as 7d.
        """

class MemoryMethods:
    def reingest(self, item: str) -> PromisedAnswer:
        """Cut, analyse and embed a memory again.

        Queue indexing a memory's current version again, in the background.

        Args:
            item: The memory's id, its beginning, or title.
        """
    def get(
        self, item: str, *, version: int | None = None, as_of: Time | None = None, project: str | None = None
    ) -> MemoryGetAnswer:
        """Read a memory as it is, at a version, or as of an instant.

        Read a memory whole, with who wrote it and why; at a version or as of a time, when given.

        Args:
            item: The memory's id, its beginning, or title.
            version: The number of a version.
            as_of: As it was then: 2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.
            project: Another project of the library than this server's own.
        """
    def history(self, item: str, *, project: str | None = None) -> MemoryHistoryAnswer:
        """Show how a memory changed, when, by whom and why.

        Every version of a memory and every change to it, in order.

        Args:
            item: The memory's id, its beginning, or title.
            project: Another project of the library than this server's own.
        """
    def diff(
        self,
        item: str,
        *,
        old: int | None = None,
        new: int | None = None,
        context: int = 3,
        by_section: bool = False,
        project: str | None = None,
    ) -> MemoryDiffAnswer:
        """Show what changed between two versions of a memory.

        A unified diff from one version to another, whole or by section; the last change by default.

        Args:
            item: The memory's id, its beginning, or title.
            old: From this version, instead of the one before.
            new: To this version, instead of the last.
            context: Unchanged lines around a change. 0 to 1,000.
            by_section: Section by section, instead of the whole text.
            project: Another project of the library than this server's own.
        """
    def restore(
        self,
        item: str,
        version: int,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Make an earlier version of a memory its newest again.

        Write an earlier version's text as a new version; an archived memory becomes active.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            item: The memory's id, its beginning, or title.
            version: The number of a version.
        """
    def pin(
        self,
        item: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Pin a memory: recall without a query shows it first.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            item: The memory's id, its beginning, or title.
        """
    def unpin(
        self,
        item: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Unpin a memory.

        Take the pin off a memory.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            item: The memory's id, its beginning, or title.
        """
    def link(
        self,
        item: str,
        target: StrPath,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        type: str = "mentions",
    ) -> MemoryState:
        """Link a memory to a document or another memory.

        Record that a memory is about something, and how: mentions, plans, refactors or any word.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            item: The memory's id, its beginning, or title.
            target: A uri, a memory's id, or any name.
            type: How they relate.
        """
    def unlink(
        self,
        item: str,
        target: StrPath,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        type: str = "",
    ) -> MemoryState:
        """Take a link of a memory away.

        Forget that a memory is about something; links in its text stay, until the text changes.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            item: The memory's id, its beginning, or title.
            target: What the link points to.
            type: Only a link of this type.
        """
    def commit(
        self,
        text: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        item: str | None = None,
        expected_version: int | None = None,
        kind: MemoryKind | None = None,
        scope: str | None = None,
        title: str = "",
        tags: str | Iterable[str] | None = None,
        links: str | Iterable[str] = (),
        supersedes: str | Iterable[str] = (),
        pin: bool = False,
        valid_from: Time | None = None,
        valid_to: Time | None = None,
        force: bool = False,
    ) -> MemoryState:
        """Store a memory exactly as it is given.

        Write a new memory, or with item its next version, without looking for duplicates as remember does. The same
        idempotency_key gives the first answer again.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            text: What to remember, in Markdown.
            item: The memory it is the next version of.
            expected_version: Fail unless the memory is at this version.
            kind: What sort of memory it is.
            scope: What it belongs to: project, a task, a talk.
            title: A title, instead of its first line.
            tags: Its tags.
            links: Documents or memories it is about.
            supersedes: Memories that it replaces.
            pin: Show it first in recall without a query.
            valid_from: When it began to be true, if not now: a date, a time or an age.
            valid_to: When it stops being true.
            force: Store it although it looks like a secret.
        """
    def search(
        self,
        query: str = "",
        *,
        limit: int = 10,
        kinds: MemoryKind | Iterable[MemoryKind] = (),
        scopes: str | Iterable[str] = (),
        tags_all: str | Iterable[str] = (),
        tags_any: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        pinned_only: bool = False,
        created_after: Time | None = None,
        created_before: Time | None = None,
        canonical_only: bool = False,
        doc_classes: str | Iterable[str] = (),
        item_ids: str | Iterable[str] = (),
        exclude_item_ids: str | Iterable[str] = (),
        max_chars: int = 2000,
        min_similarity: float = 0.35,
        include_chunks: bool = False,
        profile: str = "memory",
        as_of: Time | None = None,
        project: str | None = None,
    ) -> RecallAnswer:
        """Find memories, with every filter there is.

        Find memories by word and by meaning, within kinds, scopes, tags, times, or as of an instant.

        Args:
            query: A question or words.
            limit: How many memories at most. 1 to 200.
            kinds: Only these kinds.
            scopes: Only these scopes.
            tags_all: Only with all of these tags.
            tags_any: Only with one of these tags.
            where: Only where a property meets it: status=draft, rating>=4, date<2025-03, done, !done.
            pinned_only: Only pinned ones.
            created_after: Only made since: a date, or an age such as 7d.
            created_before: Only made before.
            canonical_only: Only canonical documents.
            doc_classes: Only of these document classes.
            item_ids: Only these memories.
            exclude_item_ids: Not these memories.
            max_chars: Cut each after so many characters. 1 to 1,000,000.
            min_similarity: Below this cosine, a memory has to share a word with the query. 0.0 to 1.0.
            include_chunks: Add every passage of a memory that was found, each with its place.
            profile: The retrieval profile.
            as_of: As it was then: 2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.
            project: Another project of the library than this server's own.
        """
    def archive(
        self,
        item: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Remove a memory from every search; its history stays.

        Take a memory out of every search; the same as forget.

        Args:
            author: Who makes the change.
            reason: Why, in a sentence.
            session: The session it belongs to.
            idempotency_key: Idempotency key: a retry under it changes nothing.
            project: Another project of the library than this server's own.
            item: The memory's id, its beginning, or title.
        """
    def linked(
        self,
        target: StrPath,
        query: str = "",
        *,
        types: str | Iterable[str] = (),
        limit: int = 10,
        project: str | None = None,
    ) -> LinkedMemoriesAnswer:
        """Find what was remembered about a document.

        Memories that link to a file, a note or anything with a name, such as [[src/server.py]], narrowed by a question
        and by the type of the link. Works for files that are not there yet.

        Args:
            target: A document's uri, a memory's id, or a name as linked.
            query: A question or words.
            types: Only links of these types: mentions, plans, refactors, fixes…
            limit: How many memories at most. 1 to 200.
            project: Another project of the library than this server's own.
        """
    def sync(self, folder: StrPath = ".memories", *, accept_deletions: bool = False) -> SyncReport:
        """Synchronise a folder of Markdown files with the memories, both ways.

        Reads and writes a folder of the machine it runs on: each file is a memory.

        Args:
            folder: The folder, made when it is not there.
            accept_deletions: Archive the memories even if every file is gone.
        """
    def to_note(
        self,
        item: str,
        uri: StrPath,
        heading_path: str | Iterable[str],
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Write a memory into a section of a note, with its provenance.

        Append a memory's text to a note's section, with who remembered it when; the memory links to it.

        Args:
            collection: Where, if several have this uri.
            expected_hash: Fail unless the file has this SHA-256.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
            item: The memory's id, its beginning, or title.
            uri: Path in the collection.
            heading_path: Each heading from the top down to the section, in order.
        """
    def from_note(
        self,
        source: StrPath,
        *,
        kind: MemoryKind = "note",
        scope: str = "project",
        title: str = "",
        tags: str | Iterable[str] = (),
        collection: str | None = None,
        author: str = "",
        reason: str = "",
    ) -> MemoryState:
        """Remember a section of a note, with a citation back to it.

        Store a section as a memory whose text ends with a link to where it stands.

        Args:
            source: What to remember: uri#Heading, uri:10-20 or a uri.
            kind: What sort of memory it is.
            scope: What it belongs to: project, a task, a talk.
            title: A title, instead of its first line.
            tags: Its tags.
            collection: Where, if several have this uri.
            author: Who makes the change.
            reason: Why it is made.
        """

class ModelsMethods:
    def embed(self, texts: str | Iterable[str], *, queries: bool = False) -> EmbedAnswer:
        """Turn texts into vectors.

        The vectors of texts, by the model that searches use. For programs; a search needs none.

        Args:
            texts: The texts; on a command line, lines of stdin where there are none.
            queries: As questions, where the model tells these from passages.
        """
    def list(self) -> ModelsAnswer:
        """List the models on this machine.

        The bundled models and those that were made or fetched here, with their figures and states.
        """
    def show(self, name: str) -> ModelAnswer:
        """Show a model's card.

        What a model was made from, how, and how good it is.

        Args:
            name: The model's name.
        """
    def activate(self, name: str, *, force: bool = False) -> ModelAnswer:
        """Let a model answer for this project.

        Re-embed the library with a model in the background, then let it answer. One that is worse on a check is refused
        unless forced. A reranker takes over at once.

        Args:
            name: The model's name.
            force: Even if it is worse on a check.
        """
    def remove(self, name: str) -> ModelRemoved:
        """Delete a model from this machine, if nothing uses it.

        Delete a model's folder, if no profile of this library's projects stands for it.

        Args:
            name: The model's name.
        """
    def fetch(
        self, name: str, *, manifest: StrPath | None = None, progress: ProgressCallback | None = None
    ) -> FetchedModel:
        """Fetch a model's files that a manifest names.

        Fetch the files of an embedding model or a language model from the addresses in a manifest.

        Args:
            name: The model's name.
            manifest: Another manifest than your models.toml and what ships.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def finetune(
        self,
        name: str = "mine",
        *,
        collections: str | Iterable[str] = (),
        static: bool = False,
        reranker: bool = False,
        base: StrPath = "",
        teacher: StrPath = "",
        pairs: StrPath | None = None,
        epochs: float | None = None,
        batch: int | None = None,
        rate: float | None = None,
        seed: int | None = None,
        device: Literal["cpu", "cuda"] | None = None,
        replace: bool = False,
        activate: bool = False,
        force: bool = False,
        progress: ProgressCallback | None = None,
    ) -> FinetuneAnswer:
        """Train the encoder or the reranker on the library's own content, measure it, and register it.

        Train the encoder or the reranker, or fit a fast table, on the library's own content.

        Args:
            name: What to call the model.
            collections: Only these collections.
            static: Fit a fast table in the encoder's space instead.
            reranker: Train the reranker instead.
            base: Begin with this model; else with the one that answers now.
            teacher: Learn to find what this encoder finds, too.
            pairs: A file with more pairs, a line each: {"query": …, "positive": …}.
            epochs: How often each pair is seen.
            batch: Pairs in one step.
            rate: The learning rate.
            seed: The same seed gives the same model on the same CPU.
            device: A GPU is used where there is one.
            replace: Take the place of a model of the same name.
            activate: Let it answer if it is no worse on both checks.
            force: With activate: even if it is worse.
            progress: Called with a `ProgressUpdate` now and then.
        """

class NotesMethods:
    def new(
        self,
        title: str,
        *,
        template: StrPath | None = None,
        content_md: str = "",
        folder: StrPath | None = None,
        collection: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Make a note from its title, and from a template if one is named.

        Make a note: its file's name follows from the title, its folder from the configuration.

        Args:
            title: Its title, and its file's name.
            template: Its template.
            content_md: Its text, in Markdown.
            folder: A folder of the collection.
            collection: The collection it is in.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
        """
    def append(
        self,
        note: StrPath,
        content_md: str,
        *,
        heading_path: str | Iterable[str] = (),
        collection: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Add a text at the end of a note, which is made if it is not there.

        Add Markdown at the end of a note found by its name; a missing one is made.

        Args:
            note: Its name or uri.
            content_md: Markdown to add at its end.
            heading_path: The section to add to, instead of the end.
            collection: The collection it is in.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
        """
    def today(
        self,
        content_md: str = "",
        *,
        collection: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Make today's note, or add a text to it.

        Today's note, made if it is not there; a text is added at its end.

        Args:
            content_md: Markdown to add at the end of today's note.
            collection: The collection it is in.
            dry_run: Show the diff, write nothing.
            author: Who makes the change.
            reason: Why it is made.
        """
    def lint(
        self,
        *,
        files: StrPath | Iterable[StrPath] = (),
        collections: str | Iterable[str] = (),
        rules: Literal[
            "heading-jump",
            "duplicate-sibling",
            "single-h1",
            "unreadable-front-matter",
            "broken-wikilink",
            "broken-link",
            "missing-anchor",
            "duplicate-title",
            "orphan-note",
        ]
        | Iterable[
            Literal[
                "heading-jump",
                "duplicate-sibling",
                "single-h1",
                "unreadable-front-matter",
                "broken-wikilink",
                "broken-link",
                "missing-anchor",
                "duplicate-title",
                "orphan-note",
            ]
        ] = (),
        fix: bool = False,
        dry_run: bool = False,
        limit: int = 200,
        progress: ProgressCallback | None = None,
    ) -> LintAnswer:
        """Check the notes of collections: headings, front matter, links, titles.

        Heading jumps, broken links, missing anchors, duplicate titles, orphans and bad front matter.

        Args:
            files: Only these notes: uris or paths.
            collections: Only these collections.
            rules: Only these rules.
            fix: Mend what can be mended without a choice: heading jumps.
            dry_run: Show the diff, write nothing.
            limit: Findings listed. 1 to 1,099,511,627,776.
            progress: Called with a `ProgressUpdate` now and then.
        """

class ProfilesMethods:
    def list(self) -> ProfilesAnswer:
        """List the embedding profiles, and say which one searches use.

        Which embedders the project knows, which one answers, and how far each is filled.
        """
    def set(
        self,
        name: str,
        provider: Literal["bundled", "onnx", "hashing", "ollama", "openai", "voyage", "jina"],
        *,
        model: str = "",
        dimensions: int | None = None,
        distance: Literal["cosine", "dot", "l2"] = "cosine",
        window: int | None = None,
        url: str = "",
        key_variable: str = "",
        key_file: StrPath = "",
        query_prefix: str = "",
        document_prefix: str = "",
        batch: int | None = None,
        concurrency: int | None = None,
        timeout_seconds: float | None = None,
        retries: int | None = None,
        requests_per_minute: float | None = None,
        contextual: bool = False,
        late_chunking: bool = False,
        shorten: bool = False,
        hnsw_m: int | None = None,
        hnsw_ef_construction: int | None = None,
        ef_search_min: int | None = None,
        ef_search_factor: float | None = None,
        ef_search_max: int | None = None,
        activate: bool = False,
    ) -> ProfileAnswer:
        """Make or change an embedding profile.

        Name an embedder on this machine: bundled, an ONNX folder, Ollama or a local OpenAI-compatible server. Services
        elsewhere are named by a person, with `octavo profiles set`.

        Args:
            name: The profile's name.
            provider: Where vectors come from.
            model: The model's name, or its folder.
            dimensions: Asked of the service when left out. 1 to 65,536.
            distance: Vectors are of length one, so all order alike.
            window: Tokens the model reads. 16 to 10,000,000.
            url: Where the service is, if not at its usual place.
            key_variable: The environment variable with the key.
            key_file: The file with the key.
            query_prefix: Put before every query.
            document_prefix: Put before every passage.
            batch: Texts in one request. 1 to 10,000.
            concurrency: Requests at once. 1 to 64.
            timeout_seconds: For one answer.
            retries: How often to ask again. 0 to 20.
            requests_per_minute: No more requests a minute than that.
            contextual: Voyage: embed a document's chunks together.
            late_chunking: Jina: embed a document's chunks together.
            shorten: Ask Ollama or OpenAI for so many dimensions.
            hnsw_m: PostgreSQL: links of a node in the index. 2 to 100.
            hnsw_ef_construction: PostgreSQL: care taken when it is built. 4 to 1,000.
            ef_search_min: PostgreSQL: candidates of a search at least. 1 to 1,000.
            ef_search_factor: PostgreSQL: candidates for each hit.
            ef_search_max: PostgreSQL: candidates at most. 1 to 1,000.
            activate: Fill it in the background, then search with it.
        """
    def activate(self, name: str) -> ProfileAnswer:
        """Search with an embedding profile from now on.

        Switch to a profile that has every vector; `configured` is the configuration's own embedder.

        Args:
            name: The profile's name.
        """
    def reindex(self, name: str, *, force: bool = False) -> ProfileAnswer:
        """Fill an embedding profile in the background, then search with it.

        A worker gives every chunk its vector; the profile that answers now goes on until then.

        Args:
            name: The profile's name.
            force: Compute the vectors there are again, too; words find what waits for one.
        """

class ProjectsMethods:
    def resolve(
        self,
        path: StrPath | None = None,
        *,
        repo_url: str | None = None,
        name: str | None = None,
        workspace: str | None = None,
        create_if_missing: bool = False,
    ) -> ProjectsResolveAnswer:
        """Find the project of a folder, a repository or a name, and make it when asked.

        From a working directory, a repository's address or a name to the project, with the collections at, above or
        below the folder. With create_if_missing the project is made and found by them from then on.

        Args:
            path: An absolute path, such as the working directory.
            repo_url: A git repository's address, such as https://host/owner/name.
            name: The project's name.
            workspace: The workspace: a group of projects.
            create_if_missing: Make the project when there is none.
        """
    def list(self, workspace: str | None = None) -> ProjectsListAnswer:
        """List the projects in the library.

        Every project in the library with its collections and counts.

        Args:
            workspace: The workspace: a group of projects.
        """

class QueriesMethods:
    def list(self, *, limit: int = 20) -> QueriesAnswer:
        """List what was asked, newest first, with what was opened.

        The log of queries, where log.queries is on.

        Args:
            limit: How many at most. 1 to 100,000.
        """
    def clear(self, before: str | None = None) -> QueriesCleared:
        """Forget what was asked.

        Empty the log of queries.

        Args:
            before: Only what was asked before: a date, or 30d, 2w.
        """

class SessionsMethods:
    def start(self, title: str = "", *, author: str = "", project: str | None = None) -> SessionState:
        """Start a session that memories can name.

        Begin a period of work; pass its id as session to what is remembered in it.

        Args:
            title: What it is about, in a line.
            author: Who makes the change.
            project: Another project of the library than this server's own.
        """
    def end(self, session: str, summary: str = "", *, project: str | None = None) -> SessionState:
        """End a session, once, with a summary that is remembered.

        End a period of work, once; its summary is remembered and found like any memory.

        Args:
            session: The session's id or title.
            summary: What was done and found, to be remembered; ends it for good.
            project: Another project of the library than this server's own.
        """
    def list(
        self,
        query: str = "",
        *,
        limit: int = 200,
        scopes: str | Iterable[str] = (),
        open_only: bool = False,
        project: str | None = None,
    ) -> SessionsAnswer:
        """List the sessions, latest first, or those in which something was talked about.

        Which sessions there were, what came of them, and which are still open. With a query: in which of them it was
        talked about, best first, even where its words are spread over many memories.

        Args:
            query: A question or words.
            limit: How many sessions at most. 1 to 200.
            scopes: Only with memories of these scopes.
            open_only: Only those that have not ended.
            project: Another project of the library than this server's own.
        """

class SnapshotsMethods:
    def list(self, *, verify: bool = False) -> SnapshotsAnswer:
        """List the snapshots that large libraries are searched through.

        Which snapshots there are, which one answers, and how much was written since it was made.

        Args:
            verify: Read every byte and compare it with what was written.
        """
    def build(self, *, full: bool = False, progress: ProgressCallback | None = None) -> SnapshotsAnswer:
        """Make a snapshot now.

        Make one whatever the size of the library. The one before answers until the new one is there.

        Args:
            full: Carry nothing over from the one before.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def rollback(self, snapshot: str | None = None) -> SnapshotsAnswer:
        """Search through an earlier snapshot: the one before, or the one named.

        Search through an earlier snapshot.

        Args:
            snapshot: Which one; left out, the one before.
        """
    def recover(self) -> SnapshotsAnswer:
        """Clear away unfinished snapshots, and search through the newest that is whole.

        Clear away unfinished snapshots.
        """

class SummariesMethods:
    def build(
        self,
        by: Literal["extract", "model"] = "extract",
        *,
        sections: bool = True,
        budget: int = 0,
        dry_run: bool = False,
        wait: bool = False,
        progress: ProgressCallback | None = None,
    ) -> SummariesBuilt:
        """Summarise sections and files, so that a search can find them as a whole.

        Make the summaries that the retrieval profile `multi_vector` searches in, beside chunks.

        Args:
            by: Sentences of the text itself, or what the model in llm.roles.summarise writes.
            sections: Of sections too, not of whole files alone.
            budget: How many tokens a model may read and write; needed with --by model. 0 to 10,000,000,000.
            dry_run: Only say what it would take.
            wait: Do it now rather than leave it to a worker.
            progress: Called with a `ProgressUpdate` now and then.
        """
    def show(self, reference: StrPath, *, collection: str | None = None) -> SummariesAnswer:
        """Show the summaries of a file and its sections.

        What was made of a document by `summaries build`.

        Args:
            reference: The document's uri, name, alias or id.
            collection: Where, if several have this uri.
        """
    def clear(self) -> SummariesCleared:
        """Remove all summaries of the project.

        Remove the summaries; nothing makes them again by itself.
        """

class TokensMethods:
    def create(
        self,
        name: str,
        *,
        scope: AccessScope = "read",
        projects: str | Iterable[str] = (),
        rate: int | None = None,
        days: int | None = None,
    ) -> TokenCreated:
        """Make a token for a person or a program.

        A token that servers of this library take. It is told once: only its hash is kept.

        Args:
            name: What the token is called.
            scope: What it allows: read, write (memories and notes too) or admin (everything that is served).
            projects: The projects it is for; all if none is named.
            rate: Requests a minute, of each server. 1 to 1,000,000.
            days: After how many days it ends. 1 to 36,500.
        """
    def list(self) -> TokensListAnswer:
        """List the tokens of the library and what they allow.

        Every token with its scope, its projects and whether it holds.
        """
    def revoke(self, name: str) -> TokenRevoked:
        """End a token.

        Servers refuse the token from then on, after five seconds at the latest.

        Args:
            name: What the token is called.
        """
    def audit(self, *, limit: int = 50, who: str | None = None) -> TokensAuditAnswer:
        """List what was changed over HTTP, by whom, newest first.

        Every write over HTTP: when, by which token, which operation, and how it ended.

        Args:
            limit: How many at most. 1 to 100,000.
            who: Only writes with this token.
        """

class AsyncMethods:
    def __init__(self, caller: Callable[..., Any]) -> None: ...
    @property
    def canonical(self) -> CanonicalAsyncMethods: ...
    @property
    def cluster(self) -> ClusterAsyncMethods: ...
    @property
    def code(self) -> CodeAsyncMethods: ...
    @property
    def collections(self) -> CollectionsAsyncMethods: ...
    @property
    def db(self) -> DbAsyncMethods: ...
    @property
    def doc(self) -> DocAsyncMethods: ...
    @property
    def eval(self) -> EvalAsyncMethods: ...
    @property
    def git(self) -> GitAsyncMethods: ...
    @property
    def graph(self) -> GraphAsyncMethods: ...
    @property
    def jobs(self) -> JobsAsyncMethods: ...
    @property
    def memory(self) -> MemoryAsyncMethods: ...
    @property
    def models(self) -> ModelsAsyncMethods: ...
    @property
    def notes(self) -> NotesAsyncMethods: ...
    @property
    def profiles(self) -> ProfilesAsyncMethods: ...
    @property
    def projects(self) -> ProjectsAsyncMethods: ...
    @property
    def queries(self) -> QueriesAsyncMethods: ...
    @property
    def sessions(self) -> SessionsAsyncMethods: ...
    @property
    def snapshots(self) -> SnapshotsAsyncMethods: ...
    @property
    def summaries(self) -> SummariesAsyncMethods: ...
    @property
    def tokens(self) -> TokensAsyncMethods: ...
    async def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        profile: str | None = None,
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        uris: StrPath | Iterable[StrPath] = (),
        heading_contains: str | None = None,
        tags_all: str | Iterable[str] = (),
        tags_any: str | Iterable[str] = (),
        kinds: Kind | Iterable[Kind] = (),
        language: str | None = None,
        where: str | Iterable[str] = (),
        content_types: ContentType | Iterable[ContentType] = (),
        matched: Matching | Iterable[Matching] = (),
        modified_after: Time | None = None,
        modified_before: Time | None = None,
        as_of: Time | None = None,
        max_excerpt_chars: int | None = None,
        mode: Literal["full", "compressed"] = "full",
        min_score: float | None = None,
        similarity_threshold: float | None = None,
        show_all: bool = False,
        rerank: bool = False,
        hyde: bool = False,
        hypothesis: str | None = None,
        require_fresh: bool = False,
        explain: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find passages by word and by meaning."""
    async def ask(
        self,
        question: str,
        *,
        mode: Literal["grounded", "insight"] = "grounded",
        limit: int = 8,
        profile: str | None = None,
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        uris: StrPath | Iterable[StrPath] = (),
        heading_contains: str | None = None,
        tags_all: str | Iterable[str] = (),
        tags_any: str | Iterable[str] = (),
        kinds: Kind | Iterable[Kind] = (),
        language: str | None = None,
        where: str | Iterable[str] = (),
        modified_after: Time | None = None,
        modified_before: Time | None = None,
        budget: int = 3000,
        max_hops: int | None = None,
        model: str | None = None,
        previous: str | Iterable[str] = (),
        show_context: bool = False,
        explain: bool = False,
        max_tokens: int | None = None,
    ) -> AskAnswer:
        """Answer a question, every sentence with its citation."""
    async def get(
        self,
        reference: StrPath,
        *,
        collection: str | None = None,
        before: int = 0,
        after: int = 0,
        page: int | None = None,
        version: int | None = None,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> GetAnswer:
        """Read a document, some of its lines, a section or a chunk."""
    async def add(
        self,
        folder: StrPath,
        *,
        name: str | None = None,
        include: str | Iterable[str] | None = None,
        ignore: str | Iterable[str] | None = None,
        tags: str | Iterable[str] | None = None,
        kind: Literal["note", "doc", "conversations"] | None = None,
        max_heading_depth: int | None = None,
        intelligent_heading_depth: bool | None = None,
        history: bool | None = None,
        max_commits: int | None = None,
        archives: bool | None = None,
        outside_git: bool | None = None,
        writable: bool | None = None,
        allow_secrets: bool | None = None,
        replace: bool = False,
        reset: bool = False,
    ) -> AddAnswer:
        """Add a folder to the library as a collection."""
    async def remove(self, names: str | Iterable[str]) -> RemoveAnswer:
        """Remove collections from the library; their folders are not touched."""
    async def index(
        self,
        *,
        collections: str | Iterable[str] = (),
        embed: bool = True,
        wait_full: bool = False,
        wait: bool = False,
        confirm_removals: bool = False,
        reread: str | Iterable[str] = (),
        progress: ProgressCallback | None = None,
    ) -> IndexAnswer:
        """Bring the library in step with its folders."""
    async def status(self, *, problems: bool = False) -> StatusAnswer:
        """Say what the library holds and whether indexing is under way."""
    async def reindex(
        self,
        scope: Literal["changed", "full", "prefix"] = "changed",
        *,
        prefix: StrPath | None = None,
        collections: str | Iterable[str] = (),
        wait: bool = False,
        progress: ProgressCallback | None = None,
    ) -> IndexingRun:
        """Bring the library in step with its folders, in the background."""
    async def doctor(self, *, deep: bool = False, report: bool = False) -> HealthAnswer:
        """Look for anything that is wrong, and say what to do."""
    async def remember(
        self,
        text: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        kind: MemoryKind = "note",
        scope: str = "project",
        title: str = "",
        tags: str | Iterable[str] = (),
        links: str | Iterable[str] = (),
        pin: bool = False,
        valid_from: Time | None = None,
        valid_to: Time | None = None,
        force: bool = False,
    ) -> MemoryState:
        """Remember something, so that every later search finds it."""
    async def recall(
        self,
        query: str = "",
        *,
        limit: int = 10,
        kinds: MemoryKind | Iterable[MemoryKind] = (),
        scopes: str | Iterable[str] = (),
        tags_all: str | Iterable[str] = (),
        tags_any: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        pinned_only: bool = False,
        created_after: Time | None = None,
        created_before: Time | None = None,
        canonical_only: bool = False,
        doc_classes: str | Iterable[str] = (),
        item_ids: str | Iterable[str] = (),
        exclude_item_ids: str | Iterable[str] = (),
        max_chars: int = 2000,
        min_similarity: float = 0.35,
        include_chunks: bool = False,
        profile: str = "memory",
        as_of: Time | None = None,
        project: str | None = None,
    ) -> RecallAnswer:
        """Find what was remembered."""
    async def forget(
        self,
        item: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Remove a memory from every search; its history stays."""

class CanonicalAsyncMethods:
    async def upsert(
        self,
        key: str,
        text: StrPath,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        doc_class: str = "",
        title: str = "",
        kind: MemoryKind | None = None,
        tags: str | Iterable[str] = (),
        links: str | Iterable[str] = (),
        pin: bool = False,
        expected_version: int | None = None,
        force: bool = False,
    ) -> MemoryState:
        """Write a canonical document under its key."""
    async def get(
        self, key: str, *, version: int | None = None, as_of: Time | None = None, project: str | None = None
    ) -> CanonicalAnswer:
        """Read a canonical document."""
    async def outline(
        self, key: str, *, version: int | None = None, as_of: Time | None = None, project: str | None = None
    ) -> CanonicalOutlineAnswer:
        """List the sections of a canonical document."""
    async def get_section(
        self, key: str, anchor: str, *, version: int | None = None, project: str | None = None
    ) -> CanonicalPassage:
        """Read one section of a canonical document."""
    async def context_pack(
        self,
        query: str = "",
        *,
        max_tokens: int = 4000,
        keys: str | Iterable[str] = (),
        doc_classes: str | Iterable[str] = (),
        project: str | None = None,
    ) -> CanonicalPackAnswer:
        """Pack what canonical documents say about something into a token budget."""
    async def list(self, *, doc_classes: str | Iterable[str] = (), project: str | None = None) -> CanonicalListAnswer:
        """List the canonical documents."""

class ClusterAsyncMethods:
    async def build(
        self, algorithm: Literal["kmeans", "hdbscan"] = "kmeans", *, k: int | None = None, seed: int = 0
    ) -> ClustersAnswer:
        """Group the library's chunks by meaning."""
    async def map(self) -> ClusterMap:
        """Some thousand chunks as points, near those that mean the same, and the names of their clusters."""
    async def plot(self, output: StrPath = "map.html", *, force: bool = False) -> MapFile:
        """Draw the library as a page: each chunk a point, near those that mean the same."""

class CodeAsyncMethods:
    async def search(
        self,
        query: str,
        *,
        language: str | None = None,
        max_results: int = 5,
        use_reranker: bool = False,
        hyde: bool = False,
        path_prefix: StrPath | None = None,
        exclude_file: StrPath | None = None,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        min_score: float | None = None,
        expand: Literal["declaration", "passage"] = "declaration",
        explain: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find code by name, place, trace, message, pattern or meaning."""
    async def augment(
        self,
        task: str,
        *,
        language: str | None = None,
        max_results: int = 3,
        max_context_tokens: int = 1000,
        path_prefix: StrPath | None = None,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        expand: Literal["declaration", "passage"] = "declaration",
    ) -> AugmentAnswer:
        """Put the code that matters in front of a task."""

class CollectionsAsyncMethods:
    async def list(
        self,
        *,
        collections: str | Iterable[str] = (),
        documents: bool = False,
        keys: bool = False,
        all_values: bool = False,
        path_prefix: StrPath | None = None,
        where: str | Iterable[str] = (),
    ) -> ListAnswer:
        """List the collections, their documents, or the properties these have."""
    async def fetch(
        self, pages: StrPath, folder: StrPath, *, progress: ProgressCallback | None = None
    ) -> FetchedPagesAnswer:
        """Fetch web pages by their addresses into a folder, with the date."""
    async def export(
        self,
        target: StrPath,
        *,
        to: Literal["markdown", "jsonl", "site"] | None = None,
        query: str = "",
        limit: int = 50,
        collections: str | Iterable[str] = (),
        kinds: Kind | Iterable[Kind] = (),
        path_prefix: StrPath | None = None,
        tags_all: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        force: bool = False,
    ) -> ExportAnswer:
        """Write documents as Markdown, as lines of JSON, or as a site."""

class DbAsyncMethods:
    async def backup(self, to: StrPath, *, force: bool = False) -> SavedLibrary:
        """Save the library to a file, while it is in use."""
    async def upgrade(
        self, *, background: bool = False, rebuild: bool = False, progress: ProgressCallback | None = None
    ) -> UpgradeAnswer:
        """Bring the library up to this version of Octavo and to the configuration."""
    async def prune(
        self,
        *,
        older_than: float | None = None,
        keep: int | None = None,
        max_bytes: int | None = None,
        cache: bool = False,
        dry_run: bool = False,
    ) -> PruneAnswer:
        """Let earlier versions of documents go, with the texts and vectors nothing else needs."""
    async def check(
        self, *, quick: bool = False, full: bool = False, progress: ProgressCallback | None = None
    ) -> CheckAnswer:
        """Read the whole library and say what is wrong with it."""
    async def repair(self, *, progress: ProgressCallback | None = None) -> RepairAnswer:
        """Make anew what can be computed again: words, vectors, chunks of files and memories, snapshots."""

class DocAsyncMethods:
    async def search(
        self,
        query: str,
        *,
        limit: int = 5,
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        tags_all: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        min_score: float | None = None,
        rerank: bool = False,
        hyde: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find passages in notes and documentation only."""
    async def search_with_hypothesis(
        self,
        hypothesis: str,
        *,
        query: str | None = None,
        limit: int | None = None,
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        kinds: Kind | Iterable[Kind] = (),
        where: str | Iterable[str] = (),
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find passages that say what you imagine the answer to say."""
    async def find_similar(
        self,
        snippet: str,
        *,
        limit: int = 5,
        exclude_file: StrPath | None = None,
        language: str | None = None,
        kinds: Kind | Iterable[Kind] = (),
        collections: str | Iterable[str] = (),
        path_prefix: StrPath | None = None,
        where: str | Iterable[str] = (),
        min_score: float | None = None,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> SearchAnswer:
        """Find passages like a snippet."""
    async def diff(
        self,
        reference: StrPath,
        *,
        from_version: int | None = None,
        to_version: int | None = None,
        collection: str | None = None,
        max_tokens: int | None = None,
    ) -> DiffAnswer:
        """Show what changed between two versions of a document."""
    async def get_many(
        self,
        references: StrPath | Iterable[StrPath],
        *,
        collection: str | None = None,
        where: str | Iterable[str] = (),
        token_budget: int = 8000,
    ) -> GetManyAnswer:
        """Read several documents, lines or sections at once."""
    async def list(
        self,
        path_prefix: StrPath | None = None,
        *,
        collections: str | Iterable[str] = (),
        kinds: Kind | Iterable[Kind] = (),
        where: str | Iterable[str] = (),
        keys: bool = False,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> ListDocumentsAnswer:
        """List documents below a path, or the properties they have."""
    async def recent(self, *, limit: int = 10) -> ListDocumentsAnswer:
        """List the documents that were changed last."""
    async def outline(
        self,
        reference: StrPath,
        *,
        collection: str | None = None,
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> OutlineAnswer:
        """List a document's headings."""
    async def inspect(
        self, reference: StrPath, query: str = "", *, collection: str | None = None, profile: str | None = None
    ) -> InspectAnswer:
        """Show a file as the library sees it, and why a search does not find it."""
    async def tags(self, document_ids: str | Iterable[str]) -> DocumentTagsAnswer:
        """The tags of documents."""
    async def history(
        self,
        reference: StrPath | None = None,
        *,
        collection: str | None = None,
        limit: int = 20,
        max_tokens: int | None = None,
    ) -> HistoryAnswer:
        """List the commits and stored versions of a file, or the changes of a memory."""
    async def validate(self, uri: StrPath, *, collection: str | None = None) -> ValidateAnswer:
        """Check the headings of a note."""
    async def auto_fix(
        self,
        uri: StrPath,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> AutoFixAnswer:
        """Close the heading jumps of a note."""
    async def create(
        self,
        uri: StrPath,
        title: str,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        template: StrPath | None = None,
        content_md: str | None = None,
        overwrite: bool = False,
    ) -> WriteAnswer:
        """Create a note with a title, from a template if one is given."""
    async def insert_section(
        self,
        uri: StrPath,
        parent_heading_path: str | Iterable[str],
        heading: str,
        content_md: str,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        level: int | None = None,
        position: str = "last",
    ) -> WriteAnswer:
        """Insert a section below a heading of a note."""
    async def replace_section(
        self,
        uri: StrPath,
        heading_path: str | Iterable[str],
        content_md: str,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Replace the text below a heading of a note."""
    async def append_to_section(
        self,
        uri: StrPath,
        heading_path: str | Iterable[str],
        content_md: str,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Append to the text below a heading of a note."""
    async def move_section(
        self,
        uri: StrPath,
        from_heading_path: str | Iterable[str],
        to_parent_heading_path: str | Iterable[str],
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        update_links: bool = False,
    ) -> LinkedWriteAnswer:
        """Move a section of a note below another heading."""
    async def rename(
        self,
        uri: StrPath,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        to: StrPath | None = None,
        heading_path: str | Iterable[str] = (),
        heading: str | None = None,
        update_links: bool = False,
    ) -> LinkedWriteAnswer:
        """Give a note's file or one of its headings another name, and let links follow."""
    async def restore(
        self,
        uri: StrPath,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        version: int | None = None,
    ) -> WriteAnswer:
        """Undo the last write to a note, or write an earlier version of it."""
    async def set_property(
        self,
        uri: StrPath,
        key: str,
        value: str | None = None,
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
        remove: bool = False,
    ) -> WriteAnswer:
        """Set or remove a property in the front matter of a note."""

class EvalAsyncMethods:
    async def run(
        self,
        dataset: StrPath,
        *,
        profiles: str | Iterable[str] = (),
        qrels: StrPath | None = None,
        corpus: StrPath | None = None,
        queries: StrPath | None = None,
        scope: str | None = None,
        limit_queries: int | None = None,
        timed_queries: int | None = None,
        rebuild: bool = False,
        progress: ProgressCallback | None = None,
    ) -> EvaluationAnswer:
        """Measure one or several profiles on a data set."""
    async def figures(self) -> FiguresAnswer:
        """The latest figures of every data set and profile that was measured."""

class GitAsyncMethods:
    async def log(
        self,
        query: str,
        *,
        top_n: int = 10,
        min_score: float | None = None,
        show_all: bool = False,
        file_pattern: str | None = None,
        author: str | None = None,
        after: Time | None = None,
        before: Time | None = None,
        collections: str | Iterable[str] = (),
        max_tokens: int | None = None,
        cursor: str | None = None,
    ) -> LogAnswer:
        """Find commits by what they say and what they changed."""

class GraphAsyncMethods:
    async def related(
        self,
        reference: StrPath,
        *,
        collection: str | None = None,
        limit: int = 10,
        where: str | Iterable[str] = (),
        by_meaning: bool = True,
    ) -> RelatedAnswer:
        """List the documents that belong to one, and why."""
    async def neighbors(
        self,
        reference: StrPath,
        *,
        collection: str | None = None,
        direction: Literal["out", "in", "both"] = "both",
        types: EdgeType | Iterable[EdgeType] = (),
        hops: int = 1,
        limit: int = 30,
    ) -> NeighborsAnswer:
        """List what a document points at and what points at it."""
    async def build(
        self,
        *,
        communities: bool = True,
        thematic_links: bool = True,
        entities: bool = True,
        resolution: float = 1.0,
        seed: int = 0,
        threshold: float = 0.63,
        neighbours: int = 5,
        entities_by: Literal["rules", "model"] = "rules",
        budget: int = 0,
        wait: bool = False,
        progress: ProgressCallback | None = None,
    ) -> BuildAnswer:
        """Find communities and entities, and link what is near in meaning."""
    async def communities(self, *, limit: int = 20, members: int = 5, smallest: int = 2) -> CommunitiesAnswer:
        """List groups of documents that point at each other more than at others."""
    async def ghosts(self, *, limit: int = 50) -> GhostsAnswer:
        """List what is linked to and not there, most wanted first."""
    async def entities(
        self,
        contains: str | None = None,
        *,
        entity_kinds: EntityKind | Iterable[EntityKind] = (),
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        least: int = 1,
        limit: int = 30,
    ) -> EntitiesAnswer:
        """List the people, projects, places, identifiers, DOIs and addresses that documents name."""
    async def mentions(
        self,
        name: str,
        *,
        entity_kind: EntityKind | None = None,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        limit: int = 30,
    ) -> MentionsAnswer:
        """List the documents that name a person, a project, a place, an identifier, a DOI or an address."""
    async def export(
        self,
        output: StrPath | None = None,
        *,
        to: Literal["json", "graphml"] = "json",
        sections: bool = False,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        ghosts: bool = True,
        tags: bool = True,
        thematic_links: bool = True,
        entities: bool = True,
        commits: bool = False,
        force: bool = False,
    ) -> GraphFile:
        """Write the graph for other programs: JSON as node-link data, or GraphML for Gephi, yEd and networkx."""
    async def plot(
        self,
        output: StrPath = "octavo-graph.html",
        *,
        most: int = 3000,
        collections: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        ghosts: bool = True,
        tags: bool = True,
        thematic_links: bool = True,
        entities: bool = True,
        commits: bool = False,
        force: bool = False,
    ) -> GraphFile:
        """Draw the graph as a page to open in a browser."""

class JobsAsyncMethods:
    async def list(self, *, states: JobState | Iterable[JobState] = ()) -> JobsAnswer:
        """List queued jobs, oldest first."""
    async def retry(self, *, numbers: int | Iterable[int] = ()) -> JobsCountAnswer:
        """Try jobs again now: the numbered ones, or all that were given up."""
    async def purge(
        self, *, states: Literal["done", "dead"] | Iterable[Literal["done", "dead"]] = (), before: Time | None = None
    ) -> JobsCountAnswer:
        """Delete jobs that have ended."""

class MemoryAsyncMethods:
    async def reingest(self, item: str) -> PromisedAnswer:
        """Cut, analyse and embed a memory again."""
    async def get(
        self, item: str, *, version: int | None = None, as_of: Time | None = None, project: str | None = None
    ) -> MemoryGetAnswer:
        """Read a memory as it is, at a version, or as of an instant."""
    async def history(self, item: str, *, project: str | None = None) -> MemoryHistoryAnswer:
        """Show how a memory changed, when, by whom and why."""
    async def diff(
        self,
        item: str,
        *,
        old: int | None = None,
        new: int | None = None,
        context: int = 3,
        by_section: bool = False,
        project: str | None = None,
    ) -> MemoryDiffAnswer:
        """Show what changed between two versions of a memory."""
    async def restore(
        self,
        item: str,
        version: int,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Make an earlier version of a memory its newest again."""
    async def pin(
        self,
        item: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Pin a memory: recall without a query shows it first."""
    async def unpin(
        self,
        item: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Unpin a memory."""
    async def link(
        self,
        item: str,
        target: StrPath,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        type: str = "mentions",
    ) -> MemoryState:
        """Link a memory to a document or another memory."""
    async def unlink(
        self,
        item: str,
        target: StrPath,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        type: str = "",
    ) -> MemoryState:
        """Take a link of a memory away."""
    async def commit(
        self,
        text: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
        item: str | None = None,
        expected_version: int | None = None,
        kind: MemoryKind | None = None,
        scope: str | None = None,
        title: str = "",
        tags: str | Iterable[str] | None = None,
        links: str | Iterable[str] = (),
        supersedes: str | Iterable[str] = (),
        pin: bool = False,
        valid_from: Time | None = None,
        valid_to: Time | None = None,
        force: bool = False,
    ) -> MemoryState:
        """Store a memory exactly as it is given."""
    async def search(
        self,
        query: str = "",
        *,
        limit: int = 10,
        kinds: MemoryKind | Iterable[MemoryKind] = (),
        scopes: str | Iterable[str] = (),
        tags_all: str | Iterable[str] = (),
        tags_any: str | Iterable[str] = (),
        where: str | Iterable[str] = (),
        pinned_only: bool = False,
        created_after: Time | None = None,
        created_before: Time | None = None,
        canonical_only: bool = False,
        doc_classes: str | Iterable[str] = (),
        item_ids: str | Iterable[str] = (),
        exclude_item_ids: str | Iterable[str] = (),
        max_chars: int = 2000,
        min_similarity: float = 0.35,
        include_chunks: bool = False,
        profile: str = "memory",
        as_of: Time | None = None,
        project: str | None = None,
    ) -> RecallAnswer:
        """Find memories, with every filter there is."""
    async def archive(
        self,
        item: str,
        *,
        author: str = "",
        reason: str = "",
        session: str | None = None,
        idempotency_key: str | None = None,
        project: str | None = None,
    ) -> MemoryState:
        """Remove a memory from every search; its history stays."""
    async def linked(
        self,
        target: StrPath,
        query: str = "",
        *,
        types: str | Iterable[str] = (),
        limit: int = 10,
        project: str | None = None,
    ) -> LinkedMemoriesAnswer:
        """Find what was remembered about a document."""
    async def sync(self, folder: StrPath = ".memories", *, accept_deletions: bool = False) -> SyncReport:
        """Synchronise a folder of Markdown files with the memories, both ways."""
    async def to_note(
        self,
        item: str,
        uri: StrPath,
        heading_path: str | Iterable[str],
        *,
        collection: str | None = None,
        expected_hash: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Write a memory into a section of a note, with its provenance."""
    async def from_note(
        self,
        source: StrPath,
        *,
        kind: MemoryKind = "note",
        scope: str = "project",
        title: str = "",
        tags: str | Iterable[str] = (),
        collection: str | None = None,
        author: str = "",
        reason: str = "",
    ) -> MemoryState:
        """Remember a section of a note, with a citation back to it."""

class ModelsAsyncMethods:
    async def embed(self, texts: str | Iterable[str], *, queries: bool = False) -> EmbedAnswer:
        """Turn texts into vectors."""
    async def list(self) -> ModelsAnswer:
        """List the models on this machine."""
    async def show(self, name: str) -> ModelAnswer:
        """Show a model's card."""
    async def activate(self, name: str, *, force: bool = False) -> ModelAnswer:
        """Let a model answer for this project."""
    async def remove(self, name: str) -> ModelRemoved:
        """Delete a model from this machine, if nothing uses it."""
    async def fetch(
        self, name: str, *, manifest: StrPath | None = None, progress: ProgressCallback | None = None
    ) -> FetchedModel:
        """Fetch a model's files that a manifest names."""
    async def finetune(
        self,
        name: str = "mine",
        *,
        collections: str | Iterable[str] = (),
        static: bool = False,
        reranker: bool = False,
        base: StrPath = "",
        teacher: StrPath = "",
        pairs: StrPath | None = None,
        epochs: float | None = None,
        batch: int | None = None,
        rate: float | None = None,
        seed: int | None = None,
        device: Literal["cpu", "cuda"] | None = None,
        replace: bool = False,
        activate: bool = False,
        force: bool = False,
        progress: ProgressCallback | None = None,
    ) -> FinetuneAnswer:
        """Train the encoder or the reranker on the library's own content, measure it, and register it."""

class NotesAsyncMethods:
    async def new(
        self,
        title: str,
        *,
        template: StrPath | None = None,
        content_md: str = "",
        folder: StrPath | None = None,
        collection: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Make a note from its title, and from a template if one is named."""
    async def append(
        self,
        note: StrPath,
        content_md: str,
        *,
        heading_path: str | Iterable[str] = (),
        collection: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Add a text at the end of a note, which is made if it is not there."""
    async def today(
        self,
        content_md: str = "",
        *,
        collection: str | None = None,
        dry_run: bool = False,
        author: str = "",
        reason: str = "",
    ) -> WriteAnswer:
        """Make today's note, or add a text to it."""
    async def lint(
        self,
        *,
        files: StrPath | Iterable[StrPath] = (),
        collections: str | Iterable[str] = (),
        rules: Literal[
            "heading-jump",
            "duplicate-sibling",
            "single-h1",
            "unreadable-front-matter",
            "broken-wikilink",
            "broken-link",
            "missing-anchor",
            "duplicate-title",
            "orphan-note",
        ]
        | Iterable[
            Literal[
                "heading-jump",
                "duplicate-sibling",
                "single-h1",
                "unreadable-front-matter",
                "broken-wikilink",
                "broken-link",
                "missing-anchor",
                "duplicate-title",
                "orphan-note",
            ]
        ] = (),
        fix: bool = False,
        dry_run: bool = False,
        limit: int = 200,
        progress: ProgressCallback | None = None,
    ) -> LintAnswer:
        """Check the notes of collections: headings, front matter, links, titles."""

class ProfilesAsyncMethods:
    async def list(self) -> ProfilesAnswer:
        """List the embedding profiles, and say which one searches use."""
    async def set(
        self,
        name: str,
        provider: Literal["bundled", "onnx", "hashing", "ollama", "openai", "voyage", "jina"],
        *,
        model: str = "",
        dimensions: int | None = None,
        distance: Literal["cosine", "dot", "l2"] = "cosine",
        window: int | None = None,
        url: str = "",
        key_variable: str = "",
        key_file: StrPath = "",
        query_prefix: str = "",
        document_prefix: str = "",
        batch: int | None = None,
        concurrency: int | None = None,
        timeout_seconds: float | None = None,
        retries: int | None = None,
        requests_per_minute: float | None = None,
        contextual: bool = False,
        late_chunking: bool = False,
        shorten: bool = False,
        hnsw_m: int | None = None,
        hnsw_ef_construction: int | None = None,
        ef_search_min: int | None = None,
        ef_search_factor: float | None = None,
        ef_search_max: int | None = None,
        activate: bool = False,
    ) -> ProfileAnswer:
        """Make or change an embedding profile."""
    async def activate(self, name: str) -> ProfileAnswer:
        """Search with an embedding profile from now on."""
    async def reindex(self, name: str, *, force: bool = False) -> ProfileAnswer:
        """Fill an embedding profile in the background, then search with it."""

class ProjectsAsyncMethods:
    async def resolve(
        self,
        path: StrPath | None = None,
        *,
        repo_url: str | None = None,
        name: str | None = None,
        workspace: str | None = None,
        create_if_missing: bool = False,
    ) -> ProjectsResolveAnswer:
        """Find the project of a folder, a repository or a name, and make it when asked."""
    async def list(self, workspace: str | None = None) -> ProjectsListAnswer:
        """List the projects in the library."""

class QueriesAsyncMethods:
    async def list(self, *, limit: int = 20) -> QueriesAnswer:
        """List what was asked, newest first, with what was opened."""
    async def clear(self, before: str | None = None) -> QueriesCleared:
        """Forget what was asked."""

class SessionsAsyncMethods:
    async def start(self, title: str = "", *, author: str = "", project: str | None = None) -> SessionState:
        """Start a session that memories can name."""
    async def end(self, session: str, summary: str = "", *, project: str | None = None) -> SessionState:
        """End a session, once, with a summary that is remembered."""
    async def list(
        self,
        query: str = "",
        *,
        limit: int = 200,
        scopes: str | Iterable[str] = (),
        open_only: bool = False,
        project: str | None = None,
    ) -> SessionsAnswer:
        """List the sessions, latest first, or those in which something was talked about."""

class SnapshotsAsyncMethods:
    async def list(self, *, verify: bool = False) -> SnapshotsAnswer:
        """List the snapshots that large libraries are searched through."""
    async def build(self, *, full: bool = False, progress: ProgressCallback | None = None) -> SnapshotsAnswer:
        """Make a snapshot now."""
    async def rollback(self, snapshot: str | None = None) -> SnapshotsAnswer:
        """Search through an earlier snapshot: the one before, or the one named."""
    async def recover(self) -> SnapshotsAnswer:
        """Clear away unfinished snapshots, and search through the newest that is whole."""

class SummariesAsyncMethods:
    async def build(
        self,
        by: Literal["extract", "model"] = "extract",
        *,
        sections: bool = True,
        budget: int = 0,
        dry_run: bool = False,
        wait: bool = False,
        progress: ProgressCallback | None = None,
    ) -> SummariesBuilt:
        """Summarise sections and files, so that a search can find them as a whole."""
    async def show(self, reference: StrPath, *, collection: str | None = None) -> SummariesAnswer:
        """Show the summaries of a file and its sections."""
    async def clear(self) -> SummariesCleared:
        """Remove all summaries of the project."""

class TokensAsyncMethods:
    async def create(
        self,
        name: str,
        *,
        scope: AccessScope = "read",
        projects: str | Iterable[str] = (),
        rate: int | None = None,
        days: int | None = None,
    ) -> TokenCreated:
        """Make a token for a person or a program."""
    async def list(self) -> TokensListAnswer:
        """List the tokens of the library and what they allow."""
    async def revoke(self, name: str) -> TokenRevoked:
        """End a token."""
    async def audit(self, *, limit: int = 50, who: str | None = None) -> TokensAuditAnswer:
        """List what was changed over HTTP, by whom, newest first."""
