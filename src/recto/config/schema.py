"""Every setting with its default, written once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from recto.model.limits import Field
from recto.model.location import Location

Tokens = Annotated[int, Field(ge=1, le=100_000)]


@dataclass(frozen=True, slots=True)
class Chunking:
    """Sizes in tokens. What is left unset follows from the embedder's window."""

    target_min_tokens: Tokens | None = None
    target_max_tokens: Tokens | None = None
    hard_max_tokens: Tokens | None = None
    min_preferred_tokens: Annotated[int, Field(ge=0, le=100_000)] | None = None
    overlap_tokens: Annotated[int, Field(ge=0, le=10_000)] | None = None
    max_heading_depth: Annotated[int, Field(ge=0, le=6)] | None = None
    intelligent_heading_depth: bool = False


@dataclass(frozen=True, slots=True)
class Embedding:
    """`bundled` needs nothing; `onnx` takes a model folder; `hashing` is for tests."""

    provider: Literal["bundled", "onnx", "hashing"] = "bundled"
    model: Path | None = None
    threads: Annotated[int, Field(ge=1, le=256)] | None = None
    fast: bool = True
    constrained: Literal["auto", "on", "off"] = "auto"


@dataclass(frozen=True, slots=True)
class Ingest:
    """What is read from disk."""

    max_file_bytes: Annotated[int, Field(ge=1)] = 10_000_000
    ignore: tuple[str, ...] = ()
    workers: Annotated[int, Field(ge=1, le=64)] | None = None


@dataclass(frozen=True, slots=True)
class History:
    """Whether the commits of git repositories are indexed, and how many of each at most, the newest first."""

    enabled: bool = True
    max_commits: Annotated[int, Field(ge=1)] | None = 50_000


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How a search answers when it is not told otherwise.

    With `count_hits` the library counts which chunks are shown while they wait for full vectors: those come first then.
    """

    profile: str = "hybrid"
    limit: Annotated[int, Field(ge=1, le=1000)] = 10
    max_excerpt_chars: Annotated[int, Field(ge=1)] | None = None
    count_hits: bool = True


@dataclass(frozen=True, slots=True)
class Reranking:
    """A cross-encoder in a local folder, for profiles with a `rerank` stage; without one the stage is skipped."""

    model: Path | None = None
    threads: Annotated[int, Field(ge=1, le=256)] | None = None


@dataclass(frozen=True, slots=True)
class Serve:
    """How `recto serve` listens, whom it lets in, and how much one request may cost."""

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 7411
    token_file: Path | None = None
    allow_hosts: tuple[str, ...] = ()
    allow_origins: tuple[str, ...] = ()
    max_request_bytes: Annotated[int, Field(ge=1_000)] = 4_000_000
    timeout_seconds: Annotated[float, Field(gt=0, le=3_600)] = 60.0
    concurrency: Annotated[int, Field(ge=1, le=10_000)] = 64
    drain_seconds: Annotated[int, Field(ge=0, le=3_600)] = 10


@dataclass(frozen=True, slots=True)
class Jobs:
    """How promised work is done. Seconds; a lease longer than the longest job needs no second worker to wait."""

    lease_seconds: Annotated[float, Field(gt=0, le=86_400)] = 120.0
    retry_seconds: Annotated[float, Field(gt=0, le=86_400)] = 5.0
    max_retry_seconds: Annotated[float, Field(gt=0, le=604_800)] = 600.0
    max_attempts: Annotated[int, Field(ge=1, le=1_000)] = 5
    batch: Annotated[int, Field(ge=1, le=1_000)] = 4
    poll_seconds: Annotated[float, Field(gt=0, le=3_600)] = 1.0


@dataclass(frozen=True, slots=True)
class Work:
    """Who does promised work: servers do it beside answering, with so many threads, unless a worker runs alone."""

    in_server: bool = True
    threads: Annotated[int, Field(ge=1, le=64)] = 1


@dataclass(frozen=True, slots=True)
class Watch:
    """How folders are watched by servers and by `recto watch`. A reconciliation every 0 seconds is none."""

    enabled: bool = True
    debounce_ms: Annotated[int, Field(ge=250, le=30_000)] = 2_000
    polling: bool = False
    poll_ms: Annotated[int, Field(ge=100, le=600_000)] = 2_000
    reconciliation_interval_seconds: Annotated[float, Field(ge=0, le=604_800)] = 3_600.0


@dataclass(frozen=True, slots=True)
class Daemon:
    """One server for all clients of a library on this machine. It ends `idle_seconds` after the last of them."""

    enabled: bool = True
    idle_seconds: Annotated[float, Field(ge=0, le=604_800)] = 600.0


@dataclass(frozen=True, slots=True)
class Snapshots:
    """From how many chunks on searches are answered from snapshots, and how many of these are kept.

    With `outline` they hold a vector for each section as well, for profiles with a `dense_outline` stage. `vectors` is
    what finds candidates by meaning: codes of one bit a dimension, or an index of faiss, which `recto[faiss]` brings.
    """

    enabled: bool = True
    threshold: Annotated[int, Field(ge=1)] = 20_000
    keep: Annotated[int, Field(ge=1, le=1_000)] = 3
    shards: Annotated[int, Field(ge=1, le=1_024)] | None = None
    open_shards: Annotated[int, Field(ge=1, le=1_024)] = 128
    outline: bool = False
    vectors: Literal["codes", "ivfpq", "hnsw"] = "codes"


@dataclass(frozen=True, slots=True)
class Postgres:
    """Who finds words in a PostgreSQL library: Recto's own postings, or ParadeDB's pg_search where it is ready."""

    lexical: Literal["auto", "postings", "pg_search"] = "auto"


@dataclass(frozen=True, slots=True)
class Config:
    """The whole tree. `library` is a path or a URL (`postgresql://…`); unset means the user's data folder."""

    library: Location | None = None
    project: Annotated[str, Field(min_length=1, max_length=200)] = "default"
    chunking: Chunking = Chunking()
    embedding: Embedding = Embedding()
    ingest: Ingest = Ingest()
    history: History = History()
    retrieval: Retrieval = Retrieval()
    reranking: Reranking = Reranking()
    jobs: Jobs = Jobs()
    work: Work = Work()
    serve: Serve = Serve()
    watch: Watch = Watch()
    daemon: Daemon = Daemon()
    snapshots: Snapshots = Snapshots()
    postgres: Postgres = Postgres()
