"""The profile for source code: by word, by symbol, by place and by meaning."""

from __future__ import annotations

from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.caps_and_merging import CapPerDocument
from octavo.retrieval.stages.code_recall import CodeDense, CodeFusion, Fragments, ReadCode
from octavo.retrieval.stages.commit_limits import CapCommits
from octavo.retrieval.stages.declarations import CommentsBelow, DefinitionsFirst
from octavo.retrieval.stages.recall import LexicalRecall
from octavo.retrieval.stages.symbols import PlaceRecall, SymbolRecall
from octavo.retrieval.stages.tests_below import TestsBelow

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
