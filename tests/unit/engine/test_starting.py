"""What an engine has ready: a model that is loaded ahead, and snapshots that come while it is open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from octavo.config.layered_config_loading import load
from octavo.embedding.hashing_embedder import HashingEmbedder, WhitespaceCounter
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine, open_library
from octavo.errors import ModelUnavailable
from octavo.model.embedding_profile import (
    EmbeddingProfileSettings,
    EmbeddingProfileState,
    NamedEmbeddingProfile,
)
from octavo.model.library_location import location
from octavo.model.query import Query
from octavo.observability.progress import NoProgress

HASHING = {"embedding.provider": "hashing"}


class InThisProcess(HashingEmbedder):
    """A model that is loaded, unlike a service."""

    def ahead(self) -> None: ...


def opened(library: Path, soon: str | None) -> Engine:
    config = load(HASHING | {"library": location(library)}).config
    return open_engine(
        config, embedders=lambda _: SimpleNamespace(embedder=InThisProcess(), counter=WhitespaceCounter()), soon=soon
    )


def found(engine: Engine) -> list[tuple[str, float]]:
    return [(hit.citation.uri, hit.score) for hit in engine.search(Query("harbour 3")).hits]


def test_what_is_asked_soon_is_answered_as_it_would_be_later(library: Path) -> None:
    with opened(library, None) as later, opened(library, "harbour 3") as ahead, opened(library, "else") as wrong:
        assert ahead.reader.loading is not None
        assert found(ahead) == found(later) == found(wrong)


def test_a_library_that_another_embedder_answers_for_loads_none_ahead(library: Path) -> None:
    with open_library(library, settings=HASHING) as engine, engine.store.transaction():
        settings = EmbeddingProfileSettings("hashing", dimensions=64)
        engine.store.profiles.put(
            NamedEmbeddingProfile(engine.project.id, "other", settings, EmbeddingProfileState.ACTIVE)
        )
    with opened(library, "harbour 3") as ahead:
        assert ahead.reader.loading is None
        assert ahead.embedder.profile.dimensions == 64


def test_a_model_that_cannot_be_loaded_is_reported_by_the_search(library: Path, tmp_path: Path) -> None:
    settings = {"embedding.provider": "onnx", "embedding.model": tmp_path / "nowhere", "library": location(library)}
    with (
        open_engine(load(settings).config, soon="harbour 3") as engine,
        pytest.raises(ModelUnavailable, match="nowhere"),
    ):
        engine.search(Query("harbour 3"))


_BROKEN_OFF = """
import sys, threading
from types import SimpleNamespace
from octavo.config.layered_config_loading import load
from octavo.embedding.hashing_embedder import HashingEmbedder, WhitespaceCounter
from octavo.engine.wiring import open_engine
from octavo.model.library_location import location

class Slow(HashingEmbedder):
    def ahead(self): ...  # a model of this process, which is loaded; services are not

    def embed_query(self, text):
        threading.main_thread().join()
        print("loaded")

config = load({"embedding.provider": "hashing", "library": location(sys.argv[1])}).config
made = SimpleNamespace(embedder=Slow(), counter=WhitespaceCounter())
open_engine(config, embedders=lambda settings: made, soon="harbour 3")
raise KeyboardInterrupt
"""


def test_an_interpreter_that_is_interrupted_ends_after_the_model_is_loaded(library: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _BROKEN_OFF, str(library)], capture_output=True, text=True)
    assert done.stdout == "loaded\n"
    assert done.stderr.endswith("KeyboardInterrupt\n")


def test_a_snapshot_answers_once_it_is_there_and_no_longer_when_it_is_gone(library: Path) -> None:
    with open_library(library, settings=HASHING) as engine:
        assert engine.accelerator is not None
        before, plain = found(engine), type(engine.vectors)
        engine.accelerator.upkeep.publish(NoProgress())
        assert type(engine.vectors) is not plain
        assert engine.reader.searched().store is not engine.store
        with_snapshot = found(engine)
        engine.accelerator.folder.clear_current()
        assert type(engine.vectors) is plain
        assert found(engine) == before
        assert [uri for uri, _ in with_snapshot] == [uri for uri, _ in before]
