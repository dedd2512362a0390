"""Training that is stopped, that runs out of memory, or that finds the disk full."""

from __future__ import annotations

import errno
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs torch, which is an extra: pip install 'octavo[train]'")

import torch
from tiny import tiny_folder

from octavo.embedding.installed_models import install, installed
from octavo.embedding.model_folder import ModelDirectory
from octavo.errors import ProviderFailed, StorageError
from octavo.observability.progress import NoProgress
from octavo_train.contrastive_training import TrainingSettings
from octavo_train.encoder_finetuning_and_table_fit import Trained, finetune
from octavo_train.trainable_model_checks import base_directory
from octavo_train.training_pairs_from_document import PairKind, TrainingPair
from octavo_train.training_pairs_from_library import Harvest

WORDS = ("rain", "dome", "night", "glass", "frost", "wind", "road", "guest", "alarm", "power", "star", "gate")
SAVED = 10  # seconds after which training saves its state, each time; a step takes one by the clock of these tests


def harvested(count: int = 104) -> Harvest:
    said = [f"{one} {two}" for one in WORDS for two in WORDS if one != two][:count]
    pairs = tuple(
        TrainingPair(text, f"{text} and {text[::-1]}", PairKind.HEADING, str(at)) for at, text in enumerate(said)
    )
    return Harvest(pairs[8:], pairs[:8], ())


@pytest.fixture
def base(tmp_path: Path) -> ModelDirectory:
    texts = [pair.positive for pair in harvested().learn]
    return base_directory(tiny_folder(tmp_path / "tiny", texts))


class Watched(NoProgress):
    """Notes how far each report brings training, and stops it there as Ctrl-C would."""

    def __init__(self, stop: int = 0) -> None:
        self.steps: list[int] = []
        self.phases: list[str] = []
        self._stop, self._training = stop, False

    def start(self, phase: str, total: int | None, unit: str) -> None:
        self.phases.append(phase)
        self._training = phase == "training"

    def advance(self, n: int = 1, note: str = "") -> None:
        if self._training:
            self.steps.append(n + (self.steps[-1] if self.steps else 0))
            if self._stop and self.steps[-1] > self._stop:
                raise KeyboardInterrupt


def run(base: ModelDirectory, work: Path, progress: Watched) -> Trained:
    settings = TrainingSettings(epochs=2.0, batch=8, rate=1e-3, balance=0.0)
    return finetune(base, harvested(), settings, work, progress, "cpu", SAVED, clock=count().__next__)


def test_a_run_that_was_stopped_goes_on_where_it_was_and_ends_the_same(base: ModelDirectory, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(base, tmp_path / "stopped", Watched(stop=SAVED))
    again, whole = Watched(), Watched()
    resumed = run(base, tmp_path / "stopped", again)
    straight = run(base, tmp_path / "whole", whole)
    assert whole.steps[0] == 1
    assert again.steps[0] > SAVED
    assert np.array_equal(resumed.model.words, straight.model.words)
    assert np.array_equal(resumed.model.layers[0].down.weight, straight.model.layers[0].down.weight)
    assert not list((tmp_path / "stopped").iterdir())


def test_how_long_it_takes_is_said_before_anything_is_read_and_every_step_is_told(
    base: ModelDirectory, tmp_path: Path
) -> None:
    watched = Watched()
    run(base, tmp_path / "work", watched)
    assert watched.phases[:2] == ["about 2 min in all; reading", "training"]
    assert watched.steps == list(range(1, 25))


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Memory for batches up to a size, as torch tells of having no more."""

    def only(most: int) -> None:
        real = torch.nn.functional.cross_entropy

        def cross_entropy(scores: Any, labels: Any, **asked: Any) -> Any:
            if len(scores) > most:
                raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
            return real(scores, labels, **asked)

        monkeypatch.setattr(torch.nn.functional, "cross_entropy", cross_entropy)

    return only


def test_out_of_memory_goes_on_with_half_the_batch(
    base: ModelDirectory, tmp_path: Path, room: Callable[[int], None]
) -> None:
    room(8)
    done = finetune(base, harvested(), TrainingSettings(batch=32, balance=0.0), tmp_path / "work", NoProgress(), "cpu")
    assert done.settings.batch == 8


def test_out_of_memory_at_the_smallest_batch_is_told_with_what_to_try(
    base: ModelDirectory, tmp_path: Path, room: Callable[[int], None]
) -> None:
    room(2)
    with pytest.raises(ProviderFailed, match="out of memory") as told:
        finetune(base, harvested(), TrainingSettings(batch=16, balance=0.0), tmp_path / "work", NoProgress(), "cpu")
    assert "--batch" in (told.value.hint or "")


def test_a_full_disk_leaves_no_half_a_model_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_bytes

    def write_bytes(path: Path, data: Any) -> int:
        if path.name == "model.onnx":
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(StorageError, match=r"mine cannot be written: No space left on device") as told:
        install(tmp_path, "mine", {"model.json": b"{}", "model.onnx": b"graph"})
    assert "free some disk space" in (told.value.hint or "")
    assert not list(tmp_path.iterdir())
    assert installed(tmp_path) == ()
