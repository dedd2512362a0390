"""A model on disk: a folder with `model.json`, the graph, and the tokenizer's files.

`model.json`, format 1: `name`, `revision`, `dimensions` and `window` (in tokens, special ones included) are required.
`pooling` is `mean`, `cls` or `graph` (the graph gives one vector a text); `tokenizer` is `tokenizers` (reads
`tokenizer.json`), `wordpiece` or `bpe` (read `vocab.txt`); `scripts` are those it was taught, as the names of their
characters begin; `padding` says whether the graph takes an attention mask; `optimised` that it is to be run as it is.
`files` gives the size and sha256 of each file, those included that the graph itself names.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path, PurePath
from typing import Any, Literal, NamedTuple, get_args

from octavo.errors import ModelUnavailable
from octavo.fast_dataclass import Value
from octavo.model.embedding_profile import EmbeddingProfile

FORMAT = 1
GRAPH = "model.onnx"
BESIDE_GRAPH = ("words.bin", "model.onnx_data")
"""Files with weights that a graph may name."""
_LARGEST_DESCRIPTION = 1 << 20  # bytes
Pooling = Literal["mean", "cls", "graph"]
TokenizerKind = Literal["tokenizers", "wordpiece", "bpe"]


class FileRecord(NamedTuple):
    bytes: int
    sha256: str


class ModelDirectory(Value):
    """What `model.json` says. `remedy` is the hint of every error about the folder."""

    path: Path
    remedy: str
    profile: EmbeddingProfile
    pooling: Pooling = "mean"
    tokenizer: TokenizerKind = "tokenizers"
    scripts: tuple[str, ...] = ()
    padding: bool = True
    optimised: bool = False
    files: Mapping[str, FileRecord] = field(default_factory=dict)

    def file(self, name: str) -> Path:
        """Where a file lies, if it is there and as long as it should be."""
        problem = self._damage(name, contents=False)
        if problem:
            raise ModelUnavailable(problem, hint=self.remedy, details={"path": str(self.path / name)})
        return self.path / name

    def graph(self) -> Path:
        """Where the graph lies, if it and the weights beside it are there."""
        for name in BESIDE_GRAPH:
            if name in self.files or (self.path / name).exists():
                self.file(name)
        return self.file(GRAPH)

    def damage(self) -> tuple[str, ...]:
        """What is wrong with the files, in sentences, by their sha256; empty when nothing is."""
        return tuple(problem for name in self.files if (problem := self._damage(name, contents=True)))

    def missing(self, name: str) -> str | None:
        """What is wrong with a file by its size alone; None when nothing is."""
        return self._damage(name, contents=False)

    def _damage(self, name: str, *, contents: bool) -> str | None:
        path, expected = self.path / name, self.files.get(name)
        try:
            size = _regular_size(path)
            if expected is None:
                return None
            if size != expected.bytes:
                return f"{path} is damaged: {size} bytes instead of {expected.bytes}"
            if contents and _sha256(path) != expected.sha256:
                return f"{path} is damaged: its sha256 is not the recorded one"
        except OSError as error:
            return f"{path} cannot be read: {error.strerror or error}"
        return None


def read_directory(path: Path, remedy: str) -> ModelDirectory:
    described = path / "model.json"
    try:
        if _regular_size(described) > _LARGEST_DESCRIPTION:
            raise ValueError(f"it is larger than {_LARGEST_DESCRIPTION} bytes")
        about = json.loads(described.read_text(encoding="utf-8"))
        return _parsed(path, remedy, about)
    except OSError as error:
        raise ModelUnavailable(f"{described} cannot be read: {error.strerror or error}", hint=remedy) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ModelUnavailable(f"{described} does not describe a model: {_reason(error)}", hint=remedy) from error


def _parsed(path: Path, remedy: str, about: Mapping[str, Any]) -> ModelDirectory:
    if about.get("format", FORMAT) != FORMAT:
        raise ValueError(f"its format is {about['format']}, this version reads {FORMAT}")
    profile = EmbeddingProfile(
        name=str(about["name"]),
        model=str(about.get("model", about["name"])),
        revision=str(about["revision"]),
        dimensions=int(about["dimensions"]),
        window=int(about["window"]),
        query_prefix=str(about.get("query_prefix", "")),
        document_prefix=str(about.get("document_prefix", "")),
    )
    if profile.dimensions < 1 or profile.window < 3:
        raise ValueError("dimensions must be at least 1 and window at least 3")
    pooling: Pooling = about.get("pooling", "mean")
    tokenizer: TokenizerKind = about.get("tokenizer", "tokenizers")
    if pooling not in get_args(Pooling) or tokenizer not in get_args(TokenizerKind):
        raise ValueError(f"pooling {pooling!r} with tokenizer {tokenizer!r} is not known")
    if outside := [
        name for name in about.get("files", {}) if PurePath(name).is_absolute() or ".." in PurePath(name).parts
    ]:
        raise ValueError(f"{outside[0]} is no file of the folder")
    return ModelDirectory(
        path=path,
        remedy=remedy,
        profile=profile,
        pooling=pooling,
        tokenizer=tokenizer,
        scripts=tuple(map(str, about.get("scripts", ()))),
        padding=bool(about.get("padding", True)),
        optimised=bool(about.get("optimised", False)),
        files={
            name: FileRecord(int(entry["bytes"]), str(entry["sha256"]))
            for name, entry in about.get("files", {}).items()
        },
    )


def _regular_size(path: Path) -> int:
    """The bytes of a file, which may be a link to another; a pipe or a device is waited for by nobody."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError("not a regular file")
    return status.st_size


def _reason(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
