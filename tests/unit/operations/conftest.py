"""A library made from the vault in examples/, which the operations' examples speak of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recto
from recto.engine.engine import Engine
from recto.operations.canonical import CanonicalUpsertRequest, canonical_upsert
from recto.operations.remember import RememberRequest, remember
from recto.operations.sessions import SessionsStartRequest, sessions_start
from recto.operations.table import OPERATIONS

VAULT = Path(__file__).parents[3] / "examples" / "vault"


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path = tmp_path_factory.mktemp("library") / "library.db"
    with recto.open_library(path, create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("observatory", VAULT)
        engine.index()
        remember(engine, RememberRequest(**OPERATIONS["remember"].example))
        remember(engine, RememberRequest(text="Perhaps paint the dome green.", title="A passing thought"))
        sessions_start(engine, SessionsStartRequest(**OPERATIONS["sessions_start"].example))
        canonical_upsert(engine, CanonicalUpsertRequest(**OPERATIONS["canonical_upsert"].example))
        yield engine
