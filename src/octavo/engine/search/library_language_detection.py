"""Finds which languages besides English a library holds, and adds its compound words to a query."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from octavo.algorithms.text.compound_word_expansion import Compounds
from octavo.algorithms.text.language_detection_and_marked_stems import COMPOUNDING, SNOWBALL, marked
from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.algorithms.text.stemming import snowball
from octavo.errors import LibraryError
from octavo.fast_dataclass import replace
from octavo.retrieval.query_word_translation import with_english

if TYPE_CHECKING:
    from octavo.model.ids import ProjectId
    from octavo.model.query import Terms, WordForms
    from octavo.sql_repositories.store import Store

_STRAY = 500
"""Of so many passages one says nothing of the library."""
_PLENTY = 1_000
"""Passages that are enough in a library of any size."""
_MOST = 24
"""Compounds looked for beside a word."""


class LibraryLanguages:
    """Looked up once for each state of a library, from any number of threads."""

    def __init__(self, store: Store, project: ProjectId) -> None:
        self._store = store
        self._project = project
        self._lock = threading.Lock()
        self._generation = -1
        self._held: tuple[str, ...] = ()
        self._compounds: dict[str, Compounds] = {}

    def held(self) -> tuple[str, ...]:
        """None where the word index is damaged: what reads it for its own sake says so."""
        generation = self._store.content_generation()
        with self._lock, suppress(LibraryError):
            if generation != self._generation:
                self._held, self._compounds = (), {}
                self._held = tuple(filter(self._is_present, SNOWBALL))
                self._generation = generation
        return self._held

    def _is_present(self, language: str) -> bool:
        """Whether more than a stray passage is in it, as the share of all passages goes."""
        some = self._store.lexical.containing(self._project, [marked(language)], most=_PLENTY)
        if len(some) in (0, _PLENTY):
            return bool(some)
        return not self._store.documents.more_than(self._project, len(some) * _STRAY)

    def with_compounds(self, terms: Terms) -> Terms:
        """The terms with the compounds that their words are parts of, or that their words are."""
        if not terms.forms:
            return terms
        try:
            return replace(terms, forms=tuple(map(self._with_compounds, terms.forms)))
        except LibraryError:
            return terms

    def with_english(self, terms: Terms) -> Terms:
        """The terms, with English words for a question in another language whose own words the library hardly has."""
        with suppress(LibraryError):
            held = partial(self._store.lexical.containing, self._project, most=1)
            return with_english(terms, shared_analyzer(), lambda word: bool(held([word])))
        return terms

    def _with_compounds(self, word: WordForms) -> WordForms:
        compounds = []
        for form in word.forms:
            _, language, stem = form.split("_", 2)
            if language in COMPOUNDING:
                compounds += [marked(language, part) for part in self._of(language).of(stem, _MOST)]
        return replace(word, compounds=tuple(compounds)) if compounds else word

    def _of(self, language: str) -> Compounds:
        with self._lock:
            if language not in self._compounds:
                start = marked(language)
                stems = (token.removeprefix(start) for token in self._store.lexical.starting(self._project, start))
                self._compounds[language] = Compounds(filter(None, stems), snowball(SNOWBALL[language]))
            return self._compounds[language]
