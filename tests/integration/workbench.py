"""A folder, a library and the real engine between them, with eyes that see everything the library holds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from engines import substituted
from observation import observed

from octavo.config.layered_config_loading import validated
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.ingest.file_preparation import Preparer
from octavo.ingest.indexing_report import CollectionReport, IndexReport
from octavo.ingest.prepared_file import Origin, PreparedFile
from octavo.model.folder_scan import SeenFile
from octavo.model.indexing_ledger import LedgerEntry
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Query
from octavo.model.search_result import Hit
from octavo.retrieval.profiles_by_name import PROFILES

VAULT = Path(__file__).parents[2] / "examples" / "vault"
WORDS = ("the", "telescope", "moon", "water", "note", "switch", "apple", "2024")

ENGINES = ("database", "snapshot", "postgres")

GOOD = {
    "garden/apples.md": "# Apples\n\nPrune the apple tree in late winter.\n\n## Water\n\nTwo buckets a week.\n",
    "bread.md": "---\ntags: [kitchen]\n---\n# Bread\n\nThe dough rests overnight.\n",
    "lamp.txt": "The switch of the lamp is behind the door.\n",
}


@dataclass
class Bench:
    """Where one test works. Every way in opens the library anew, as every command does."""

    folder: Path
    library: Path
    home: Path
    collection: CollectionSettings = field(default_factory=CollectionSettings)

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for uri, content in files.items():
            path = self.folder / uri
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)

    def config(self, **settings: Any) -> Config:
        values: dict[str, Any] = {"embedding": {"provider": "hashing"}, "library": self.library} | settings
        return validated(Config, values)

    @contextmanager
    def opened(self, **settings: Any) -> Iterator[Engine]:
        with open_engine(self.config(**settings), create=True) as engine:
            if self.collection not in [collection.settings for collection in engine.collections()]:
                engine.add_collection("notes", self.folder, self.collection)
            yield engine

    def run(self, arrange: Callable[[Engine], None] | None = None, **settings: Any) -> IndexReport:
        """One run of the writing flow. `arrange` may exchange an engine's parts for doubles first."""
        with self.opened(**settings) as engine:
            if arrange is not None:
                arrange(engine)
            return engine.index()

    def index(self, arrange: Callable[[Engine], None] | None = None, **settings: Any) -> CollectionReport:
        (report,) = self.run(arrange, **settings).collections
        return report

    def ledger(self) -> dict[str, LedgerEntry]:
        with self.opened() as engine:
            return dict(engine.store.ledger.entries(engine.project.id, engine.collection("notes").id))

    def found(self, words: str, profile: str = "lexical_only") -> list[str]:
        """The uris of the hits and of their copies, best first, each once."""
        with self.opened() as engine:
            places = [(hit.citation.uri, *(copy.uri for copy in hit.copies)) for hit in found(engine, words, profile)]
        return list(dict.fromkeys(uri for several in places for uri in several))

    def problems(self) -> tuple[str, ...]:
        with self.opened() as engine:
            return engine.store.check()

    def generation(self) -> int:
        with open_engine(self.config()) as engine:
            return engine.store.generation()

    def state(self, **settings: Any) -> dict[str, Any]:
        with open_engine(self.config(**settings)) as engine:
            return state(engine)

    def environ(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("OCTAVO_", "XDG_"))}
        places = {name: str(self.home) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
        return kept | places | {"OCTAVO_LIBRARY": str(self.library), "OCTAVO_EMBEDDING_PROVIDER": "hashing"} | more

    def process(
        self, *arguments: str, program: tuple[str, ...] = ("-m", "octavo"), **more: str
    ) -> subprocess.Popen[str]:
        """`octavo ARGUMENTS` as a process and a process group of its own. `program` is what Python runs as `octavo`."""
        return subprocess.Popen(
            [sys.executable, *program, *arguments],
            env=self.environ(**more),
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


def state(engine: Engine) -> dict[str, Any]:
    """Everything a library holds, but for its own numbers and the times at which it was written.

    Two libraries of one folder are equal here if no search, citation or version could tell them apart.
    """
    store, project, profile = engine.store, engine.project.id, engine.embedder.profile
    entries = [
        entry
        for collection in engine.collections()
        for entry in store.ledger.entries(project, collection.id).values()
        if entry.document_id is not None
    ]
    named = [(project, entry.document_id) for entry in entries if entry.document_id is not None]
    seen = observed(store, [profile], named, WORDS)[engine.project.name]
    seen["chunks"] = sorted(seen["chunks"], key=lambda one: (one.collection, one.uri, one.span))
    seen["versions"] = {
        document: [version._replace(indexed_at=0.0) for version in versions]
        for document, versions in seen["versions"].items()
    }
    seen["words"] = {word: sorted(chunks) for word, chunks in seen["words"].items()}
    (embeddings,) = seen["embeddings"]
    embeddings["assignments"] = sorted(embeddings["assignments"])
    # Vectors of texts that are no longer there stay for the day they come back.
    embeddings.pop("vectors")
    seen["hits"] = {
        (word, name): [(hit.chunk_id, hit.citation, Score(hit.score)) for hit in found(engine, word, name)]
        for word in WORDS
        for name in ("lexical_only", "hybrid")
    }
    # Work promised for later, by whoever changed something: not yet content.
    seen.pop("jobs")
    return seen


def found(engine: Engine, words: str, profile: str) -> tuple[Hit, ...]:
    return engine.search(Query(words), PROFILES[profile]).hits


class Score(float):
    """Equal up to rounding: sums and products are taken in the order of the store's own numbers."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, float) and abs(self - other) < 1e-4

    __hash__ = None  # type: ignore[assignment]


def exchange(engine: Engine, **adapters: Any) -> None:
    """Replaces what wiring gave to an engine."""
    if preparers := adapters.pop("preparers", None):
        own = engine.library.adapters.preparing
        adapters["preparing"] = SimpleNamespace(preparer=own.preparer, preparers=preparers)
    if scan := adapters.pop("scan", None):
        rules = engine.library.adapters.sources
        adapters["sources"] = lambda config: SimpleNamespace(
            scan=scan, history_rules=rules(config).history_rules, changes=rules(config).changes
        )
    engine.library.adapters = substituted(engine.library.adapters, **adapters)


def several_processes(engine: Engine) -> None:
    """Has even a small folder prepared by processes."""
    make = engine.library.adapters.preparing.preparers
    exchange(engine, preparers=lambda settings, fast, size: make(settings, fast, 1_000_000_000))


def deadly(make: Callable[[], Preparer]) -> Deadly:
    return Deadly(make())


class Deadly:
    """A preparer whose process dies of every file with `deadly` in its name."""

    def __init__(self, preparer: Preparer) -> None:
        self._preparer = preparer

    def files(self, origin: Origin, files: Sequence[SeenFile]) -> list[PreparedFile]:
        if any("deadly" in file.uri for file in files):
            os._exit(9)
        return self._preparer.files(origin, files)


def bench_on(name: str, folder: Path, request: pytest.FixtureRequest) -> tuple[Bench, dict[str, Any]]:
    """A bench and its settings where searches are answered by the database, by a snapshot of it, or by PostgreSQL."""
    for part in ("notes", "home"):
        (folder / part).mkdir()
    bench = Bench(folder / "notes", folder / "library.db", folder / "home")
    if name == "postgres":
        server = request.getfixturevalue("postgres")
        url = server.database()
        request.addfinalizer(lambda: server.drop(url))
        return bench, {"library": url}
    return bench, {"snapshots": {"threshold": 1}} if name == "snapshot" else {}
