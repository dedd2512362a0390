"""Passwords and keys written out behind their name: `password: hunter2`, `API_KEY=…`, in headers and addresses.

A name and a sign must stand in front, the value must be all that follows on the line or stand in quotes, and it must
look like no word, variable, placeholder or path: documentation is full of these.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from math import log2

from octavo.algorithms.compiled.hint_search import CompiledHints
from octavo.algorithms.compiled.library_loading import compiled_library
from octavo.lazy_regex import regex
from octavo.model.normalised_text_and_spans import Span
from octavo.sources.secret_spans import SecretMatch

PASSWORD, IN_URL, AUTHORIZATION = "password or key", "password in a URL", "authorization"
KINDS = frozenset({PASSWORD, IN_URL, AUTHORIZATION})

# Runs are possessive: a match fails at once. What quotes and emphasis may stand around a name and around its sign.
_SIGN = r"[\"'`\]*_]{0,4}+[ \t]{0,2}+(?:(?::=|=>|[:=])[*_]{0,3}+|>|\|)[ \t]{0,40}+"
_VALUE = (
    r"(?:([\"'`])([^\s\"'`<>]{6,200}+)\1"
    r"|([^\s\"'`<>(){}\[\],;|]{6,200}+)(?=[ \t]{0,40}+(?:\r?\n|\Z|[;|<}#]|,[ \t\r\n]|\*\*)))"
)
# Where a hint stands, `str.find` says at the speed of memory; what is in front of it is looked back for.
_NAMES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("assw", "ASSW"), r"(?<=[pP])(?i:assw(?:or)?[dt])"),
    (("assphrase", "ASSPHRASE"), r"(?<=[pP])(?i:assphrase)"),
    (("_pass", "_PASS", "pwd", "PWD"), r"(?i:_pass|pwd)"),
    (("ennwort", "ENNWORT"), r"(?<=[kK])(?i:ennwort)"),
    (("passe",), r"(?<=[mM]ot de )passe[ \u00a0\u202f]?"),
    (("ontraseña",), r"(?<=[cC])ontraseña"),
    (("ecret", "ECRET"), r"(?<=[sS])(?i:ecret(?:[_-]?(?:access[_-]?)?key)?)"),
    (("oken", "OKEN"), r"(?<=[tT])(?i:oken)"),
    (
        ("_key", "_KEY", "-key", "-Key", "-KEY", "Key"),
        r"(?<=api|Api|API|ess|ESS|ate|ATE|ion|ION|ing|ING|uth|UTH)(?i:[_-]?key)",
    ),
)
_URL = r"(?<=[A-Za-z0-9])://[^\s:/@\"'<>]{0,64}+:([^\s/@\"'<>]{4,128}+)@[A-Za-z0-9\[]"
_HEADER = (
    r"(?<=[aA])(?i:uthorization)[\"'`\]*]{0,4}+[ \t]{0,2}+[:=][ \t]{0,4}+[\"'`]?"
    r"((?i:bearer|basic|token|apikey|bot))[ \t]{1,2}+([A-Za-z0-9._~+/=-]{8,2000}+)(?![A-Za-z0-9<${(])"
)
_SHORTEST = 3
COMPILED_FROM = 2_000  # characters: what is remembered or shown is mostly shorter, and loads no library

_PLACEHOLDER = regex(
    r"(?i)example|change|your|xxx|\*\*\*|\.\.\.|placeholder|dummy|redacted|replace|insert|todo|<|\$\{|\{\{|%\(|\$\("
    r"|^\$|environ|getenv|^pass(?:word|wd)|^secret|^token|process\.|settings\.|config\.|[a-z]\.[a-z]+\.[a-z]|^(.)\1+$|//"
)
# Names of algorithms, measures, versions, dates, files, and of what holds the value.
_NO_VALUE = regex(
    r"(?i)(?:sha|md|base|utf|oauth|argon|aes|rsa|ed|rs|hs|es|ps|uuid|u?int|float|bcrypt|scrypt|pbkdf|ipv|x|1pass)-?\d+[.\w]*"
    r"|v?\d+(?:[.,]\d+)*[a-z%]{0,8}|\d{4}-\d\d-\d\d.*|[~./\\[].*|\w*keytypes?|.*\.(?:pem|key|json|ya?ml|txt|md|py|env|crt|html?)"
    r"|\W*\w*(?:pass(?:word|wd|phrase|wort)?|pwd|secret|token|key|credentials?|value|field|input|string)s?[_-]?\d{0,3}\W*"
)


def looks_random(value: str, *, least: float, quoted: bool = False) -> bool:
    """Whether a value is a secret, not a word, a variable or a placeholder. Unquoted ones need a digit.

    `least` is the entropy it must have, in bits a character.
    """
    kinds = (
        any(map(str.islower, value))
        + any(map(str.isupper, value))
        + any(map(str.isdigit, value))
        + (not value.replace("_", "").replace("-", "").isalnum())
    )
    if kinds < 2 or (not any(map(str.isdigit, value)) and (not quoted or kinds < 3)):
        return False
    return entropy(value) >= least and not (_PLACEHOLDER.search(value) or _NO_VALUE.fullmatch(value))


def entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in Counter(value).values())


def find_assigned(text: str) -> Iterator[SecretMatch]:
    for hint, kind, pattern in _occurring(text):
        for match in _matches(text, hint, pattern):
            value = match[match.lastindex or 0]
            basic = kind == AUTHORIZATION and match[1].lower() == "basic"
            if _is_log_in(value) if basic else any(map(str.isalpha, value)) and looks_random(value, least=2.5):
                yield SecretMatch(kind, Span(*match.span(match.lastindex or 0)))


def _occurring(text: str) -> Iterable[tuple[str, str, re.Pattern[str]]]:
    hints = compiled_hints() if len(text) >= COMPILED_FROM else None
    if hints is None:
        return (row for row in _patterns() if row[0] in text)
    rows = _patterns()
    return [rows[number] for number in hints.occurring(text, _SHORTEST)]


def _matches(text: str, hint: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    at = text.find(hint)
    while at >= 0:
        match = pattern.match(text, at)
        if match:
            yield match
        at = text.find(hint, match.end() if match else at + len(hint))


@cache
def compiled_hints() -> CompiledHints | None:
    library = compiled_library()
    return CompiledHints(library, [hint for hint, *_ in _patterns()]) if library is not None else None


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    named = [(hint, PASSWORD, name + _SIGN + _VALUE) for hints, name in _NAMES for hint in hints]
    headers = [(hint, AUTHORIZATION, _HEADER) for hint in ("uthorization", "UTHORIZATION")]
    return tuple((hint, kind, regex(pattern)) for hint, kind, pattern in (*named, *headers, ("://", IN_URL, _URL)))


def _is_log_in(encoded: str) -> bool:
    """Whether it is a user's name and a password in base 64, as `Basic` has them."""
    try:
        return b":" in base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return False
