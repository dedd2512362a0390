"""Secrets written out in what is to be remembered: keys of well-known formats, passwords, log-ins in addresses.

Redaction hides what nothing else looks like; a memory is refused on less, since whoever writes it can say otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from octavo.model.normalised_text_and_spans import Span
from octavo.sources.secret_redaction import PRIVATE_KEY, find_keys
from octavo.sources.secret_spans import SecretMatch, without_overlaps

# Patterns stay strings until they are needed: `re` caches the compiled form.
_ASSIGNMENT = r"""(?ix) (?<![a-z]) (?: pass(?:word|wd|phrase) | pwd | secret | token
        | (?:api|access|secret|private|auth|account|encryption|signing)[_-]?(?:key|token|secret) )
    ["'\]]{0,2} [ \t]{0,4} (?: = | : | => | := ) [ \t]{0,4}
    (?: "([^"\s]{8,200})" | '([^'\s]{8,200})' | `([^`\s]{8,200})` | ([^\s"'`<>(){}\[\],;]{8,200}) )"""
_URL = r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,15}://[^\s:/@]{1,64}:([^\s/@]{4,128})@[A-Za-z0-9\[]"

_PLACEHOLDER = (
    r"(?i)example|change|your|xxx|\*\*\*|\.\.\.|placeholder|dummy|redacted|replace|insert|todo|<|\$\{|\{\{|%\(|\$\("
    r"|^\$|environ|getenv|^pass(?:word|wd)|^secret|^token|process\.|settings\.|config\.|[a-z]\.[a-z]+\.[a-z]|^(.)\1+$|//"
)


def find_secrets(text: str) -> tuple[SecretMatch, ...]:
    """The secrets written out in a text, in order; of overlapping ones only the first."""
    return without_overlaps(_candidates(text))


def _candidates(text: str) -> Iterator[SecretMatch]:
    for match in find_keys(text):
        key = match.span.of(text)
        if match.kind == PRIVATE_KEY or (not key.endswith("EXAMPLE") and _entropy(key) >= 3.0):
            yield match
    for assignment in re.finditer(_ASSIGNMENT, text):
        group = assignment.lastindex or 0
        if _looks_random(assignment.group(group), quoted=group < 4):
            yield SecretMatch("password or key", Span(*assignment.span(group)))
    if "://" in text:
        for assignment in re.finditer(_URL, text):
            if _looks_random(assignment.group(1), quoted=True):
                yield SecretMatch("password in a URL", Span(*assignment.span(1)))


def _looks_random(value: str, *, quoted: bool) -> bool:
    """Whether a value is a secret, not a word, a variable or a placeholder. Unquoted values need more evidence."""
    kinds = (
        any(map(str.islower, value))
        + any(map(str.isupper, value))
        + any(map(str.isdigit, value))
        + (not value.replace("_", "").replace("-", "").isalnum())
    )
    if kinds < 2 or (not any(map(str.isdigit, value)) and (not quoted or kinds < 3)):
        return False
    return _entropy(value) >= (2.75 if quoted else 3.0) and not re.search(_PLACEHOLDER, value)


def _entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in Counter(value).values())
