"""LSM §4.3.5: its store comes over as Chroma itself wrote it, without the versions that it had marked as past."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.importer_choice import open_source
from octavo.operations.database.results import ImportedCollection

chromadb = pytest.importorskip("chromadb")


def _stored(folder: Path, current: dict[str, bool]) -> None:
    """Two versions of a file as LSM keeps them: a chunk each, with what it says of them."""
    client = chromadb.PersistentClient(str(folder), chromadb.Settings(anonymized_telemetry=False))
    chunks = client.get_or_create_collection("lsm", embedding_function=None)
    texts = {"v1": "The harbour closes at eight.", "v2": "The harbour closes at ten."}
    of: dict[str, dict[str, Any]] = {
        name: {
            "source_path": "/notes/harbour.md",
            "heading": "Opening hours",
            "version": number,
            "mtime_ns": 1_700_000_000_000_000_000 + number,
            "is_current": current[name],
        }
        for number, name in enumerate(texts, start=1)
    }
    vectors = [np.eye(4)[number].tolist() for number in range(len(texts))]
    chunks.upsert(ids=list(texts), documents=list(texts.values()), metadatas=list(of.values()), embeddings=vectors)
    assert chunks.count() == len(texts)
    client.close()


def _taken(engine: Engine, folder: Path) -> ImportedCollection:
    with open_source(folder) as source:
        (done,) = source.import_into(engine, NoProgress()).collections
    return done


def test_4_3_5_a_version_that_is_not_current_is_not_found(tmp_path: Path) -> None:
    _stored(tmp_path / "chroma", {"v1": False, "v2": True})
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        done = _taken(engine, tmp_path / "chroma")
        (hit,) = engine.search(Query("when does the harbour close")).hits
    assert (done.records, done.added, done.earlier_versions) == (2, 1, 1)
    assert hit.excerpt.strip() == "The harbour closes at ten."
    assert hit.title == "Opening hours"
    assert int(hit.modified_at) == 1_700_000_000


def test_4_3_5_what_stopped_being_current_goes_at_the_next_import(tmp_path: Path) -> None:
    _stored(tmp_path / "chroma", {"v1": True, "v2": False})
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        _taken(engine, tmp_path / "chroma")
        _stored(tmp_path / "chroma", {"v1": False, "v2": True})
        _taken(engine, tmp_path / "chroma")
        assert [hit.citation.uri for hit in engine.search(Query("harbour")).hits] == ["v2"]
