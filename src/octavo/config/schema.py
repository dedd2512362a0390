"""Every setting with its type, default and meaning, written once.

`octavo config describe` and the reference of the configuration are made from these lines.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal

from octavo.config.retrieval_settings import Retrieval
from octavo.config.search_snapshot_settings import Snapshots
from octavo.fast_dataclass import dataclass
from octavo.model.execution_provider import CPU, ExecutionProviders
from octavo.model.field_constraints_and_cli_options import Field
from octavo.model.language_model_settings import LanguageModels
from octavo.model.library_location import Location
from octavo.model.lint_rules import RULES

_Tokens = Annotated[int, Field(ge=1, le=100_000)]
_FewTokens = Annotated[int, Field(ge=0, le=100_000)]
_Overlap = Annotated[int, Field(ge=0, le=10_000)]
_Depth = Annotated[int, Field(ge=0, le=6)]
_Threads = Annotated[int, Field(ge=1, le=256)]
_Processes = Annotated[int, Field(ge=1, le=64)]
_Count = Annotated[int, Field(ge=1)]
_Port = Annotated[int, Field(ge=1, le=65_535)]


@dataclass(frozen=True, slots=True)
class Chunking:
    """How documents are cut into chunks. An unset size follows from the embedder's context window."""

    strategy: Annotated[
        Literal["structure", "fixed"], Field("`fixed` cuts by size alone: no heading divides chunks.")
    ] = "structure"
    loose_headings: Annotated[
        bool, Field("Whether lines in bold alone and HTML's `<h1>` to `<h6>` are headings of notes too.")
    ] = False

    target_min_tokens: Annotated[
        _Tokens | None, Field("A chunk smaller than this takes one more block, up to the hard maximum.")
    ] = None
    target_max_tokens: Annotated[
        _Tokens | None, Field("The size, in tokens, above which a chunk ends before the next block.")
    ] = None
    hard_max_tokens: Annotated[
        _Tokens | None, Field("The largest chunk, in tokens; only a block that cannot be split exceeds it.")
    ] = None
    min_preferred_tokens: Annotated[
        _FewTokens | None, Field("Sections and chunks below this size are joined with a neighbour.")
    ] = None
    overlap_tokens: Annotated[
        _Overlap | None, Field("How many tokens of a chunk the next chunk of the same text repeats.")
    ] = None
    max_heading_depth: Annotated[
        _Depth | None, Field("Headings below this level do not divide chunks; unset, every heading does.")
    ] = None
    intelligent_heading_depth: Annotated[
        bool, Field("Whether a section is kept whole, with its subsections, where it fits in one chunk.")
    ] = False


@dataclass(frozen=True, slots=True)
class Embedding:
    """The model that turns text into vectors."""

    provider: Annotated[
        Literal["bundled", "onnx", "hashing"],
        Field("`bundled` ships with Octavo, `onnx` is a model folder, `hashing` is for tests."),
    ] = "bundled"
    model: Annotated[
        Path | None, Field("The folder with `model.onnx` and `tokenizer.json`, for the provider `onnx`.")
    ] = None
    threads: Annotated[_Threads | None, Field("Threads that compute vectors; unset, all cores.")] = None
    providers: ExecutionProviders = CPU
    fast: Annotated[bool, Field("Whether a large backlog gets fast vectors first, replaced later.")] = True
    constrained: Annotated[
        Literal["auto", "on", "off"],
        Field("Whether to compute no full vectors; `auto` does so with less than 2 GB of free memory."),
    ] = "auto"
    fallback: Annotated[
        Literal["none", "bundled"],
        Field("What searches by meaning while a service does not answer: `bundled` gets vectors of its own."),
    ] = "none"
    client_ports: Annotated[
        tuple[_Port, ...],
        Field("Ports of this machine, beside Ollama's, where profiles made by clients may ask a service."),
    ] = ()
    client_hosts: Annotated[
        tuple[str, ...],
        Field(
            "Hosts elsewhere that profiles made by clients may send the library's texts to, such as api.voyageai.com."
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class Ingest:
    """What is read from disk."""

    max_file_bytes: Annotated[int, Field("Larger files are skipped, with a reason in the ledger.", ge=1)] = 10_000_000
    ignore: Annotated[
        tuple[str, ...], Field("Patterns of paths to skip, as in `.gitignore`; those of all configuration files count.")
    ] = ()
    project_files: Annotated[
        bool, Field("Whether the project file of a collection's folder says how it is cut, and what is skipped.")
    ] = True
    parsers: Annotated[
        tuple[str, ...],
        Field(
            "What reads files of a pattern, as GLOB=PARSER such as `logs/*.txt=markdown`: markdown, text, rst, "
            "asciidoc, org or latex."
        ),
    ] = ()
    workers: Annotated[
        _Processes | None, Field("Processes that parse and cut files; unset, one for each processor core.")
    ] = None


@dataclass(frozen=True, slots=True)
class Converting:
    """How PDF, Word and other formats become text, in a process of its own."""

    max_file_bytes: Annotated[int, Field("Larger documents are skipped, with a reason in the ledger.", ge=1)] = (
        100_000_000
    )
    timeout_seconds: Annotated[float, Field("How long one document may take; then it is left out.", gt=0, le=3_600)] = (
        120.0
    )
    memory_mb: Annotated[int, Field("Megabytes of memory it may take, where the system can limit that.", ge=256)] = (
        2_000
    )
    archives: Annotated[bool, Field("Whether the files in zip and tar archives are read.")] = False
    archive_files: Annotated[_Count, Field("The most files of one archive that are read.")] = 10_000
    archive_mb: Annotated[_Count, Field("Megabytes that are unpacked of one archive, at most.")] = 100
    cache_mb: Annotated[int, Field("Megabytes of converted documents kept for the next time; 0 keeps none.", ge=0)] = (
        500
    )
    ocr: Annotated[
        bool, Field("Whether text in scanned pages and images is recognised, where `tesseract` is installed.")
    ] = False
    ocr_languages: Annotated[
        str, Field("The languages to recognise, as tesseract names them: `eng+deu`.", min_length=1)
    ] = "eng"
    ocr_pages: Annotated[_Count, Field("The most pages of one document that are recognised.")] = 100


@dataclass(frozen=True, slots=True)
class History:
    """The commits of git repositories under a collection."""

    enabled: Annotated[bool, Field("Whether commits are indexed.")] = True
    max_commits: Annotated[_Count | None, Field("The most commits indexed of a repository, the newest first.")] = 50_000
    outside_git: Annotated[
        bool, Field("Whether a repository is read that a `.git` file places outside the collection's folder.")
    ] = False


@dataclass(frozen=True, slots=True)
class Reranking:
    """The cross-encoder for profiles with a `rerank` stage."""

    model: Annotated[
        Path | None, Field("The folder with `model.json`, `model.onnx` and `tokenizer.json`; unset, the bundled one.")
    ] = None
    threads: Annotated[_Threads | None, Field("Threads that score passages; unset, all cores.")] = None
    providers: ExecutionProviders = CPU


@dataclass(frozen=True, slots=True)
class Jobs:
    """How queued jobs are claimed and retried, by servers and by `octavo worker`."""

    lease_seconds: Annotated[
        float, Field("How long a job stays claimed before another worker may take it.", gt=0, le=86_400)
    ] = 120.0
    retry_seconds: Annotated[
        float, Field("The wait after a first failure; it doubles with each further one.", gt=0, le=86_400)
    ] = 5.0
    max_retry_seconds: Annotated[float, Field("The longest such wait.", gt=0, le=604_800)] = 600.0
    max_attempts: Annotated[int, Field("Attempts before a job is given up as dead.", ge=1, le=1_000)] = 5
    batch: Annotated[int, Field("How many jobs a worker claims at once.", ge=1, le=1_000)] = 4
    poll_seconds: Annotated[
        float, Field("How often an idle worker looks for jobs when nothing wakes it.", gt=0, le=3_600)
    ] = 1.0
    kinds: Annotated[
        tuple[str, ...], Field("Which kinds of jobs are done here, such as `embed`; all where none is named.")
    ] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """Where queued jobs run."""

    in_server: Annotated[
        bool, Field("Whether servers run jobs themselves; with `false`, run `octavo worker` for them.")
    ] = True
    threads: Annotated[int, Field("How many jobs a server or a worker runs at once.", ge=1, le=64)] = 1


@dataclass(frozen=True, slots=True)
class Serve:
    """How `octavo serve` listens, whom it admits, and how much one request may cost."""

    host: Annotated[str, Field("The address to listen on; others than loopback need a token.", min_length=1)] = (
        "127.0.0.1"
    )
    port: Annotated[int, Field("The port to listen on; 0 takes a free one.", ge=0, le=65_535)] = 7411
    token_file: Annotated[
        Path | None, Field("A file with the token that requests give as `Authorization: Bearer TOKEN`.")
    ] = None
    require_token: Annotated[bool, Field("Whether requests need a token, on this machine too.")] = True
    allow_hosts: Annotated[
        tuple[str, ...], Field("Further names under which the server may be addressed (`Host` header).")
    ] = ()
    allow_origins: Annotated[
        tuple[str, ...], Field("Web origins whose pages may call the server (`Origin` header).")
    ] = ()
    write: Annotated[bool, Field("Whether the page in the browser offers changes; needs a token.")] = False
    open_with: Annotated[
        tuple[str, ...],
        Field(
            "Programs in which the page opens files, as NAME=ADDRESS with `{path}` and `{line}`, such as "
            "`Obsidian=obsidian://open?path={path}`."
        ),
    ] = ()
    max_request_bytes: Annotated[int, Field("The largest request body.", ge=1_000)] = 4_000_000
    timeout_seconds: Annotated[float, Field("The longest a request may take.", gt=0, le=3_600)] = 60.0
    concurrency: Annotated[int, Field("Requests answered at once; further ones get status 503.", ge=1, le=10_000)] = 64
    search_processes: Annotated[int, Field("Processes that search for the page.", ge=1, le=64)] = 1
    drain_seconds: Annotated[
        int, Field("How long a server finishes its requests after it was asked to stop.", ge=0, le=3_600)
    ] = 10


@dataclass(frozen=True, slots=True)
class OAuth:
    """Tokens of an authorization server beside Octavo's own: off without an issuer."""

    issuer: Annotated[str, Field("The address of the authorization server, as its tokens name it (`iss`).")] = ""
    resource: Annotated[
        str, Field("The address of `/mcp` as clients write it; tokens must be for it or for its host (`aud`).")
    ] = ""
    keys: Annotated[str, Field("The address of the issuer's keys (JWKS); unset, its metadata say where.")] = ""
    introspection: Annotated[
        str, Field("Where tokens are looked up (RFC 7662), for an issuer whose tokens are not signed JWTs.")
    ] = ""
    client_id: Annotated[str, Field("The name under which this server looks tokens up.")] = ""
    client_secret_file: Annotated[Path | None, Field("A file with the secret that goes with it.")] = None
    scopes: Annotated[
        tuple[str, ...], Field("The issuer's scopes and what each allows, as `THEIRS=read|write|admin`.")
    ] = ("octavo:read=read", "octavo:write=write", "octavo:admin=admin")
    projects_claim: Annotated[
        str, Field("The claim that lists the projects a token is for; unset, tokens are for all of them.")
    ] = ""
    rate: Annotated[int | None, Field("Requests a minute that each person or program may make.", ge=1)] = None


@dataclass(frozen=True, slots=True)
class Watch:
    """How servers and `octavo watch` notice that files change."""

    enabled: Annotated[bool, Field("Whether servers watch the folders of the library.")] = True
    debounce_ms: Annotated[
        int, Field("How long a folder must be quiet before its changes are indexed.", ge=250, le=30_000)
    ] = 2_000
    polling: Annotated[
        bool, Field("Whether to look at every file in turn, for disks that report no changes (network drives).")
    ] = False
    poll_ms: Annotated[int, Field("The pause between two rounds of polling.", ge=100, le=600_000)] = 2_000
    memories: Annotated[
        bool, Field("Whether folders that `octavo memory sync` was called for are kept in step from then on.")
    ] = True
    memory_folders: Annotated[tuple[str, ...], Field("Further folders of memories to keep in step.")] = ()
    reconciliation_interval_seconds: Annotated[
        float, Field("How often every folder is compared with the library; 0 is never.", ge=0, le=604_800)
    ] = 3_600.0


@dataclass(frozen=True, slots=True)
class Daemon:
    """One server in the background for all clients of a library on this machine."""

    enabled: Annotated[bool, Field("Whether clients share a server, or each works in its own process.")] = True
    idle_seconds: Annotated[
        float, Field("How long the server stays after its last client has gone.", ge=0, le=604_800)
    ] = 600.0


@dataclass(frozen=True, slots=True)
class Postgres:
    """What only a library on PostgreSQL has."""

    lexical: Annotated[
        Literal["auto", "postings", "pg_search"],
        Field("What finds words: Octavo's postings or ParadeDB's pg_search; `auto` uses its index if there."),
    ] = "auto"
    index_from: Annotated[
        int, Field("Vectors of a profile from which on it has an HNSW index; fewer are compared one by one.", ge=1)
    ] = 20_000
    reads: Annotated[
        tuple[Location, ...], Field("URLs of replicas that searches read from; writes go to the library's own.")
    ] = ()
    reads_within_seconds: Annotated[
        float, Field("A replica that lacks what the primary had so long ago is left out.", gt=0, le=86_400)
    ] = 10.0


@dataclass(frozen=True, slots=True)
class Writing:
    """Changes of notes. They are refused unless a collection allows them: here, or by `octavo add --writable`."""

    collections: Annotated[tuple[str, ...], Field("Names of collections whose notes may be changed.")] = ()
    max_file_bytes: Annotated[int, Field("Larger files are not edited.", ge=1)] = 20_000_000
    single_h1: Annotated[bool, Field("Whether a second heading of level 1 is a violation (`single-h1`).")] = False
    lint_off: Annotated[
        tuple[Annotated[str, Field(choices=list(RULES))], ...],
        Field("Rules that `octavo lint` leaves out, such as `orphan-note`."),
    ] = ()
    templates: Annotated[str, Field("The folder of a collection with its templates.", max_length=4_096)] = "templates"
    note_collection: Annotated[
        str, Field("The collection for `octavo notes`; unset, the only writable one.", max_length=200)
    ] = ""
    note_folder: Annotated[
        str,
        Field(
            "Where new notes go; `{{year}}`, `{{month}}`, `{{date}}` and `{{template}}` are replaced.", max_length=4_096
        ),
    ] = ""
    note_folders: Annotated[
        tuple[str, ...], Field("Where notes of a template go instead: `meeting=meetings/{{year}}`.")
    ] = ()
    daily_folder: Annotated[str, Field("Where the notes of days are.", max_length=4_096)] = "daily"
    daily_template: Annotated[
        str, Field("The template of a day's note, where there is one of this name.", max_length=4_096)
    ] = "daily"


@dataclass(frozen=True, slots=True)
class Log:
    """What is written down about the use of a library, in the library itself."""

    queries: Annotated[
        bool,
        Field(
            "Keep what was asked, shown and opened, for `octavo models finetune` and `octavo eval make`;"
            " `octavo queries clear` forgets it."
        ),
    ] = False
    traces: Annotated[
        Path | None, Field("A folder that gets the trace of every search as a file, for `octavo replay`; unset, none.")
    ] = None


@dataclass(frozen=True, slots=True)
class Config:
    """The whole tree."""

    library: Annotated[
        Location | None, Field("The library: a path or `postgresql://…`; unset, in your data folder.")
    ] = None
    also_search: Annotated[
        tuple[Location, ...],
        Field("Further libraries that `search` and `get` read beside `library`, which alone is written to."),
    ] = ()
    project: Annotated[
        str, Field("The project inside the library that commands work in.", min_length=1, max_length=200)
    ] = "default"
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Field("From which level on servers, watchers and workers write to their log (stderr)."),
    ] = "warning"
    log_format: Annotated[
        Literal["text", "json"], Field("Lines for people, or for machines: `{ts, level, component, msg, data}`.")
    ] = "text"
    traces: Annotated[
        bool, Field("Whether servers and workers make OpenTelemetry spans of searches and jobs (`octavo[otel]`).")
    ] = False
    chunking: Chunking = Chunking()
    embedding: Embedding = Embedding()
    ingest: Ingest = Ingest()
    converting: Converting = Converting()
    history: History = History()
    retrieval: Retrieval = Retrieval()
    reranking: Reranking = Reranking()
    llm: LanguageModels = field(default_factory=LanguageModels)
    jobs: Jobs = Jobs()
    work: Work = Work()
    serve: Serve = Serve()
    oauth: OAuth = OAuth()
    watch: Watch = Watch()
    daemon: Daemon = Daemon()
    snapshots: Snapshots = Snapshots()
    postgres: Postgres = Postgres()
    writing: Writing = Writing()
    log: Log = Log()
