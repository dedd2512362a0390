"""What a query with no hit, or weak ones, may have meant: its misspelt words as the library spells them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from octavo.algorithms.queries.spelling_suggestions import nearest_spelling
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.model.query import Query

_SHORTEST = 6  # letters: shorter words have too many neighbours to guess by themselves,
_SHORTEST_BESIDE = 4  # but a query with one misspelt word may have others
_LOOKED_AT = 500
# Not the name or the value of a filter.
_MISSPELT = regex(rf"(?<![\w:/-])[^\W\d_]{{{_SHORTEST_BESIDE},}}(?![\w:/])")
_WORD = regex(r"[^\W\d_]+")


def respelt(engine: Engine, query: Query) -> str | None:
    """The query with words that no passage has replaced by the nearest that one has, if the filters admit it."""
    tokens = engine.library.adapters.analyzer.query_tokens
    nearest: dict[str, str] = {}
    for word in sorted(dict.fromkeys(_MISSPELT.findall(query.text)), key=len, reverse=True):
        if (len(word) >= _SHORTEST or nearest) and (near := _nearest(engine, tokens(word))):
            nearest[word] = near
    if not nearest:
        return None
    by_words = replace(query, text=_with(query.text, nearest), limit=10)
    hits = engine.search(by_words, engine.retrieval_profile("lexical_only")).hits
    written = {word for hit in hits for word in _WORD.findall(f"{hit.title} {hit.excerpt}".lower())}
    # The index has stems; a person reads words.
    words = {
        word: nearest_spelling(word.lower(), sorted(form for form in written if tokens(form) == [stem]), len(word))
        for word, stem in nearest.items()
    }
    known = {word: form for word, form in words.items() if form is not None}
    return _with(query.text, known) if known else None


def _nearest(engine: Engine, tokens: Sequence[str]) -> str | None:
    """The stem of the library that a word's own may stand for: None where the library has that, or none is near."""
    if len(tokens) != 1:
        return None
    [stem] = tokens
    words = engine.library.active.setup.searched_store.lexical
    near = words.similar(engine.project.id, stem, _LOOKED_AT)
    near = [other for other in near if other[:1] == stem[:1]]
    return None if stem in near else nearest_spelling(stem, near, 2 if len(stem) > _SHORTEST else 1)


def _with(text: str, words: dict[str, str]) -> str:
    return _MISSPELT.sub(lambda match: words.get(match[0], match[0]), text)
