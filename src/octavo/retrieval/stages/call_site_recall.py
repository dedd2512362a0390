"""Finds the code that calls or mentions what a query names: who asks for uses has seen the declaration."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from octavo.algorithms.source_code.import_or_comment_only_code import lines_of_code
from octavo.model.document import Kind
from octavo.model.search_result import Candidate, ScoredChunk
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.candidate_scores_and_texts import texts_of

_READ = 200  # chunks with the name
_CALLS, _MENTIONS = 1.0, 0.86  # an import, a table, a type
_DECLARES = r"\b(?:def|class|func|fn|function|fun|sub|struct|interface|trait|enum|type|method)\s+"


def uses_of(search: Search, name: str, declared_in: Callable[[Candidate], Sequence[str]]) -> list[ScoredChunk]:
    """The chunks of code that call what has this name, then those that only mention it. What declares it is no use,
    nor what a comment says. `declared_in` tells the names that a chunk declares."""
    library = search.library
    keys = library.containing(library.text.query_tokens(name)[:1], _READ)
    holding = [
        candidate
        for candidate in library.candidates([*keys]).values()
        if candidate.kind is Kind.CODE and (search.admitted is None or candidate.key in search.admitted)
    ]
    whole = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
    call, mention, declared = re.compile(rf"{whole}\s*\("), re.compile(whole), re.compile(_DECLARES + whole)
    uses = []
    for candidate, text in zip(holding, texts_of(search, holding), strict=True):
        code = "\n".join(lines_of_code(text))
        if not mention.search(code):
            continue
        declarations = [*(declared_in(candidate) or candidate.heading_path[-1:])].count(name)
        code, marked = declared.subn("", code)
        # A method stands without a word before it: `add(line) {`, `func (c *Cart) add(line`.
        code = mention.sub("", code, declarations - marked) if declarations > marked else code
        if call.search(code):
            uses.append(ScoredChunk(candidate.key, _CALLS))
        elif mention.search(code) and not declarations:
            uses.append(ScoredChunk(candidate.key, _MENTIONS))
    return uses
