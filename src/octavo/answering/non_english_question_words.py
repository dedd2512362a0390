"""Stems of a question that is not in English, and of the sentences that may answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from octavo.algorithms.text.japanese_content_words import without_endings
from octavo.algorithms.text.language_detection_and_marked_stems import COMPOUNDING, ENGLISH, asking_forms
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.retrieval.non_english_query_detection import in_another_script

_LEAST_HEAD, _LEAST_REST = 4, 3  # letters of a compound's last part, and of what stands before it

Tokenise = Callable[[str], Sequence[str]]


def in_another_language(question: str, text: str, analyzer: Analyzer) -> Tokenise | None:
    """What finds the words of a question and of sentences, where it is not in English: the stems they have in its
    language, or what its script is searched by. A question that does not tell is in the language of the best passage's
    text."""
    if in_another_script(question):
        return lambda said: without_endings(analyzer.query_tokens(said))
    language = analyzer.query_language(question) or analyzer.told_language(text)
    if language in ("", ENGLISH):
        return None
    asking = asking_forms(language)
    asked = analyzer.forms(question, language) if language in COMPOUNDING else []

    def words(said: str) -> Sequence[str]:
        stems = [stem for stem in analyzer.forms(said, language) if stem not in asking]
        heads = {stem.rpartition("_")[2] for stem in stems}
        return [*stems, *(word for word in asked if word not in stems and _has_head(word, heads))]

    return words


def translated_words(english: Sequence[Sequence[str]], analyzer: Analyzer) -> Tokenise:
    """What finds the words of a question by the English ones that stand for them: those of one word count as one."""
    meant: dict[str, str] = {}
    for alternatives in english:
        for token in alternatives:
            meant.setdefault(token, alternatives[0])
    return lambda said: [meant.get(token, token) for token in analyzer.query_tokens(said)]


def _has_head(compound: str, stems: set[str]) -> bool:
    """Whether a compound ends in one of these: a Kellerschlüssel is a Schlüssel."""
    word = compound.rpartition("_")[2]
    return any(word[cut:] in stems for cut in range(_LEAST_REST, len(word) - _LEAST_HEAD + 1))
