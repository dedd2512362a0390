"""Why a search found nothing, or little: a filter that lets nothing through, a misspelt word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from octavo.algorithms.queries.spelling_suggestions import nearest_spelling
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.query import NOTHING, Filters

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.model.query import Query


def excluding_filter(engine: Engine, query: Query) -> str | None:
    """None where the filters together let something through."""
    filters = engine.reader.parsed(query).filters
    if filters.as_of is not None or _admits(engine, filters):
        return None
    for message, single in _singles(filters):
        if NOTHING not in message and not _admits(engine, single):
            return message
    return "nothing passes all of these filters together"


def _admits(engine: Engine, filters: Filters) -> bool:
    return filters.empty or bool(engine.store.documents.admitted(engine.project.id, filters))


def _singles(filters: Filters) -> Iterator[tuple[str, Filters]]:
    """Each condition alone, with what to say where nothing fulfils it."""
    for tag in filters.tags_all:
        yield f"nothing has the tag {tag}", Filters(tags_all=(tag,))
    if filters.tags_any:
        yield f"nothing has a tag of {', '.join(filters.tags_any)}", Filters(tags_any=filters.tags_any)
    if filters.kinds:
        yield f"nothing is of the kind {' or '.join(filters.kinds)}", Filters(kinds=filters.kinds)
    if filters.path_prefix:
        path = Filters(path_prefix=filters.path_prefix, collections=filters.collections)
        yield f"nothing lies at the path {filters.path_prefix}", path
    if filters.title_contains:
        yield f"no title has {filters.title_contains}", Filters(title_contains=filters.title_contains)
    if filters.heading_contains:
        yield f"no heading has {filters.heading_contains}", Filters(heading_contains=filters.heading_contains)
    if filters.languages:
        yield f"nothing is written in {' or '.join(filters.languages)}", Filters(languages=filters.languages)
    for condition in filters.where:
        message = f"no document has such a property {condition.name}"
        if condition.name.casefold() == "mentions":  # not its author's property, but what the graph found in it
            message = f"no document is known to mention {condition.value}"
        yield message, Filters(where=(condition,))
    if filters.modified_after is not None or filters.modified_before is not None:
        time = Filters(modified_after=filters.modified_after, modified_before=filters.modified_before)
        yield "nothing was changed in this time", time
    if filters.uris:
        yield f"no document is {' or '.join(filters.uris)}", Filters(uris=filters.uris)
    if filters.collections:
        yield f"nothing was read into {' or '.join(filters.collections)}", Filters(collections=filters.collections)


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
