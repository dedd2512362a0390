"""Whole vaults: every link that their own files, headings and blocks can satisfy is resolved.

OCTAVO_UPDATE_GOLDEN=1 writes the golden files anew.
"""

from __future__ import annotations

import io
import json
import os
import tarfile
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.graph.anchor_resolution import anchored
from octavo.model.document import Document, LinkKind, Source
from octavo.model.ids import DocumentId
from octavo.model.link_graph import Edge
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.markdown.parser import MarkdownParser

GOLDEN = Path(__file__).parents[1] / "golden" / "graph"
VAULT = Path(__file__).parents[2] / "examples" / "vault"
SHARED = Path(os.environ.get("OCTAVO_SHARED_DATA") or Path(__file__).parents[2] / ".." / "shared" / "data")


def indexed(folder: Path, library: Path) -> Engine:
    engine = open_library(library, create=True, settings={"embedding.provider": "hashing"})
    engine.add_collection("vault", folder)
    engine.index(embed=False)
    return engine


@pytest.fixture(scope="module")
def help_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import zstandard

    packed = SHARED / "obsidian-help-en.tar.zst"
    if not packed.exists():
        pytest.skip(f"{packed.name} is not here; OCTAVO_SHARED_DATA names the folder that holds it")
    folder = tmp_path_factory.mktemp("help")
    with packed.open("rb") as file:
        archive = io.BytesIO(zstandard.ZstdDecompressor().stream_reader(file).read())
    with tarfile.open(fileobj=archive) as tar:
        tar.extractall(folder, filter="data")
    return folder / "obsidian-help-en" / "en"


def anchor_found(engine: Engine, edge: Edge) -> bool:
    assert edge.target and edge.anchor
    target = engine.store.documents.get(engine.project.id, edge.target)
    assert target
    sections = engine.store.documents.sections(engine.project.id, edge.target)
    return anchored(sections, target.metadata, edge.anchor) is not None


def counted(engine: Engine) -> dict[str, Any]:
    """How many links of each type there are, how many lead somewhere, and where the others would lead."""
    edges = engine.store.graph.edges(engine.project.id)
    uris = {node.document: node.uri for node in engine.store.graph.nodes(engine.project.id)}
    broken = sorted(
        f"{uris[edge.source]} -> {uris[edge.target]}#{edge.anchor}"
        for edge in edges
        if edge.target and edge.anchor and not anchor_found(engine, edge)
    )
    return {
        "documents": len(uris),
        "links": len(edges),
        "resolved": dict(sorted(Counter(edge.type.value for edge in edges if edge.target).items())),
        "with_anchor": sum(edge.target is not None and edge.anchor is not None for edge in edges),
        "anchors_missing": broken,
        "ghosts": dict(sorted(Counter(edge.path for edge in edges if edge.target is None).items())),
    }


def compare(name: str, found: dict[str, Any]) -> None:
    written = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    expected = GOLDEN / f"{name}.json"
    if os.environ.get("OCTAVO_UPDATE_GOLDEN") == "1":
        expected.write_text(written, "utf-8")
    assert written == expected.read_text("utf-8")


def test_the_links_of_the_example_vault_are_as_its_golden_file_says(tmp_path: Path) -> None:
    with indexed(VAULT, tmp_path / "l.db") as engine:
        compare("vault", counted(engine) | {"edges": drawn(engine)})


def drawn(engine: Engine) -> list[str]:
    uris = {node.document: node.uri for node in engine.store.graph.nodes(engine.project.id)}
    edges = engine.store.graph.edges(engine.project.id)
    return sorted(
        f"{uris[edge.source]} {edge.type.value} {uris.get(edge.target or DocumentId(''), '?')}"
        + (f"#{edge.anchor}" if edge.anchor else "")
        for edge in edges
    )


@pytest.mark.corpus
def test_the_links_of_the_help_vault_are_as_many_as_its_golden_file_says(help_vault: Path, tmp_path: Path) -> None:
    with indexed(help_vault, tmp_path / "l.db") as engine:
        compare("obsidian-help", counted(engine))


@pytest.mark.corpus
def test_every_link_that_the_help_vault_can_satisfy_resolves(help_vault: Path, tmp_path: Path) -> None:
    """Against a plain look through all files, by other code: a file of that name or path, a heading of that title."""
    documents = {
        path.relative_to(help_vault).as_posix(): parsed(path, path.relative_to(help_vault).as_posix())
        for path in sorted(help_vault.rglob("*.md"))
    }
    with indexed(help_vault, tmp_path / "l.db") as engine:
        uris = {node.document: node.uri for node in engine.store.graph.nodes(engine.project.id)}
        edges = {(uris[one.source], one.span.start): one for one in engine.store.graph.edges(engine.project.id)}
        looked_at = 0
        for uri, document in documents.items():
            for link in document.links:
                if link.kind is LinkKind.MARKDOWN and (":" in link.target or not link.target):
                    continue
                if "://" in link.target:
                    continue
                fitting = [uri] if not link.target else satisfying(documents, link.target)
                edge = edges[uri, link.span.start]
                looked_at += 1
                if not fitting:
                    assert edge.target is None, (uri, link)
                    continue
                assert edge.target and uris[edge.target] in fitting, (uri, link)
                if link.anchor and any(has(documents[one], link.anchor) for one in fitting):
                    assert anchor_found(engine, edge), (uri, link)
        assert looked_at > 1_500


def parsed(path: Path, uri: str) -> Document:
    return MarkdownParser().parse(Source(DocumentId(uri), uri, normalise(path.read_text("utf-8")), 0.0))


def satisfying(documents: dict[str, Document], target: str) -> list[str]:
    wanted = plain(target.removesuffix(".md"))
    return [
        uri
        for uri, document in documents.items()
        if ("/" + plain(uri.removesuffix(".md"))).endswith("/" + wanted)
        or wanted in (plain(alias) for alias in document.aliases)
    ]


def has(document: Document, anchor: str) -> bool:
    if anchor.startswith("^"):
        return f"^{anchor[1:]}\n" in document.text + "\n"
    titles = {letters(section.title) for section in document.sections}
    return letters(anchor.rpartition("#")[2]) in titles


def plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold().strip("/")


def letters(text: str) -> str:
    return "".join(one for one in plain(text) if one.isalnum())
