"""A table made here serves its encoder as the bundled one serves the bundled encoder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from octavo.embedding.bundled_embedder import FAST_DIRECTORY
from octavo.embedding.installed_models import models_folder
from octavo.embedding.static_token_table_choice import fast_tier, table_folder
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.ingest import provisional_fast_vectors
from octavo.model.query import Query
from octavo.operations.models.list_fetch_train_and_activate import models_list
from octavo.operations.models.requests import ModelsListRequest
from octavo.retrieval.profiles_by_name import PROFILES

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "dough", "bread", "moon", "rests", "rises", "the")


def table(name: str, space: str, made_at: str, dimensions: int = 64) -> Path:
    folder = models_folder() / name
    folder.mkdir(parents=True)
    rows = np.zeros((len(WORDS), dimensions), np.int8)
    rows[5:8] = np.arange(dimensions) % 7 + 1  # at a right angle to no vector of a query
    rows[5:8, :3] += 50 * np.eye(3, dtype=np.int8)
    np.savez(folder / "table.npz", rows=rows, scales=np.full(len(WORDS), 0.01, np.float32))
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    about: dict[str, object] = {
        "format": 1,
        "name": name,
        "revision": f"table-{name}",
        "dimensions": dimensions,
        "window": 256,
    }
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    listed = {one: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for one, data in files.items()}
    about |= {"tokenizer": "wordpiece", "space": space, "made_at": made_at, "files": listed}
    (folder / "model.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "notes").mkdir()
    for name in ("dough", "moon", "bread"):
        (tmp_path / "notes" / f"{name}.md").write_text(f"# {name}\n\nThe {name} rises.\n")
    made = open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"})
    made.add_collection("notes", tmp_path / "notes")
    return made


def test_what_waits_for_the_encoder_is_found_by_the_table_in_its_space(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provisional_fast_vectors, "AT_ONCE", 0)
    table("mine", engine.embedder.profile.revision, "2026-01-01")
    engine.index()

    profile = engine.library.active.fast_profile
    assert profile is not None and profile.name == "mine"
    assert len(engine.store.embeddings.vectors(engine.project.id, profile, 0).keys) == 3
    assert len(engine.search(Query("moon"), PROFILES["dense_only"]).hits) == 3


def test_the_newest_whole_table_in_the_space_is_taken(engine: Engine) -> None:
    revision = engine.embedder.profile.revision
    assert fast_tier(engine.embedder) is None

    table("elsewhere", "another", "2026-03-01")
    old, new = table("old", revision, "2026-01-01"), table("new", revision, "2026-02-01")
    assert table_folder(revision) == new
    (new / "vocab.txt").unlink()
    assert table_folder(revision) == old


def test_the_list_says_which_table_serves(engine: Engine) -> None:
    table("mine", engine.embedder.profile.revision, "2026-01-01")
    table("other", "another", "2026-01-01")
    states = {model.name: model.state for model in models_list(engine, ModelsListRequest()).models}
    assert states["mine"] == "active"
    assert states["other"] == "idle"


def test_the_bundled_encoder_has_the_bundled_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    space = json.loads((FAST_DIRECTORY / "model.json").read_text("utf-8"))["space"]
    assert table_folder(space) == FAST_DIRECTORY
    own = table("own", space, "2026-01-01")
    assert table_folder(space) == own
