"""Which language a passage in Latin letters is in, by its function words, and the stems its words have there.

    die Sicherung der Datenbanken                       de
    word_forms("die Sicherung der Datenbanken", "de")  _de_sicher _de_datenbank

English keeps the tokens it has. A passage in another language gets the stems of its words beside them, each behind an
underscore and the language's code, which no token of a text begins with: what English words find stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from octavo.algorithms.text.stemming import snowball
from octavo.algorithms.text.unicode_folding import fold
from octavo.lazy_regex import regex

ENGLISH = "en"

SNOWBALL = {
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Code → the name of its stemmer."""

COMPOUNDING = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})
"""Languages that write compounds as one word."""

# The most frequent function words of each. Words that mean something in English ("die", "was", "for") count for both
# languages, and weigh the less the more languages have them. The last line of English is of such that are no function
# words there: of a short passage one would tell alone (Tim: take care! 10:04 am).
_FUNCTION_WORDS = {
    "en": """the of and to in is that for it with as was on are be this by from or at an which not have has if you we
        they can will your but when use how all its their there more what one so into then than been do does
        am care co dan em fur hat her im ini ma man men most over per pro sin son take tim tot war""",
    "ca": """el la els les de del dels i a en per que un una amb no es és al als com més si o són aquest aquesta pel ha
        està molt també fer però""",
    "cs": """a v se na je že s z do o k i pro jako za by ale od po které který jsou jsem tak nebo když ve už být může
        však také pouze při pokud tento tím více bez mezi před přes podle jeho této všechny""",
    "da": """og i at det er en til af den på de med for som der ikke et har han var fra skal kan men om eller hvis vi
        blive også når dette din du efter hvor ved sig være bliver denne disse alle uden mellem hvordan""",
    "de": """der die das und ist nicht ein eine einen einem einer zu den von mit für auf im des dem es sich auch als an
        wird oder wenn sie bei aus werden kann nach nur wie aber noch durch sind zum zur über vor diese dieser hat
        können wir ich du er war um so man am mich dass kein keine""",
    "es": """el la los las de del y que en un una por con para es se no al lo como más su sus o este esta son si pero
        también cuando sobre puede hay ser está todos desde muy sin entre donde""",
    "fi": """ja on ei se että oli hän mutta ovat kun niin kuin myös tai jos voi ole joka mitä tämä sen sekä jotka olla
        hänen nyt tämän siitä vain mukaan""",
    "fr": """le la les de des du et à un une est que qui en dans pour pas sur avec ce cette au aux par plus il ne se
        sont ou vous nous mais comme être peut votre si ces son sa ses leur fait tout très où elle je""",
    "hu": """a az és hogy nem is egy ez meg van de el csak már még mint vagy ha ezt amely azt volt kell lehet minden
        után között majd akkor""",
    "id": """yang dan di untuk dari dengan ini pada adalah tidak dalam itu akan ke atau juga sebuah oleh bisa dapat
        jika anda kita saat lebih sebagai telah seperti karena""",
    "it": """il lo la i gli le di del della dei delle e che in un una per con non è si al alla da nel nella sono come
        più ma se questo questa anche può dal su essere ai o tutti sul ogni quando""",
    "nl": """de het een en van in is dat op te met voor niet zijn aan die er als om ook bij of wordt naar maar dit kan
        worden uit deze door je wat over heeft geen nog kunnen moet wel tot hij""",
    "no": """og i det er en til av den på de med for som ikke et har han var fra skal kan men om eller hvis vi blir
        også når dette du etter hvor ved seg være bare denne disse alle uten mellom hvordan""",
    "pl": """i w na z do się nie to że jest o jak po co dla od za oraz przez ale czy lub może są tego który które tym
        jego być ma przy tylko gdy już można więcej bez jako ten także jeśli wszystkie ze pod""",
    "pt": """o a os as de do da dos das e que em um uma para com não no na nos nas por se mais como ao ou é são seu sua
        foi mas também quando ser isso este esta pode você nós há já até sem sobre entre pelo pela""",
    "ro": """și de la în a cu pe nu că este un o din pentru care sunt se mai să ce sau fi dar au ca prin acest această
        poate fost după când fără""",
    "sv": """och i att det är en på som för av med den till inte har de ett om var från kan men vi så när eller du
        sig ska blir också efter vid din där skall måste""",
    "tr": """ve bir bu için ile da de olarak daha çok ne gibi olan veya kadar ise değil var her sonra ancak en o
        eğer ki tarafından nasıl üzerinde""",
}

# What asks in them, where English has no such word ("come", "comment", "dove", "hoe"): function words of a question,
# which in a passage may be what it is about.
_ASKING_WORDS = {
    "ca": "quants quina quines quin quan",
    "cs": "kdo kdy proč jaký jaká jaké kolik",
    "da": "hvad hvem hvornår hvorfor hvilken hvilke hedder",
    "de": """wer wen wem wessen wo wann warum wieso weshalb welche welchen welcher welches wohin woher wieviel wieviele
        heißt heißen""",
    "es": "cuál cuáles quién quiénes cuánto cuánta cuántos cuántas",
    "fi": "mikä missä milloin miksi kuka kuinka miten montako paljonko",
    "fr": "combien pourquoi quand quoi quel quelle quels quelles lequel",
    "hu": "mikor miért hogyan mennyi melyik",
    "id": "siapa kapan mengapa bagaimana berapa",
    "it": "quanto quanta quanti quante quale quali perché",
    "nl": "hoeveel waar waarom wanneer welke wie heet",
    "no": "hva hvem når hvorfor hvilken hvilke hvilket heter",
    "pl": "kto gdzie kiedy dlaczego jaki jaka jakie",
    "pt": "quem onde quanto quanta quantos quantas qual quais",
    "ro": "cine unde când",
    "sv": "vad vem varför hur vilken vilka vilket heter",
    "tr": "nerede neden kaç hangi",
}

_LEAST_SCORE = 1.25
_LEAST_SHARE = 0.04
_SHORT = 12  # different words: of so few, one that no other language has is enough
_LEAST_OF_CODE = 4.0  # `s`, `im`, `for` and `or` are names and keywords there; a few comments have as many as this
_AHEAD = 1.15
_AHEAD_OF_ENGLISH = 1.3
_ROUNDING = 1e-9
_PLAINLY = 2
_SIBLINGS = frozenset({"da", "no"})  # so alike that neither is ahead of the other, and stemmed much alike

_TELLING_LETTERS = {
    "de": "ß", "es": "ñ¿¡", "pt": "ãõ", "fr": "œ", "hu": "őű", "tr": "ğış", "pl": "łąęż", "cs": "řěů", "ro": "ățș",
    "sv": "å",
}  # fmt: skip
_UMLAUTS = frozenset("äöü")

_NO_PROSE = regex(
    r"""
      ^\ *(```|~~~) .*? (?: ^\ *\1[^\n]*$ | \Z )    # a block of code
    | ``?[^`\n]+``?                                 # a span of code
    | ^[^\n|]*\|[^\n]*\|[^\n]*$                     # a row of a table
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_SPAN_OF_CODE = regex("``?[^`\n]+``?")
_WORD = regex("[a-zß-öø-ɏḀ-ỿ]{3,40}")
_REMEMBERED = 1 << 17


class LanguageEvidence(NamedTuple):
    """Of some different tokens: how many there are, how many of them in ASCII, and which are function words."""

    tokens: int
    in_ascii: int
    function_words: frozenset[str]

    @property
    def mostly_latin(self) -> bool:
        return 2 * self.in_ascii >= self.tokens


class FunctionWords:
    """Token → the languages it is a function word of; each weighs the less the more there are. Those of questions have
    what asks among them."""

    def __init__(self, analyse: Callable[[str], Iterable[str]], *, asking: bool = False) -> None:
        spoken: dict[str, list[str]] = {}
        for language, words in _FUNCTION_WORDS.items():
            for token in {*analyse(f"{words} {_ASKING_WORDS.get(language, '')}" if asking else words)}:
                spoken.setdefault(token, []).append(language)
        self._languages = {
            token: tuple((language, 1 / _languages_among(several)) for language in several)
            for token, several in spoken.items()
        }
        self._english = frozenset(token for token, several in spoken.items() if several == [ENGLISH])
        self._others = frozenset(token for token, several in spoken.items() if ENGLISH not in several)
        self._shared = frozenset(spoken) - self._english - self._others
        self.names = tuple(sorted(spoken))

    def evidence(self, tokens: frozenset[str]) -> LanguageEvidence:
        return LanguageEvidence(len(tokens), sum(map(str.isascii, tokens)), tokens.intersection(self._languages))

    def spoken_in(self, tokens: frozenset[str]) -> dict[str, float]:
        """By language, how much the function words among some tokens speak for it."""
        english, others = self._english & tokens, self._others & tokens
        if len(english) > _PLAINLY * len(others) + _PLAINLY:
            return {ENGLISH: float(len(english))}  # most passages: nothing else has to be weighed
        weights: dict[str, float] = {ENGLISH: float(len(english))} if english else {}
        # In one order: thirds do not add up to the same in another.
        for token in sorted(others | (self._shared & tokens)):
            for language, weight in self._languages[token]:
                weights[language] = weights.get(language, 0.0) + weight
        return weights

    def of(self, language: str, tokens: frozenset[str]) -> frozenset[str]:
        """Those of the tokens that are function words of a language; of any, where none is given."""
        known = self._languages
        return frozenset(token for token in tokens if any(language in ("", name) for name, _ in known.get(token, ())))


def prose(text: str) -> str:
    """The text without code and tables, whose names, keys and signs are words of some language by chance."""
    if "|" in text or "```" in text or "~~~" in text:
        return _NO_PROSE.sub("\n", text)
    return _SPAN_OF_CODE.sub("\n", text) if "`" in text else text  # most passages, in a quarter of the time


def _languages_among(several: Sequence[str]) -> int:
    return len({*several} - _SIBLINGS) + (not _SIBLINGS.isdisjoint(several))


def decided(spoken: dict[str, float], words: int, *, code: bool = False) -> str:
    """The language that the evidence is enough for, of so many different words; empty if it is not."""
    if not spoken:
        return ""
    language = max(spoken, key=lambda name: (spoken[name], name))
    score = spoken.pop(language)
    if language in _SIBLINGS:
        spoken = {name: weight for name, weight in spoken.items() if name not in _SIBLINGS}
    others = max((_lead(language, name) * weight for name, weight in spoken.items()), default=0.0)
    least = 1.0 if words <= _SHORT else max(_LEAST_SCORE, _LEAST_SHARE * words)
    if code:
        least = max(least, _LEAST_OF_CODE)
    # Thirds do not add up to what they should.
    return language if score >= least - _ROUNDING and score >= others else ""


def _lead(language: str, other: str) -> float:
    return _AHEAD_OF_ENGLISH if ENGLISH in (language, other) else _AHEAD


def by_letters(text: str) -> str:
    """The language that letters of its own tell of, where no word does; of signs and other scripts none is told."""
    if text.isascii():
        return ""
    words = _WORD.findall(unicodedata.normalize("NFC", text[:4000]).casefold())
    letters = {*"".join(words)}
    languages = [language for language, telling in _TELLING_LETTERS.items() if letters & {*telling}]
    if len(languages) == 1:
        return languages[0]
    return "de" if not languages and letters & _UMLAUTS else ""


@cache
def function_words(language: str) -> frozenset[str]:
    return frozenset(_FUNCTION_WORDS[language].split())


def marked(language: str, stem: str = "") -> str:
    """The token of a stem; without one, the token that every passage in the language has."""
    return f"_{language}_{stem}"


def unmarked(forms: Iterable[str]) -> list[str]:
    """Marked stems as a person reads them, each once, with the languages in which it is one.

    >>> unmarked(["_cs_sync", "_fr_setting", "_pl_sync"])
    ['sync (cs, pl)', 'setting (fr)']
    """
    languages: dict[str, list[str]] = {}
    for form in forms:
        _, language, stem = form.split("_", 2)
        languages.setdefault(stem, []).append(language)
    return [f"{stem} ({', '.join(dict.fromkeys(spoken))})" for stem, spoken in languages.items()]


@cache
def asking_forms(language: str) -> frozenset[str]:
    """The marked stems of what asks in a language."""
    return frozenset(word_forms(_ASKING_WORDS.get(language, ""), language))


def word_forms(text: str, language: str) -> list[str]:
    """The marked stems of a text's words, in their order, without function words."""
    unsaid = function_words(language)
    words = _WORD.findall(unicodedata.normalize("NFC", text).casefold() if not text.isascii() else text.lower())
    return [_form(word, language) for word in words if word not in unsaid]


@lru_cache(_REMEMBERED)
def _form(word: str, language: str) -> str:
    stem = snowball(SNOWBALL[language])(word)
    return marked(language, stem if stem.isascii() else fold(stem).replace("æ", "ae").replace("œ", "oe"))
