"""LlamaIndex: a retriever over a library, and a node parser that cuts documents as a library does.

from octavo.integrations.llama_index import LlamaIndexRetriever, OctavoNodeParser

nodes = LlamaIndexRetriever(octavo.open("notes.db"), limit=5).retrieve("when does the dome have to close?")
nodes = OctavoNodeParser().get_nodes_from_documents(SimpleDirectoryReader("notes").load_data())
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.node_parser import NodeParser
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, NodeWithScore, QueryBundle, TextNode

from octavo import Library
from octavo.chunking.code_chunker import CodeChunker, MixedChunker
from octavo.chunking.section_chunker import SectionChunker
from octavo.config.schema import Config
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder
from octavo.integrations.hit_metadata import citation
from octavo.model.document import Source
from octavo.model.ids import DocumentId
from octavo.model.index_recipe import default_sizes
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.registry import ParserChoice


class LlamaIndexRetriever(BaseRetriever):
    """`filters` are arguments of `library.search`: `collections`, `kinds`, `tags_all`, `show_all` …"""

    def __init__(self, library: Library, limit: int = 10, **filters: Any) -> None:
        self._library, self._limit, self._filters = library, limit, filters
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._library.search(query_bundle.query_str, limit=self._limit, **self._filters)
        return [
            NodeWithScore(node=TextNode(id_=hit.chunk_id, text=hit.excerpt, metadata=citation(hit)), score=hit.score)
            for hit in hits
        ]


class OctavoNodeParser(NodeParser):
    """Nodes are chunks: whole sections, paragraphs and declarations that the bundled model reads at once, never cut
    inside of a table or a block of code. A document is what its `file_name` in the metadata says, else Markdown."""

    def _parse_nodes(self, nodes: Sequence[BaseNode], show_progress: bool = False, **kwargs: Any) -> list[BaseNode]:
        return [made for node in nodes for made in self._cut(node)]

    def _cut(self, node: BaseNode) -> list[BaseNode]:
        name = node.metadata.get("file_name") or node.metadata.get("file_path") or "document.md"
        text = normalise(node.get_content(metadata_mode=MetadataMode.NONE))
        document = ParserChoice()(name).parse(Source(DocumentId(node.node_id), name, text, 0.0))
        paths = {section.id: list(section.path) for section in document.sections}
        return [
            TextNode(
                id_=self.id_func(number, node),
                text=chunk.text,
                metadata={
                    "heading_path": paths.get(chunk.section_id, []),
                    "start_line": chunk.lines.first,
                    "end_line": chunk.lines.last,
                    "start": chunk.span.start,
                    "end": chunk.span.end,
                },
                relationships={NodeRelationship.SOURCE: node.as_related_node_info()},
            )
            for number, chunk in enumerate(_chunker().chunk(document))
        ]


@cache
def _chunker() -> MixedChunker:
    configured = ConfiguredEmbedder(Config().embedding)
    sizes = default_sizes(configured.embedder.profile.window)
    return MixedChunker(SectionChunker(sizes, configured.counter), CodeChunker(sizes, configured.counter))
