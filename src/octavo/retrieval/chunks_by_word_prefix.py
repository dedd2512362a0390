"""Finds chunks by the beginning of a word: `begin*`, half a hash, a single Chinese character.

The index has stems; where a stem does not decide, the text of the chunk is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from octavo.algorithms.markdown.front_matter_block import FRONT_MATTER
from octavo.algorithms.queries.prefix_expansion import Beginning, beginning
from octavo.algorithms.ranking.sorted_array_set_operations import Keys, either, without
from octavo.algorithms.text.unicode_folding import is_ideograph
from octavo.fast_dataclass import dataclass, replace
from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.query import Terms
from octavo.model.search_result import Candidate
from octavo.sql_repositories.store import Store

_AT_ONCE = 500  # chunks whose texts are in memory at a time


@dataclass(frozen=True, slots=True)
class Beginnings:
    """Of the words of one library. `written` gives those of a text as `Analyzer.prefix` folds them."""

    store: Store
    project: ProjectId
    written: Callable[[str], str]

    def chunks(self, start: str) -> Keys:
        """Ascending keys of the chunks with a word that is written with this beginning."""
        found = self._tokens(start)
        keys = either(self._holding(found.prefix, prefix=True), *map(self._holding, found.stems))
        doubtful = keys if found.all_doubtful else either(*map(self._holding, found.doubtful))
        batches = (doubtful[at : at + _AT_ONCE].tolist() for at in range(0, len(doubtful), _AT_ONCE))
        written = [key for batch in batches for key in self._written(batch, start)]
        return either(without(keys, doubtful), np.array(written, dtype=np.int64))

    def as_tokens(self, terms: Terms) -> tuple[Terms, frozenset[int] | None]:
        """The terms with the tokens that words with their prefixes may have, as an index can be asked for them; and the
        chunks that may be found by these, None where the tokens tell."""
        beginnings = list(map(self._tokens, terms.prefixes))
        words = dict.fromkeys((*terms.words, *(stem for tokens in beginnings for stem in tokens.stems)))
        expanded = replace(
            terms, words=tuple(words), prefixes=tuple(dict.fromkeys(tokens.prefix for tokens in beginnings))
        )
        if not any(tokens.doubtful or tokens.all_doubtful for tokens in beginnings):
            return expanded, None
        others = (
            self._holding(*tokens) for tokens in (*((word,) for word in terms.words), *terms.phrases, *terms.preferred)
        )
        return expanded, frozenset(either(*others, *map(self.chunks, terms.prefixes)).tolist())

    def _tokens(self, start: str) -> Beginning:
        if not is_ideograph(start):
            return beginning(start)
        # Pairs of characters that end so: the last character of a run begins none.
        every = self.store.lexical.starting(self.project, "")
        return Beginning(start, start, tuple(token for token in every if token.endswith(start) and token != start))

    def _holding(self, *tokens: str, prefix: bool = False) -> Keys:
        containing = self.store.lexical.containing
        return np.asarray(containing(self.project, tokens, prefix=prefix), dtype=np.int64)

    def _written(self, keys: Iterable[int], start: str) -> Iterator[ChunkKey]:
        """Those of the chunks whose text, or what they are found by beside it, has a word with the beginning."""
        documents, project = self.store.documents, self.project
        candidates = documents.candidates(project, [ChunkKey(key) for key in keys])
        texts = documents.texts(project, {candidate.text_hash for candidate in candidates.values()})
        for key, candidate in candidates.items():
            if any(self._says(message, start) for message in self._searchable(candidate, texts[candidate.text_hash])):
                yield key

    def _searchable(self, candidate: Candidate, text: str) -> Iterator[str]:
        yield candidate.span.of(text)
        yield " ".join((candidate.title, *candidate.heading_path, *candidate.uri.rsplit(".", 1)[0].split("/")))
        if properties := FRONT_MATTER.match(text):
            yield properties[0]
        document = self.store.documents.get(self.project, candidate.document_id)
        if document is not None:
            yield " ".join((document.description, *document.tags, *document.aliases))

    def _says(self, text: str, start: str) -> bool:
        return f" {start}" in f" {self.written(text)}"
