"""The profile for source code: by word, by symbol, by place and by meaning."""

from __future__ import annotations

from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.code_query_stages import CodeDense, CodeFusion, Fragments, ReadCode
from octavo.retrieval.stages.declaration_folding_and_ordering import CommentsBelow, DefinitionsFirst
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument
from octavo.retrieval.stages.git_commit_caps import CapCommits
from octavo.retrieval.stages.lexical_and_dense_recall import LexicalRecall
from octavo.retrieval.stages.symbol_and_path_recall import PlaceRecall, SymbolRecall
from octavo.retrieval.stages.test_code_demotion import TestsBelow

CODE = RetrievalProfile(
    "code",
    expand=(ReadCode(),),
    recall=(LexicalRecall(), SymbolRecall(), PlaceRecall(), CodeDense()),
    fuse=CodeFusion(),
    refine=(
        Fragments(),
        TestsBelow(),
        CommentsBelow(),
        DefinitionsFirst(),
        CapPerDocument(5),
        CapCommits(),
    ),
)
