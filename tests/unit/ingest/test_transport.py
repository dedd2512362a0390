"""What crosses from a worker process arrives as it left."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import samples

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.chunking.section_chunker import SectionChunker
from octavo.embedding.hashing_embedder import WhitespaceCounter
from octavo.ingest.file_preparation import Preparer
from octavo.ingest.prepared_file import Origin, PreparationFailure, PreparedFile
from octavo.ingest.worker_message_serialization import pack, unpack
from octavo.model.index_recipe import ChunkSizes
from octavo.model.prepared_document import PreparedDocument
from octavo.parsing.registry import EXTENSIONS, parser_for
from octavo.ports import Parser
from octavo.sources.folder_scan import scan
from octavo.sources.ignore_rules import IgnoreRules

VAULT = Path(__file__).parents[3] / "examples" / "vault"


def test_every_note_of_the_example_vault_arrives_as_it_left() -> None:
    within = samples.collection()
    sizes = ChunkSizes(target_min=20, target_max=40, hard_max=50, min_preferred=10, overlap=5)
    counter = WhitespaceCounter()
    preparer = Preparer(_parser, SectionChunker(sizes, counter), Analyzer(), counter, 64)
    origin = Origin(within.project_id, within.id, None, ("sample",), 1_000_000)
    files = scan(VAULT, IgnoreRules(extensions=EXTENSIONS, max_bytes=1_000_000)).files
    assert files
    for file in files:
        sent = preparer.file(origin, file)
        assert isinstance(sent.result, PreparedDocument)
        assert sent.result.linked
        bare = replace(sent.result, document=replace(sent.result.document, blocks=(), links=()))
        assert unpack(pickle.loads(pickle.dumps(pack(sent)))) == PreparedFile(sent.file, bare)


def test_a_failure_arrives_with_its_reason() -> None:
    file = scan(VAULT, IgnoreRules(extensions=EXTENSIONS, max_bytes=1_000_000)).files[0]
    for failure in (PreparationFailure("it is a binary file", refused=True), PreparationFailure("it vanished")):
        assert unpack(pack(PreparedFile(file, failure))) == PreparedFile(file, failure)


def _parser(uri: str) -> Parser:
    found = parser_for(uri)
    assert found is not None
    return found
