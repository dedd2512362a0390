"""Every setting with its default, written once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Tokens = Annotated[int, Field(ge=1, le=100_000)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


class Chunking(_Frozen):
    """Sizes in tokens. What is left unset follows from the embedder's window."""

    target_min_tokens: Tokens | None = None
    target_max_tokens: Tokens | None = None
    hard_max_tokens: Tokens | None = None
    min_preferred_tokens: Annotated[int, Field(ge=0, le=100_000)] | None = None
    overlap_tokens: Annotated[int, Field(ge=0, le=10_000)] | None = None
    max_heading_depth: Annotated[int, Field(ge=0, le=6)] | None = None
    intelligent_heading_depth: bool = False


class Embedding(_Frozen):
    """`bundled` needs nothing; `onnx` takes a model folder; `hashing` is for tests."""

    provider: Literal["bundled", "onnx", "hashing"] = "bundled"
    model: Path | None = None
    threads: Annotated[int, Field(ge=1, le=256)] | None = None


class Ingest(_Frozen):
    """What is read from disk."""

    max_file_bytes: Annotated[int, Field(ge=1)] = 10_000_000
    ignore: tuple[str, ...] = ()
    workers: Annotated[int, Field(ge=1, le=64)] | None = None


class Retrieval(_Frozen):
    """How a search answers when it is not told otherwise."""

    profile: str = "hybrid"
    limit: Annotated[int, Field(ge=1, le=1000)] = 10
    max_excerpt_chars: Annotated[int, Field(ge=1)] | None = None


class Reranking(_Frozen):
    """A cross-encoder in a local folder, for profiles with a `rerank` stage; without one the stage is skipped."""

    model: Path | None = None
    threads: Annotated[int, Field(ge=1, le=256)] | None = None


class Serve(_Frozen):
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


class Jobs(_Frozen):
    """How promised work is done. Seconds; a lease longer than the longest job needs no second worker to wait."""

    lease_seconds: Annotated[float, Field(gt=0, le=86_400)] = 120.0
    retry_seconds: Annotated[float, Field(gt=0, le=86_400)] = 5.0
    max_retry_seconds: Annotated[float, Field(gt=0, le=604_800)] = 600.0
    max_attempts: Annotated[int, Field(ge=1, le=1_000)] = 5
    batch: Annotated[int, Field(ge=1, le=1_000)] = 4
    poll_seconds: Annotated[float, Field(gt=0, le=3_600)] = 1.0


class Config(_Frozen):
    """The whole tree. `library` unset means the user's data folder."""

    library: Path | None = None
    project: Annotated[str, Field(min_length=1, max_length=200)] = "default"
    chunking: Chunking = Chunking()
    embedding: Embedding = Embedding()
    ingest: Ingest = Ingest()
    retrieval: Retrieval = Retrieval()
    reranking: Reranking = Reranking()
    jobs: Jobs = Jobs()
    serve: Serve = Serve()
