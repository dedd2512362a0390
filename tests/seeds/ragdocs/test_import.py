"""ragdocs, "Index persistence": the folder of an index comes over, and the files of its manifest are compared."""

from __future__ import annotations

import json
from pathlib import Path

from octavo.engine.wiring import open_library
from octavo.observability.progress import NoProgress
from octavo.operations.database.importer_choice import open_source

_FILES = {"README.md": "# Start\n\nHarbour.\n", "docs/api.md": "# API\n\nHarbour.\n", "build/x.md": "# X\n\nHarbour.\n"}


def _documents(folder: Path) -> Path:
    for name, text in _FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def test_the_documents_of_a_manifest_are_indexed_and_what_is_gone_is_named(tmp_path: Path) -> None:
    folder = _documents(tmp_path / "project")
    manifest = {
        "spec_version": "1.0.0",
        "embedding_model": "BAAI/bge-small-en-v1.5",
        "chunking_config": {"strategy": "header_based"},
        "indexed_files": {"api": "docs/api.md", "start": "README.md", "old": "docs/old.md"},
    }
    (folder / ".index_data").mkdir()
    (folder / ".index_data" / "index.manifest.json").write_text(json.dumps(manifest), "utf-8")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        for place in (folder, folder / ".index_data"):
            with open_source(place) as source:
                (done,) = source.import_into(engine, NoProgress()).collections
        assert (done.name, done.records, done.unchanged) == ("project", 3, 2)
        assert done.left_out == ["docs/old.md: it is not there any more"]


def test_each_project_of_its_configuration_becomes_a_collection_without_what_it_excludes(tmp_path: Path) -> None:
    own, folder = tmp_path / "mcp-markdown-ragdocs", _documents(tmp_path / "project")
    own.mkdir()
    written = f'[indexing]\nexclude = ["docs/**"]\n\n[[projects]]\nname = "manual"\npath = {json.dumps(str(folder))}\n'
    (own / "config.toml").write_text(written, "utf-8")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        with open_source(own) as source:
            (done,) = source.import_into(engine, NoProgress()).collections
        assert (done.name, done.added) == ("manual", 1)
