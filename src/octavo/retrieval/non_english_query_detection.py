"""Tells a query that is not in English, by its script or by the passages that hold its words."""

from __future__ import annotations

from octavo.algorithms.text.language_detection_and_marked_stems import marked
from octavo.fast_dataclass import replace
from octavo.model.ids import ProjectId
from octavo.model.query import Filters, Terms
from octavo.ports import LexicalIndex

_LOOKED_AT = 10  # passages, the best by words
_LAST_LATIN = "\u024f"


def in_another_script(text: str) -> bool:
    """Whether most of a text's letters are not Latin."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(character > _LAST_LATIN for character in letters) > len(letters)


def worded_in_another_language(lexical: LexicalIndex, project: ProjectId, terms: Terms) -> bool:
    """Whether most of the passages with the query's words are in a language other than English.

    A passage without any of its words says nothing of the query, so what else lies in the library does not matter.
    """
    words = Terms("", words=terms.words)
    foreign: set[int] = set()
    for language in {form.split("_", 2)[1] for word in terms.forms for form in word.forms}:
        in_language = replace(words, phrases=((marked(language),),))
        foreign.update(chunk.key for chunk in lexical.search(project, in_language, Filters(), 5 * _LOOKED_AT))
    best = [chunk.key for chunk in lexical.search(project, words, Filters(), _LOOKED_AT)] if foreign else []
    return 2 * len(foreign.intersection(best)) > len(best)
