"""Pinned rankings: the place of a known answer among the hits, for every query in tests/golden/rankings.

A line of a golden file is a query, its options, the target and the target's rank; 0 means that it is not among the
ten. The target is a uri, with the section or symbol that has to be cited after a #. Ranks are the same everywhere;
scores are not compared.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import ranking_corpora
import zstandard

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.projects_and_collections import CollectionSettings
from octavo.observability.progress import NoProgress
from octavo.operations.database.copy_backup_and_restore import migrate
from octavo.operations.search_snapshots.build_list_and_rollback import snapshots_build
from octavo.operations.search_snapshots.requests import SnapshotsBuildRequest

if TYPE_CHECKING:
    from postgres_server import Server

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("OCTAVO_SHARED_DATA") or ROOT / ".." / "shared" / "data")
SETTINGS = {"embedding.fast": False}
UPDATE = bool(os.environ.get("OCTAVO_UPDATE_GOLDEN"))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The vault, the notes and the code, with the bundled encoder."""
    place = tmp_path_factory.mktemp("rankings")
    with open_library(place / "library.db", create=True, settings=SETTINGS) as engine:
        ranking_corpora.fill(engine, place)
        yield engine


@pytest.mark.parametrize("name", ranking_corpora.PINNED)
def test_every_target_has_its_pinned_rank(library: Engine, name: str) -> None:
    _check(library, name, name)


def test_every_target_has_its_pinned_rank_in_postgresql(library: Engine, postgres: Server) -> None:
    url = postgres.database()
    try:
        assert library.location is not None
        migrate(library.location, url)
        with open_library(url.secret, settings=SETTINGS) as engine:
            for name in ranking_corpora.PINNED:
                _check(engine, name, name)
    finally:
        postgres.drop(url)


def test_every_target_has_its_pinned_rank_in_a_snapshot(library: Engine) -> None:
    snapshots_build(library, SnapshotsBuildRequest(), NoProgress())
    assert library.accelerator is not None
    assert library.accelerator.published
    for name in ranking_corpora.PINNED:
        _check(library, name, name)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "archive", "endings"),
    [("obsidian-help", "obsidian-help-en", (".md",)), ("hiredis", "code-agent/hiredis", (".c", ".h"))],
)
def test_every_target_in_shared_data_has_its_pinned_rank(
    tmp_path: Path, name: str, archive: str, endings: tuple[str, ...]
) -> None:
    """By words and names alone, so that nothing has to be embedded."""
    folder = _unpacked(archive, endings, tmp_path / "files")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection(name, folder, CollectionSettings(history=False))
        engine.index()
        _check(engine, name, name)


def _check(engine: Engine, name: str, collection: str) -> None:
    path = ranking_corpora.GOLDEN / f"{name}.jsonl"
    pinned = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    found = [case | {"rank": ranking_corpora.rank(engine, case, collection)} for case in pinned]
    if UPDATE:
        path.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in found), "utf-8")
    assert found == pinned


def _unpacked(archive: str, endings: tuple[str, ...], folder: Path) -> Path:
    path = SHARED / f"{archive}.tar.zst"
    if not path.exists():
        pytest.skip(f"{path.name} is not here; OCTAVO_SHARED_DATA names the folder that holds it")
    with path.open("rb") as packed:
        content = io.BytesIO(zstandard.ZstdDecompressor().stream_reader(packed).read())
    with tarfile.open(fileobj=content) as tar:
        for member in tar:
            data = tar.extractfile(member) if member.isfile() and member.name.endswith(endings) else None
            if data is not None:
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data.read())
    return folder
