"""A training run's checkpoint on disk, from which a stopped run goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from octavo.atomic_file_replacement import replacing
from octavo.errors import InvalidArgument, StorageError
from octavo.observability.progress import Progress
from octavo_train.contrastive_training import TrainingStep

_STATE = "state.pt"


class SavedRun:
    """One try at training: where its state is kept, and how its progress is shown."""

    def __init__(self, work: Path, fingerprint: str, progress: Progress) -> None:
        self._path = work / _STATE
        self._fingerprint = fingerprint
        self._progress = progress
        self._done = 0
        self._started = False

    def report(self, step: TrainingStep) -> None:
        if not self._started:
            self._progress.start("training", step.total, "steps")
            self._started = True
        self._progress.advance(step.number - self._done, f"loss {step.loss:.3f}")
        self._done = step.number

    def resumed(self) -> Mapping[str, Any] | None:
        """The state that the same examples and settings left behind, if they did."""
        if not self._path.is_file():
            return None
        try:
            state: dict[str, Any] = torch.load(self._path, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, EOFError, ValueError):
            return None  # cut short while it was written: begin again
        return state if state.get("fingerprint") == self._fingerprint else None

    def save(self, step: int, state: Mapping[str, Any]) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self._path, private=False) as unfinished:
                torch.save({**state, "fingerprint": self._fingerprint}, unfinished)
        except (OSError, RuntimeError) as error:
            raise StorageError(
                f"{self._path} cannot be written: {error}", hint="free some disk space; training goes on from there"
            ) from error

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)


def training_device(name: str | None) -> Any:
    if name is None:
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise InvalidArgument("torch sees no GPU here", hint="leave --device out, or say --device cpu")
    if name == "cpu":
        torch.use_deterministic_algorithms(True)
    return torch.device(name)


def is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "out of memory" in str(error) or "can't allocate memory" in str(error)
