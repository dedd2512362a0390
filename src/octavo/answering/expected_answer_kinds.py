"""Which kind of answer a question names (a price, an age, a time, an amount, a password), and what text holds one."""

from __future__ import annotations

import re
from typing import NamedTuple

from octavo.lazy_regex import regex

_NUMBER_WORDS = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|dozen|half|once|twice|none|no"
    r"|unlimited|single|ein(?:e|en|er|mal)?|zwei(?:mal)?|drei(?:mal)?|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
    r"|kein\w*|halb\w*|un|une|deux|trois|quatre|cinq|sept|huit|neuf|dix|douze|aucun\w*|uno|una|dos|tres|cuatro|cinco)\b"
)
_MONTHS = (
    r"\b(?:jan(?:uar\w*|vier)?|feb(?:ruar\w*)?|février|mar(?:ch|s)?|märz|apr(?:il)?|avril|may|mai|june?|juni|juin|july?"
    r"|juli|juillet|aug(?:ust)?|août|sept?(?:ember|embre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember)?"
    r"|décembre)\b"
)
_DAYS = (
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    r"|sonntag)s?|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|today|tomorrow|tonight|yesterday|heute|morgen"
    r"|gestern|noon|midnight|dawn|dusk|sunrise|sunset|mornings?|afternoons?|evenings?|nights?|weekends?"
    r"|spring|summer|autumn|winter|easter|christmas|frühling|sommer|herbst|ostern|weihnachten|printemps|été|automne"
    r"|hiver)\b"
)
_CLOCK_OR_DATE = (
    r"\b\d{1,2}[:.h]\d\d\b|\b(?:1[5-9]|20)\d\d\b|\b\d{1,2}\. ?(?:\d{1,2}\.|[A-ZÄa-zä]{3})|\b\d{1,2}/\d{1,2}\b"
    r"|\b\d+ ?(?:am|pm|a\.m|p\.m|uhr|h|o.clock|heures?)\b|\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"
    r"|\b(?:at|by|until|um|bis|ab) \d|第?\d+[年月日時]"
)
_TIME = rf"{_CLOCK_OR_DATE}|{_MONTHS}|{_DAYS}|\b(?:ago|century|last|next)\b|[〇一二三四五六七八九十]+[年月日時]"
_CONDITION = (
    r"\b(?:when\w*|while|until|till|if|once|after|before|during|as soon as|every|each|always|never|immediately|then|on"
    r"|within|daily|weekly|monthly|yearly|annually|wenn|sobald|nach|vor|bis|während|jede\w*|täglich|wöchentlich|quand"
    r"|dès|après|avant|jusqu\w*|pendant|chaque|cuando|antes|después)\b"
)
_OFTEN = r"\b(?:every|each|daily|hourly|weekly|monthly|yearly|annually|always|never|rarely|jede\w*|täglich|chaque)\b"


class AnswerKind(NamedTuple):
    """How a question asks for this kind of answer, and what a text has that holds one."""

    asked: re.Pattern[str]
    given: re.Pattern[str]
    dated: bool = False
    """Whether a date in a heading above the text, or of its commit, is an answer as well."""


_KINDS = (
    AnswerKind(  # a price
        regex(
            r"\bhow much (?:did|do|does|will|would)\b.*\b(?:cost|pay|costs)\b"
            r"|\b(?:what|which) (?:is|was) the (?:price|cost)\b|\b(?:wie ?viel|was) kostete?n?\b"
            r"|\bcombien coût\w+|\bcuánto cuest\w+|\bquanto costa",
            re.I,
        ),
        regex(
            r"[€$£¥]\s?\d|\d\s?[€$£¥]"
            r"|\d[\d.,]*\s*(?:k\s)?(?:eur(?:os?)?|usd|dollars?|chf|francs?|franken|pounds?|cents?|gbp)\b"
            r"|\b(?:free|gratis|kostenlos|gratuite?s?)\b",
            re.I,
        ),
    ),
    AnswerKind(  # an age
        regex(r"\bhow old\b|\bwie alt\b|\bquel âge\b|\bcuántos años\b|\bhow young\b", re.I),
        regex(
            r"\b(?:years?|months?|weeks?|days?)[ -]old\b|\bborn\b|\bage[ds]?\b|\bbirth"
            r"|\bis (?:about )?\d+(?: years)?[,.;]?$"
            r"|\b(?:since|built|founded|installed|bought|established|made|opened) (?:\w+ ){0,3}\d"
            r"|\bgeb(?:oren|aut)\b|\bjahre alt\b|\bbaujahr\b|\d ans\b|\bnée?\b|\bnacid[oa]\b|\d años",
            re.I,
        ),
    ),
    AnswerKind(  # a password
        regex(
            r"\bwhat(?:'s| is| was)\b.*\b(?:password|passphrase|passcode|pin)\b|\b(?:passwort|kennwort|mot de passe)\b",
            re.I,
        ),
        regex(r"\b\w*(?:password|passphrase|passcode|pin|pw|passwort|kennwort|schlüssel|key)\b|\bmot de passe\b", re.I),
    ),
    AnswerKind(  # a telephone number
        regex(r"\b(?:tele)?phone number\b|\btelefonnummer\b|\bnuméro de téléphone\b|\bwhat number do i call\b", re.I),
        regex(r"\+?\d[\d /().-]{4,}\d"),
    ),
    AnswerKind(  # an address of mail
        regex(r"\be-?mail address\b|\be-?mail-?adresse\b|\badresse e-?mail\b", re.I), regex(r"\S@\S")
    ),
    AnswerKind(  # when something was
        regex(r"\bwhen (?:was|were|did|has|had)\b|\bwhat (?:year|date|time)\b|\b(?:since|until) when\b", re.I),
        regex(_TIME, re.I),
        dated=True,
    ),
    AnswerKind(  # when something is: under a condition, too
        regex(r"(?:\A|, (?:and )?)(?:when|wann|quand|cuándo|quando)\b|\bab wann\b|\bbis wann\b", re.I),
        regex(rf"{_TIME}|{_CONDITION}|\d", re.I),
        dated=True,
    ),
    AnswerKind(  # how often
        regex(r"\bhow (?:often|frequently)\b|\bwie oft\b", re.I),
        regex(rf"\d|{_NUMBER_WORDS}|{_OFTEN}|\btwice|regular", re.I),
    ),
    AnswerKind(  # an amount
        regex(
            r"\bwhat size\b|\bhow (?:many|much|long|far|high|large|big|deep|fast|heavy|hot|cold|warm|tall|wide)\b"
            r"|\bwie ?(?:viele?|lange?|weit|hoch|groß|tief|schnell|schwer|heiß|warm)\b|\bcombien\b|\bcuánt[oa]s?\b",
            re.I,
        ),
        regex(rf"(?<![\d:])\d+(?![\d:]*:\d)|{_NUMBER_WORDS}", re.I),
    ),
)


def expected_kind(question: str) -> AnswerKind | None:
    """The kind of answer that a question names, if any.

    >>> price = expected_kind("How much did the router cost?")
    >>> bool(price.given.search("It was 199 €.")), bool(price.given.search("It is a FritzBox 7590."))
    (True, False)
    """
    return next((kind for kind in _KINDS if kind.asked.search(question)), None)
