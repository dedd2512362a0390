"""Text → tokens, once, for every engine: what a word is, in documents and in queries alike.

A token holds letters, digits, marks of its script and `_`, or is one emoji: nothing that any engine would cut again.

    getUserById        getuserbyid get user by id
    parse_json         parse_json pars json
    content-type       contenttyp content type
    C++ C# .NET        cplusplus csharp dotnet
    Café, the user's   cafe the user
    東京都              東京 京都
    телескопа           телескоп
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property

from octavo.algorithms.compiled.library_loading import BETWEEN_WORDS, compiled_library
from octavo.algorithms.compiled.word_table import WordTable
from octavo.algorithms.text.english_stopwords import FRAMING_WORDS, STOP_WORDS
from octavo.algorithms.text.language_detection_and_marked_stems import (
    ENGLISH,
    FunctionWords,
    LanguageEvidence,
    by_letters,
    decided,
    marked,
    prose,
    word_forms,
)
from octavo.algorithms.text.stemming import snowball, spelled_by_script, start_by_script, stem_by_script
from octavo.algorithms.text.unicode_folding import (
    LIGATURES,
    UNSPACED_MARKS,
    fold,
    is_ideograph,
)
from octavo.algorithms.text.word_pieces import BEYOND_LATIN, latin_piece_pattern, pairs, piece_pattern, spelled
from octavo.lazy_regex import regex

LONGEST = 64
"""Characters a token is cut to. Longer words are hashes and encoded data: their start identifies them."""

_MUCH = 100_000  # characters of passages after which a compiled table of words pays: no question is worth one
_COMPILED_FROM = 400  # characters together, for which a call pays
_LEAST_FUNCTION_WORDS = 2  # of a language, in a passage that is in it
REMEMBERED_WORDS = 1 << 17  # about 30 MB when full; a corpus of 60 MB of documentation has 180,000 distinct words

# Bytes, not code points: `bytes.translate` runs at memory speed for every script, and UTF-8 keeps ASCII apart.
_SEPARATORS = bytes(i if i > 127 or chr(i).isalnum() or chr(i) in "_-.'+#" else 32 for i in range(256))

# What may keep an ASCII word from being one `word` piece: names with signs of their own, points and hyphens in a row.
_MARKED = regex(r"[^A-Za-z0-9_.-]|[.-](?![A-Za-z0-9_])|^[.-]|(?i:net)")
_CLUSTER = regex(rf".(?:[\u1039\u17d2].|[{UNSPACED_MARKS}]){{0,15}}")

# The user's → the user; don't → dont; but l'homme → l homme and O'Brien → O Brien.
_CONTRACTION = regex(r"(?<=[^\W\d_])'(?:s(?!\w)|(?=(?:t|re|ve|ll|d|m)(?!\w)))", re.IGNORECASE)

# 3.11 and 2024-01-15 keep a mark of their points, or 3.11 would be 311.
_DIGITS_APART = regex(r"(?<=[0-9])[-.](?=[0-9])")

_UPPER, _LOWER = "A-ZΑ-ΩЀ-Я", "a-zα-ωа-џ"
_CAPITALISED = rf"[{_UPPER}](?!s(?![{_LOWER}]))[{_LOWER}]"  # the plural in URLs and APIs starts no word
_HUMP = regex(rf"_+|(?<=[{_LOWER}])(?=[{_UPPER}])|(?<=[0-9])(?={_CAPITALISED})|(?<=[{_UPPER}])(?={_CAPITALISED})")
_NUMBERED = regex(r"([^\W\d_]{3,})([0-9]+)")

_NO_HUMPS = (
    "github gitlab graphql ios ipad iphone javascript latex macos mysql oauth postgresql sqlite typescript youtube"
)
"""Names written with capitals inside that nobody reads as two words."""
_ONE_WORD = frozenset(_NO_HUMPS.split())

_UNSTEMMED = frozenset({"aws", "ios", "macos"})  # names that would lose their s, as nodejs and its kind would


class Analyzer:
    """Splits, folds and stems. Equal versions give equal tokens; a library records the version it was built with.

    The work is done per word and remembered, so a warm analyzer costs a split and one look-up for each word.
    """

    version = "octavo-6"

    def __init__(self, *, stemmed: bool = True, compiled: bool = True) -> None:
        self._stemmed, self._compiled, self._read = stemmed, compiled, 0
        self._stem = snowball("english") if stemmed else str
        self._stem_by_script = stem_by_script if stemmed else spelled_by_script
        self.known_words = _Remembered(self._analyse)
        self.word: Callable[[str], str] = self.known_words.__getitem__
        """The tokens of what a text has between two separators, joined: one look-up where it was met before."""
        self._parts = _Remembered(self._part)

    def __reduce__(self) -> tuple[type[Analyzer], tuple[()]]:
        return Analyzer, ()  # another process remembers its own words

    @cached_property
    def stop_words(self) -> frozenset[str]:
        """The tokens that only queries leave out; an analyzer of documents never asks."""
        return frozenset(self.tokens(STOP_WORDS))

    @cached_property
    def _framing_words(self) -> frozenset[str]:
        return frozenset(self.tokens(FRAMING_WORDS))

    def subject(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """The tokens of a query without stop words and, in a sentence, without those that only frame a question;
        empty where nothing else is there."""
        content = tuple(token for token in tokens if token not in self.stop_words)
        if len(content) == len(tokens):
            return content
        return tuple(token for token in content if token not in self._framing_words) or content

    def all_joined(self, texts: Sequence[str]) -> list[str]:
        """`joined` of each."""
        self._read += sum(map(len, texts))
        words = self._words_of(texts)
        if words is None:
            return list(map(self.joined, texts))
        joined = words.rewritten(texts, BETWEEN_WORDS, ord(" "))
        return [(tokens or b"").decode("utf-8", "surrogatepass") for tokens in joined]

    def _words_of(self, texts: Sequence[str]) -> WordTable | None:
        """The compiled table, for so many words that a call pays."""
        return self.word_table if self._read >= _MUCH and sum(map(len, texts)) >= _COMPILED_FROM else None

    @cached_property
    def word_table(self) -> WordTable | None:
        library = compiled_library() if self._compiled else None
        if library is None:
            return None
        names = _function_words().names if self._stemmed else ()
        return WordTable(library, self._values, separators=_SEPARATORS[:128], function_words=names)

    def _values(self, words: Sequence[tuple[str, bool]]) -> list[bytes]:
        # Not remembered here as well.
        return [self._analyse(word).encode("utf-8", "surrogatepass") for word, _ in words]

    def joined(self, text: str) -> str:
        """The tokens of a text, with single spaces between them."""
        return " ".join(filter(None, map(self.known_words.__getitem__, self.separated(text))))

    def separated(self, text: str) -> list[str]:
        """What a text has between two separators: `word` gives the tokens of each."""
        # Lone surrogates pass through here; folding makes separators of them.
        return text.encode("utf-8", "surrogatepass").translate(_SEPARATORS).decode("utf-8", "surrogatepass").split()

    def tokens(self, text: str) -> list[str]:
        """Every token, in the order of the text; nothing is dropped."""
        return self.joined(text).split()

    def languages(
        self, passages: Sequence[str], text: str, *, texts: Sequence[str] = (), code: bool = False
    ) -> list[str]:
        """The language of each passage of a text, given by its tokens; empty for English and for what is not known.

        Two different function words tell it, in a passage that is mostly in Latin letters. One that does not tell is in
        the language of the whole. Of code and commits only the whole tells, by more words than other texts: names in it
        are words of some language by chance. With the passages' own `texts`, code and tables in them tell nothing.
        """
        overall: dict[str, float] = {}
        spoken_by_passage = []
        of_passages, of_all = self._evidence([*map(prose, texts)] if texts else passages, texts, passages)
        for evidence in of_passages:
            spoken = _function_words().spoken_in(evidence.function_words)
            for language, score in spoken.items():
                overall[language] = overall.get(language, 0.0) + score
            spoken_by_passage.append(spoken)
        whole = _told(overall, of_all, code=code)
        if not (overall or code) and of_all.mostly_latin:
            whole = by_letters(prose(text))
        labels = []
        for spoken, evidence in zip(spoken_by_passage, of_passages, strict=True):
            # What speaks for English at most is in the language of the whole or in English, which is mostly the same.
            undecided = code or not spoken or (whole in ("", ENGLISH) and spoken.keys() == {ENGLISH})
            language = ("" if undecided else _told(spoken, evidence)) or whole
            labels.append("" if language == ENGLISH else language)
        return labels

    def _evidence(
        self, proses: Sequence[str], texts: Sequence[str], passages: Sequence[str]
    ) -> tuple[list[LanguageEvidence], LanguageEvidence]:
        """Of the words of each, and of all together. Tokens of the passages are those of the texts."""
        if texts and (words := self._words_of(texts)) is not None:
            counts, (tokens, in_ascii) = words.evidence(proses)
            found = [LanguageEvidence(several, plain, frozenset(names)) for several, plain, names in counts]
            spoken = frozenset[str]().union(*(evidence.function_words for evidence in found))
            return found, LanguageEvidence(tokens, in_ascii, spoken)
        every, found = frozenset[str](), []
        for words_, text, passage in zip(proses, texts or passages, passages, strict=True):
            different = {*passage.split()} if words_ is text else self._different(words_)
            # A letter alone is a name, a key or a bullet as often as a word.
            tokens_ = frozenset([token for token in different if len(token) > 1])
            found.append(_function_words().evidence(tokens_))
            every |= tokens_
        return found, _function_words().evidence(every)

    def _different(self, text: str) -> set[str]:
        """The tokens of a text, each once: words that come again are not even looked up."""
        return {*" ".join(map(self.known_words.__getitem__, {*self.separated(text)})).split()}

    def query_language(self, text: str) -> str:
        """The language that a query tells it is in, by fewer words than a passage; empty where it does not tell."""
        tokens = frozenset(self.tokens(text))
        return decided(_function_words(asking=True).spoken_in(tokens), len(tokens)) or by_letters(text)

    def told_language(self, text: str) -> str:
        """The language that a query tells as surely as a passage does; empty in doubt."""
        tokens = frozenset(token for token in self.tokens(text) if len(token) > 1)
        known = _function_words(asking=True)
        return _told(known.spoken_in(tokens), known.evidence(tokens), known) or by_letters(text)

    def query_languages(self, text: str, library_languages: Sequence[str]) -> Sequence[str]:
        """In which of the languages that a library holds a query may be: all of them, unless it tells."""
        language = self.query_language(text) if library_languages else ENGLISH
        if language == ENGLISH:
            return ()
        return (language,) if language in library_languages else library_languages

    def forms(self, text: str, language: str) -> list[str]:
        """The stems that the words of a text have in a language, marked with it."""
        return word_forms(text, language)

    def indexed(self, text: str, tokens: str, language: str) -> str:
        """The tokens of a text in a language other than English, with the stems they have there."""
        return " ".join((tokens, marked(language), *word_forms(text, language)))

    def query_tokens(self, text: str) -> list[str]:
        """The same analysis without stop words, unless there is nothing else."""
        tokens = self.tokens(text)
        return [token for token in tokens if token not in self.stop_words] or tokens

    def content_words(self, text: str, language: str) -> list[str]:
        """The tokens that are no function words of a language, or of any if it is empty; of pairs every second."""
        tokens = [token for token in self.query_tokens(text) if len(token) > 1 or is_ideograph(token)]
        tokens_left = self.without_function_words(tokens, language)
        pairs = [token for token in tokens_left if is_ideograph(token[0])]
        return sorted(tokens_left.difference(pairs)) + sorted(pairs)[::2]

    def without_function_words(self, tokens: Iterable[str], language: str) -> frozenset[str]:
        """Those of a question's tokens that are no function words of a language, or of any if it is empty."""
        known = frozenset(tokens)
        return known - _function_words(asking=True).of(language, known)

    def prefix(self, text: str) -> str:
        """The last word that `text` has the start of, folded as tokens are but not stemmed: `beginnings` tells which
        tokens such words have. Empty where the text is no start of a word, or may be an Arabic article.
        """
        pieces = list(_pieces(text))
        kind, piece = (pieces[-1].lastgroup, pieces[-1].group()) if pieces else ("", "")
        if kind == "bigrams" and len(piece) == 1:
            return piece
        if kind != "word":
            return ""
        start = _lower(_whole(piece))
        if start.isascii() or (shared := start_by_script(start)) is None:
            return start
        return spelled_by_script(start) if shared else ""

    def _analyse(self, word: str) -> str:
        if word.isascii() and word.isidentifier():
            return self._identifier(word)  # most words: there is nothing to strip, and nothing that joins two
        bare = word.strip("'-").rstrip(".'-")
        if bare != word:
            return self.known_words[bare]
        if _plain(word):
            return self._parts[word]
        if "'" in word and _plain(bare := _CONTRACTION.sub("", word)):
            return self._parts[bare]
        if word.isascii() and not _MARKED.search(word):
            return self._compound(word)
        return " ".join(filter(None, map(self._piece, _pieces(word))))

    def _piece(self, piece: re.Match[str]) -> str:
        text = piece.group()
        match piece.lastgroup:
            case "word":
                return self._compound(text)
            case "bigrams":
                return pairs(text)
            case "clusters":
                return pairs(_CLUSTER.findall(text))
            case "name":
                return spelled(text.lower())
        return text

    def _compound(self, text: str) -> str:
        """Words joined by hyphens or points: the whole first, then each of them."""
        words = text.replace("-", ".").split(".")
        if len(words) == 1:
            return self._identifier(text)
        known = self.known_words  # what was met as a word of its own is not taken apart again
        parts = " ".join(filter(None, [known[word] if word in known else self._identifier(word) for word in words]))
        whole = self._term(_whole(text))
        return parts if parts.partition(" ")[0] == whole else f"{whole} {parts}"

    def _identifier(self, word: str) -> str:
        """`snake_case` and `camelCase`: the whole first, then its parts."""
        if _plain(word):
            return self._parts[word]
        bare = word.strip("_")
        # Underscores around a word are emphasis more often than part of a name, except two on either side.
        dunder = word.startswith("__") and word.endswith("__") and bare != ""
        parts = _HUMP.split(bare) if len(bare) <= LONGEST and bare.casefold() not in _ONE_WORD else [bare]
        terms = " ".join([self._parts[part] for part in parts])
        if dunder:
            return f"{_lower(word)} {terms}"
        return terms if len(parts) == 1 else f"{self._term(bare)} {terms}"

    def _part(self, part: str) -> str:
        """A part is one term; a word that ends in a number counts without it as well: `utf8`, `utf`, `8`."""
        term = self._term(part)
        numbered = None if term.isalpha() else _NUMBERED.fullmatch(term)
        return f"{term} {self._term(numbered[1])} {numbered[2]}" if numbered else term

    def _term(self, word: str) -> str:
        term = word.lower() if len(word) <= LONGEST and word.isascii() else _lower(word)
        if _stemmable(term):
            return self._stem(term)
        return term if term.isascii() else self._stem_by_script(term)


class _Remembered(dict[str, str]):
    """Word → its tokens, joined. When full, words not met again since the last time are forgotten."""

    def __init__(self, analyse: Callable[[str], str]) -> None:
        super().__init__()
        self._analyse = analyse
        self.older: dict[str, str] = {}

    def __missing__(self, word: str) -> str:
        tokens = self.older.get(word)
        if tokens is None:
            tokens = self._analyse(word)
        if len(word) <= LONGEST:
            if len(self) >= REMEMBERED_WORDS:
                self.older = self.copy()
                self.clear()
            self[word] = tokens
        return tokens


@cache
def shared_analyzer() -> Analyzer:
    """One for all in a process: it remembers every word that it has met, and most words come again."""
    return Analyzer()


@cache
def written_words() -> Analyzer:
    """Gives the words of a text as they are written, folded like tokens and not stemmed: see `beginnings`."""
    return Analyzer(stemmed=False)


@cache
def _function_words(*, asking: bool = False) -> FunctionWords:
    """The same for every analyzer of a process: it takes longer to make than a query to answer. Passages' words are
    nearly all of those of questions, which a start needs as well: the analyzer remembers them."""
    return FunctionWords(shared_analyzer().tokens, asking=asking)


def _told(
    spoken: dict[str, float], evidence: LanguageEvidence, known: FunctionWords | None = None, *, code: bool = False
) -> str:
    language = decided(spoken, evidence.tokens, code=code) if evidence.mostly_latin else ""
    if language in ("", ENGLISH):
        return language
    words = (known or _function_words()).of(language, evidence.function_words)
    return language if len(words) >= _LEAST_FUNCTION_WORDS else ""


def is_latin(text: str) -> bool:
    """Whether it has Latin letters alone: a text with others, or with emoji, has tokens that are not ASCII."""
    return text.isascii() or not BEYOND_LATIN.search(fold(text).casefold())


def _pieces(word: str) -> Iterator[re.Match[str]]:
    folded = word if word.isascii() else fold(word)
    pattern = piece_pattern() if BEYOND_LATIN.search(folded) else latin_piece_pattern()
    return pattern.finditer(_CONTRACTION.sub("", folded) if "'" in folded else folded)


def _plain(word: str) -> bool:
    """Whether a word is one part and nothing else, as most are: letters of which only the first may be a capital."""
    return word.isascii() and word.isalpha() and word[1:].islower() and len(word) <= LONGEST


def _lower(word: str) -> str:
    lower = word[:LONGEST].casefold()
    return lower if lower.isascii() else lower.translate(LIGATURES)[:LONGEST]


def _whole(text: str) -> str:
    return _DIGITS_APART.sub("_", text).replace("-", "").replace(".", "").strip("_")


def _stemmable(term: str) -> bool:
    return term.isascii() and term.isalpha() and not term.endswith("js") and term not in _UNSTEMMED
