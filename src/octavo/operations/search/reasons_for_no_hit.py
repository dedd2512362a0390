"""Why a search found nothing, or little: a filter that lets nothing through, a misspelt word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from octavo.algorithms.queries.spelling_suggestions import nearest_spelling
from octavo.algorithms.text.text_similarity import edits
from octavo.answering.wordnet_word_relations import is_english
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


_SHORTEST = 6  # letters: shorter words have too many neighbours to guess by themselves, unless two letters are swapped
_SHORTEST_BESIDE = 4  # but a query with one misspelt word may have others
_LOOKED_AT = 500
_AS_NEAR = 3  # stems that a word is equally like
_MOST_WORDS = 3  # of a query that may have a misspelt word although the others find good hits
_LONGEST = 200  # characters: a longer text was pasted
# Not the name or the value of a filter.
_MISSPELT = regex(rf"(?<![\w:/-])[^\W\d_]{{{_SHORTEST_BESIDE},}}(?![\w:/])")
_WORD = regex(r"[^\W\d_]+")


def respelt(engine: Engine, query: Query, *, well_found: bool = False) -> str | None:
    """The query with words that no passage has replaced by the nearest that one has, if the filters admit it.

    Of a query that is `well_found` a word may be misspelt only if there are others: they found what was found.
    """
    words = dict.fromkeys(_MISSPELT.findall(query.text))
    if "\n" in query.text or len(query.text) > _LONGEST:
        return None
    if well_found and not 1 < len(query.text.split()) <= _MOST_WORDS:
        return None
    tokens = engine.library.adapters.analyzer.query_tokens
    stems = {word: tokens(word) for word in words}
    unknown = [word for word, held in stems.items() if len(held) == 1 and not _is_word(engine, held[0])]
    if not unknown:
        return None
    terms = engine.reader.parsed(query).terms
    if well_found and terms.gloss:
        return None
    # Known in another language than English, or as a part of its compounds.
    forms = {token: (*word.forms, *word.compounds) for word in terms.forms for token in word.tokens}
    nearest: dict[str, Sequence[str]] = {}
    for word in sorted(unknown, key=len, reverse=True):
        [stem] = stems[word]
        known = any(_is_held(engine, form) for form in forms.get(stem, ()))
        if not known and (near := _nearest(engine, stem, word.lower(), alone=not nearest)):
            nearest[word] = near
    if not nearest:
        return None
    by_words, written = engine.retrieval_profile("lexical_only"), set[str]()
    for place in range(max(map(len, nearest.values()))):
        text = _with(query.text, {word: near[min(place, len(near) - 1)] for word, near in nearest.items()})
        hits = engine.search(replace(query, text=text, limit=10), by_words).hits
        written.update(word for hit in hits for word in _WORD.findall(f"{hit.title} {hit.excerpt}".lower()))
    # The index has stems; a person reads words.
    meant = {
        word: nearest_spelling(
            word.lower(), sorted(form for form in written if [*tokens(form)] in [[stem] for stem in near]), len(word)
        )
        for word, near in nearest.items()
    }
    spelt = {word: form for word, form in meant.items() if form is not None}
    return _with(query.text, spelt) if spelt else None


def _is_word(engine: Engine, stem: str) -> bool:
    """Whether a passage has it, or else English: no word of the library is meant by another one, however near."""
    return _is_held(engine, stem) or is_english(stem)


def _is_held(engine: Engine, token: str) -> bool:
    return bool(engine.library.active.setup.searched_store.lexical.containing(engine.project.id, [token], most=1))


def _nearest(engine: Engine, stem: str, word: str, *, alone: bool) -> Sequence[str]:
    """The stems of the library that a word's own may stand for, all with as few edits: none if none is near.

    The stem of a misspelt word may be a shorter one than that of the word that is meant: then the word itself is
    compared.
    """
    lexical = engine.library.active.setup.searched_store.lexical
    # A stem ends in an i where a word has a y behind a consonant.
    for form in dict.fromkeys((stem, word, f"{word[:-1]}i" if word.endswith("y") else word)):
        near = [other for other in lexical.similar(engine.project.id, form, _LOOKED_AT) if other[:1] == form[:1]]
        if alone and len(word) < _SHORTEST:
            near = [other for other in near if sorted(other) == sorted(form)]
        most = 2 if len(form) > _SHORTEST else 1
        counted = [(count, other) for other in near if (count := edits(form, other, most)) is not None]
        if counted:
            fewest = min(counted)[0]
            return [other for count, other in counted if count == fewest][:_AS_NEAR]
    return ()


def _with(text: str, words: dict[str, str]) -> str:
    return _MISSPELT.sub(lambda match: words.get(match[0], match[0]), text)
