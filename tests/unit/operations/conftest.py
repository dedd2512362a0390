"""A library made from the vault in examples/, which the operations' examples speak of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.projects_and_collections import CollectionSettings
from octavo.operations.canonical_documents.requests import CanonicalUpsertRequest
from octavo.operations.canonical_documents.write_read_and_pack import canonical_upsert
from octavo.operations.graph.graph_export_and_cluster_map import cluster_build
from octavo.operations.graph.requests import ClusterBuildRequest
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.projects.projects_and_sessions import sessions_start
from octavo.operations.projects.requests import SessionsStartRequest

VAULT = Path(__file__).parents[3] / "examples" / "vault"


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path = tmp_path_factory.mktemp("library") / "library.db"
    with open_library(path, create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("observatory", VAULT, CollectionSettings(writable=True))
        engine.add_collection("scratch", tmp_path_factory.mktemp("scratch"))
        engine.index()
        cluster_build(engine, ClusterBuildRequest(k=4))
        remember(engine, RememberRequest(**OPERATIONS["remember"].example))
        remember(engine, RememberRequest(text="Perhaps paint the dome green.", title="A passing thought"))
        sessions_start(engine, SessionsStartRequest(**OPERATIONS["sessions_start"].example))
        canonical_upsert(engine, CanonicalUpsertRequest(**OPERATIONS["canonical_upsert"].example))
        yield engine
