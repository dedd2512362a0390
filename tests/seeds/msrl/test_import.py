"""MSRL §9.1: the vault of a snapshot comes over, and what the snapshot lists is compared with its files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw

from octavo.engine.wiring import open_library
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.importer_choice import open_source


def _vault(folder: Path) -> Path:
    snapshot = folder / ".msrl" / "snapshots" / "2026-02-20T230501Z"
    snapshot.mkdir(parents=True)
    (folder / ".msrl" / "CURRENT").write_text(f"{snapshot.name}\n", "utf-8")
    (folder / ".msrl" / "config.json").write_text('{"lifecycle": {"ignoredPatterns": ["drafts/**"]}}', "utf-8")
    for name in ("N2.md", "drafts/two.md"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("# Infra\n\nPods talk over the network.\n", "utf-8")
    with closing(apsw.Connection(str(snapshot / "meta.sqlite"))) as database:
        database.execute("create table docs (doc_id integer primary key, doc_uri text, mtime real, hash text)")
        listed = ("N2.md", "drafts/two.md", "gone.md")
        database.executemany("insert into docs (doc_uri) values (?)", [(name,) for name in listed])
    return folder


def test_9_1_a_vault_is_indexed_and_what_its_snapshot_lists_besides_is_named(tmp_path: Path) -> None:
    vault = _vault(tmp_path / "vault")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        for place in (vault, vault / ".msrl"):
            with open_source(place) as source:
                assert source.preview().collections[0].records == 3
                (done,) = source.import_into(engine, NoProgress()).collections
        assert (done.name, done.records, done.added, done.unchanged) == ("vault", 3, 0, 1)
        assert done.left_out == ["gone.md: it is not there any more", "drafts/two.md: an ignore rule excludes it"]
        assert [hit.citation.uri for hit in engine.search(Query("pods")).hits] == ["N2.md"]
