"""The content words of a sentence, each with its phrase, its negation and its role as subject or object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from octavo.algorithms.text.language_detection_and_marked_stems import function_words
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.answering.quantity_parsing import Quantity, quantity
from octavo.answering.wordnet_word_relations import base, is_verb
from octavo.lazy_regex import regex

_MARKUP = regex(r"\[\[(?:[^\]|]*\|)?([^\]|]*)\]\]|!?\[([^\]]*)\]\([^)]*\)|[`*_]{1,3}(?=\S)|(?<=\S)[`*_]{1,3}")
_DATE = regex(r"\b(\d{4})-(0[1-9]|1[0-2])-(\d\d)\b")
_PIECE = regex(
    r"\d{1,2}:\d{2}(?::\d{2})?"
    r"|\d+(?:st|nd|rd|th)\b"
    r"|(?:(?<![\w.])[-−])?\d+(?:[.,]\d+)*(?!\w)"
    r"|\d+(?:[.,]\d+)*(?=(?:[kKmMgGtT]?i?[Bb]|[mcknµu]?[mgslVW]|k?Wh|[kMG]?Hz|px|ft|h|am|pm)\b)"
    r"|°[CF]?|[%$€£]"
    r"|[^\W_]+-\d+[^\W_]*|[^\W_]+(?:['’][^\W\d_]+)*"
    r"|[,;:()|–—?!]"
)
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
_SHORT_MONTHS = {month[:3].capitalize(): month for month in _MONTHS} | {"Sept": "september"}
_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday"
_SEASONS = "spring summer autumn winter morning noon afternoon evening night midnight today tomorrow yesterday"
_TIMES = frozenset(f"{_MONTH_NAMES} {_DAY_NAMES} {_SEASONS}".split())
_VERBS = frozenset(("may", "march", "spring"))  # in lower case

# Words that say nothing which has to stand in the place; those that have an opposite are compared all the same.
_FUNCTION_WORDS = """
    a an the this that these those it its he him his she her hers they them their theirs we us our ours you your
    yours i me my mine there here and or but nor so yet if then than as of in at on to for by with from into onto upon
    about above below over under between among through during before after until since while when where which who whom
    whose what how why because although though whereas is are was were be been being am has have had having do does did
    doing done can could may might must shall should will would ought need also too very just only even still already
    both each every either neither any all some such own same other another more most less least few fewer much many
    one once up down out off again further ever always never no not none nobody nothing without cannot s t re ve ll d m
    according via per within along across against toward towards around near like etc eg ie said called known named
    namely however therefore thus hence get gets got make makes made take takes took taken place let lets go goes going
    went come comes came keep use uses used using consist exist located situated bit together several various numerous
    currently presently approximately roughly nearly simply mainly mostly usually typically actually moment example
    instance beneath underneath
"""
_POLAR_WORDS = """
    before after above below over under more less most least few fewer much many up down out off on in always
    never all some none both until without with into every than only same
"""
_DENIALS = {
    "en": "no not never none neither nor nobody nothing without cannot nowhere hardly non",
    "ca": "no mai sense cap",
    "cs": "ne není nikdy bez nejsou",
    "da": "ikke aldrig uden ingen",
    "de": "nicht kein keine keinen keinem keiner nie niemals ohne",
    "es": "no nunca sin ningún ninguna",
    "fi": "ei eivät ilman",
    "fr": "ne pas jamais sans aucun aucune",
    "hu": "nem nincs soha nélkül",
    "id": "tidak bukan tanpa",
    "it": "non mai senza nessun",
    "nl": "niet geen nooit zonder",
    "no": "ikke aldri uten ingen",
    "pl": "nie nigdy bez",
    "pt": "não nunca sem nenhum",
    "ro": "nu niciodată fără",
    "sv": "inte aldrig utan ingen",
    "tr": "değil yok asla",
}
_OPENERS = "; : | ( ) – — ? ! when while because although though whereas if unless which who whom whose where that but"
_CONDITION_WORDS = "if when because unless while whenever"
_AUXILIARY_WORDS = "is are was were has have had can could may might must will would should do does did be"
_PRONOUN_WORDS = "it he she they him her them this that these those there we our one here i my"

_FREE = frozenset(_FUNCTION_WORDS.split())
_POLAR = frozenset(_POLAR_WORDS.split())
_DENYING = {language: frozenset(words.split()) for language, words in _DENIALS.items()}
_CLAUSE_ENDS = frozenset(_OPENERS.split())
_CONDITIONS = frozenset(_CONDITION_WORDS.split())
_AUXILIARIES = frozenset(_AUXILIARY_WORDS.split())
_PRONOUNS = frozenset(_PRONOUN_WORDS.split())
_PHRASE_ENDS = frozenset((",", "and", "or", "nor"))
_POSSESSIVES = frozenset(("its", "his", "their", "her"))  # of the sentence before only where they begin this one
_RANGES = frozenset(("to", "until", "till", "through", "–"))
_NOT_COUNTED = frozenset(("only", "the", "a", "no"))  # the only one
_BY = 20  # words after which a `by` is of something else
_ASCII_STEMS = 1  # of a word in Latin letters: the others are its parts


class Token(NamedTuple):
    """A word that says something, or a quantity, and how it stands in its sentence."""

    stem: str
    word: str
    quantity: Quantity | None
    at: int
    phrase: int
    clause: int
    name: bool
    denied: bool
    """The first after a denial."""
    in_denial: bool
    by: int
    """How many words on its `by` stands: `owned by`; 0 without one."""
    ends_range: bool
    condition: bool
    """Of a clause with `if`, `when` or `because`."""
    preposition: str
    """The word before it and its article, where that says little."""

    @property
    def timed(self) -> bool:
        return self.quantity is not None or self.stem in _TIMES

    @property
    def verbal(self) -> bool:
        return is_verb(self.stem) or (self.word.endswith("ed") and not self.name)


class Reading(NamedTuple):
    tokens: tuple[Token, ...]
    words: frozenset[str]
    """All of them, those too that say nothing."""
    pronouns: tuple[int, ...]
    """Where words stand that mean something of the sentence before."""
    verbs: Mapping[int, int]
    """Where a verb stands → its phrase."""
    language: str

    @property
    def polar(self) -> frozenset[str]:
        """Those that say little but have an opposite."""
        return self.words & _POLAR

    @property
    def stems(self) -> frozenset[str]:
        return frozenset(token.stem for token in self.tokens)


def read(text: str, analyzer: Analyzer, language: str = "") -> Reading:
    """Reads a sentence of a language; without one, English."""
    words = _words(text)
    lower = [word.casefold().replace("’", "'") for word in words]
    free = function_words(language) if language else _FREE
    shouted = text.isupper()
    denials = _DENYING[language or "en"]
    tokens: list[Token] = []
    verbs: dict[int, int] = {}
    at = phrase = clause = 0
    in_denial = denied = condition = False
    while at < len(words):
        word = lower[at]
        if word in _CLAUSE_ENDS or word in _PHRASE_ENDS:
            phrase, clause = phrase + 1, clause + (word in _CLAUSE_ENDS)
            condition = word in _CONDITIONS or (condition and word in ("and", "or"))
            in_denial = in_denial and word in ("and", "or")
            denied = denied and in_denial
        if word in _AUXILIARIES:
            verbs[at] = phrase
        if word in denials or word.endswith("n't"):
            in_denial = denied = True
        counted = quantity(lower, at) if _may_count(lower, at) else None
        month = None if counted else _month(words, at)
        if counted:
            stems = [f"#{counted.value:g}"]
        elif month or (word in _TIMES and words[at] not in _VERBS):
            stems = [month or word]
        elif words[at].isupper() and len(word) > 1 and not shouted:
            stems = [word]  # IT, US, GO
        elif word[0].isalnum() and word not in free and word not in denials and not word.endswith("n't"):
            stems = _stems(words[at], analyzer, language)
        else:
            stems = []
        name = words[at][0].isupper() if not counted else _numbered_name(words, at)
        tokens += (
            Token(
                stem,
                word,
                counted,
                at,
                phrase,
                clause,
                name,
                denied,
                in_denial,
                _by(lower, at),
                _ends_range(lower, at),
                condition,
                _preposition(lower, at),
            )
            for stem in stems
        )
        denied = denied and not stems
        at += counted.taken if counted else 1
    pronouns = tuple(at for at in range(len(lower)) if _points_back(lower, at))
    verbs |= {token.at: token.phrase for token in tokens if token.verbal}
    return Reading(tuple(tokens), frozenset(lower), pronouns, verbs, language)


def _words(text: str) -> list[str]:
    text = _MARKUP.sub(lambda match: match[1] or match[2] or "", text)
    return _PIECE.findall(_DATE.sub(lambda date: f"{int(date[3])} {_MONTHS[int(date[2]) - 1]} {date[1]}", text))


def _stems(word: str, analyzer: Analyzer, language: str) -> list[str]:
    """One for a word in Latin letters; a run of characters without blanks has several."""
    if language and (forms := analyzer.forms(word, language)):
        return forms[:1]
    stems = analyzer.tokens(word.replace("-", ""))
    return [base(stem) for stem in (stems[:_ASCII_STEMS] if word.isascii() else stems)]


def _month(words: Sequence[str], at: int) -> str | None:
    """`May` begins a sentence as a verb."""
    if words[at] == "May":
        return "may" if at else None
    return _SHORT_MONTHS.get(words[at])


def _numbered_name(words: Sequence[str], at: int) -> bool:
    """`Commodore 16`, but neither `May 16` nor `The 16`."""
    before = words[at - 1].casefold() if at else ""
    return at > 0 and words[at - 1][0].isupper() and before not in _TIMES and before not in _FREE


def _may_count(lower: Sequence[str], at: int) -> bool:
    """`one` is a pronoun more often than a number."""
    if lower[at] != "one":
        return True
    before, after = lower[at - 1] if at else "", lower[at + 1] if at + 1 < len(lower) else ""
    counts = after[:1].isalpha() and after not in _FREE
    return counts and (not before or (before in _FREE and before not in _NOT_COUNTED))


def _by(lower: Sequence[str], at: int) -> int:
    """`owned by`, `directed and produced by`, `released on 2 December by`, `modified using`."""
    for distance, word in enumerate(lower[at + 1 : at + _BY], 1):
        if word in ("by", "using"):
            return distance
        if word in _CLAUSE_ENDS:
            break
    return 0


def _preposition(lower: Sequence[str], at: int) -> str:
    before = at - 2 if at > 1 and lower[at - 1] in ("the", "a", "an") else at - 1
    return lower[before] if before >= 0 and lower[before] in _FREE else ""


def _ends_range(lower: Sequence[str], at: int) -> bool:
    """`to April`, `to about noon`."""
    before = at - 2 if at > 1 and lower[at - 1] in ("about", "around") else at - 1
    return before >= 0 and lower[before] in _RANGES


def _points_back(lower: Sequence[str], at: int) -> bool:
    return lower[at] in _PRONOUNS or (lower[at] in _POSSESSIVES and at < 2)
